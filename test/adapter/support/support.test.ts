import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { fakeRuntime } from './fake-runtime.js';
import { play } from './play.js';
import { notIn } from './stands-for.js';

const user = {
  type: 'user',
  message: { role: 'user', content: 'Hi' },
  parent_tool_use_id: null,
  session_id: '',
} as const;

test('a script of builders is what the recording shows; the stage has a machine, and removes it', async () => {
  const stage = play(({ turn }) => turn('Four.', 'What is 2 + 2?'), { recordings: ['hello'] });
  const texts: string[] = [];
  for await (const message of stage.query({ prompt: 'What is 2 + 2?', options: {} })) {
    if (message.type === 'result' && message.subtype === 'success') texts.push(message.result);
  }
  expect(texts).toEqual(['Four.']);
  expect([stage.hostHome, stage.tempRoot].every(existsSync)).toBe(true);
  expect(stage.machine.hostEnv.HOME).toBe(stage.hostHome);
  await stage.close();
  expect(existsSync(stage.root)).toBe(false);
});

test.each([
  ['another kind', { type: 'result', subtype: 'error_max_turns', is_error: true }, /none sends/],
  ['a field no CLI sent', { type: 'system', subtype: 'init', surprise: 1 }, /none has surprise/],
])('a frame that no recording shows is refused: %s', (_, frame, problem) => {
  expect(() => play([frame], { recordings: ['hello'] })).toThrow(problem);
});

test('answers are compared as well, and what the recording shows passes', () => {
  const answerTo = 'get_settings';
  expect(notIn(['settings-managed'], [{ answerTo, payload: { effective: {}, errors: [] } }])).toEqual([
    'answer to get_settings: none has errors',
  ]);
  expect(notIn(['settings-wrong-type'], [{ answerTo, payload: { effective: {}, errors: [] } }])).toEqual([]);
  expect(notIn(['unknown-control-request'], [{ errorTo: 'get_settings' }])).toEqual([]);
  expect(notIn(['hello'], [{ errorTo: 'get_settings' }])).toHaveLength(1);
});

test('without a recording it says why', () => {
  expect(() => play([], { recordings: 'none', why: ' ' })).toThrow(/why/);
});

test('the fake runtime plays messages, calls hooks and tools, and notes what it was asked', async () => {
  const fake = fakeRuntime(async function* (cli) {
    yield { type: 'first', prompt: (await cli.prompt())?.message.content };
    yield { type: 'hook', outputs: await cli.hook('PreToolUse', { tool_name: 'Bash' }, 't1') };
    yield { type: 'tool', result: await cli.callTool('wink', 'add', { a: 1 }) };
    await cli.interrupted();
    yield { type: 'end', more: await cli.prompt() };
  });
  const runtime = await fake.loadRuntime();
  const run = runtime.query(
    (async function* () {
      yield user;
      await new Promise(() => {});
    })(),
    {
      hooks: {
        PreToolUse: [
          { matcher: 'Read', hooks: [async () => ({ continue: false })] },
          { hooks: [async (input) => ({ reason: input.hook_event_name })] },
        ],
      },
      toolServers: [
        {
          name: 'wink',
          version: '1.0.0',
          tools: [
            {
              name: 'add',
              description: 'Adds.',
              inputSchema: { type: 'object' },
              _meta: {},
              call: async (args) => ({ content: [{ type: 'text', text: JSON.stringify(args) }], isError: false }),
            },
          ],
        },
      ],
    },
  );
  await run.initialized();
  expect(await run.getSettings()).toMatchObject({ effective: {}, applied: {} });
  const seen: object[] = [];
  for await (const message of run) {
    seen.push(message);
    if (seen.length === 3) {
      await run.interrupt();
      run.endInput();
    }
  }
  await run.close();
  expect(seen).toEqual([
    { type: 'first', prompt: 'Hi' },
    { type: 'hook', outputs: [{ reason: 'PreToolUse' }] },
    { type: 'tool', result: { content: [{ type: 'text', text: '{"a":1}' }], isError: false } },
    { type: 'end', more: undefined },
  ]);
  expect(fake.runs[0]).toMatchObject({ interrupts: 1, inputEnded: true, closed: true });
  expect(fake.runs[0]?.happened).toEqual([...['initialized', 'settings', 'user', 'interrupt', 'end', 'close']]);
  expect(fake.loads).toBe(1);
});

test('close() ends a fake run that waits', async () => {
  const fake = fakeRuntime([{ type: 'never' }]);
  const run = (await fake.loadRuntime()).query((async function* () {})(), {});
  const loop = (async () => {
    for await (const _ of run);
  })();
  await run.close();
  await loop;
  expect(fake.runs[0]?.closed).toBe(true);
});
