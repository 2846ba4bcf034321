import { randomUUID } from 'node:crypto';
import { isJsonObject } from '../../util/json.js';
import type { Capability } from './permission-plan.js';

/** What every event has. */
interface EventOf<Type extends string, Payload> {
  readonly type: Type;
  /** Name of the agent, such as `claude-code`. */
  readonly agent: string;
  /** Milliseconds since 1970. */
  readonly timestamp: number;
  /** The one that was resumed, or a made-up one, until the agent says its own. */
  readonly sessionId: string;
  readonly metadata?: AgentEventMetadata;
  readonly payload: Payload;
}

export interface AgentEventMetadata {
  /** On what a sub-agent says and does: the id of the call that started it. */
  readonly parentToolUseId?: string;
  /** On events of `runParallel()`: the task's place in the list. */
  readonly taskIndex?: number;
}

/** The run has begun. Comes once, and not at all when it fails before. */
export type InitEvent = EventOf<
  'init',
  {
    readonly model: string;
    readonly cwd: string;
    readonly tools: readonly string[];
    /** What else the agent told of itself. */
    readonly capabilities?: AgentCapabilities;
  }
>;

export interface AgentCapabilities {
  readonly permissionMode?: unknown;
  readonly mcpServers?: unknown;
  readonly slashCommands?: unknown;
  readonly agents?: unknown;
  readonly skills?: unknown;
  readonly cliVersion?: unknown;
}

/** A finished piece of text. */
export type TextEvent = EventOf<'text', { readonly content: string }>;
/** A piece of a text that is still being written; the whole comes as `text`. */
export type TextDeltaEvent = EventOf<'text_delta', { readonly delta: string }>;
export type ThinkingEvent = EventOf<'thinking', { readonly summary: string }>;

export type ToolUseEvent = EventOf<
  'tool_use',
  {
    readonly toolName: string;
    readonly toolUseId: string;
    readonly input: Readonly<Record<string, unknown>>;
    /** The model's own words for what the call does. */
    readonly description?: string;
  }
>;

export type ToolResultEvent = EventOf<
  'tool_result',
  {
    readonly toolUseId: string;
    /** `unknown` when no `tool_use` with this id was seen. */
    readonly toolName: string;
    /** `denied`: it was not run, because the policy, the handler or the CLI refused it. */
    readonly status: 'success' | 'error' | 'denied';
    /** The structured result, else the content that the model saw. */
    readonly output: unknown;
    /** Since the `tool_use`. */
    readonly durationMs?: number;
  }
>;

/** A call that has to be decided about. With a handler, the handler was asked; without, it was denied. */
export type PermissionRequestEvent = EventOf<
  'permission_request',
  {
    readonly toolName: string;
    readonly toolUseId: string;
    readonly input: Readonly<Record<string, unknown>>;
    readonly reason?: string;
    readonly capability?: Capability;
  }
>;

export type ErrorEvent = EventOf<
  'error',
  {
    /** `MISSING_RESULT`, `SDK_STREAM_ERROR`, an `errorClass` of this package, or the agent's own word. */
    readonly code?: string;
    readonly message: string;
    /** The run may still end well, or the same run may work later. */
    readonly recoverable: boolean;
  }
>;

export type DoneEvent = EventOf<
  'done',
  {
    readonly status: 'success' | 'error' | 'interrupted' | 'max_turns' | 'max_budget';
    /** The final text, else what went wrong. */
    readonly result?: string;
    /** For `resume`. */
    readonly resumeToken?: string;
    readonly usage: AgentUsage;
    readonly durationMs: number;
  }
>;

/** Anything of the agent's own, raw. Ignore types that you do not know. */
export type NamespacedEvent = EventOf<`${string}:${string}`, Readonly<Record<string, unknown>>>;

/** What a run tells, as a union on `type`. */
export type AgentEvent =
  | InitEvent
  | TextEvent
  | TextDeltaEvent
  | ThinkingEvent
  | ToolUseEvent
  | ToolResultEvent
  | PermissionRequestEvent
  | ErrorEvent
  | DoneEvent
  | NamespacedEvent;

export type AgentEventType = AgentEvent['type'];

/** The event with this type. */
export type AgentEventOf<Type extends AgentEventType> = Type extends `${string}:${string}`
  ? NamespacedEvent
  : Extract<AgentEvent, { readonly type: Type }>;

/** Tokens and cost. Claude Code counts per session: a resumed run includes what came before it. */
export interface AgentUsage {
  /** Uncached input. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Distinct tool calls of this run. */
  readonly toolUses: number;
  readonly totalCostUsd?: number;
  readonly cacheReadTokens?: number;
  readonly cacheWriteTokens?: number;
  /** `false`: nobody counted, and the numbers are zero. */
  readonly reported: boolean;
  readonly byModel?: Readonly<Record<string, AgentModelUsage>>;
}

export interface AgentModelUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens?: number;
  readonly cacheWriteTokens?: number;
  readonly costUsd?: number;
}

/** A session id for as long as the agent has not said its own. */
export function generateSessionId(): string {
  return randomUUID();
}

/**
 * Makes an event, for adapters of your own.
 *
 * @param sessionId - @defaultValue a generated one
 */
export function createEvent<Type extends AgentEventType>(
  type: Type,
  agent: string,
  payload: AgentEventOf<Type>['payload'],
  sessionId: string = generateSessionId(),
  metadata?: AgentEventMetadata,
): AgentEventOf<Type> {
  const event = {
    type,
    agent,
    timestamp: Date.now(),
    sessionId,
    ...(metadata === undefined ? {} : { metadata }),
    payload,
  };
  // The parameters pair the type with its payload; the compiler does not follow that through a generic.
  return event as unknown as AgentEventOf<Type>;
}

/** True for anything with the fields that every event has. The payload's own fields are not looked at. */
export function isAgentEvent(value: unknown): value is AgentEvent {
  return (
    isJsonObject(value) &&
    typeof value.type === 'string' &&
    value.type !== '' &&
    typeof value.agent === 'string' &&
    Number.isFinite(value.timestamp) &&
    typeof value.sessionId === 'string' &&
    isJsonObject(value.payload)
  );
}
