import { readdirSync, readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { runShape, type SuiteShape } from '../../../packages/conformance/src/drift/shapes.js';
import { readRecording } from '../../../src/testing/conversion/recording.js';
import { parseJsonObject } from '../../../src/util/json.js';
import { REPLAYED } from '../../live/support/replayed-recordings.js';

const DRIFT = new URL('../../../packages/conformance/live/', import.meta.url);
const RECORDINGS = new URL('../../fixtures/recordings/', import.meta.url);

/** Names of recordings, and of the drift scenarios that make them again. */
const drifting: ReadonlyMap<string, string> = new Map(
  readdirSync(DRIFT).flatMap((file) => {
    const { name, recording } = parseJsonObject(readFileSync(new URL(file, DRIFT), 'utf8')) ?? {};
    return typeof recording === 'string' ? [[recording, String(name)]] : [];
  }),
);
const replayed = new Set(REPLAYED.map(({ name }) => name));
// Written by `claudewire-conformance record-suite` in this shape.
const baseline = JSON.parse(readFileSync(new URL('shapes.json', DRIFT), 'utf8')) as SuiteShape;

/**
 * Whether the live stage holds the real CLI to a drift scenario that shows what the recording shows. A scenario may show
 * something else: it has no files of its own, and other ids.
 */
export function isDrifting(recording: string): boolean {
  const scenario = drifting.get(recording);
  if (scenario === undefined) return false;
  const text = readFileSync(new URL(`${recording}.jsonl`, RECORDINGS), 'utf8');
  return isDeepStrictEqual(runShape(readRecording(text, recording)), baseline.scenarios[scenario]);
}

/**
 * A stand-in is worth what its recording is: the live stage must compare that with the real CLI.
 *
 * @throws Error the live stage does not make one of these recordings again
 */
export function requireComparedLive(recordings: readonly string[]): void {
  const others = recordings.filter((name) => !replayed.has(name) && !isDrifting(name));
  if (others.length === 0) return;
  throw new Error(
    `The live stage does not compare ${others.join(', ')} with the real CLI: add it to test/live/support/replayed-recordings.ts`,
  );
}
