import type { ProcessExit } from '../../errors.js';
import type { SDKResultMessage } from '../../parser/message.js';
import type { RunSummary } from '../../parser/run-summary.js';
import type { TraceContext } from '../launch/launch-plan.js';

/** Why an operation did not succeed. */
export interface OperationError {
  /** A stable word: a kind of `outcomeOf`, or `tool_error`, `refused`, `cancelled`, `timed_out`, `unfinished`, `mcp_error`, `hook_error`, `api_error`, `exit`. */
  readonly kind: string;
  readonly message: string;
  /** What the loop over the run throws, when there is that. */
  readonly cause?: unknown;
}

/**
 * What ended an operation in place of an error: the host or its user decided so. `abandoned`: they left the loop over
 * the run. `closed`: they closed it. `interrupted`: they interrupted the turn, or stopped the sub-agent. `denied`: they
 * denied the call. `hook_stopped`: one of their hooks ended the turn. An abort is an error, of the kind `interrupted`.
 */
export type OperationStop = 'abandoned' | 'closed' | 'interrupted' | 'denied' | 'hook_stopped';

/**
 * On every context. One object goes to `start`, `error` and `end` of its operation, so it can be the key of a `WeakMap`.
 * `end` comes exactly once, `error` at most once and before `end`.
 */
export interface OperationContext {
  /** The run's id: `run` in the log. */
  readonly run: string;
  /** `undefined` until the CLI has said it. */
  readonly sessionId: string | undefined;
  /** Milliseconds since 1970, with fractions. */
  readonly startedAt: number;
  /** As {@link startedAt}. `undefined` until the end. May be earlier than the moment `end` is published. */
  readonly endedAt?: number;
  readonly error?: OperationError;
  /** Set at the end, and then without {@link error}. */
  readonly stopped?: OperationStop;
}

/** One run: `query()`, a `ClaudeClient` session, or a process started ahead. */
export interface QueryContext extends OperationContext {
  readonly front: 'query' | 'client' | 'warm';
  /** As asked for, then what the CLI says it uses. */
  readonly model: string | undefined;
  readonly cliVersion?: string;
  /** The run resumes or continues a session, so cumulative figures begin with those of earlier runs. */
  readonly isResumed: boolean;
  /** The run's environment tells the CLI to export traces of its own over OTLP. */
  readonly hasCliTraces: boolean;
  /**
   * A subscriber of `start` may set the trace context that the CLI gets as `TRACEPARENT`. Otherwise it is that of the
   * active OpenTelemetry span. A `TRACEPARENT` in `options.env` wins over both.
   */
  traceContext?: TraceContext | undefined;
  /**
   * At the end: what the session has used by the CLI's own account at its exit, by model, in the form of a result's
   * `modelUsage`. Only when something came after the last result, such as a turn that was cut, and the CLI said so in
   * the transcript.
   */
  readonly finalModelUsage?: Readonly<Record<string, unknown>>;
  /** At the end: what `summaryOf` resolves with. Absent when the options could not be used. */
  readonly summary?: RunSummary;
}

interface InQuery extends OperationContext {
  readonly query: QueryContext;
}

/** From a user message, or a turn that the CLI begins by itself, to its result. */
export interface TurnContext extends InQuery {
  /** Counts from 1. */
  readonly index: number;
  /** `uuid` of the user message that began it, if it has one. */
  readonly messageUuid: string | undefined;
  /** User messages that wait for a turn or for the end of this one, now. */
  readonly queued: number;
  readonly result?: SDKResultMessage;
}

/**
 * A sub-agent, from its start to its report. A background one outlives the tool call that started it. Its `end` is
 * published when its transcript has been read: up to some seconds after it, and at the latest with the run's. The ends
 * of its answers come right before.
 */
export interface AgentContext extends InQuery {
  /** The `Agent` call that started it: `parent_tool_use_id` of its messages. */
  readonly toolUseId: string;
  readonly tool: ToolContext | undefined;
  /** The turn in which it began. */
  readonly turn: TurnContext | undefined;
  /** The sub-agent that started it; `undefined`: the main thread did. */
  readonly parent: AgentContext | undefined;
  /** It outlives the call that started it. */
  readonly isBackground: boolean;
  /** True at the end when its transcript was there: then all of its answers were published, with final counts. */
  readonly isUsageFinal: boolean;
  /** `task_id` of the CLI. */
  readonly agentId?: string;
  readonly agentType?: string;
}

interface InAgent extends InQuery {
  readonly turn: TurnContext | undefined;
  /** `undefined`: the main thread. */
  readonly agent: AgentContext | undefined;
}

/** One answer of the model, from the moment it was waited for. */
export interface ChatContext extends InAgent {
  /** `message.id` of its assistant messages. */
  readonly messageId: string;
  readonly model: string | undefined;
  /** Of the first thing the model said. As {@link OperationContext.startedAt}. */
  readonly firstTokenAt?: number;
  /** The API's `usage`. Its `output_tokens` are complete only when {@link isUsageFinal}. */
  readonly usage?: Readonly<Record<string, unknown>>;
  /**
   * True once the answer is complete: with `includePartialMessages`, and in a sub-agent by its transcript.
   */
  readonly isUsageFinal: boolean;
  /** It came in pieces, with `includePartialMessages`. */
  readonly isStreamed: boolean;
  readonly stopReason?: string;
  /** Tries that failed before this answer. */
  readonly retries: number;
  /** The content blocks themselves. */
  readonly content: readonly unknown[];
}

/** A call of a tool by the model, from the message that has it to the message with its result. */
export interface ToolContext extends InAgent {
  readonly toolUseId: string;
  readonly toolName: string;
  readonly chat: ChatContext | undefined;
  /** The call's own input, and later the content of its result. */
  readonly input: unknown;
  readonly output?: unknown;
  /** What the host's `canUseTool` answered, if it was asked, or `deny` of a PreToolUse hook or of the CLI itself. */
  readonly permission?: 'allow' | 'deny';
}

/** A control request of either side, until its answer, its withdrawal or the end of the run. */
export interface ControlContext extends InQuery {
  readonly requestId: string;
  readonly subtype: string;
  readonly from: 'host' | 'cli';
}

interface FromControl extends InQuery {
  /** Absent for a hook that the CLI runs itself. */
  readonly requestId?: string;
  readonly toolUseId?: string;
  readonly tool?: ToolContext;
}

/** A hook: a callback of the host, or (with `includeHookEvents`) a command of the CLI's settings. */
export interface HookContext extends FromControl {
  readonly source: 'callback' | 'command';
  readonly event: string;
  readonly name: string;
  /** `permissionDecision` or `decision` of the answer. */
  readonly decision?: string;
}

/** `canUseTool`. */
export interface PermissionContext extends FromControl {
  readonly toolName: string;
  /** `undefined` at the end: no decision was sent. */
  readonly decision?: 'allow' | 'deny';
  readonly message?: string;
}

/** An elicitation, a dialog, or `AskUserQuestion`. */
export interface QuestionContext extends FromControl {
  readonly kind: string;
  /** `action` or `behavior` of the answer. */
  readonly answer?: string;
}

/** A JSON-RPC message to an in-process MCP server, or from it. */
export interface McpContext extends FromControl {
  readonly server: string;
  readonly method: string;
  /** Of `tools/call`. */
  readonly toolName?: string;
  readonly from: 'host' | 'cli';
}

/** The CLI's process, or a transport's peer. */
export interface ProcessContext extends InQuery {
  /** `undefined` for a process somewhere else, or while it is not known. */
  readonly pid: number | undefined;
  readonly exit?: ProcessExit;
}

/** The context of each channel. */
export interface ClaudewireChannels {
  readonly query: QueryContext;
  readonly turn: TurnContext;
  readonly agent: AgentContext;
  readonly chat: ChatContext;
  readonly tool: ToolContext;
  readonly hook: HookContext;
  readonly permission: PermissionContext;
  readonly question: QuestionContext;
  readonly mcp: McpContext;
  readonly control: ControlContext;
  readonly process: ProcessContext;
}
