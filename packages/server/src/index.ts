/** The entry point `claudewire-server`. */

export { HostError, type HostErrorCode, type HostErrorOptions } from './errors.js';
export type { ConversationKey } from './stores/conversation-key.js';
export type { ConversationChanges, ConversationRecord, ConversationStore } from './stores/conversation-store.js';
export { FileConversationStore } from './stores/file-conversation-store.js';
export { InMemoryConversationStore } from './stores/memory-conversation-store.js';
