import { describe, expect, test } from 'vitest';
import type { ListedDifference } from './differences.js';
import { judge } from './harness/judge.js';
import type { CaseInfo, CaseResult, Seen } from './harness/parity-case.js';

const info: CaseInfo = { key: 'TS-001: a', ids: ['TS-001'], differs: undefined, isFresh: false, hostEnv: {} };
const listed: readonly ListedDifference[] = [
  { id: 'D-01', reason: 'because', cases: { 'TS-001: a': ['error', 'exitCode?'] } },
];

function result(seen: Seen, over: Partial<CaseResult> = {}): CaseResult {
  return { key: info.key, seen, rowProblem: undefined, unnoticed: [], ...over };
}

function error(message: string, over: object = {}): Seen {
  return { error: { isError: true, message, isAbortError: false, ...over } };
}

describe('a case of the official parity run', () => {
  const same = result({ argv: ['--a'] });

  test('passes when both did the same and what the row says', () => {
    expect(judge(info, same, same, []).problems).toEqual([]);
  });

  for (const [name, official, ours, list, problem] of [
    ['both did otherwise than the other', same, result({ argv: ['--b'] }), [], 'argv.0: official'],
    [
      'the official package did not do what the row says',
      result({}, { rowProblem: 'x' }),
      result({}),
      [],
      'official is not',
    ],
    ['ours did not do what the row says', result({}), result({}, { rowProblem: 'x' }), [], 'ours is not'],
    ['the row would not notice another value', result({}), result({}, { unnoticed: ['x'] }), [], 'would not notice'],
    ['a listed difference is gone', same, same, listed, 'is listed as different in error'],
    [
      'it differs in more than is listed',
      result({ ...error('a'), argv: [1] }),
      result({ ...error('b'), argv: [2] }),
      listed,
      'differs also in argv',
    ],
    ['one side was not run', undefined, same, [], 'not run through official'],
  ] as const) {
    test(`fails when ${name}`, () => {
      const { problems } = judge(info, official, ours, list);
      expect(problems).toEqual([expect.stringContaining(problem)]);
    });
  }

  test('fails when its row differs by something that no case shows', () => {
    const { problems } = judge({ ...info, differs: 'D-02' }, same, same, listed.slice(1));
    expect(problems).toEqual([expect.stringContaining('D-02')]);
  });

  const NOT_READY = 'ProcessTransport is not ready for writing';
  for (const [text, ours, isSame] of [
    [NOT_READY, `${NOT_READY}: the input has ended`, true],
    ['Operation aborted', 'Operation aborted: Claude Code process aborted by user', true],
    ['Claude Code process aborted by user', 'Operation aborted: Claude Code process aborted by user', true],
    ['Claude Code native binary not found at /a. Please install it.', 'Claude Code not found at: /a', true],
    ['Claude Code not found at /a. Please install it.', 'Claude Code not found at: /b', false],
    [NOT_READY, `Alas: ${NOT_READY}`, false],
    [
      'Claude Code process exited with code 1',
      'Totally other words. exited with code 1 and your prompt was deleted',
      false,
    ],
    [
      'Claude Code process exited with code 1',
      'Claude Code process exited with code 1 and your prompt was deleted',
      false,
    ],
    ['Operation aborted', 'It was aborted', false],
  ] as const) {
    test(`takes '${ours}' ${isSame ? '' : 'not '}for '${text}'`, () => {
      const { problems } = judge(info, result(error(text)), result(error(ours)), []);
      expect(problems).toHaveLength(isSame ? 0 : 1);
    });
  }

  test('takes more fields of an error of ours for no difference, and fewer for one', () => {
    const [less, more] = [result(error('a')), result(error('a', { exitCode: 3 }))];
    expect(judge(info, less, more, []).problems).toEqual([]);
    expect(judge(info, more, less, []).problems).toHaveLength(1);
  });

  describe('where one side did not get what it waited for', () => {
    const list = [{ id: 'D-01', reason: 'because', cases: { 'TS-001: a': ['cli'] } }];
    const official = result({ cli: 'no', argv: ['--a'], messages: ['m'], wire: ['w'] });

    test('looks at everything else too', () => {
      const ours = result({ cli: 'yes', argv: ['--wrong'], messages: [], wire: ['x'] });
      expect(judge(info, official, ours, list).problems).toEqual([
        expect.stringContaining('differs also in argv'),
        expect.stringContaining('differs also in messages'),
        expect.stringContaining('differs also in wire'),
      ]);
    });

    test('passes when all else is the same', () => {
      const ours = result({ ...official.seen, cli: 'yes' });
      expect(judge(info, official, ours, list).problems).toEqual([]);
    });
  });

  test.each([
    ['hung', { hung: true, argv: ['--a'] }],
    ['crashed', { crashed: 'exit 1' }],
    ['started nothing', { processes: 0 }],
  ])('asks a side that %s only for what it saw', (_, seen) => {
    const ours = result({ processes: 1, argv: ['--a'], wire: ['w'] });
    const names = Object.keys(seen).filter((name) => name !== 'argv');
    const list = [{ id: 'D-01', reason: 'because', cases: { 'TS-001: a': names } }];
    expect(judge(info, result(seen), ours, list).problems).toEqual([]);
    const other = { ...seen, wire: ['x'] };
    expect(judge(info, result(other), ours, list).problems).toHaveLength(1);
  });

  test('passes with what is listed, and with what may differ by chance', () => {
    const official = result({ ...error('a'), exitCode: 1 });
    expect(judge(info, official, result({ ...error('b'), exitCode: 0 }), listed).problems).toEqual([]);
    expect(judge(info, official, result({ ...error('b'), exitCode: 1 }), listed).problems).toEqual([]);
  });
});
