import { expect, test } from 'vitest';
import { viewData } from '../../src/index.js';
import { call, recording, recordingOf, result } from '../helpers/recordings.js';

/*
 * The numbers of these five were read out of the recordings by hand: `modelUsage` of the `result`s, which has sub-agents
 * and compaction too (T-3; at 4 and 20 dollars it explains each cost), cost as the CLI says, once for a resumed session, and what the first frame of each message of the main conversation read.
 */
test.each([
  {
    name: 'multi-turn',
    context: { t: [323, 370, 416], v: [10, 10, 10] },
    input: { t: [342, 376, 416], v: [10, 20, 30] },
    output: { t: [342, 376, 416], v: [10, 21, 31] },
    cost: { t: [342, 376, 416], v: [0.00024, 0.0005, 0.00074] },
  },
  {
    name: 'subagent-partial',
    context: { t: [403, 483, 653], v: [10, 10, 10] },
    input: { t: [525, 657], v: [30, 50] },
    output: { t: [525, 657], v: [85, 103] },
    cost: { t: [525, 657], v: [0.00182, 0.00226] },
  },
  {
    name: 'resume',
    context: { t: [374, 776], v: [10, 10] },
    input: { t: [394, 786], v: [10, 20] },
    output: { t: [394, 786], v: [11, 19] },
    cost: { t: [394, 786], v: [0.00026, 0.00046] },
  },
  {
    name: 'compact-manual',
    context: { t: [342, 385, 457], v: [10, 10, 10] },
    input: { t: [360, 388, 426, 462], v: [10, 20, 30, 40] },
    output: { t: [360, 388, 426, 462], v: [10, 21, 37, 49] },
    cost: { t: [360, 388, 426, 462], v: [0.00024, 0.0005, 0.00086, 0.00114] },
  },
  {
    name: 'api-500-retry-then-ok',
    context: { t: [1063], v: [10] },
    input: { t: [1106], v: [10] },
    output: { t: [1106], v: [9] },
    cost: { t: [1106], v: [0.00022] },
  },
])('the plots of $name are those that were computed by hand', async ({ name, context, input, output, cost }) => {
  const { plots } = await viewData(recording(name));
  expect(plots).toEqual({ context, inputTokens: input, outputTokens: output, costUsd: cost });
});

test('cache reads and cache writes are tokens that were read', async () => {
  const text = recordingOf([
    [1, 'out', call('t1', 'Bash')],
    [2, 'out', result()],
    [3, 'out', result()],
  ]);
  const { plots } = await viewData({ text });
  expect(plots.context).toEqual({ t: [1], v: [125] });
  expect(plots.inputTokens).toEqual({ t: [2, 3], v: [125, 250] });
  expect(plots.outputTokens).toEqual({ t: [2, 3], v: [7, 14] });
  expect(plots.costUsd).toEqual({ t: [2, 3], v: [0.5, 0.5] });
});

test('a message of a sub-agent is no context of the main conversation', async () => {
  const text = recordingOf([
    [1, 'out', call('t1', 'Agent')],
    [2, 'out', call('t2', 'Bash', {}, 't1')],
  ]);
  expect((await viewData({ text })).plots.context.t).toEqual([1]);
});

test('a transcript has no results: its tokens are those of its messages, each counted once', async () => {
  const line = (entry: object): string =>
    `${JSON.stringify({ ...entry, timestamp: '2026-01-01T00:00:01.000Z', sessionId: 's' })}\n`;
  const text =
    line({ type: 'user', message: { role: 'user', content: 'Go.' } }) +
    line(call('t1', 'Bash')) +
    line(call('t1', 'Bash'));
  const view = await viewData({ text });
  expect(view.source.kind).toBe('transcript');
  expect(view.plots.inputTokens.v.at(-1)).toBe(125);
  expect(view.plots.outputTokens.v.at(-1)).toBe(1);
  expect(view.spans.filter(({ kind }) => kind === 'turn')).toHaveLength(1);
});
