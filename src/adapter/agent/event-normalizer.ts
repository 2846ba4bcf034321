import { TaskLedger } from '../../control/task-ledger.js';
import type { SDKResultMessage } from '../../index.js';
import {
  isAssistantMessage,
  isInitMessage,
  isPermissionDeniedMessage,
  isRateLimitEvent,
  isResultMessage,
  isStreamEvent,
  isToolProgressMessage,
  isUserMessage,
} from '../../parser/guards.js';
import { isJsonObject, type JsonObject, omitUndefined } from '../../util/json.js';
import type { Clock } from '../limits/clock.js';
import {
  type AgentCapabilities,
  type AgentEvent,
  type AgentEventMetadata,
  type AgentEventOf,
  type AgentEventType,
  createEvent,
  type ErrorEvent,
  type InitEvent,
} from './agent-event.js';
import type { AgentPermissionRequest } from './agent-types.js';
import { blocksOf, objectField, textField, withWireNames } from './message-fields.js';
import { ToolCalls } from './tool-calls.js';
import { failureOf, type RunEnd, readResult, type TurnResult, UsageReader } from './turn-results.js';

interface NormalizerOptions {
  readonly agent: string;
  /** The session that is resumed, or a generated id. */
  readonly sessionId: string;
  readonly resume: string | undefined;
  /** Used where the first message leaves the field out. */
  readonly requested: { readonly model: string | undefined; readonly cwd: string };
  readonly includeThinking: boolean;
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  /** Removes secrets from error texts. @defaultValue the texts stay as they are */
  readonly redact?: ((text: string) => string) | undefined;
}

/** Error codes of the CLI for failures that pass by themselves. */
const RECOVERABLE: ReadonlySet<string> = new Set(['rate_limit', 'overloaded', 'server_error']);

/**
 * Turns the messages of one run into events. Does no I/O and never throws, whatever the messages look like. `finish()`
 * gives the last events, with the one `done`.
 */
export class EventNormalizer {
  readonly #options: NormalizerOptions;
  readonly #startedAt: number;
  readonly #calls: ToolCalls;
  readonly #usage = new UsageReader();
  readonly #tasks = new TaskLedger();
  #sessionId: string;
  /** The session id that the CLI reported. */
  #resumeToken: string | undefined;
  #sawInit = false;
  #result: TurnResult | undefined;
  #turnDurationMs: number | undefined;
  /** A background task ended by itself: a turn about it follows. */
  #awaitsTaskTurn = false;
  #isInterruptRequested = false;

  constructor(options: NormalizerOptions) {
    this.#options = options;
    this.#sessionId = options.sessionId;
    this.#startedAt = options.clock.monotonic();
    this.#calls = new ToolCalls(options.clock);
  }

  get sessionId(): string {
    return this.#sessionId;
  }

  get hasResult(): boolean {
    return this.#result !== undefined;
  }

  /** A result came, and no background task will start another turn. A failed result is the end in any case. */
  get isOver(): boolean {
    if (this.#result === undefined) return false;
    return this.#result.status !== 'success' || (this.#tasks.liveCount === 0 && !this.#awaitsTaskTurn);
  }

  /** We refused this call: its result is `denied`. */
  refused(toolUseId: string): void {
    this.#calls.refused(toolUseId);
  }

  /** Our denial ended the turn: the failed result that follows is an interruption. */
  interruptRequested(): void {
    this.#isInterruptRequested = true;
  }

  /** Whether the `tool_use` of this id was seen. */
  knowsCall(toolUseId: string): boolean {
    return this.#calls.has(toolUseId);
  }

  question(request: AgentPermissionRequest): AgentEvent {
    const { toolName, toolUseId, input, reason, capability } = request;
    const known = omitUndefined({ reason, capability });
    return this.#event('permission_request', { toolName, toolUseId, input, ...known });
  }

  accept(value: unknown): readonly AgentEvent[] {
    if (!isJsonObject(value)) return [this.#raw('unknown', { value })];
    const message = withWireNames(value);
    const sessionId = textField(message, 'session_id');
    if (sessionId !== undefined) {
      this.#sessionId = sessionId;
      this.#resumeToken = sessionId;
    }
    const type = textField(message, 'type') ?? 'unknown';
    if (type === 'system') return this.#onSystem(message);
    if (isAssistantMessage(message)) return this.#onAssistant(message);
    if (isUserMessage(message)) {
      return blocksOf(message)
        .filter((block) => block.type === 'tool_result')
        .map((block) => this.#toolResult(block, message));
    }
    if (isRateLimitEvent(message)) {
      const error = rateLimitError(message);
      return [this.#raw('rate_limit', message), ...(error === undefined ? [] : [this.#error(error)])];
    }
    if (isResultMessage(message)) return this.#onResult(message);
    const isDelta = isStreamEvent(message) || type === 'stream' || type === 'delta';
    if (!isDelta) return [this.#raw(type, message)];
    const delta = deltaOf(message);
    return delta === undefined ? [] : [this.#event('text_delta', { delta }, message)];
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
    // The model's own words stay as they are.
    if (status !== 'success' && text !== undefined) text = this.#redact(text);
    const resumeToken = this.#resumeToken ?? this.#options.resume;
    const elapsed = this.#options.clock.monotonic() - this.#startedAt;
    events.push(
      this.#event('done', {
        status,
        ...omitUndefined({ result: text, resumeToken }),
        usage: this.#usage.usage(this.#calls.count),
        durationMs: this.#turnDurationMs ?? Math.max(0, Math.round(elapsed)),
      }),
    );
    return events;
  }

  #onSystem(message: JsonObject): readonly AgentEvent[] {
    const { subtype } = message;
    if (subtype === undefined || isInitMessage(message)) {
      if (this.#sawInit) return [];
      this.#sawInit = true;
      return [this.#event('init', initPayload(message, this.#options.requested))];
    }
    const change = this.#tasks.apply(subtype, message);
    if (change === 'finished') this.#awaitsTaskTurn = true;
    if (isPermissionDeniedMessage(message)) this.#calls.refused(textField(message, 'tool_use_id') ?? '');
    return [this.#raw(typeof subtype === 'string' ? subtype : 'system', message)];
  }

  #onAssistant(message: JsonObject): readonly AgentEvent[] {
    const blocks = blocksOf(message);
    const code = textField(message, 'error');
    if (code === undefined) return blocks.flatMap((block) => this.#onBlock(block, message));
    // The CLI made this message: its text describes the error.
    const texts = blocks.map((block) => textField(block, 'text')).filter((text) => text !== undefined);
    const about = texts.join('\n') || `The model call failed: ${code}`;
    return [
      ...blocks.filter(({ type }) => type !== 'text').flatMap((block) => this.#onBlock(block, message)),
      this.#error({ code, message: about, recoverable: RECOVERABLE.has(code) }, message),
    ];
  }

  #onBlock(block: JsonObject, message: JsonObject): readonly AgentEvent[] {
    switch (block.type) {
      case 'text':
        return [this.#event('text', { content: textField(block, 'text') ?? '' }, message)];
      case 'thinking': {
        const summary = textField(block, 'summary') ?? textField(block, 'thinking');
        return summary === undefined || !this.#options.includeThinking
          ? []
          : [this.#event('thinking', { summary }, message)];
      }
      case 'tool_use':
        return [this.#event('tool_use', this.#calls.onUse(block), message)];
      case 'tool_result':
        return [this.#toolResult(block, message)];
      default:
        return [this.#raw(textField(block, 'type') ?? 'content_block', block, message)];
    }
  }

  #toolResult(block: JsonObject, message: JsonObject): AgentEvent {
    return this.#event('tool_result', this.#calls.onResult(block, message), message);
  }

  #onResult(message: SDKResultMessage): readonly AgentEvent[] {
    this.#usage.onResult(message);
    this.#awaitsTaskTurn = false;
    const result = readResult(message, this.#isInterruptRequested);
    this.#result = result;
    if (result.durationMs !== undefined) this.#turnDurationMs = (this.#turnDurationMs ?? 0) + result.durationMs;
    if (result.status !== 'error') return [];
    const { code, text } = result;
    const about = text ?? `The run ended with ${code}`;
    return [this.#error({ code, message: about, recoverable: false })];
  }

  #error(payload: ErrorEvent['payload'], message?: JsonObject): AgentEvent {
    const redacted = { ...payload, message: this.#redact(payload.message) };
    return this.#event('error', redacted, message);
  }

  #redact(text: string): string {
    return this.#options.redact?.(text) ?? text;
  }

  /** A message, or a block of one, that has no event of its own. */
  #raw(name: string, payload: JsonObject, message: JsonObject = payload): AgentEvent {
    return this.#event(`${this.#options.agent}:${name}`, payload, message);
  }

  /** @param message - What the event was read from. It says whether a sub-agent sent it. */
  #event<Type extends AgentEventType>(
    type: Type,
    payload: AgentEventOf<Type>['payload'],
    message: JsonObject = {},
  ): AgentEvent {
    const { agent, clock } = this.#options;
    const event = createEvent(type, agent, payload, this.#sessionId, metadataOf(message));
    return { ...event, timestamp: clock.now() };
  }
}

/** Reads the first `system` message of a run. */
function initPayload(message: JsonObject, requested: NormalizerOptions['requested']): InitEvent['payload'] {
  const { permissionMode, mcp_servers: mcpServers, slash_commands: slashCommands, agents, skills } = message;
  const cliVersion = message.claude_code_version;
  const all: AgentCapabilities = { permissionMode, mcpServers, slashCommands, agents, skills, cliVersion };
  const capabilities = Object.entries(all).filter(([, value]) => value !== undefined && value !== null);
  return {
    model: textField(message, 'model') ?? requested.model ?? 'unknown',
    cwd: textField(message, 'cwd') ?? requested.cwd,
    tools: toolNames(message.tools),
    ...(capabilities.length === 0 ? {} : { capabilities: Object.fromEntries(capabilities) }),
  };
}

function toolNames(tools: unknown): readonly string[] {
  if (!Array.isArray(tools)) return [];
  return tools.flatMap((tool: unknown) => {
    const name = isJsonObject(tool) ? tool.name : tool;
    return typeof name === 'string' ? [name] : [];
  });
}

/** The text of a stream event; `undefined` for other events. */
function deltaOf(message: JsonObject): string | undefined {
  const { event } = message;
  if (isJsonObject(event)) {
    const isDelta = event.type === undefined || event.type === 'content_block_delta';
    return isDelta ? textOfDelta(event.delta) : undefined;
  }
  return textOfDelta(message.delta) ?? textField(message, 'text');
}

function textOfDelta(delta: unknown): string | undefined {
  if (typeof delta === 'string') return delta;
  if (!isJsonObject(delta)) return undefined;
  const isText = delta.type === undefined || delta.type === 'text_delta';
  return isText && typeof delta.text === 'string' ? delta.text : undefined;
}

/** The error in a `rate_limit_event`; `undefined` while calls still go through. */
function rateLimitError(message: JsonObject): ErrorEvent['payload'] | undefined {
  const info = objectField(message, 'rate_limit_info');
  if (info.status !== 'rejected') return undefined;
  const kind = textField(info, 'rateLimitType');
  return {
    code: 'rate_limit',
    message: `The usage limit is reached${kind === undefined ? '' : `: ${kind}`}`,
    recoverable: true,
  };
}

function metadataOf(message: JsonObject): AgentEventMetadata | undefined {
  // On a heartbeat the field has the id of the running call itself.
  if (isToolProgressMessage(message)) return undefined;
  const parentToolUseId = textField(message, 'parent_tool_use_id');
  return parentToolUseId === undefined ? undefined : { parentToolUseId };
}
