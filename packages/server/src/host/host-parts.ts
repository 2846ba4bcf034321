import type { SessionStore } from 'claudewire';
import type { ApprovalRules } from '../approvals/conversation-approvals.js';
import { KeptProcesses } from '../background/kept-processes.js';
import { InMemoryWakeUpStore } from '../background/memory-wake-up-store.js';
import type { WakeUpStore } from '../background/wake-up-store.js';
import { storeFailure } from '../errors.js';
import type { TurnOutcome } from '../events/conversation-event.js';
import type { EventLog } from '../events/event-log.js';
import { InMemoryEventLog } from '../events/memory-event-log.js';
import type { ConversationStore } from '../stores/conversation-store.js';
import { isLeasePassed } from '../stores/lease-token.js';
import { settled, timeLimited } from '../stores/time-limit.js';
import type { ApprovalOptions, SessionHostOptions } from './host-options.js';
import { type HostLimits, resolveLimits } from './limits.js';
import { ProcessPool } from './process-pool.js';
import { Spares } from './spares.js';
import { TenantHomes } from './tenant-options.js';

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

/** Counts what a store failed with. A write that is refused since the lease has passed is none of its failures. */
export function counted(metrics: HostCounters): (error: unknown) => void {
  return (error) => {
    if (!isLeasePassed(error)) metrics.storeFailures += 1;
  };
}

/** What the conversations of a host share. */
export interface HostParts {
  readonly store: ConversationStore;
  readonly sessionStore: SessionStore;
  readonly eventLog: EventLog;
  readonly approvals: ApprovalRules | undefined;
  readonly wakeUps: WakeUpStore;
  readonly kept: KeptProcesses;
  readonly limits: Required<HostLimits>;
  readonly homes: TenantHomes;
  /** Never throws. */
  readonly onEvent: SessionHostOptions['onEvent'];
  /** Never throws. */
  readonly onCrash: SessionHostOptions['onCrash'];
  readonly pool: ProcessPool;
  readonly spares: Spares;
  readonly metrics: HostCounters;
}

const DAY_MS = 86_400_000;

/**
 * The stores with a limit of time for each call, the checked limits, and the processes.
 * @param evictIdle - Ends a process that waits. @throws HostError `invalid`.
 */
export function createParts(
  { limits, approvals, optionsFor, onEvent, onCrash, ...stores }: SessionHostOptions,
  evictIdle: (tenant?: string) => Promise<void> | undefined,
): HostParts {
  const { expiresMs = DAY_MS } = approvals ?? {};
  const resolved = resolveLimits(limits);
  const limited = <T extends object>(store: T, name: string, onLate?: (method: string, value: unknown) => void): T =>
    timeLimited(store, name, resolved.storeMs, onLate);
  const sessionStore = limited(stores.sessionStore, 'sessionStore');
  const homes = new TenantHomes(optionsFor, resolved.storeMs);
  const metrics = { started: 0, resumed: 0, sparesUsed: 0, evicted: 0, storeFailures: 0, leasesLost: 0, turns: {} };
  const evict = (tenant?: string): Promise<void> | undefined => {
    const gone = spares.evict(tenant) ?? evictIdle(tenant);
    if (gone !== undefined) metrics.evicted += 1;
    return gone;
  };
  const pool = new ProcessPool({ ...resolved, evict });
  const spares = new Spares({
    ...{ perTenant: resolved.spares, idleMs: resolved.idleMs, pool, homes, sessionStore },
    isGuarded: approvals !== undefined,
  });
  return {
    ...{ sessionStore, limits: resolved, homes, pool, spares, metrics, onEvent: onEvent && contained(onEvent) },
    onCrash: onCrash && contained(onCrash),
    kept: new KeptProcesses(resolved),
    store: limited(stores.store, 'store'),
    wakeUps: limited(stores.wakeUps ?? new InMemoryWakeUpStore(), 'wakeUps'),
    eventLog: limited(stores.eventLog ?? new InMemoryEventLog(), 'eventLog', endLateWatch),
    approvals: approvals && {
      expiresMs,
      needsApproval: boundedRule(approvals.needsApproval, resolved.storeMs),
      store: limited(approvals.store, 'approvals.store'),
    },
  };
}

/** One that throws or rejects must not take a turn with it. */
function contained<T extends readonly unknown[]>(listener: (...args: T) => void | Promise<void>): (...args: T) => void {
  return (...args) => {
    const heard = async (): Promise<void> => listener(...args);
    void heard().catch(() => {});
  };
}

/** Its viewers have gone on without it. */
function endLateWatch(method: string, stop: unknown): void {
  if (method === 'watch' && typeof stop === 'function') stop();
}

/** A rule that hangs must not keep a turn open: as one that throws, it keeps the tool from running. */
function boundedRule(needsApproval: ApprovalOptions['needsApproval'], ms: number): ApprovalOptions['needsApproval'] {
  const name = '`approvals.needsApproval()`';
  return async (call, key) => {
    try {
      return await settled(ms, name, async () => needsApproval(call, key));
    } catch (error) {
      throw storeFailure(name, error);
    }
  };
}
