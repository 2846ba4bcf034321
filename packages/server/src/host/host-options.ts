import type { SessionStore } from 'claudewire';
import type { ApprovalStore } from '../approvals/approval-store.js';
import type { ApprovalKey } from '../approvals/approval-token.js';
import type { ToolCall } from '../approvals/conversation-approvals.js';
import type { WakeUpStore } from '../background/wake-up-store.js';
import type { ConversationEvent } from '../events/conversation-event.js';
import type { EventLog } from '../events/event-log.js';
import type { ConversationKey } from '../stores/conversation-key.js';
import type { ConversationStore } from '../stores/conversation-store.js';
import type { HostLimits } from './limits.js';
import type { OptionsFor } from './tenant-options.js';

export interface SessionHostOptions {
  /** Which conversations there are, and who writes to them. */
  readonly store: ConversationStore;
  /** What was said: Claude Code's transcripts. */
  readonly sessionStore: SessionStore;
  /** What viewers missed. @defaultValue one in memory */
  readonly eventLog?: EventLog;
  readonly limits?: HostLimits;
  /** Tools that wait for a decision, longer than a process lives. @defaultValue none */
  readonly approvals?: ApprovalOptions;
  /** Prompts that conversations send themselves, for longer than a process lives. @defaultValue one in memory */
  readonly wakeUps?: WakeUpStore;
  /** The options of a tenant's processes. Called for each process. */
  readonly optionsFor: OptionsFor;
  /**
   * Hears each event that this host writes, of all conversations, also those that no viewer looks at: for a meter, a log
   * or a notification. Of several hosts with one store, one hears it. It is not waited for, and one that throws or rejects
   * is ignored. It must return soon, since nothing else happens until then.
   */
  readonly onEvent?: (conversation: ConversationKey, event: ConversationEvent) => void | Promise<void>;
  /**
   * Called when a process ends unexpectedly. The error has the exit code, the signal and the end of stderr; viewers only see
   * `crashed`. Also called when no process could be started for a prompt that is due. The host tries again every
   * `limits.wakeUpMs`. It is not waited for, and one that throws or rejects is ignored.
   */
  readonly onCrash?: (conversation: ConversationKey, error: unknown) => void | Promise<void>;
}

export interface ApprovalOptions {
  readonly store: ApprovalStore;
  /** What tokens are signed with. The first signs, all check. */
  readonly keys: readonly ApprovalKey[];
  /** How long a decision is waited for, in milliseconds. @defaultValue 86_400_000, a day */
  readonly expiresMs?: number;
  /**
   * Whether a call has to wait. It is asked before each tool. One that throws, or has not settled after
   * `limits.storeMs`, keeps the tool from running.
   */
  readonly needsApproval: (call: ToolCall, key: ConversationKey) => boolean | Promise<boolean>;
}
