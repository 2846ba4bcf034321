import { invalidArgument } from '../../errors/usage-errors.js';
import { isJsonObject, type JsonObject } from '../../util/json.js';
import {
  isAssistantMessage,
  isPermissionDeniedMessage,
  isResultMessage,
  isStreamEvent,
  isUserMessage,
} from '../guards.js';
import type { SDKAssistantMessage, SDKUserMessage } from '../message.js';
import { blocksOf, fieldsOf } from '../read-message.js';
import { type CallFacts, newCallFacts } from './call-facts.js';
import { type HookCoverage, judgeCall } from './judge-call.js';
import type { ToolCallOutcome, ToolCallReaderOptions } from './outcome-types.js';
import { resultFactsOf } from './result-facts.js';

/** The CLI adds it behind the results of calls that it has cut. */
const INTERRUPT_NOTE = '[Request interrupted by user for tool use]';

/**
 * Decides what became of tool calls, while messages come in: frames of a run, entries of a transcript, or what
 * `getSessionMessages()` gives. Transcripts know most: they tell a call that never started from one that was cut. Never
 * throws, whatever the shape of a message.
 *
 * @example
 * const reader = new ToolCallReader();
 * for await (const message of query({ prompt })) reader.add(message);
 * const cut = reader.outcomes().filter(({ kind }) => kind === 'unknown');
 */
export class ToolCallReader {
  readonly #hooks: HookCoverage;
  readonly #calls = new Map<string, CallFacts>();
  /** Named by a hook or a list, and perhaps by no message. */
  readonly #rumoured = new Map<string, CallFacts>();
  /** For each thread, the calls that have a result and that no later message has followed. */
  readonly #latest = new Map<string, Set<CallFacts>>();

  /** @throws InvalidOptionError for options that cannot be used. */
  constructor(options: ToolCallReaderOptions = {}) {
    const { hookEvents = [] } = options ?? {};
    if (!Array.isArray(hookEvents)) {
      throw invalidArgument(
        'hookEvents',
        'ToolCallReader takes a list of hook events',
        hookEvents,
        'Leave it out, or name events.',
      );
    }
    this.#hooks = {
      hasStarts: hookEvents.includes('PreToolUse'),
      hasEnds: hookEvents.includes('PostToolUse') && hookEvents.includes('PostToolUseFailure'),
    };
  }

  /** The next message, in the order in which they came or are stored. */
  add(message: unknown): void {
    // Most messages of a run are pieces of text.
    if (isStreamEvent(message)) return;
    if (isAssistantMessage(message)) this.#onAssistant(message);
    else if (isUserMessage(message)) this.#onUser(message);
    else if (isPermissionDeniedMessage(message)) this.#deny(fieldsOf(message).tool_use_id);
    else if (isResultMessage(message)) this.#onResult(fieldsOf(message));
  }

  /** The input of a hook, of any event. May come before the message with the call. */
  addHook(input: unknown): void {
    if (!isJsonObject(input) || typeof input.tool_use_id !== 'string') return;
    const { hook_event_name: event } = input;
    const call = this.#heardOf(input.tool_use_id);
    if (event === 'PreToolUse') call.isAsked = true;
    else if (event === 'PostToolUse') call.ended = 'ran';
    else if (event === 'PostToolUseFailure') call.ended = input.is_interrupt === true ? 'cut' : 'failed';
  }

  /** @returns `undefined`: no message has the call or its result. */
  outcomeOf(id: string): ToolCallOutcome | undefined {
    const call = this.#calls.get(id);
    return call && this.#judge(call);
  }

  /** All calls that a message has, in the order in which they came. A call that still runs is `unknown`. */
  outcomes(): ToolCallOutcome[] {
    return [...this.#calls.values()].map((call) => this.#judge(call));
  }

  #judge(call: CallFacts): ToolCallOutcome {
    const kind = judgeCall(call, this.#hooks);
    const isOfTool = call.result?.denialKind === undefined && (kind === 'ran' || kind === 'failed');
    const result = call.result === undefined ? 'none' : isOfTool ? 'tool' : 'cli';
    return { id: call.id, name: call.name, kind, result };
  }

  #onAssistant(message: SDKAssistantMessage): void {
    const inner = fieldsOf(message).message;
    if (!isJsonObject(inner)) return;
    // On a resume the CLI writes an answer of its own.
    const isOwn = inner.model === '<synthetic>' && (message as JsonObject).isApiErrorMessage !== true;
    const latest = this.#latest.get(threadOf(message));
    for (const call of isOwn ? [] : (latest ?? [])) {
      // A tool may end while the message that called it is still being written.
      if (inner.id !== undefined && call.messageId === inner.id) continue;
      call.isFollowed = true;
      latest?.delete(call);
    }
    for (const { type, id, name } of blocksOf(message)) {
      if (type !== 'tool_use' || typeof id !== 'string') continue;
      const call = this.#callOf(id);
      if (typeof name === 'string') call.name = name;
      call.messageId = inner.id;
    }
  }

  #onUser(message: SDKUserMessage): void {
    const thread = threadOf(message);
    const latest = this.#latest.get(thread) ?? new Set();
    this.#latest.set(thread, latest);
    for (const block of blocksOf(message)) {
      if (block.type === 'tool_result' && typeof block.tool_use_id === 'string') {
        const call = this.#callOf(block.tool_use_id);
        // A text that the CLI writes on a resume does not replace what the tool gave.
        if (call.result !== undefined && !call.result.isError) continue;
        call.result = resultFactsOf(block, message);
        call.isFollowed = false;
        latest.add(call);
      } else if (block.type === 'text') {
        const isNote = block.text === INTERRUPT_NOTE;
        for (const call of latest) call.isInterrupted ||= isNote;
        latest.clear();
      }
    }
  }

  #onResult({ permission_denials: denials, deferred_tool_use: deferred }: JsonObject): void {
    for (const denial of Array.isArray(denials) ? denials : []) {
      if (isJsonObject(denial)) this.#deny(denial.tool_use_id);
    }
    if (isJsonObject(deferred) && typeof deferred.id === 'string') this.#heardOf(deferred.id).isDeferred = true;
  }

  #deny(id: unknown): void {
    if (typeof id === 'string') this.#heardOf(id).isDenied = true;
  }

  #callOf(id: string): CallFacts {
    const call = this.#heardOf(id);
    this.#calls.set(id, call);
    this.#rumoured.delete(id);
    return call;
  }

  #heardOf(id: string): CallFacts {
    const known = this.#calls.get(id) ?? this.#rumoured.get(id);
    if (known !== undefined) return known;
    const call = newCallFacts(id);
    this.#rumoured.set(id, call);
    return call;
  }
}

/** The same for the messages of the main conversation, and of one sub-agent. */
function threadOf(message: object): string {
  const { parent_tool_use_id: parent, agentId } = message as JsonObject;
  if (typeof parent === 'string') return parent;
  return typeof agentId === 'string' ? agentId : '';
}
