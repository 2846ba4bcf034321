import { type Step, scenarioOf } from 'claudewire/testing';
import { expect, test } from 'vitest';
import { relaxed } from '../../src/compare/relax.js';

const steps = (list: readonly Step[]) => relaxed(scenarioOf(list, { scenario: 's' })).steps.map(({ step }) => step);

test.for<[name: string, step: Step, expected: readonly unknown[]]>([
  ['a text', { in: { type: 'user', message: { content: 'Hi.' } } }, [{ in: { type: 'user' } }]],
  [
    'a request keeps what it asks for, its id and its answer',
    { in: { type: 'control_request', request_id: '$id', request: { subtype: 'set_model', model: 'm' } }, answer: {} },
    [{ in: { type: 'control_request', request_id: '$id', request: { subtype: 'set_model' } }, answer: {} }],
  ],
  [
    'an answer keeps which question it is for',
    {
      in: {
        type: 'control_response',
        response: { subtype: 'success', request_id: 'q', response: { behavior: 'allow' } },
      },
    },
    [{ in: { type: 'control_response', response: { request_id: 'q' } } }],
  ],
  [
    'a captured value in a list',
    { in: { type: 'x', list: [{ id: '$hook', n: 1 }, 2], other: { $like: ['$a'] } } },
    [{ in: { type: 'x', list: [{ id: '$hook' }, '$_'] } }],
  ],
  [
    'inside of others',
    { repeat: 2, steps: [{ inAny: [{ in: { type: 'user', n: 1 } }] }] },
    [{ repeat: 2, steps: [{ inAny: [{ in: { type: 'user' } }] }] }],
  ],
  [
    'how a process is started, but for ids',
    { spawn: { argv: { '--model': 'm', '--session-id': '$id' }, argvOnly: true, env: { A: 'b' }, cwd: '$cwd' } },
    [{ spawn: { argv: { '--session-id': '$id' } } }],
  ],
  ['what the CLI writes', { out: { type: 'x', text: '$id' } }, [{ out: { type: 'x', text: '$id' } }]],
])('relaxed: %s', ([, step, expected]) => {
  expect(steps([step])).toEqual(expected);
});

test('the driver lane is left out, and frames may come in any order', () => {
  const scenario = relaxed(
    scenarioOf(
      [{ mark: 'a' }, { drive: { command: 'start', mode: 'query', prompt: 'Hi.', options: {} } }, { reached: 'a' }],
      { scenario: 's', order: 'exact' },
    ),
  );
  expect(scenario.steps.map(({ step }) => step)).toEqual([{ mark: 'a' }]);
  expect(scenario.header).toMatchObject({ order: 'any', unclaimed: 'allow' });
});
