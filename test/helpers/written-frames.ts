import { afterEach, beforeEach, expect } from 'vitest';
import { frameErrors } from './frame-schema.js';

/**
 * Everything the SDK writes in a test is held against the published schema. Peers that see what it wrote report
 * the frames here; a frame that is not valid fails the test it was written in.
 */
let wrong: string[] = [];
let odd = false;

export function checkWrittenFrame(frame: unknown): void {
  const error = frameErrors('host', frame);
  if (error !== undefined) wrong.push(`${error}: ${JSON.stringify(frame)?.slice(0, 300)}`);
}

export function checkWrittenLine(line: string): void {
  // What the CLI ignores, and what a caller may write through a transport of its own.
  if (line.trim() === '') return;
  try {
    checkWrittenFrame(JSON.parse(line));
  } catch (thrown) {
    wrong.push(`not JSON (${String(thrown)}): ${line.slice(0, 300)}`);
  }
}

/** For the test that runs: it gives the SDK frames that are none, which are written as they are. */
export function writesOddFrames(): void {
  odd = true;
}

/** Fails when a frame reported so far was wrong. For peers that learn what was written when the test is over. */
export function settleWrittenFrames(): void {
  const seen = odd ? [] : wrong;
  wrong = [];
  expect(seen, 'frames written during this test that the schema refuses').toEqual([]);
}

beforeEach(() => {
  wrong = [];
  odd = false;
});

afterEach(settleWrittenFrames);
