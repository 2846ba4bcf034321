import { isJsonObject, type JsonObject, stringField } from '../util/json.js';
import { UnaskedTurns } from '../util/unasked-turns.js';

/** One user message without its answer. */
interface Waiting {
  readonly uuid: string | undefined;
  /** The turn that runs answers it. */
  isTaken: boolean;
  /** A result came after it, and was not its own. */
  isQueued: boolean;
  /** A tool of the turn that runs gave its result after it. */
  isBeforeTool: boolean;
}

const SETTLED: ReadonlySet<unknown> = new Set(['completed', 'cancelled']);

/**
 * The user messages that were written and are not answered yet, and whether a turn is open. One result may answer
 * several messages. It lists those that have a `uuid`; for the others this tells:
 *
 * - A turn takes the oldest message. One that begins after a result takes all that are queued by then.
 * - A message that was there when a tool gave its result is taken by the turn that runs, at its next API call.
 * - A result answers what its turn took, at least the oldest message; none, when the CLI began its turn by itself.
 * - The state `idle` says that nothing is queued any more. Releases without states or uuids may merge messages in
 *   another way: then a message counts as unanswered until the end. Recordings: `pipelined-messages`,
 *   `queued-messages`, `message-during-tool`, `interrupt-with-queue`.
 */
export class MessageLedger {
  #waiting: Waiting[] = [];
  #isTurnOpen = false;
  /** The CLI has begun a turn, and its result has not come. */
  #hasTurnBegun = false;
  /** Of messages that had their answer: the CLI ignores another one with such a uuid. */
  readonly #answered = new Set<string>();
  readonly #unasked = new UnaskedTurns();

  /** True from a message, or the start of a turn, to the next result. */
  get isTurnOpen(): boolean {
    return this.#isTurnOpen;
  }

  /** Messages that were written and have no answer yet. */
  get unansweredCount(): number {
    return this.#waiting.length;
  }

  /** A user message is written. */
  onWritten(frame: JsonObject): void {
    const uuid = stringField(frame, 'uuid');
    if (uuid !== undefined && this.#answered.has(uuid)) return;
    this.#isTurnOpen = true;
    this.#waiting.push({ uuid, isTaken: false, isQueued: false, isBeforeTool: false });
  }

  /**
   * Takes one shown frame in. On the hot path: a few comparisons for most.
   * @returns true when a message had its answer without a result.
   */
  note(frame: JsonObject): boolean {
    switch (frame.type) {
      case 'assistant':
        if (this.#waiting.length > 1 && isOfMainThread(frame)) this.#onApiCall();
        return false;
      case 'user':
        if (this.#waiting.length > 1 && isToolResult(frame)) this.#onToolResult();
        return false;
      case 'system':
        if (frame.subtype === 'init') this.#onTurn();
        return false;
      case 'result':
        this.#onResult(frame);
        return false;
      case 'command_lifecycle':
        this.#unasked.note(frame);
        return SETTLED.has(frame.state) && this.#settle(frame.command_uuid, frame.state);
      default:
        return false;
    }
  }

  /** The CLI will not read what was written. */
  onRefused(): void {
    this.#waiting = [];
    this.#isTurnOpen = false;
    this.#hasTurnBegun = false;
  }

  onState(state: string): void {
    if (state === 'idle') this.#waiting = this.#waiting.filter(({ isQueued }) => !isQueued);
  }

  #onTurn(): void {
    this.#isTurnOpen = true;
    this.#hasTurnBegun = true;
    const [oldest] = this.#waiting;
    if (oldest === undefined) return;
    oldest.isTaken = true;
    if (!oldest.isQueued) return;
    for (const message of this.#waiting) message.isTaken = true;
  }

  #onToolResult(): void {
    for (const message of this.#waiting) message.isBeforeTool = true;
  }

  #onApiCall(): void {
    for (const message of this.#waiting) message.isTaken ||= message.isBeforeTool;
  }

  #onResult(frame: JsonObject): void {
    this.#isTurnOpen = false;
    this.#hasTurnBegun = false;
    const isUnasked = this.#unasked.note(frame);
    const listed = new Set(Array.isArray(frame.user_message_uuids) ? frame.user_message_uuids : []);
    const isListed = ({ uuid }: Waiting) => uuid !== undefined && listed.has(uuid);
    const [oldest] = this.#waiting;
    if (this.#waiting.some(isListed)) {
      this.#drop((message) => isListed(message) || (message.isTaken && message.uuid === undefined));
    } else if (!isUnasked) {
      this.#drop((message) => message.isTaken || message === oldest);
    }
    for (const message of this.#waiting) {
      message.isTaken = false;
      message.isBeforeTool = false;
      message.isQueued = true;
    }
  }

  /** A message that the CLI knows already, or that was cancelled, has no turn and no result. */
  #settle(uuid: unknown, state: unknown): boolean {
    const isIt = (message: Waiting) => message.uuid !== undefined && message.uuid === uuid;
    if (!this.#waiting.some(isIt)) return false;
    this.#drop(isIt);
    // It never reached the conversation, so it may be sent again.
    if (state === 'cancelled' && typeof uuid === 'string') this.#answered.delete(uuid);
    if (this.#waiting.length === 0 && !this.#hasTurnBegun) this.#isTurnOpen = false;
    return true;
  }

  #drop(isAnswered: (message: Waiting) => boolean): void {
    this.#waiting = this.#waiting.filter((message) => {
      if (!isAnswered(message)) return true;
      if (message.uuid !== undefined) this.#answered.add(message.uuid);
      return false;
    });
  }
}

function isOfMainThread(frame: JsonObject): boolean {
  return typeof frame.parent_tool_use_id !== 'string';
}

function isToolResult(frame: JsonObject): boolean {
  if (!isOfMainThread(frame) || !isJsonObject(frame.message)) return false;
  const { content } = frame.message;
  return Array.isArray(content) && content.some((block) => isJsonObject(block) && block.type === 'tool_result');
}
