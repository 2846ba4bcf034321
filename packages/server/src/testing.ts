/** The entry point `claudewire-server/testing`: what a store of your own is tested with. */

export {
  type ConversationStoreCase,
  conversationStoreContract,
  type MakeConversationStore,
} from './stores/conversation-store-contract.js';
