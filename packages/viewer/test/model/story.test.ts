import { expect, test } from 'vitest';
import { type Span, viewData } from '../../src/index.js';
import { ask, call, recording, recordingOf, reply, result, toolResult } from '../helpers/recordings.js';

const shape = ({ kind, label, state, parent }: Span, spans: readonly Span[]): string =>
  `${parent === undefined ? '' : `${spans[parent]?.label} > `}${kind} ${label} ${state}`;

test('a sub-agent, a denied permission, a failing tool and a hook are lanes below what they belong to', async () => {
  const text = recordingOf([
    [1, 'meta', { event: 'spawn', argv: ['claude'] }],
    [2, 'in', ask('init', { subtype: 'initialize' })],
    [5, 'out', reply('init')],
    [6, 'in', { type: 'user', message: { role: 'user', content: 'Go.' } }],
    [10, 'out', call('agent', 'Agent')],
    [11, 'out', call('bash', 'Bash', { command: 'rm -rf /' }, 'agent')],
    [12, 'out', ask('may', { subtype: 'can_use_tool', tool_name: 'Bash', tool_use_id: 'bash', input: {} })],
    [20, 'in', reply('may', { behavior: 'deny', message: 'No.' })],
    [21, 'out', toolResult('bash', 'No.', true)],
    [22, 'out', ask('hook', { subtype: 'hook_callback', callback_id: 'h', input: { hook_event_name: 'Stop' } })],
    [23, 'in', reply('hook')],
    [30, 'out', toolResult('agent', 'Done.')],
    [40, 'out', result()],
    [41, 'meta', { event: 'exit', code: 0, signal: null }],
  ]);
  const { spans, exchanges, faults } = await viewData({ text });
  expect(spans.map((span) => shape(span, spans))).toEqual(
    [
      'process 1 > request initialize ok',
      'process process 1 ok',
      'process 1 > turn turn 1 ok',
      'turn 1 > subagent Agent ok',
      'Agent > tool Bash error',
      'Bash > permission Bash denied',
      'turn 1 > hook Stop ok',
    ].sort((a, b) => order(a) - order(b)),
  );
  expect(spans.find(({ kind }) => kind === 'permission')).toMatchObject({ start: 12, end: 20, id: 'may' });
  expect(spans.find(({ kind }) => kind === 'turn')).toMatchObject({ start: 6, end: 40 });
  expect(exchanges.map(({ subtype, from, latencyMs }) => [subtype, from, latencyMs])).toEqual([
    ['initialize', 'host', 3],
    ['can_use_tool', 'cli', 8],
    ['hook_callback', 'cli', 1],
  ]);
  expect(faults.map(({ kind, frame }) => [kind, frame])).toEqual([['tool-error', 9]]);
});

/** In the order in which they begin. */
function order(text: string): number {
  return ['process process', 'initialize', 'turn turn', 'subagent', 'tool Bash', 'permission', 'hook'].findIndex(
    (part) => text.includes(part),
  );
}

// V-9
test('a tool call that was cut is unknown, and one that fails in the same words is an error', async () => {
  const words = 'Exit code 137\n[Request interrupted by user for tool use]';
  const cut = {
    ...toolResult('c', 'Rejected.', true),
    tool_result_meta: [{ id: 'c', non_execution_kind: 'user-rejected' }],
  };
  const text = recordingOf([
    [1, 'meta', { event: 'spawn', argv: ['claude'] }],
    [2, 'in', { type: 'user', message: { role: 'user', content: 'Go.' } }],
    ...[[3, 'out', call('a', 'Failed')] as const, [4, 'out', toolResult('a', words, true)] as const],
    ...[[5, 'out', call('b', 'Killed')] as const, [6, 'out', call('c', 'Cut')] as const, [7, 'out', cut] as const],
    [8, 'meta', { event: 'exit', code: 143, signal: null }],
  ]);
  const { spans, faults } = await viewData({ text });
  const tools = spans.filter(({ kind }) => kind === 'tool').map(({ label, state }) => `${label} ${state}`);
  expect(tools).toEqual(['Failed error', 'Killed unknown', 'Cut unknown']);
  expect(faults.map((each) => each.text)).toContain('tool call cut, nobody knows what it did: Rejected.');
});

test('a request that nobody answers is marked, and its fault says who did not', async () => {
  const text = recordingOf([
    [1, 'in', ask('a', { subtype: 'set_model' })],
    [2, 'out', ask('b', { subtype: 'can_use_tool', tool_name: 'Bash' })],
  ]);
  const { frames, exchanges, faults } = await viewData({ text });
  expect(exchanges.map(({ state }) => state)).toEqual(['unanswered', 'unanswered']);
  expect(frames.slice(1).map(({ severity }) => severity)).toEqual(['error', 'error']);
  expect(faults.map(({ text: said }) => said)).toEqual([
    'set_model: the CLI never answered',
    'can_use_tool: the host never answered',
  ]);
});

test('an id that is used twice: the oldest open request gets the answer, each answer goes to one', async () => {
  const text = recordingOf([
    [1, 'in', ask('a', { subtype: 'one' })],
    [2, 'in', ask('a', { subtype: 'two' })],
    [3, 'out', reply('a')],
    [5, 'out', reply('a')],
    [6, 'out', reply('a')],
  ]);
  const { exchanges, faults } = await viewData({ text });
  expect(exchanges.map(({ subtype, answer, latencyMs }) => [subtype, answer, latencyMs])).toEqual([
    ['one', 3, 2],
    ['two', 4, 3],
  ]);
  expect(faults).toMatchObject([{ kind: 'unexpected-answer', frame: 5 }]);
});

test('a clock that goes back is named, and no lane ends before it begins', async () => {
  const text = recordingOf([
    [100, 'out', call('t', 'Bash')],
    [50, 'out', toolResult('t', 'ok')],
    [60, 'out', result()],
  ]);
  const { spans, faults, durationMs, frames } = await viewData({ text });
  expect(faults.map(({ kind }) => kind)).toEqual(['clock', 'clock']);
  expect(spans.every(({ start, end }) => end >= start)).toBe(true);
  expect(durationMs).toBe(100);
  expect(frames.map(({ t }) => t)).toEqual([0, 100, 50, 60]);
});

test.each([
  ['api-529-exhausted', ['retry', 'api-error', 'result-error']],
  ['can-use-tool-cancel-by-interrupt', ['cancelled']],
  ['malformed-json', ['bad-json', 'exit']],
  ['odd-frames', ['unknown-frame']],
  ['hook-never-answered-eof', ['unanswered']],
  ['mcp-sdk-call-timeout', ['time-out']],
  ['unknown-control-request', ['control-error']],
  ['sigkill-bash', ['signal']],
] as const)('what went wrong in %s has a name', async (name, kinds) => {
  const found = new Set((await viewData(recording(name))).faults.map(({ kind }) => kind));
  expect([...found]).toEqual(expect.arrayContaining([...kinds]));
});

test('a recording in which nothing went wrong has no fault', async () => {
  expect((await viewData(recording('multi-turn'))).faults).toEqual([]);
});
