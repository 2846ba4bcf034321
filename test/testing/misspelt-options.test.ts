import { expect, test } from 'vitest';
import {
  assertSent,
  createFrames,
  createRecorderLauncher,
  LineScrubber,
  recordOnce,
  scriptedCli,
} from '../../src/testing/index.js';

const frames = createFrames();
// The types refuse them too, but tests are often JavaScript.
const misspelt = <Options>(options: object) => options as Options;
const RECORDER = { out: '/no/such/run.jsonl', cli: '/no/such/claude', dir: '/no/such' };

test.each<[call: string, field: string, call: () => unknown]>([
  ['recordOnce()', 'scrubText', () => recordOnce('/no/such/run.jsonl', misspelt({ scrubText: ['falcon'] }))],
  ['scriptedCli()', 'strictArgV', () => scriptedCli([], misspelt({ strictArgV: true }))],
  ['new LineScrubber()', 'text', () => new LineScrubber(misspelt({ text: ['falcon'] }))],
  ['createRecorderLauncher()', 'scrubText', () => createRecorderLauncher(misspelt({ ...RECORDER, scrubText: [] }))],
  ['assertSent()', 'promts', () => assertSent(misspelt({}), misspelt({ promts: [] }))],
  ['permission()', 'behavior', () => frames.permission('Bash', {}, misspelt({ behavior: 'deny' }))],
  ['hook()', 'expects', () => frames.hook('Stop', {}, misspelt({ expects: {} }))],
  ['mcpCall()', 'expects', () => frames.mcpCall('server', 'tool', {}, misspelt({ expects: {} }))],
  ['controlRequest()', 'expects', () => frames.controlRequest('x', {}, misspelt({ expects: {} }))],
  ['expectRequest()', 'errors', () => frames.expectRequest('interrupt', {}, misspelt({ errors: 'No.' }))],
])('%s refuses `%s`', (call, field, run) => {
  expect(run).toThrow(`${call} knows no \`${field}\`. It knows `);
});

test.each<[name: string, args: readonly unknown[], message: string]>([
  ['details in the place of the name', [{ expect: 'deny' }], 'Option `name` must be a string, got object'],
  ['details in the place of the input', ['Bash', 'deny'], 'Option `input` must be an object, got string "deny"'],
  ['an answer in the place of the details', ['Bash', {}, 'deny'], 'permission() takes an object of details'],
])('permission() refuses %s', (_, args, message) => {
  expect(() => Reflect.apply(frames.permission, frames, args)).toThrow(message);
});
