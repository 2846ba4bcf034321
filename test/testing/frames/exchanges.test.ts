import { describe, expect, test } from 'vitest';
import { createSdkMcpServer, InvalidOptionError, type Options, tool } from '../../../src/index.js';
import type { Frames } from '../../../src/testing/frames/create-frames.js';
import { createFrames, ScriptError, scriptedCli } from '../../../src/testing/index.js';
import type { ScriptItem } from '../../../src/testing/script/script-item.js';
import { isJsonObject, type JsonObject } from '../../../src/util/json.js';
import { outFrames } from '../../recordings/load.js';
import { collect, problemsOf } from '../collect.js';

/** Runs one turn with these items in it; what the script said, and what the application did. */
async function run(
  items: (frames: Frames) => readonly ScriptItem[],
  options: Options,
  mode = { inProcess: true },
): Promise<string[]> {
  const cli = scriptedCli((frames) => [frames.prompt(), frames.init(), ...items(frames), frames.result('Done.')], mode);
  await collect(cli.query({ prompt: 'Go.', options }));
  return problemsOf(cli);
}

describe('hook() finds the callback of its event', () => {
  const calls: string[] = [];
  const note = (name: string) => async () => {
    calls.push(name);
    return { continue: true };
  };
  const hooks: Options['hooks'] = {
    PreToolUse: [{ hooks: [note('pre')] }],
    PostToolUse: [
      { matcher: 'Read|Bash', hooks: [note('post bash')] },
      { matcher: '^mcp__', hooks: [note('post mcp')] },
      { matcher: 'Edit', hooks: [note('edit 1'), note('edit 2')] },
    ],
  };

  test.each([{ inProcess: true }, { inProcess: false }])('%o', async (mode) => {
    calls.length = 0;
    const dollars = ['echo $', '{HOME} $HOME'].join('');
    const problems = await run(
      ({ toolUse, hook }) => [
        toolUse('Bash', { command: dollars }),
        hook('PreToolUse'),
        hook('PostToolUse', { tool_response: '$x' }),
        hook('PostToolUse', { tool_name: 'mcp__a__b' }),
        hook('PostToolUse', {}, { callbackId: 'hook_4' }),
      ],
      { hooks },
      mode,
    );
    expect(problems).toEqual([]);
    expect(calls).toEqual(['pre', 'post bash', 'post mcp', 'edit 2']);
  });

  test('what it got is what the script says, dollars too', async () => {
    const dollars = ['$', '{HOME} $x'].join('');
    const inputs: unknown[] = [];
    const hook = async (input: unknown) => {
      inputs.push(input);
      return {};
    };
    const cli = scriptedCli(
      ({ prompt, init, toolUse, hook: ask, result }) => [
        [prompt(), init(), toolUse('Bash', { command: dollars, env: '$HOME' })],
        [ask('PreToolUse'), result('Done.')],
      ],
      { inProcess: true },
    );
    await collect(cli.query({ prompt: 'Go.', options: { hooks: { PreToolUse: [{ hooks: [hook] }] } } }));
    const wanted = { tool_name: 'Bash', tool_input: { command: dollars, env: '$HOME' } };
    expect(inputs).toMatchObject([wanted]);
    expect(cli.sent.hookOutputs).toMatchObject([{ event: 'PreToolUse', input: wanted }]);
    await cli.close();
  });

  test('also before anything was asked', async () => {
    calls.length = 0;
    const cli = scriptedCli(({ hook, turn }) => [hook('SessionStart', { source: 'startup' }), turn('Hi.')], {
      inProcess: true,
    });
    const options = { hooks: { SessionStart: [{ hooks: [note('start')] }] } };
    await collect(cli.query({ prompt: 'Go.', options }));
    expect(await problemsOf(cli)).toEqual([]);
    expect(calls).toEqual(['start']);
  });

  test.each([
    { tool_name: 'Write', problem: /registered no hook callback for PostToolUse \(Write\)/ },
    { tool_name: 'Edit', problem: /registered 2 hook callbacks \(hook_3,hook_4\) for PostToolUse/ },
  ])('$tool_name: none or several is a failure', async ({ tool_name, problem }) => {
    const problems = await run(({ hook }) => [hook('PostToolUse', { tool_name })], { hooks });
    expect(problems.join()).toMatch(problem);
  });
});

describe('an error answer fails the script, unless it is asked for', () => {
  const bad = tool('bad', 'Throws', {}, async () => {
    throw new Error('broken');
  });
  const withTool: Options = { mcpServers: { a: createSdkMcpServer({ name: 'a', tools: [bad] }) } };
  const throwing: Options = {
    canUseTool: async () => {
      throw new Error('broken');
    },
    hooks: {
      Stop: [
        {
          hooks: [
            async () => {
              throw new Error('broken');
            },
          ],
        },
      ],
    },
  };
  type Item = (frames: Frames, error: boolean) => ScriptItem;
  const cases: readonly (readonly [string, Options, Item])[] = [
    ['no canUseTool', {}, ({ permission }, error) => permission('Bash', {}, { error })],
    ['canUseTool throws', throwing, ({ permission }, error) => permission('Bash', {}, { error })],
    ['a hook throws', throwing, ({ hook }, error) => hook('Stop', {}, { error })],
    ['no such server', {}, ({ mcpCall }, error) => mcpCall('a', 'x', {}, { error })],
    ['no such tool', withTool, ({ mcpCall }, error) => mcpCall('a', 'x', {}, { error })],
    ['a tool throws', withTool, ({ mcpCall }, error) => mcpCall('a', 'bad', {}, { error })],
    ['no such request', {}, ({ controlRequest }, error) => controlRequest('nope', {}, { error })],
  ];

  test.each(cases)('%s', async (_, options, item) => {
    expect(await run((frames) => [item(frames, false)], options)).toHaveLength(1);
    expect(await run((frames) => [item(frames, true)], options)).toEqual([]);
  });

  test('a good answer fails one that asks for an error', async () => {
    const allow: Options = { canUseTool: async () => ({ behavior: 'allow' }) };
    const fine = tool('fine', 'Works', {}, async () => ({ content: [] }));
    const mcpServers = { a: createSdkMcpServer({ name: 'a', tools: [fine] }) };
    const asked: readonly Item[] = [
      ({ permission }) => permission('Bash', {}, { error: true }),
      ({ mcpCall }) => mcpCall('a', 'fine', {}, { error: true }),
    ];
    for (const item of asked) {
      expect(await run((frames) => [item(frames, true)], { ...allow, mcpServers })).toHaveLength(1);
    }
  });
});

test('a file that is not there is said with what to do', () => {
  expect(() => scriptedCli('./nope.jsonl')).toThrow(InvalidOptionError);
  expect(() => scriptedCli('./nope.jsonl')).toThrow(/no scenario and no recording at \/.*nope\.jsonl; give/);
});

test('permission() without a tool fails the script that it is in', () => {
  const fails = () => scriptedCli(({ prompt, init, permission, result }) => [prompt(), init(), permission(), result()]);
  expect(fails).toThrow(ScriptError);
  expect(fails).toThrow('permission() needs a tool name, or a toolUse before it');
});

test('hook() without an event fails the script that it is in', () => {
  const fails = () => scriptedCli(({ hook, turn }) => [hook({ source: 'startup' } as never), turn('Hi.')]);
  expect(fails).toThrow(ScriptError);
  expect(fails).toThrow("hook() needs the name of an event, such as 'PreToolUse'");
});

describe('a question that is withdrawn by an interrupt', () => {
  /** What of a frame is the same in every run. */
  const shapeOf = ({ type, subtype, request, response, message, is_error, ...rest }: JsonObject): unknown => ({
    ...{ type, subtype, is_error, request: isJsonObject(request) && request.subtype },
    answer: isJsonObject(response) && response.response,
    blocks: isJsonObject(message) && Array.isArray(message.content) && message.content.map((block) => block.type),
    ...Object.fromEntries(['num_turns', 'stop_reason', 'terminal_reason', 'errors'].map((name) => [name, rest[name]])),
  });
  const script = ({ prompt, init, toolUse, permission, turn }: Frames) => [
    ...[prompt(), init(), toolUse('Bash', { command: 'ls' })],
    permission(undefined, undefined, { withdrawn: 'interrupt' }),
    turn('Next.'),
  ];

  test.each([{ inProcess: true }, { inProcess: false }])(
    'the CLI sends what it was recorded sending: %o',
    async (mode) => {
      const sent: JsonObject[] = [];
      const cli = scriptedCli(script, mode);
      const asked: string[] = [];
      await using client = cli.client({
        canUseTool: (name, _input, { signal }) =>
          new Promise((resolve) => {
            asked.push(name);
            signal.addEventListener('abort', () => resolve({ behavior: 'deny', message: 'Too late.' }));
            void client.interrupt();
          }),
      });
      await client.connect();
      for (const text of ['Go.', 'Go on.']) {
        await client.query(text);
        for await (const message of client.receiveResponse()) sent.push({ ...message });
      }
      await client.disconnect();
      await cli.close();
      expect(asked).toEqual(['Bash']);
      expect(cli.sent.permissionAnswers).toEqual([]);

      const recorded = outFrames('can-use-tool-cancel-by-interrupt').filter(
        ({ type, subtype }) => /^(assistant|user|result)$/.test(String(type)) || subtype === 'init',
      );
      expect(sent.map(shapeOf)).toEqual(recorded.map(shapeOf));
    },
  );

  test('the question is taken back before the interrupt is answered', () => {
    const item = createFrames().permission('Bash', {}, { withdrawn: 'interrupt' });
    const items = [item].flat(9) as JsonObject[];
    const frames = items.flatMap((each) => (isJsonObject(each.out) ? [each.out] : 'type' in each ? [each] : []));
    const recorded = outFrames('can-use-tool-cancel-by-interrupt').filter(({ type }) => /^control_/.test(String(type)));
    expect(frames.slice(0, 3).map(shapeOf)).toEqual(recorded.slice(1).map(shapeOf));
  });

  test('an application that answers in place of an interrupt fails the script', async () => {
    const cli = scriptedCli(script, { inProcess: true, stepTimeoutMs: 50 });
    const canUseTool = async () => ({ behavior: 'allow' as const });
    await collect(cli.query({ prompt: 'Go.', options: { canUseTool } }));
    expect((await problemsOf(cli)).join()).toMatch(/permission.*interrupt/);
  });
});
