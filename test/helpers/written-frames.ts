import { afterEach, beforeEach, expect } from 'vitest';
import { isJsonObject, type JsonObject, parseJsonObject } from '../../src/util/json.js';
import { answerErrors, writtenFrameErrors } from './frame-schema.js';

/**
 * Everything the SDK writes in a test is held against the published schema. Peers that see what it wrote report
 * the frames here; a frame that is not valid fails the test it was written in.
 */
let wrong: string[] = [];
let odd = false;

/** Requests that tests make up, and send by `request()`: any subtype is the caller's right. */
const MADE_UP = new Set(
  ['anything', 'from_the_future', 'never', 'next', 'one', 'ping', 'seen', 'slow', 'two'].map(
    (subtype) => `no definition host.control_request.${subtype}`,
  ),
);

/** What reached one peer, or the processes of one script. */
export class WrittenFrames {
  /** Subtypes of what the CLI asked, by request id. */
  readonly #asked = new Map<string, string>();

  /** Notes a frame of the CLI: what its control requests ask is what their answers are held against. */
  asked(frame: unknown): void {
    if (!isJsonObject(frame) || frame.type !== 'control_request') return;
    const { request_id: id, request } = frame;
    const subtype = isJsonObject(request) ? request.subtype : undefined;
    if (typeof id !== 'string' || typeof subtype !== 'string') return;
    const known = this.#asked.get(id);
    // Two processes of one script may use an id for two things: then nobody knows which.
    this.#asked.set(id, known === undefined || known === subtype ? subtype : '');
  }

  wrote(frame: unknown): void {
    const error = writtenFrameErrors(frame) ?? this.#answerErrors(frame);
    if (error !== undefined && !MADE_UP.has(error)) wrong.push(`${error}: ${JSON.stringify(frame)?.slice(0, 300)}`);
  }

  wroteLine(line: string): void {
    // What the CLI ignores, and what a caller may write through a transport of its own.
    if (line.trim() === '') return;
    const frame = parseJsonObject(line);
    if (frame === undefined) wrong.push(`not a JSON object: ${line.slice(0, 300)}`);
    else this.wrote(frame);
  }

  #answerErrors(frame: unknown): string | undefined {
    const response = isJsonObject(frame) ? frame.response : undefined;
    if (!isJsonObject(response) || response.subtype !== 'success') return undefined;
    const subtype = this.#asked.get(String(response.request_id));
    return subtype === undefined ? undefined : answerErrors(subtype, response.response);
  }
}

/** For the test that runs: it gives the SDK frames that are none, which are written as they are. */
export function writesOddFrames(): void {
  odd = true;
}

/** What was wrong so far, which then does not fail the test. For tests of this hook. */
export function takeWrongFrames(): readonly string[] {
  const seen = wrong;
  wrong = [];
  return seen;
}

/** Fails when a frame reported so far was wrong. For peers that learn what was written when the test is over. */
export function settleWrittenFrames(): void {
  const seen = takeWrongFrames();
  expect(odd ? [] : seen, 'frames written during this test that the schema refuses').toEqual([]);
}

/** The frames of a scenario's steps that are known before it is played. */
export function* framesIn(steps: readonly object[]): Generator<JsonObject> {
  for (const step of steps) {
    const { out, raw, steps: inner } = step as { out?: unknown; raw?: unknown; steps?: object[] };
    if (isJsonObject(out)) yield out;
    if (typeof raw === 'string') for (const line of raw.split('\n')) yield parseJsonObject(line) ?? {};
    if (Array.isArray(inner)) yield* framesIn(inner);
  }
}

beforeEach(() => {
  wrong = [];
  odd = false;
});

afterEach(settleWrittenFrames);
