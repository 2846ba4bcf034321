import { randomUUID } from 'node:crypto';
import { isJsonObject } from '../../util/json.js';
import type { Capability } from './permission-plan.js';

/** The fields of every event. */
interface EventOf<Type extends string, Payload> {
  readonly type: Type;
  /** Name of the agent, such as `claude-code`. */
  readonly agent: string;
  /** Milliseconds since 1970. */
  readonly timestamp: number;
  /** The resumed or a generated id, until the agent reports its own. */
  readonly sessionId: string;
  readonly metadata?: AgentEventMetadata;
  readonly payload: Payload;
}

export interface AgentEventMetadata {
  /** Set on events of a sub-agent: the id of the call that started it. */
  readonly parentToolUseId?: string;
  /** Set by `runParallel()`: the index of the task. */
  readonly taskIndex?: number;
}

/** The run has begun. Comes once, or never when the run fails earlier. */
export type InitEvent = EventOf<
  'init',
  {
    readonly model: string;
    readonly cwd: string;
    readonly tools: readonly string[];
    /** Everything else that the agent reported about itself. */
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
/** A piece of a text that the model is still writing. The whole text comes as `text`. */
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
    /** `denied`: the policy, the handler or the CLI refused the call, and it did not run. */
    readonly status: 'success' | 'error' | 'denied';
    /** The structured result, or else the content that the model saw. */
    readonly output: unknown;
    /** Since the `tool_use`. */
    readonly durationMs?: number;
  }
>;

/** A call that needs a decision. The handler was asked, or the call was denied because there is none. */
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
    /** `MISSING_RESULT`, `SDK_STREAM_ERROR`, an `errorClass` of this package, or a code of the agent. */
    readonly code?: string;
    readonly message: string;
    /** True when the run may still succeed, or a later attempt may. */
    readonly recoverable: boolean;
  }
>;

export type DoneEvent = EventOf<
  'done',
  {
    readonly status: 'success' | 'error' | 'interrupted' | 'max_turns' | 'max_budget';
    /** The final text, or else the error. */
    readonly result?: string;
    /** For `resume`. */
    readonly resumeToken?: string;
    readonly usage: AgentUsage;
    readonly durationMs: number;
  }
>;

/** A raw message of the agent that has no event of its own. Ignore the types that you do not know. */
export type NamespacedEvent = EventOf<`${string}:${string}`, Readonly<Record<string, unknown>>>;

/** Every event of a run, as a union on `type`. */
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

/** Tokens and cost. Claude Code counts per session, so a resumed run includes the earlier runs. */
export interface AgentUsage extends Omit<AgentModelUsage, 'costUsd'> {
  /** Distinct tool calls of this run. */
  readonly toolUses: number;
  readonly totalCostUsd?: number;
  /** `false`: the agent reported no usage, and the numbers are zero. */
  readonly reported: boolean;
  readonly byModel?: Readonly<Record<string, AgentModelUsage>>;
}

export interface AgentModelUsage {
  /** Uncached input. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens?: number;
  readonly cacheWriteTokens?: number;
  readonly costUsd?: number;
}

/** A session id to use until the agent reports its own. */
export function generateSessionId(): string {
  return randomUUID();
}

/** Makes an event, for your own adapters. @param sessionId - @defaultValue a generated one */
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

/** True for anything with the fields of every event. The fields of the payload are not checked. */
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
