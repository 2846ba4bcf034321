/** The entry point `claudewire-server/testing`: what a store of your own is tested with. */

export {
  type ApprovalStoreCase,
  approvalStoreContract,
  type MakeApprovalStore,
} from './approvals/approval-store-contract.js';
export {
  type MakeWakeUpStore,
  type WakeUpStoreCase,
  wakeUpStoreContract,
} from './background/wake-up-store-contract.js';
export { type EventLogCase, eventLogContract, type MakeEventLog } from './events/event-log-contract.js';
export {
  type ConversationStoreCase,
  conversationStoreContract,
  type MakeConversationStore,
} from './stores/conversation-store-contract.js';
