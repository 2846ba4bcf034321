import { isJsonObject, type JsonObject } from '../util/json.js';

/** How many ids of whole lines are remembered. */
const REMEMBERED = 1024;
/** How many ids of frames that shared a line. */
const MAX_RESCUED = 16_384;

/**
 * Decides which objects inside of a line can be frames of the CLI, and which are quoted. A wrapper may log a frame and
 * pass it on as well, so the same one counts once.
 */
export class FrameRescue {
  /** Ids of whole lines. */
  readonly #ids = new LastIds();
  /** Of the pieces of a text: they come by the thousand, and would push out all the others. */
  readonly #pieceIds = new LastIds();
  /** Ids of frames that were taken from inside of a line, and have not come again; the oldest first. */
  #rescued: Set<string> | undefined;
  #sessionId: unknown;
  /** Ids of the tool calls that the model made. */
  readonly #calls = new LastIds();

  /**
   * Hot path.
   * @returns false for a frame that was taken before, from inside of a line.
   */
  onWhole(frame: JsonObject): boolean {
    if (this.#rescued !== undefined && this.#isRepeated(frame, this.#rescued)) return false;
    if (frame.type === 'stream_event') this.#pieceIds.add(frame.uuid);
    else this.#remember(frame);
    return true;
  }

  /** @returns false for a frame that came on the same line before. */
  onRescued(frame: JsonObject): boolean {
    if (!this.isNew(frame)) return false;
    this.#remember(frame);
    const id = idOf(frame);
    if (id === undefined) return true;
    this.#rescued ??= new Set();
    const [oldest] = this.#rescued;
    if (this.#rescued.size === MAX_RESCUED && oldest !== undefined) this.#rescued.delete(oldest);
    this.#rescued.add(id);
    return true;
  }

  /** Whether an object inside of a line has the shape of a frame of this session that has not come yet. */
  isNew(value: JsonObject): boolean {
    return this.#fits(value) && !this.#isKnown(idOf(value));
  }

  #fits(value: JsonObject): boolean {
    switch (value.type) {
      case 'control_request':
        return isText(value.request_id) && isJsonObject(value.request) && this.#isOurs(value.request);
      case 'control_response':
        return isJsonObject(value.response) && isText(value.response.request_id) && isText(value.response.subtype);
      case 'control_cancel_request':
        return isText(value.request_id);
      case 'transcript_mirror':
        return isText(value.filePath) && Array.isArray(value.entries);
      default:
        return (
          isText(value.type) && isText(value.uuid) && isText(value.session_id) && this.#isSession(value.session_id)
        );
    }
  }

  /** The input of a hook names the session. A tool of the host is run only for a call that the model made. */
  #isOurs({ subtype, input, message }: JsonObject): boolean {
    if (subtype === 'hook_callback') {
      return isJsonObject(input) && isText(input.session_id) && this.#isSession(input.session_id);
    }
    if (!isJsonObject(message) || message.method !== 'tools/call') return isText(subtype);
    const id = callIn(message.params);
    return isText(id) && this.#calls.has(id);
  }

  #isSession(id: string): boolean {
    return this.#sessionId === undefined || id === this.#sessionId;
  }

  #isKnown(id: string | undefined): boolean {
    return id !== undefined && (this.#ids.has(id) || this.#pieceIds.has(id) || this.#rescued?.has(id) === true);
  }

  #isRepeated(frame: JsonObject, rescued: Set<string>): boolean {
    const id = idOf(frame);
    return id !== undefined && rescued.delete(id);
  }

  #remember(frame: JsonObject): void {
    this.#ids.add(idOf(frame));
    // After a reset comes a session whose id is not known yet.
    if (frame.type === 'conversation_reset') this.#sessionId = undefined;
    else if (isText(frame.session_id)) this.#sessionId = frame.session_id;
    if (frame.type === 'assistant') for (const id of callsIn(frame.message)) this.#calls.add(id);
  }
}

/** The call of the model that a request to run a tool of the host is for. */
function callIn(params: unknown): unknown {
  const meta = isJsonObject(params) ? params._meta : undefined;
  return isJsonObject(meta) ? meta['claudecode/toolUseId'] : undefined;
}

function callsIn(message: unknown): unknown[] {
  const content = isJsonObject(message) ? message.content : undefined;
  if (!Array.isArray(content)) return [];
  return content.flatMap((block) => (isJsonObject(block) && block.type === 'tool_use' ? [block.id] : []));
}

/** What tells a frame from others of its kind. A request, its answer and its withdrawal have the same `request_id`. */
function idOf(frame: JsonObject): string | undefined {
  switch (frame.type) {
    case 'control_request':
    case 'control_cancel_request':
      return `${frame.type} ${String(frame.request_id)}`;
    case 'control_response':
      return isJsonObject(frame.response) ? `${frame.type} ${String(frame.response.request_id)}` : undefined;
    case 'transcript_mirror':
      return mirrorId(frame);
    default:
      return isText(frame.uuid) ? frame.uuid : undefined;
  }
}

/** A mirror frame has no id: its file and the first and last of its entries tell it from others. */
function mirrorId({ type, filePath, entries }: JsonObject): string {
  const list: readonly unknown[] = Array.isArray(entries) ? entries : [];
  const [first, last] = [list[0], list.at(-1)].map(entryName);
  return `${String(type)} ${String(filePath)} ${list.length} ${first} ${last}`;
}

function entryName(entry: unknown): string {
  return isJsonObject(entry) && isText(entry.uuid) ? entry.uuid : `${JSON.stringify(entry)}`.slice(0, 200);
}

/** The last ids that were seen, the oldest overwritten. */
class LastIds {
  readonly #ids: unknown[] = [];
  #next = 0;

  add(id: unknown): void {
    this.#ids[this.#next] = id;
    this.#next = (this.#next + 1) % REMEMBERED;
  }

  has(id: string): boolean {
    return this.#ids.includes(id);
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
