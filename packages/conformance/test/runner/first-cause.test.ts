import { Variables, type Verdict } from 'claudewire/testing';
import { describe, expect, test } from 'vitest';
import { cliFailure, firstCause } from '../../src/runner/cli-failure.js';
import { nearestTo } from '../../src/runner/nearest.js';
import { Observations } from '../../src/runner/observations.js';
import { ScenarioFailure } from '../../src/runner/results.js';

describe('the nearest of what came', () => {
  test.for<[name: string, pattern: object, came: readonly object[], path: string]>([
    [
      'is not the last one',
      { type: 'result', is_error: false, result: 'Hi.' },
      [{ type: 'result', is_error: false, result: 'Ho.' }, { type: 'result' }],
      'result',
    ],
    [
      'is of the same kind before it is alike',
      { type: 'user', a: 1, b: 2 },
      [{ type: 'user' }, { type: 'system', a: 1, b: 2 }],
      'a',
    ],
    ['is the last one of equals', { type: 'user', a: 1 }, [{ type: 'user', a: 2 }, { type: 'user' }], 'a'],
    [
      'reads operators and escaped keys',
      { a: { $oneOf: [1, 2] }, $$not: 3 },
      [
        { a: 2, $not: 4 },
        { a: 9, $not: 4 },
      ],
      '$not',
    ],
  ])('%s', ([, pattern, came, path]) => {
    expect(nearestTo(pattern, came)?.difference.path.replace('$$', '$')).toBe(path);
  });

  test('is nothing when nothing came, or when it matches', () => {
    expect(nearestTo({ a: 1 }, [])).toBeUndefined();
    expect(nearestTo({ a: '$x' }, [{ a: 1 }])).toBeUndefined();
  });

  test('is looked for among all events that a step has passed over', () => {
    const observations = new Observations();
    const say = (message: object) => observations.add({ event: 'observed', run: 'main', what: 'message', message });
    say({ type: 'result', result: 'Ho.' });
    say({ type: 'keep_alive' });
    const pattern = { what: 'message', message: { type: 'result', result: 'Hi.' } } as const;
    const variables = new Variables();
    expect(observations.search(pattern, 'main', variables)()).toBe(false);
    expect(observations.nearest(pattern, 'main', variables)?.difference).toEqual({
      ...{ path: 'message.result', expected: 'string "Hi."', found: 'string "Ho."' },
    });
  });
});

const verdict = (more: Partial<Verdict>, failure: Partial<Verdict['failure']> = {}): Verdict => ({
  ...{ scenario: 's', spawn: 1, passed: false, end: 'signal', exitCode: 143, stepsPlayed: 1, stepsTotal: 3 },
  unclaimed: [],
  failure: { message: 'the process ended with 2 steps to go', where: '/x/s.jsonl:7', got: [], ...failure },
  ...more,
});
const initialize = { type: 'control_request', request: { subtype: 'initialize' } };
const loop = new ScenarioFailure('s.jsonl:3: not observed: end', ['expected: {"what":"end"}']);

describe('the first cause', () => {
  test('is a frame of the right kind with other content, though the driver lane failed first', () => {
    const wrong = { type: 'user', message: { role: 'assistant' } };
    const expected = { in: { type: 'user', message: { role: 'user' } } };
    const cli = cliFailure(verdict({ unclaimed: [wrong, { type: 'keep_alive' }] }, { expected }), '/x/s.jsonl');
    expect(firstCause(loop, cli, false).details.split('\n').slice(0, 2)).toEqual([
      's.jsonl:7: the process ended with 2 steps to go (nearest: message.role: expected string "user", found string "assistant")',
      '  nearest: {"type":"user","message":{"role":"assistant"}}',
    ]);
    expect(firstCause(loop, cli, false).details).toContain(
      '  and what it gave to its user: s.jsonl:3: not observed: end\n    expected: {"what":"end"}',
    );
  });

  test('is what the user did not get, when the SDK has sent nothing of the kind', () => {
    const cli = cliFailure(verdict({ unclaimed: [{ type: 'user' }] }, { expected: { in: initialize } }), undefined);
    const cause = firstCause(loop, cli, false);
    expect(cause.message).toBe(loop.message);
    expect(cause.lines.at(-1)).toBe(
      'the CLI still waited at /x/s.jsonl:7 for: {"type":"control_request","request":{"subtype":"initialize"}}',
    );
  });

  test('is the error that the SDK reports, before the end of the process that it left', () => {
    const ended = verdict({ end: 'mismatch' }, { message: 'stdin has ended', inputEnded: true, expected: initialize });
    const failed = new ScenarioFailure('s.jsonl:3: not observed: end; the loop ended with ParseError (parse): x');
    expect(firstCause(failed, cliFailure(ended, undefined), true).message).toBe(failed.message);
    expect(firstCause(failed, cliFailure(ended, undefined), false).message).toContain('stdin has ended');
  });

  test('is the driver lane alone, when the CLI lane says nothing', () => {
    expect(firstCause(loop, undefined, false)).toBe(loop);
  });
});
