import { isJsonObject, type JsonObject, stringField } from '../../util/json.js';
import type { Difference, OrderRule } from '../scenario/scenario-types.js';
import { describeDifference, match, type Variables } from './patterns.js';
import { type Clock, startLimit } from './play-io.js';
import { PlayFailure } from './verdict.js';

const REMEMBERED_FRAMES = 20;

/** Frames that a step waits for. */
export interface Wanted {
  readonly patterns: readonly JsonObject[];
  readonly variables: Variables;
  /** Milliseconds for all of them. `0`: no limit. */
  readonly timeoutMs: number;
  /** Once per pattern, as soon as a frame was taken for it. */
  readonly onTaken: (index: number, frame: JsonObject) => void;
}

interface Expectation extends Wanted {
  /** Indexes of the patterns that have no frame yet. */
  readonly left: Set<number>;
  readonly resolve: () => void;
  readonly reject: (failure: unknown) => void;
  readonly timer: unknown;
}

/** Frames that came and that no step has taken yet. One expectation waits at a time. */
export class Inbox {
  readonly #order: OrderRule;
  readonly #clock: Clock;
  #frames: JsonObject[] = [];
  readonly #recent: JsonObject[] = [];
  #expectation: Expectation | undefined;
  #hasEnded = false;

  constructor(order: OrderRule, clock: Clock) {
    this.#order = order;
    this.#clock = clock;
  }

  /** Frames no step has taken, in order. */
  get unclaimed(): readonly JsonObject[] {
    return this.#frames;
  }

  /** The last frames that came, taken by a step or not. */
  get recent(): readonly JsonObject[] {
    return this.#recent;
  }

  add(frame: JsonObject): void {
    this.#frames.push(frame);
    this.#check();
  }

  /** Keeps a frame for the report. */
  remember(frame: JsonObject): void {
    this.#recent.push(frame);
    if (this.#recent.length > REMEMBERED_FRAMES) this.#recent.shift();
  }

  /** Removes the frames for which `test` holds. */
  remove(test: (frame: JsonObject) => boolean): void {
    const removed = new Set(this.#frames.filter(test));
    if (removed.size > 0) this.#frames = this.#frames.filter((frame) => !removed.has(frame));
  }

  /** No frame will come any more: an expectation that is not met now never will be. */
  end(): void {
    this.#hasEnded = true;
    this.#check();
  }

  /**
   * Takes a frame for every pattern, now or when it comes, and binds what was captured. A frame goes to the first
   * pattern left that it matches.
   * @throws PlayFailure out of time, end of input, or the frame that should have matched differs.
   */
  take(wanted: Wanted): Promise<void> {
    return new Promise((resolve, reject) => {
      const { timeoutMs } = wanted;
      const timer = startLimit(this.#clock, timeoutMs, () => this.#fail('deadline', `nothing in ${timeoutMs} ms`));
      const left = new Set(wanted.patterns.keys());
      this.#expectation = { ...wanted, left, resolve, reject, timer };
      this.#check();
    });
  }

  /** Forgets the expectation; its promise stays pending. */
  stop(): void {
    this.#clock.clearTimeout(this.#expectation?.timer);
    this.#expectation = undefined;
  }

  #check(): void {
    for (;;) {
      const wanted = this.#expectation;
      if (wanted === undefined) return;
      const hit = this.#find(wanted);
      if (hit === 'differs') return;
      if (hit === undefined) {
        if (this.#hasEnded) this.#fail('mismatch', 'stdin has ended');
        return;
      }
      this.#frames.splice(this.#frames.indexOf(hit.frame), 1);
      wanted.left.delete(hit.index);
      for (const [name, value] of hit.captured) wanted.variables.set(name, value);
      if (wanted.left.size === 0) this.stop();
      try {
        wanted.onTaken(hit.index, hit.frame);
      } catch (error) {
        this.stop();
        wanted.reject(error);
        return;
      }
      if (wanted.left.size === 0) wanted.resolve();
    }
  }

  /** The first frame that may be taken now and matches. Fails the expectation when no later frame can. */
  #find(
    wanted: Expectation,
  ): { frame: JsonObject; index: number; captured: ReadonlyMap<string, unknown> } | 'differs' | undefined {
    const seen = new Set<string>();
    for (const frame of this.#frames) {
      const stream = this.#order === 'interleaved' ? streamOf(frame) : '';
      if (this.#order !== 'any') {
        if (seen.has(stream)) continue;
        seen.add(stream);
      }
      for (const index of wanted.left) {
        const result = match(wanted.patterns[index], frame, wanted.variables);
        if (result.ok) return { frame, index, captured: result.captured };
      }
      const why = this.#whyWrong(wanted, frame, stream);
      if (why !== undefined) {
        this.#fail('mismatch', why, frame);
        return 'differs';
      }
    }
    return undefined;
  }

  /** Why a frame that matches nothing ends the wait; `undefined` when a better one may come. */
  #whyWrong(wanted: Expectation, frame: JsonObject, stream: string): string | undefined {
    const left = patternsLeft(wanted);
    if (left.some((pattern) => isTheOnlyAnswer(pattern, frame))) {
      const error = errorOfAnswer(frame);
      return error === undefined ? 'the answer differs' : `the answer is an error: ${error}`;
    }
    if (this.#order === 'exact') return 'another one is next';
    if (this.#order !== 'interleaved') return undefined;
    return left.some((pattern) => streamOf(pattern) === stream) ? `another one is next among its kind` : undefined;
  }

  #fail(end: 'mismatch' | 'deadline', why: string, instead?: JsonObject): void {
    const wanted = this.#expectation;
    if (wanted === undefined) return;
    this.stop();
    const left = patternsLeft(wanted);
    const pattern: JsonObject = left[0] ?? {};
    const frame = instead ?? this.#recent.findLast((candidate) => candidate.type === pattern.type);
    const result = frame === undefined ? undefined : match(pattern, frame, wanted.variables);
    const difference = result === undefined || result.ok ? undefined : result.difference;
    const nearest = result?.ok === true ? 'one that was taken before' : undefined;
    const failure = new PlayFailure(
      end,
      `an expected frame did not come: ${why}${nearestText(nearest, difference)}`,
      left.length > 1 ? left : pattern,
      difference,
    );
    failure.inputEnded = this.#hasEnded && instead === undefined && end === 'mismatch';
    wanted.reject(failure);
  }
}

function patternsLeft({ left, patterns }: Expectation): readonly JsonObject[] {
  return patterns.filter((_, index) => left.has(index));
}

/** For the end of a message: what is nearest to what was expected, or how it differs. */
export function nearestText(text: string | undefined, difference: Difference | undefined): string {
  const nearest = difference === undefined ? text : describeDifference(difference);
  return nearest === undefined ? '' : ` (nearest: ${nearest})`;
}

/** Streams of order `interleaved`: each has its own order, none waits for another. */
function streamOf(frame: JsonObject): string {
  const type = frame.type;
  return type === 'user' || type === 'control_request' || type === 'control_response' ? type : 'other';
}

/** A request gets one answer: when it differs from the expected one, no better will come. */
function isTheOnlyAnswer(pattern: JsonObject, frame: JsonObject): boolean {
  const wanted = answeredId(pattern);
  return wanted !== undefined && wanted === answeredId(frame);
}

function errorOfAnswer({ response }: JsonObject): string | undefined {
  return isJsonObject(response) ? stringField(response, 'error') : undefined;
}

function answeredId(frame: JsonObject): unknown {
  if (frame.type !== 'control_response') return undefined;
  return isJsonObject(frame.response) ? frame.response.request_id : undefined;
}
