import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readRecording } from '../../../src/testing/conversion/recording.js';
import { REPLAYED } from '../../live/support/replayed-recordings.js';
import { isDrifting, requireComparedLive } from './compared-live.js';
import { play } from './play.js';
import { notIn } from './stands-for.js';

const RECORDINGS = new URL('../../fixtures/recordings/', import.meta.url);

/** No stand-in names it, so the live stage does not make it again. */
const NOT_COMPARED = 'keep-alive-idle';

/** The stories are tested on the scenarios of the examples, which say what they stand for. */
const texts = [new URL('../', import.meta.url), new URL('../../../examples/scripts/adapter/', import.meta.url)]
  .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => new URL(file, folder)))
  .filter(({ pathname }) => /\.m?[jt]s$/.test(pathname))
  .map((file) => readFileSync(file, 'utf8'));
/** What stands between the brackets of every `recordings: [...]`, and of every list of that name. */
const named = new Set(
  texts
    .flatMap((text) => [...text.matchAll(/\b(?:recordings|RECORDED)\b[^[\n]*\[([^\]]*)\]/g)])
    .flatMap(([, list = '']) => [...list.matchAll(/'([a-z0-9-]+)'/g)])
    .map(([, name = '']) => name)
    .filter((name) => name !== NOT_COMPARED),
);

const read = (name: string) => {
  const file = new URL(`${name}.jsonl`, RECORDINGS);
  return readRecording(readFileSync(file, 'utf8'), name);
};

test('every recording that a stand-in names is compared with the real CLI', () => {
  expect(named.size).toBeGreaterThan(50);
  expect(() => requireComparedLive([...named])).not.toThrow();
});

test('a stand-in for a recording that is not compared is refused', () => {
  expect(existsSync(new URL(`${NOT_COMPARED}.jsonl`, RECORDINGS))).toBe(true);
  const problem = /does not compare keep-alive-idle/;
  const recordings = ['hello', NOT_COMPARED];
  expect(() => play([], { recordings })).toThrow(problem);
  expect(() => play(new URL('hello.jsonl', RECORDINGS), { recordings })).toThrow(problem);
  expect(() => notIn(recordings, [])).toThrow(problem);
});

test('what is replayed is a recording, once, and something in these tests needs it', () => {
  const names = REPLAYED.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  for (const name of names) {
    expect(read(name).lines.length, name).toBeGreaterThan(0);
    expect(isDrifting(name), `${name} has a drift scenario already`).toBe(false);
    expect(
      texts.some((text) => text.includes(`'${name}'`)),
      name,
    ).toBe(true);
  }
});

test('a drift scenario counts when its baseline shows what the recording shows', () => {
  expect(['hello', 'api-401', 'mcp-sdk'].map(isDrifting)).toEqual([true, true, true]);
  // Its files are not there.
  expect(isDrifting('info-requests')).toBe(false);
  expect(isDrifting(NOT_COMPARED)).toBe(false);
});
