import { isJsonObject, type JsonObject } from '../../util/json.js';
import { match } from './match.js';
import { PlayFailure } from './play-failure.js';
import type { Variables } from './variables.js';

const REMEMBERED_FRAMES = 20;

interface Expectation {
  readonly pattern: JsonObject;
  readonly variables: Variables;
  readonly resolve: (frame: JsonObject) => void;
  readonly reject: (failure: PlayFailure) => void;
  readonly timer: NodeJS.Timeout | undefined;
}

/** Frames that came and that no step has taken yet. One expectation waits at a time. */
export class Inbox {
  #frames: JsonObject[] = [];
  readonly #recent: JsonObject[] = [];
  #expectation: Expectation | undefined;
  #hasEnded = false;

  /** Frames no step has taken, in order. */
  get unclaimed(): readonly JsonObject[] {
    return this.#frames;
  }

  /** The last frames that came, whoever took them. */
  get recent(): readonly JsonObject[] {
    return this.#recent;
  }

  add(frame: JsonObject): void {
    this.remember(frame);
    this.#frames.push(frame);
    this.#check();
  }

  /** Keeps a frame for the report only. */
  remember(frame: JsonObject): void {
    this.#recent.push(frame);
    if (this.#recent.length > REMEMBERED_FRAMES) this.#recent.shift();
  }

  /** Removes and returns the frames for which `test` holds. */
  remove(test: (frame: JsonObject) => boolean): readonly JsonObject[] {
    const removed = this.#frames.filter(test);
    if (removed.length > 0) this.#frames = this.#frames.filter((frame) => !removed.includes(frame));
    return removed;
  }

  /** No frame will come any more: an expectation that is not met now never will be. */
  end(): void {
    this.#hasEnded = true;
    this.#check();
  }

  /**
   * Takes the first frame that matches, now or when it comes, and binds what it captured.
   *
   * @param timeoutMs - `0`: no limit.
   * @throws PlayFailure out of time, end of input, or the one frame that could have matched differs.
   */
  take(pattern: JsonObject, variables: Variables, timeoutMs: number): Promise<JsonObject> {
    return new Promise((resolve, reject) => {
      const timer =
        timeoutMs === 0
          ? undefined
          : setTimeout(() => this.#fail('deadline', `nothing in ${timeoutMs} ms`), timeoutMs);
      this.#expectation = { pattern, variables, resolve, reject, timer };
      this.#check();
    });
  }

  #check(): void {
    const wanted = this.#expectation;
    if (wanted === undefined) return;
    for (const [index, frame] of this.#frames.entries()) {
      const result = match(wanted.pattern, frame, wanted.variables);
      if (result.ok) {
        for (const [name, value] of result.captured) wanted.variables.set(name, value);
        this.#frames.splice(index, 1);
        this.#settle();
        wanted.resolve(frame);
        return;
      }
      if (isTheOnlyAnswer(wanted.pattern, frame)) {
        this.#fail('mismatch', 'the answer differs');
        return;
      }
    }
    if (this.#hasEnded) this.#fail('mismatch', 'stdin has ended');
  }

  #fail(end: 'mismatch' | 'deadline', why: string): void {
    const wanted = this.#expectation;
    if (wanted === undefined) return;
    this.#settle();
    const nearest = this.#nearest(wanted);
    wanted.reject(
      new PlayFailure(
        end,
        `an expected frame did not come: ${why}${nearest === undefined ? '' : ` (nearest: ${nearest})`}`,
        wanted.pattern,
      ),
    );
  }

  #settle(): void {
    clearTimeout(this.#expectation?.timer);
    this.#expectation = undefined;
  }

  /** How the last frame of the wanted type differs. */
  #nearest({ pattern, variables }: Expectation): string | undefined {
    const frame = this.#recent.findLast((candidate) => candidate['type'] === pattern['type']);
    if (frame === undefined) return undefined;
    const result = match(pattern, frame, variables);
    return result.ok ? 'one that was taken before' : result.difference;
  }
}

/** A request gets one answer: when it differs from the expected one, no better will come. */
function isTheOnlyAnswer(pattern: JsonObject, frame: JsonObject): boolean {
  const wanted = answeredId(pattern);
  return wanted !== undefined && wanted === answeredId(frame);
}

function answeredId(frame: JsonObject): unknown {
  if (frame['type'] !== 'control_response') return undefined;
  return isJsonObject(frame['response']) ? frame['response']['request_id'] : undefined;
}
