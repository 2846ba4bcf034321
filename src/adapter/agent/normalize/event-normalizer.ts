import { TaskLedger } from '../../../control/task-ledger.js';
import { isJsonObject, type JsonObject } from '../../../util/json.js';
import type { Clock } from '../../limits/clock.js';
import type { AgentEvent, ErrorEvent } from '../agent-event.js';
import type { AgentPermissionRequest } from '../agent-types.js';
import { deltaOf } from './delta.js';
import { EventMaker } from './event-maker.js';
import { blocksOf, textField, textOf } from './fields.js';
import { initPayload, type Requested } from './init-payload.js';
import { rateLimitError } from './rate-limit.js';
import { failureOf, type RunEnd, readResult, type TurnResult } from './run-end.js';
import { ToolCalls } from './tool-calls.js';
import { UsageReader } from './usage.js';

export interface NormalizerOptions {
  readonly agent: string;
  /** The one that is resumed, or a generated one. */
  readonly sessionId: string;
  readonly resume: string | undefined;
  readonly requested: Requested;
  readonly includeThinking: boolean;
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  /** For the texts about what went wrong. @defaultValue they stay as they are */
  readonly redact?: ((text: string) => string) | undefined;
}

/** Words of the CLI for failures that pass by themselves. */
const RECOVERABLE: ReadonlySet<string> = new Set(['rate_limit', 'overloaded', 'server_error']);

/**
 * Turns the messages of one run into events. Never throws, whatever the messages look like; no I/O. `finish()` ends it, with
 * the one `done`.
 */
export class EventNormalizer {
  readonly #options: NormalizerOptions;
  readonly #make: EventMaker;
  readonly #startedAt: number;
  readonly #calls: ToolCalls;
  readonly #usage = new UsageReader();
  readonly #tasks = new TaskLedger();
  /** The agent said it. */
  #resumeToken: string | undefined;
  #sawInit = false;
  #result: TurnResult | undefined;
  #turnDurationMs: number | undefined;
  /** A background task ended by itself: a turn about it follows. */
  #awaitsTaskTurn = false;
  #isInterruptRequested = false;

  constructor(options: NormalizerOptions) {
    this.#options = options;
    this.#make = new EventMaker(options.agent, options.clock, options.sessionId);
    this.#startedAt = options.clock.monotonic();
    this.#calls = new ToolCalls(options.clock);
  }

  get sessionId(): string {
    return this.#make.sessionId;
  }

  get hasResult(): boolean {
    return this.#result !== undefined;
  }

  /** A result came, and no background task will start another turn. A failed result is the end in any case. */
  get isOver(): boolean {
    if (this.#result === undefined) return false;
    return (
      this.#result.status !== 'success' || (this.#tasks.liveCount === 0 && !this.#awaitsTaskTurn)
    );
  }

  /** We refused this call: its result is `denied`. */
  refused(toolUseId: string): void {
    this.#calls.refused(toolUseId);
  }

  /** A denial of ours ended the turn: the failed result that follows is an interruption. */
  interruptRequested(): void {
    this.#isInterruptRequested = true;
  }

  /** Whether the `tool_use` of this id was seen. */
  knowsCall(toolUseId: string): boolean {
    return this.#calls.has(toolUseId);
  }

  question(request: AgentPermissionRequest): AgentEvent {
    const { toolName, toolUseId, input, reason, capability } = request;
    return this.#make.event('permission_request', {
      toolName,
      toolUseId,
      input,
      ...(reason === undefined ? {} : { reason }),
      ...(capability === undefined ? {} : { capability }),
    });
  }

  accept(message: unknown): readonly AgentEvent[] {
    if (!isJsonObject(message)) return [this.#make.raw('unknown', { value: message })];
    const sessionId = textField(message, 'session_id', 'sessionId');
    if (sessionId !== undefined) {
      this.#make.sessionId = sessionId;
      this.#resumeToken = sessionId;
    }
    const type = textField(message, 'type') ?? 'unknown';
    switch (type) {
      case 'system':
        return this.#onSystem(message);
      case 'assistant':
        return this.#onAssistant(message);
      case 'user':
        return blocksOf(message)
          .filter((block) => block.type === 'tool_result')
          .map((block) => this.#toolResult(block, message));
      case 'stream_event':
      case 'stream':
      case 'delta':
        return this.#onDelta(message);
      case 'rate_limit_event':
        return this.#onRateLimit(message);
      case 'result':
        return this.#onResult(message);
      default:
        return [this.#make.raw(type, message)];
    }
  }

  /** The last events of the run. Call once. */
  finish(end: RunEnd): readonly AgentEvent[] {
    const events: AgentEvent[] = [];
    let { status, text } = this.#result ?? { status: 'error' as const, text: undefined };
    if (end.kind === 'interrupted') {
      status = 'interrupted';
    } else if (end.kind === 'failed' || this.#result === undefined) {
      const { code, message } = failureOf(end);
      events.push(this.#error({ code, message, recoverable: false }));
      status = 'error';
      text ??= message;
    }
    // What the model said is told as it is.
    if (status !== 'success' && text !== undefined) text = this.#redact(text);
    const resumeToken = this.#resumeToken ?? this.#options.resume;
    const elapsed = this.#options.clock.monotonic() - this.#startedAt;
    events.push(
      this.#make.event('done', {
        status,
        ...(text === undefined ? {} : { result: text }),
        ...(resumeToken === undefined ? {} : { resumeToken }),
        usage: this.#usage.usage(this.#calls.count),
        durationMs: this.#turnDurationMs ?? Math.max(0, Math.round(elapsed)),
      }),
    );
    return events;
  }

  #onSystem(message: JsonObject): readonly AgentEvent[] {
    const { subtype } = message;
    if (subtype === undefined || subtype === 'init') {
      if (this.#sawInit) return [];
      this.#sawInit = true;
      return [this.#make.event('init', initPayload(message, this.#options.requested))];
    }
    const change = this.#tasks.apply(subtype, message);
    if (change === 'finished') this.#awaitsTaskTurn = true;
    if (subtype === 'permission_denied') {
      this.#calls.refused(textField(message, 'tool_use_id', 'toolUseId') ?? '');
    }
    return [this.#make.raw(typeof subtype === 'string' ? subtype : 'system', message)];
  }

  #onAssistant(message: JsonObject): readonly AgentEvent[] {
    const code = textField(message, 'error');
    if (code === undefined) {
      return blocksOf(message).flatMap((block) => this.#onBlock(block, message));
    }
    // The CLI wrote this message itself: its text is the error's, not the model's.
    const error = {
      code,
      message: textOf(message) || `The model call failed: ${code}`,
      recoverable: RECOVERABLE.has(code),
    };
    return [
      ...blocksOf(message)
        .filter((block) => block.type !== 'text')
        .flatMap((block) => this.#onBlock(block, message)),
      this.#error(error, message),
    ];
  }

  #onBlock(block: JsonObject, message: JsonObject): readonly AgentEvent[] {
    switch (block.type) {
      case 'text':
        return [this.#make.event('text', { content: textField(block, 'text') ?? '' }, message)];
      case 'thinking': {
        const summary = textField(block, 'summary') ?? textField(block, 'thinking');
        return summary === undefined || !this.#options.includeThinking
          ? []
          : [this.#make.event('thinking', { summary }, message)];
      }
      case 'tool_use':
        return [this.#make.event('tool_use', this.#calls.onUse(block), message)];
      case 'tool_result':
        return [this.#toolResult(block, message)];
      default:
        return [this.#make.raw(textField(block, 'type') ?? 'content_block', block, message)];
    }
  }

  #toolResult(block: JsonObject, message: JsonObject): AgentEvent {
    return this.#make.event('tool_result', this.#calls.onResult(block, message), message);
  }

  #onDelta(message: JsonObject): readonly AgentEvent[] {
    const delta = deltaOf(message);
    return delta === undefined ? [] : [this.#make.event('text_delta', { delta }, message)];
  }

  #onRateLimit(message: JsonObject): readonly AgentEvent[] {
    const error = rateLimitError(message);
    const raw = this.#make.raw('rate_limit', message);
    return error === undefined ? [raw] : [raw, this.#error(error)];
  }

  #onResult(message: JsonObject): readonly AgentEvent[] {
    this.#usage.onResult(message);
    this.#awaitsTaskTurn = false;
    const result = readResult(message, this.#isInterruptRequested);
    this.#result = result;
    if (result.durationMs !== undefined) {
      this.#turnDurationMs = (this.#turnDurationMs ?? 0) + result.durationMs;
    }
    if (result.status !== 'error') return [];
    const { code, text } = result;
    const about = text ?? `The run ended with ${code}`;
    return [this.#error({ code, message: about, recoverable: false })];
  }

  #error(payload: ErrorEvent['payload'], message?: JsonObject): AgentEvent {
    const redacted = { ...payload, message: this.#redact(payload.message) };
    return this.#make.event('error', redacted, message);
  }

  #redact(text: string): string {
    return this.#options.redact?.(text) ?? text;
  }
}
