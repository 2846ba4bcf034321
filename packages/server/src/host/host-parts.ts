import type { SessionStore } from 'claudewire';
import type { ApprovalRules } from '../approvals/conversation-approvals.js';
import type { TurnOutcome } from '../events/conversation-event.js';
import type { EventLog } from '../events/event-log.js';
import type { ConversationStore } from '../stores/conversation-store.js';
import type { HostLimits } from './limits.js';
import type { ProcessPool } from './process-pool.js';
import type { Spares } from './spares.js';
import type { TenantHomes } from './tenant-options.js';

/** Counted since the host was made. */
export interface HostCounters {
  /** Processes for conversations, without spares. */
  started: number;
  /** Of these, with a conversation from the session store. */
  resumed: number;
  sparesUsed: number;
  evicted: number;
  storeFailures: number;
  /** Turns that ended here because another host may have had them. */
  leasesLost: number;
  turns: Partial<Record<TurnOutcome, number>>;
}

/** What the conversations of a host share. */
export interface HostParts {
  readonly store: ConversationStore;
  readonly sessionStore: SessionStore;
  readonly eventLog: EventLog;
  readonly approvals: ApprovalRules | undefined;
  readonly limits: Required<HostLimits>;
  readonly homes: TenantHomes;
  readonly pool: ProcessPool;
  readonly spares: Spares;
  readonly metrics: HostCounters;
}
