import { fields, integer } from '../checks.js';

/** Counts, milliseconds and MiB. */
export interface HostLimits {
  /** Claude Code processes at once, with those that wait and the spares. @defaultValue 8 */
  readonly processes?: number;
  /** Of these, those of one tenant. @defaultValue as `processes` */
  readonly processesPerTenant?: number;
  /** Processes that are started ahead for each tenant that is active. @defaultValue 0 */
  readonly spares?: number;
  /** Messages that wait for a process. @defaultValue 32 */
  readonly queue?: number;
  /** Of these, those of one tenant. Tenants are served by turns. @defaultValue as `queue` */
  readonly queuedPerTenant?: number;
  /** How long one waits. @defaultValue 10_000 */
  readonly queueMs?: number;
  /**
   * How long a process is kept after its turn because something still runs in it: a background command, a background agent.
   * @defaultValue 3_600_000
   */
  readonly backgroundMs?: number;
  /** Of `processes`, those that are kept only for that. Others are ended as if they were idle. @defaultValue half of `processes` */
  readonly backgroundProcesses?: number;
  /** Of these, those of one tenant. @defaultValue half of `processesPerTenant`, and not more than `backgroundProcesses` */
  readonly backgroundPerTenant?: number;
  /** How often a host looks for prompts that are due and that no process sends. @defaultValue 15_000 */
  readonly wakeUpMs?: number;
  /** How long a process that has nothing to do is kept. @defaultValue 300_000 */
  readonly idleMs?: number;
  /** After so long a turn is interrupted. @defaultValue 1_800_000 */
  readonly turnMs?: number;
  /** How long an interrupted turn has to end before its process is stopped. @defaultValue 10_000 */
  readonly interruptMs?: number;
  /** How long a question may be open before it is denied. @defaultValue 600_000 */
  readonly questionMs?: number;
  /** How long the lease of a host that died blocks a conversation. @defaultValue 30_000 */
  readonly leaseMs?: number;
  /**
   * How long one call of a store, of the event log or of `optionsFor` may take. It fails as `store_failed` then, or as
   * `start_failed`. @defaultValue 10_000
   */
  readonly storeMs?: number;
  /** A turn that nobody has looked at for so long is interrupted. @defaultValue 0, it goes on */
  readonly abandonMs?: number;
  /**
   * Resident memory of one Claude Code process, in MiB. One that has more is ended: without a loss while it is idle, and
   * with its turn, as `memory_limit`, while it is at work. Not for processes that `spawnClaudeCodeProcess` starts.
   * @defaultValue 0, no limit
   */
  readonly processMemoryMb?: number;
  /** How often that is looked at. @defaultValue 5_000 */
  readonly memoryCheckMs?: number;
  /**
   * What the machine, or its container, must have left for a process to be started beside others, in MiB. Else spares
   * and idle processes are ended first, and then messages wait. @defaultValue 0, no limit
   */
  readonly freeMemoryMb?: number;
  /** Iterables of `events()` at once. @defaultValue 1_000 */
  readonly viewers?: number;
  /** Of these, those of one tenant. @defaultValue as `viewers` */
  readonly viewersPerTenant?: number;
  /** Conversations of one tenant. @defaultValue 0, no limit */
  readonly conversationsPerTenant?: number;
  /**
   * Bytes of JSON that are stored for the conversations of one tenant: events and transcripts. They are added at the end of
   * each turn, so turns that are open at the same time may exceed it, each by what it writes. @defaultValue 0, no limit
   */
  readonly storedBytesPerTenant?: number;
  /** Characters of a message. @defaultValue 200_000 */
  readonly messageLength?: number;
}

/** Those whose default is no number of its own. */
type Derived =
  | 'processesPerTenant'
  | 'queuedPerTenant'
  | 'viewersPerTenant'
  | 'backgroundProcesses'
  | 'backgroundPerTenant';

const DEFAULTS: Omit<Required<HostLimits>, Derived> = {
  processes: 8,
  spares: 0,
  queue: 32,
  queueMs: 10_000,
  backgroundMs: 3_600_000,
  wakeUpMs: 15_000,
  idleMs: 300_000,
  turnMs: 1_800_000,
  interruptMs: 10_000,
  questionMs: 600_000,
  leaseMs: 30_000,
  storeMs: 10_000,
  abandonMs: 0,
  processMemoryMb: 0,
  memoryCheckMs: 5_000,
  freeMemoryMb: 0,
  viewers: 1_000,
  conversationsPerTenant: 0,
  storedBytesPerTenant: 0,
  messageLength: 200_000,
};

const MAY_BE_ZERO: readonly string[] = [
  ...['backgroundMs', 'backgroundProcesses', 'backgroundPerTenant'],
  ...['spares', 'queue', 'queuedPerTenant', 'queueMs', 'idleMs', 'abandonMs'],
  ...['processMemoryMb', 'freeMemoryMb', 'conversationsPerTenant', 'storedBytesPerTenant'],
];

/** @throws HostError `invalid`. */
export function resolveLimits(limits: HostLimits = {}): Required<HostLimits> {
  const { processes, queue, viewers } = { ...DEFAULTS, ...limits };
  const { processesPerTenant = processes, backgroundProcesses = halfOf(processes) } = limits;
  const backgroundPerTenant = Math.min(backgroundProcesses, halfOf(processesPerTenant));
  const ofTenant = { processesPerTenant: processes, queuedPerTenant: queue, viewersPerTenant: viewers };
  const defaults = { ...DEFAULTS, ...ofTenant, backgroundProcesses, backgroundPerTenant };
  const resolved = { ...defaults, ...limits };
  const checks = Object.keys(defaults).map((name) => {
    const most = name === 'storedBytesPerTenant' ? Number.MAX_SAFE_INTEGER : undefined;
    return [name, integer(MAY_BE_ZERO.includes(name) ? 0 : 1, most)] as const;
  });
  fields(Object.fromEntries(checks))(resolved, 'limits');
  return resolved;
}

function halfOf(count: number): number {
  return Math.max(1, Math.floor(count / 2));
}
