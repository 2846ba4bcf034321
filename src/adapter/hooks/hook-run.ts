import { isClaudeSDKError } from '../../errors/claude-sdk-error.js';
import type { NetworkPolicy } from '../isolation/network-policy.js';
import type { BudgetTracker } from '../limits/budget-tracker.js';
import type { Deadline } from '../limits/deadline.js';
import { errorFields, type Log } from '../logging/log.js';
import type { Session } from '../state/index.js';
import type { CallIdQueue } from './call-id-queue.js';

/** What the hooks of one run know. Each run has its own. */
export interface HookRun {
  readonly session: Session;
  readonly adapterName: string;
  readonly promptName: string;
  /** Of the bridge's tools, such as `mcp__wink__`. */
  readonly bridgePrefix: string;
  readonly deadline: Deadline | undefined;
  readonly budgetTracker: BudgetTracker | undefined;
  /** Resolves when `budgetTracker` knows what was used until now, or after a short time limit. Never rejects. */
  readonly usageKnown?: (() => Promise<void>) | undefined;
  readonly log: Log;
  /** The evaluation's: fires when it is aborted or ends. */
  readonly signal: AbortSignal;
  readonly timeouts: HookTimeouts;
  readonly failureMode: 'open' | undefined;
  readonly stopOnStructuredOutput: boolean;
  readonly outsideWorkspacePaths: 'allow' | 'deny';
  /** Absolute; count as inside the workspace: the working directory and the extra ones. */
  readonly insideDirs: readonly string[];
  /** Host paths that were mounted, as real paths, with the absolute path of their copy. */
  readonly mounts: readonly { readonly hostPath: string; readonly copyPath: string }[];
  /** `undefined`: no isolation, and the check of the sandbox escape does not apply. */
  readonly isolation: { readonly allowUnsandboxedCommands: boolean; readonly networkPolicy: NetworkPolicy } | undefined;
  readonly contextProviders: readonly ContextProvider[];
  /** Tool use ids that PreToolUse saw, for bridged calls whose request carries none. */
  readonly callIds: CallIdQueue;
}

/** Seconds, as on the wire. */
export interface HookTimeouts {
  readonly preToolUse: number;
  readonly postToolUse: number;
  readonly userPromptSubmit: number;
  readonly stop: number;
}

/** A line for the model before each prompt; `undefined` adds nothing. */
export type ContextProvider = (context: {
  readonly session: Session;
  readonly promptName: string;
}) => string | undefined | Promise<string | undefined>;

/** What the hooks learned during the run. */
export interface HookState {
  stopReason: string | undefined;
  toolCount: number;
  /** A limit for which a hook ended the turn. */
  limitStop: 'deadline' | 'budget' | undefined;
  /** Input of the last `StructuredOutput` call. */
  structuredOutput: { readonly value: unknown } | undefined;
  readonly denials: { toolName: string; toolUseId: string | undefined; reason: string }[];
  /** Calls by tool name. */
  readonly toolsUsed: Map<string, number>;
  /** That hooks were called about tool calls, in order. */
  readonly toolEvents: ToolEvent[];
}

/** The part of a hook's input that says what became of a call. */
export interface ToolEvent {
  readonly hook_event_name: 'PreToolUse' | 'PostToolUse' | 'PostToolUseFailure';
  readonly tool_use_id: string;
  readonly is_interrupt?: boolean;
}

/** A run whose hooks were made. */
export interface HookedRun extends HookRun {
  readonly state: HookState;
}

export function createHookState(): HookState {
  return {
    stopReason: undefined,
    toolCount: 0,
    limitStop: undefined,
    structuredOutput: undefined,
    denials: [],
    toolsUsed: new Map(),
    toolEvents: [],
  };
}

/** What a hook says about a limit. */
interface Limit {
  readonly kind: 'deadline' | 'budget';
  readonly reason: string;
  readonly logEvent: string;
}

const DEADLINE: Limit = { kind: 'deadline', reason: 'Deadline exceeded', logEvent: 'hook.deadline_exceeded' };
const BUDGET: Limit = { kind: 'budget', reason: 'Budget exhausted', logEvent: 'hook.budget_exhausted' };

/** The limit that leaves no room for another call. Tokens may be used up to the limit, not beyond. */
export function reachedLimit({ deadline, budgetTracker }: HookRun): Limit | undefined {
  if (deadline?.isExpired() === true) return DEADLINE;
  return budgetTracker?.isExhausted() === true ? { ...BUDGET, reason: 'Token budget exhausted' } : undefined;
}

/** The limit that an error reports. Errors of another copy of the package count too. */
export function limitOf(error: unknown): Limit | undefined {
  if (!isClaudeSDKError(error)) return undefined;
  if (error.errorClass === 'deadline_exceeded') return DEADLINE;
  return error.errorClass === 'budget_exhausted' ? BUDGET : undefined;
}

export function logHookError(log: Log, hookEvent: string, error: unknown): void {
  log.error('hook.error', { ...errorFields(error), hookEvent });
}
