import { randomUUID } from 'node:crypto';
import type { TokenUsage } from '../../parser/token-usage.js';
import { omitUndefined } from '../../util/json.js';
import type { PromptResponse } from '../report/run-report.js';
import { type AnyKey, classOf, defineEvent } from './keys.js';

/** Of `ToolInvoked.renderedOutput`, in UTF-16 units. */
const MAX_RENDERED_OUTPUT = 1_000;

/** What every telemetry event carries. */
export interface TelemetryFields {
  readonly eventId: string;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  /** The adapter's label, such as `claude_agent_sdk`. */
  readonly adapter: string;
  /** Of our session, not of the CLI's. */
  readonly sessionId: string;
}

export interface ToolDescription {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

/** A prompt was rendered; nothing was sent yet. */
export interface PromptRendered extends TelemetryFields {
  readonly type: 'promptRendered';
  readonly promptNs: string;
  readonly promptKey: string;
  readonly promptName: string | null;
  readonly renderedPrompt: string;
  /** The values that were bound, by parameter set. */
  readonly renderInputs: unknown;
  readonly tools: readonly ToolDescription[];
  readonly descriptor?: unknown;
}

/** A tool was called, and is done. Each call gives exactly one of these. */
export interface ToolInvoked extends TelemetryFields {
  readonly type: 'toolInvoked';
  readonly promptName: string;
  readonly name: string;
  readonly params: unknown;
  /** What the tool returned: the CLI's `tool_response`, or the `ToolResult` of a bridged tool. */
  readonly result: unknown;
  readonly success: boolean;
  readonly error?: string;
  /** The typed value of a bridged tool. */
  readonly value?: unknown;
  /** What the model saw; at most 1000 UTF-16 units. */
  readonly renderedOutput: string;
  readonly callId?: string;
  readonly usage?: TokenUsage;
  readonly durationMs?: number;
  readonly source: 'native' | 'bridge';
  /** Of the sub-agent that called. */
  readonly agentId?: string;
}

/** A run gave a response. */
export interface PromptExecuted extends TelemetryFields {
  readonly type: 'promptExecuted';
  readonly promptName: string;
  readonly promptNs: string;
  readonly promptKey: string;
  readonly result: PromptResponse<unknown>;
  readonly text: string | null;
  readonly output: unknown;
  readonly value?: unknown;
  readonly usage: TokenUsage;
  /** By our clock, from the start of the CLI. */
  readonly durationMs: number;
  /** What the CLI spent waiting for the API. */
  readonly durationApiMs?: number;
  /** The CLI's running total of its session, earlier turns of a resumed one included. */
  readonly totalCostUsd?: number;
  readonly numTurns?: number;
  readonly stopReason?: string;
  readonly cliSessionId?: string;
}

export type TelemetryEvent = PromptRendered | ToolInvoked | PromptExecuted;

/** Event and slice. */
export const PromptRendered = defineEvent<PromptRendered>('promptRendered');
/** Event and slice. */
export const ToolInvoked = defineEvent<ToolInvoked>('toolInvoked');
/** Event and slice. */
export const PromptExecuted = defineEvent<PromptExecuted>('promptExecuted');

/** An event without the fields that are filled in here. Optional fields may be `undefined` and are then omitted. */
type Given<E extends TelemetryEvent> = {
  readonly [Field in keyof E as Field extends 'type' | 'eventId' | 'createdAt' ? never : Field]:
    | E[Field]
    | (undefined extends E[Field] ? undefined : never);
} & {
  /** Milliseconds since 1970. @defaultValue the machine's time */
  readonly now?: number | undefined;
};

/** The slice for an event's value, when its tool or template named one. Not a field: an event is plain data. */
const ROUTES = new WeakMap<object, AnyKey>();

export function createPromptRendered(given: Given<PromptRendered>): PromptRendered {
  return complete<PromptRendered>('promptRendered', given);
}

export function createToolInvoked({
  resultSlice,
  ...given
}: Given<ToolInvoked> & { readonly resultSlice?: AnyKey | undefined }): ToolInvoked {
  return complete<ToolInvoked>('toolInvoked', { ...given, renderedOutput: cut(given.renderedOutput) }, resultSlice);
}

/** Never in the middle of a character. */
function cut(text: string): string {
  if (text.length <= MAX_RENDERED_OUTPUT) return text;
  return text.slice(0, MAX_RENDERED_OUTPUT).replace(/[\uD800-\uDBFF]$/, '');
}

export function createPromptExecuted({
  outputSlice,
  ...given
}: Given<PromptExecuted> & { readonly outputSlice?: AnyKey | undefined }): PromptExecuted {
  return complete<PromptExecuted>('promptExecuted', given, outputSlice);
}

function complete<E extends TelemetryEvent>(type: E['type'], given: Given<E>, slice?: AnyKey | undefined): E {
  const { now = Date.now(), ...fields } = given;
  const createdAt = new Date(now).toISOString();
  // `Given` is the event without these three.
  const event = { type, eventId: randomUUID(), createdAt, ...omitUndefined(fields) } as unknown as E;
  if (slice !== undefined) ROUTES.set(event, slice);
  return Object.freeze(event);
}

/** The typed values of an event, each with its slice: the one that was named, else the one of the value's class. */
export function routedValues(event: TelemetryEvent): { readonly slice: AnyKey; readonly value: unknown }[] {
  if (event.type === 'promptRendered') return [];
  const named = ROUTES.get(event);
  return valuesOf(event).flatMap((value) => {
    const slice = named ?? classOf(value);
    return slice === undefined ? [] : [{ slice, value }];
  });
}

function valuesOf(event: Exclude<TelemetryEvent, { type: 'promptRendered' }>): readonly unknown[] {
  if (event.type === 'toolInvoked') return event.success && event.value !== undefined ? [event.value] : [];
  const { output } = event;
  if (output === null || output === undefined) return [];
  return Array.isArray(output) ? output : [output];
}
