import { expect, test } from 'vitest';
import {
  assertSent,
  createFrames,
  createRecorderLauncher,
  faults,
  LineScrubber,
  outcomeFrames,
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
  ['createFrames()', 'sessionID', () => createFrames(misspelt({ sessionID: 'x' }))],
  ['outcome.overloaded()', 'retrys', () => frames.outcome.overloaded(misspelt({ retrys: 3 }))],
  ['outcome.overloaded()', 'retrys', () => outcomeFrames.overloaded(misspelt({ retrys: 3 }))],
  ['faults.stall()', 'ignoreEnd', () => faults.stall(misspelt({ ignoreEnd: true }))],
  ['faults.crash()', 'code', () => frames.faults.crash(misspelt({ code: 2 }))],
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

test.each<[call: string, build: (...args: never[]) => unknown, args: readonly unknown[], message: string]>([
  ['a turn without a text', frames.turn, [{ text: 'Four.' }], '`turn.text` must be a string, got object'],
  ['a prompt that is a number', frames.prompt, [7], '`prompt.expected` must be a string, a pattern or a function'],
  ['a tool without a name', frames.toolUse, [{ command: 'ls' }], '`toolUse.name` must be a string'],
  ['a result that is an object', frames.result, [{ is_error: true }], '`result.text` must be a string, got object'],
  ['retries that are a text', frames.outcome.overloaded, [{ retries: '3' }], '`outcome.overloaded.details.retries`'],
  ['a reset that is a text', frames.outcome.rateLimited, [{ resetsAt: 'soon' }], '.resetsAt` must be a Date'],
  ['a session that is a number', createFrames, [{ sessionId: 5 }], '`sessionId` must be a non-empty string'],
])('builders refuse %s', (_, build, args, message) => {
  expect(() => Reflect.apply(build, undefined, args)).toThrow(message);
});

test('an answer to a request that nobody knows, and that never came, fails the script', async () => {
  const run = async (answers: Record<string, object>) => {
    const cli = scriptedCli(({ turn }) => turn('Four.'), { answers: answers as never, inProcess: true });
    for await (const _ of cli.query({ prompt: 'x' })) void _;
    await cli.close();
  };
  await expect(run({ initialise: {} })).rejects.toThrow('answers.initialise: no such control request is known');
  await run({ initialize: {}, get_usage: {} });
});
