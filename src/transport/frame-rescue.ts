import { isJsonObject, type JsonObject } from '../util/json.js';

/** How many ids of whole lines are remembered, and how many of frames that shared a line. */
const REMEMBERED = 1024;

/**
 * Decides which objects inside of a line can be frames of the CLI, and which are quoted. A wrapper may log a frame and
 * pass it on as well, so the same one counts once.
 */
export class FrameRescue {
  /** Ids of whole lines, the oldest overwritten. */
  readonly #ids: (string | undefined)[] = [];
  #next = 0;
  /** Ids of frames that were taken from inside of a line, and have not come again. */
  #rescued: Set<string> | undefined;
  #sessionId: unknown;

  /**
   * Hot path.
   * @returns false for a frame that was taken before, from inside of a line.
   */
  onWhole(frame: JsonObject): boolean {
    if (this.#rescued !== undefined && this.#isRepeated(frame, this.#rescued)) return false;
    // The pieces of a text come by the thousand, and would push out all the others.
    if (frame.type !== 'stream_event') this.#remember(frame);
    return true;
  }

  /** @returns false for a frame that came on the same line before. */
  onRescued(frame: JsonObject): boolean {
    if (!this.isNew(frame)) return false;
    this.#remember(frame);
    const id = idOf(frame);
    if (id === undefined) return true;
    this.#rescued ??= new Set();
    if (this.#rescued.size === REMEMBERED) this.#rescued.clear();
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

  /** What a hook is told names the session. */
  #isOurs({ subtype, input }: JsonObject): boolean {
    if (subtype !== 'hook_callback') return isText(subtype);
    return isJsonObject(input) && isText(input.session_id) && this.#isSession(input.session_id);
  }

  #isSession(id: string): boolean {
    return this.#sessionId === undefined || id === this.#sessionId;
  }

  #isKnown(id: string | undefined): boolean {
    return id !== undefined && (this.#ids.includes(id) || this.#rescued?.has(id) === true);
  }

  #isRepeated(frame: JsonObject, rescued: Set<string>): boolean {
    const id = idOf(frame);
    return id !== undefined && rescued.delete(id);
  }

  #remember(frame: JsonObject): void {
    this.#ids[this.#next] = idOf(frame);
    this.#next = (this.#next + 1) % REMEMBERED;
    // After a reset comes a session whose id is not known yet.
    if (frame.type === 'conversation_reset') this.#sessionId = undefined;
    else if (isText(frame.session_id)) this.#sessionId = frame.session_id;
  }
}

/** What tells a frame from others of its kind. A request, its answer and its withdrawal have the same `request_id`. */
function idOf(frame: JsonObject): string | undefined {
  switch (frame.type) {
    case 'control_request':
    case 'control_cancel_request':
      return `${frame.type} ${String(frame.request_id)}`;
    case 'control_response':
      return isJsonObject(frame.response) ? `${frame.type} ${String(frame.response.request_id)}` : undefined;
    default:
      return isText(frame.uuid) ? frame.uuid : undefined;
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
