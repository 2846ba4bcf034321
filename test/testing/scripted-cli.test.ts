import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  AbortError,
  createSdkMcpServer,
  InvalidOptionError,
  type SDKMessage,
  type SDKUserMessage,
  tool,
} from '../../src/index.js';
import { type Script, ScriptError, type ScriptedCli, type ScriptedCliOptions } from '../../src/testing/index.js';
import { ownDirectoryPrefix } from '../../src/util/stale-directories.js';
import { scriptedCli } from './checked-cli.js';
import { collect, problemsOf } from './collect.js';

const modes: readonly ScriptedCliOptions[] = [{ inProcess: false }, { inProcess: true }];

const textOf = (message: SDKMessage): string | undefined =>
  message.type === 'result' && message.subtype === 'success' ? message.result : undefined;

test('its folder, which holds the environment, has the name of this process, so that a later run removes it', async () => {
  await using cli = scriptedCli(({ turn }) => turn('Four.'), { inProcess: false });
  await collect(cli.query({ prompt: 'What is 2 + 2?' }));
  expect(cli.path).toContain(ownDirectoryPrefix());
});

describe.each(modes)('a script that is played as written, %o', (mode) => {
  test('one answer', async () => {
    await using cli = scriptedCli(({ turn }) => turn('Four.', 'What is 2 + 2?'), mode);
    const { outcome } = await collect(cli.query({ prompt: 'What is 2 + 2?' }));
    expect(outcome).toMatchObject({ kind: 'completed', message: 'Four.' });
    expect(cli.sent.prompts).toEqual(['What is 2 + 2?']);
    expect(cli.runs).toMatchObject([{ spawn: 1, sawEndOfInput: true, signals: [] }]);
  });

  test('text that looks like a variable is text, in both directions', async () => {
    const text = `$HOME is $${'{HOME}'}, and $$ is $5`;
    await using cli = scriptedCli(({ turn }) => turn(text, text), mode);
    const { messages } = await collect(cli.query({ prompt: text }));
    expect(messages.map(textOf)).toContain(text);
  });

  test('several turns of one client, and a control request', async () => {
    await using cli = scriptedCli(
      ({ turn, expectRequest }) => [
        turn('One.', /^a/),
        expectRequest('set_model', { model: 'claude-haiku-5-5' }),
        turn('Two.', (text) => text.length === 1),
      ],
      mode,
    );
    await using client = cli.client({ systemPrompt: 'Be brief.' });
    await client.connect();
    const answers: unknown[] = [];
    for (const prompt of ['abc', 'b']) {
      await client.query(prompt);
      for await (const message of client.receiveResponse()) answers.push(textOf(message) ?? []);
      if (prompt === 'abc') await client.setModel('claude-haiku-5-5');
    }
    expect(answers.flat()).toEqual(['One.', 'Two.']);
    expect(cli.sent.controlRequests).toEqual([{ subtype: 'set_model', model: 'claude-haiku-5-5' }]);
    expect(cli.sent.initialize).toMatchObject([{ systemPrompt: 'Be brief.' }]);
  });

  test('a permission, a hook and a tool of the application', async () => {
    const add = tool('add', 'Adds', {}, async () => ({ content: [{ type: 'text', text: '5' }] }));
    await using cli = scriptedCli(
      ({ prompt, init, toolUse, hook, permission, toolResult, mcpCall, result }) => [
        prompt(),
        init(),
        toolUse('Bash', { command: 'rm -r /' }),
        hook('PreToolUse', {}, { expect: { continue: true } }),
        permission(undefined, undefined, { expect: 'deny' }),
        toolResult('No.', { isError: true }),
        mcpCall('calc', 'add', { a: 2 }, { expect: { content: [{ type: 'text', text: '5' }] } }),
        result('Done.'),
      ],
      mode,
    );
    const options = {
      canUseTool: async () => ({ behavior: 'deny' as const, message: 'Not that.' }),
      hooks: { PreToolUse: [{ hooks: [async () => ({ continue: true })] }] },
      mcpServers: { calc: createSdkMcpServer({ name: 'calc', tools: [add] }) },
    };
    await collect(cli.query({ prompt: 'Go.', options }));
    expect(cli.sent).toMatchObject({
      permissionAnswers: [
        {
          toolName: 'Bash',
          toolUseId: 'toolu_1',
          input: { command: 'rm -r /' },
          behavior: 'deny',
          answer: { message: 'Not that.' },
          error: undefined,
        },
      ],
      hookOutputs: [{ event: 'PreToolUse', output: { continue: true } }],
      toolResults: [{ server: 'calc', tool: 'add', content: [{ type: 'text', text: '5' }], isError: false }],
    });
  });

  test('one section for each process, with its arguments', async () => {
    await using cli = scriptedCli(
      ({ process, turn, sessionId }) => [
        process({ argv: { '--resume': '$absent' }, env: { MARK: 'yes' } }),
        turn('One.'),
        process({ argv: { '--resume': sessionId, '--model': 'opus' } }),
        turn('Two.', 'Again.'),
      ],
      mode,
    );
    const env = { ...process.env, MARK: 'yes' };
    const first = await collect(cli.query({ prompt: 'Go.', options: { env } }));
    const resume = first.messages.at(-1)?.session_id ?? '';
    await collect(cli.query({ prompt: 'Again.', options: { resume, model: 'opus' } }));
    expect(cli.sent.argv[1]).toContain('--model=opus');
    expect(cli.sent.prompts).toEqual(['Go.', 'Again.']);
  });

  test('every process plays the whole script when it is for reuse', async () => {
    await using cli = scriptedCli(({ turn }) => turn('Yes.'), { ...mode, reuse: true });
    const runs = ['a', 'b', 'c'].map((prompt) => collect(cli.query({ prompt })));
    const kinds = (await Promise.all(runs)).map(({ outcome }) => outcome.kind);
    expect(kinds).toEqual(['completed', 'completed', 'completed']);
    expect([...cli.sent.prompts].sort()).toEqual(['a', 'b', 'c']);
  });

  test('a scenario file', async () => {
    const file = new URL('../../packages/cli/src/demo/sessions/hello.jsonl', import.meta.url);
    await using cli = scriptedCli(file, mode);
    const { outcome } = await collect(cli.query({ prompt: 'Say hello.' }));
    expect(outcome.kind).toBe('completed');
  });

  test('many at once do not meet', async () => {
    const ask = async (number: number): Promise<string> => {
      await using cli = scriptedCli(({ turn }) => turn(`A${number}`, `Q${number}`), mode);
      return (await collect(cli.query({ prompt: `Q${number}` }))).outcome.message;
    };
    const numbers = [0, 1, 2, 3, 4, 5];
    expect(await Promise.all(numbers.map(ask))).toEqual(numbers.map((number) => `A${number}`));
  });
});

async function ask(cli: ReturnType<typeof scriptedCli>, prompt = 'Go.'): Promise<void> {
  await collect(cli.query({ prompt }));
}

describe.each(modes)('a script that is not played as written fails, %o', (mode) => {
  const cases: {
    name: string;
    script: Script;
    run: (cli: ReturnType<typeof scriptedCli>) => Promise<unknown>;
    problems: unknown[];
  }[] = [
    {
      name: 'another prompt',
      script: ({ turn }) => turn('Four.', 'What is 2 + 2?'),
      run: (cli) => ask(cli, 'What is 2 + 3?'),
      problems: [
        expect.stringMatching(
          /^process 1, item 1, turn "Four\." \(.*scripted-cli\.test\.ts:\d+:\d+\): prompt 1 is 'What is 2 \+ 3\?', expected 'What is 2 \+ 2\?'$/,
        ),
      ],
    },
    {
      name: 'never started',
      script: ({ turn }) => turn('Four.'),
      run: async () => {},
      problems: ['process 1 was never started'],
    },
    {
      name: 'a turn left over',
      script: ({ turn }) => [turn('One.'), turn('Two.')],
      run: ask,
      problems: [
        expect.stringMatching(
          /^process 1: the script was not used up: the application ended its input before item 2, turn "Two\." \(.*\): \{"in":\{"type":"user"\}\}; the last it got: \{"type":"user"/,
        ),
      ],
    },
    {
      name: 'a process left over',
      script: ({ turn, process }) => [turn('One.'), process(), turn('Two.')],
      run: ask,
      problems: ['process 2 was never started'],
    },
    {
      name: 'a second process',
      script: ({ turn }) => turn('One.'),
      run: async (cli) => [await ask(cli), await ask(cli)],
      problems: ['process 2 is not in the script: it has 1'],
    },
    {
      name: 'a second process of a file',
      script: new URL('../../packages/cli/src/demo/sessions/hello.jsonl', import.meta.url),
      run: async (cli) => [await ask(cli, 'Say hello.'), await ask(cli, 'Say hello.')],
      problems: ['process 2 is not in the script: it has 1'],
    },
    {
      name: 'another answer',
      script: ({ prompt, init, permission }) => [prompt(), init(), permission('Bash', {}, { expect: 'allow' })],
      run: (cli) =>
        collect(
          cli.query({ prompt: 'Go.', options: { canUseTool: async () => ({ behavior: 'deny', message: 'No.' }) } }),
        ),
      problems: [expect.stringMatching(/^process 1, item 3, permission "Bash" .*behavior.*"allow".*"deny"/)],
    },
    {
      name: 'other arguments',
      script: ({ process, turn }) => [process({ argv: { '--model': 'opus' } }), turn('One.')],
      run: (cli) => collect(cli.query({ prompt: 'Go.', options: { model: 'haiku' } })),
      problems: [expect.stringMatching(/--model/)],
    },
    {
      name: 'one more prompt, and the application does not hang',
      script: ({ turn }) => turn('One.'),
      run: async (cli) => {
        await using client = cli.client();
        await client.connect();
        await client.query('a');
        await collect(client.receiveResponse());
        await client.query('b');
        const { error } = await collect(client.receiveResponse());
        expect(error).toMatchObject({ name: 'ProcessError', exitCode: 3 });
        expect(String(error)).toContain("the script ran out: the application also sent 'b'");
      },
      problems: ["process 1: the script ran out: the application also sent 'b'"],
    },
    {
      name: 'no result for the prompt',
      script: ({ prompt, init, assistantText }) => [prompt(), init(), assistantText('hm')],
      run: async (cli) => {
        const { error } = await collect(cli.query({ prompt: 'a' }));
        expect(String(error)).toContain("the script ended without a result for the prompt 'a'");
      },
      problems: [
        expect.stringMatching(
          /^process 1, item 3, assistantText "hm" .*: the script ended without a result for the prompt 'a'; add result/,
        ),
      ],
    },
    {
      name: 'a prompt and nothing else, after a turn',
      script: ({ turn, prompt }) => [turn('One.'), prompt()],
      run: async (cli) => {
        await using client = cli.client();
        await client.connect('a');
        await collect(client.receiveResponse());
        await client.query('b');
        await collect(client.receiveResponse());
      },
      problems: [expect.stringMatching(/^process 1, item 2, prompt .*without a result for the prompt 'b'/)],
    },
    {
      name: 'a step that waits for what never comes',
      script: ({ prompt, expectRequest, result }) => [prompt(), expectRequest('interrupt'), result()],
      run: async (cli) => {
        await using client = cli.client();
        await client.connect();
        await client.query('a');
        await collect(client.receiveResponse());
      },
      problems: [expect.stringMatching(/^process 1, item 2, expectRequest "interrupt" .*nothing in 800 ms/)],
    },
  ];

  test.each(cases)('$name', async ({ script, run, problems }) => {
    const cli = scriptedCli(script, { ...mode, stepTimeoutMs: 800 });
    onTestFinished(() => cli.close());
    await run(cli);
    expect(await problemsOf(cli)).toEqual(problems);
  });

  test('left running: it is killed, and that is a problem', async () => {
    const cli = scriptedCli(({ prompt, init, faults }) => [prompt(), init(), faults.stall()], {
      ...mode,
      closeGraceMs: 50,
    });
    const run = cli.query({ prompt: 'Go.' });
    await run.next();
    expect(await problemsOf(cli)).toEqual(['process 1 still ran: the application did not end its query']);
    await collect(run);
  });

  test('the error has what a test runner shows', async () => {
    const cli = scriptedCli(({ turn }) => turn('Four.', 'a'), mode);
    await ask(cli, 'b');
    const error: unknown = await cli.close().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ScriptError);
    expect(error).toMatchObject({ name: 'ScriptError', expected: 'a', actual: 'b' });
  });
});

describe.each(modes)('an empty script is for no process, %o', (mode) => {
  test.each([{}, { reuse: true }])('nothing was started, %o', async (options) => {
    const cli = scriptedCli([], { ...mode, ...options });
    const abortController = new AbortController();
    abortController.abort();
    expect(() => cli.query({ prompt: 'Go.', options: { abortController } })).toThrow(AbortError);
    expect(await problemsOf(cli)).toEqual([]);
    expect(cli.runs).toEqual([]);
  });

  test('one was', async () => {
    const cli = scriptedCli([], mode);
    const { error } = await collect(cli.query({ prompt: 'Go.' }));
    expect(String(error)).toContain("the script ran out: the application also sent 'Go.'");
    expect(await problemsOf(cli)).toEqual(['process 1 is not in the script: it has 0']);
  });
});

test('a request that no item expects gets an answer of its type', async () => {
  await using cli = scriptedCli(({ process }) => [process()], { inProcess: true });
  await using client = cli.client();
  await client.connect();
  const { state } = await client.request('list_permission_rules');
  const empty = [
    (await client.request('file_suggestions', { query: 'a' })).suggestions,
    (await client.request('mcp_read_resource', { serverName: 's', uri: 'u' })).contents,
    state.rules,
    (await client.request('reload_skills')).skills,
    (await client.request('reload_plugins')).plugins,
  ];
  expect(empty.map((list) => list.length)).toEqual([0, 0, 0, 0, 0]);
  expect((await client.request('reload_output_styles')).available_output_styles).toEqual(['default']);
  expect(await client.request('rewind_files', { user_message_id: 'm' })).toEqual({ canRewind: false });
  expect(await client.request('cancel_async_message', { message_uuid: 'm' })).toEqual({ cancelled: false });
  const { totalTokens, categories, apiUsage } = await client.request('get_context_usage');
  expect([totalTokens, categories, apiUsage]).toEqual([0, [], null]);
});

test('nothing of a real process is left: folder, process, second close', async () => {
  const cli = scriptedCli(({ turn }) => turn('Four.'));
  await ask(cli);
  const [run] = cli.runs;
  await cli.close();
  expect(existsSync(dirname(cli.path ?? ''))).toBe(false);
  expect(() => process.kill(run?.pid ?? 0, 0)).toThrow('ESRCH');
  // What was seen stays.
  expect(cli.runs).toEqual([run]);
  await cli.close();
});

const isOver = (pid: number | undefined): boolean => {
  try {
    return pid === undefined || !process.kill(pid, 0);
  } catch {
    return true;
  }
};

test.each([
  { name: 'query', start: (cli: ScriptedCli) => void collect(cli.query({ prompt: 'Go.' })) },
  { name: 'client', start: (cli: ScriptedCli) => void cli.client().connect().catch(String) },
])('close sees a process that is still starting: $name', async ({ start }) => {
  const cli = scriptedCli(({ turn }) => [turn('One.'), turn('Two.')], { closeGraceMs: 2_500 });
  start(cli);
  const problems = await problemsOf(cli);
  expect(problems).toEqual([expect.stringMatching(/^process 1(:| still ran)/)]);
  expect(cli.runs).toHaveLength(1);
  expect(isOver(cli.runs[0]?.pid)).toBe(true);
});

test.each(modes)('a query after close finds no CLI, %o', async (mode) => {
  const cli = scriptedCli(({ turn }) => turn('One.'), { ...mode, reuse: true });
  await ask(cli);
  await cli.close();
  const again = async () => {
    const { error } = await collect(cli.query({ prompt: 'Again.' }));
    throw error;
  };
  await expect(again()).rejects.toMatchObject({ name: 'CLINotFoundError' });
  expect(cli.runs).toHaveLength(1);
});

test('close does not wait for a process that will never be', async () => {
  await using cli = scriptedCli(({ turn }) => turn('One.'), { closeGraceMs: 60_000 });
  const refused = cli.query({ prompt: 'Go.', options: { cwd: '/no/such/folder' } });
  await collect(refused);
  expect(await problemsOf(cli)).toEqual(['process 1 was never started']);
});

test('close goes by the real clock, whatever the test fakes', async () => {
  const cli = scriptedCli(({ turn }) => turn('Four.'), { closeGraceMs: 100 });
  const client = cli.client();
  await client.connect();
  const toFake = ['setTimeout', 'setInterval', 'setImmediate', 'Date', 'performance'] as const;
  vi.useFakeTimers({ toFake: [...toFake] });
  onTestFinished(() => void vi.useRealTimers());
  expect(await problemsOf(cli)).toEqual(['process 1 still ran: the application did not end its query']);
});

describe.each(modes)('a process that outlives the end by its script, %o', (mode) => {
  const options = { ...mode, closeGraceMs: 150 };
  const stalled: Script = ({ prompt, init, faults }) => [prompt(), init(), faults.stall({ ignoresEnd: true })];

  test('is no problem when the application ended its query', async () => {
    const cli = scriptedCli(stalled, options);
    const run = cli.query({ prompt: 'Go.' });
    await run.next();
    run.close();
    expect(await problemsOf(cli)).toEqual([]);
    expect(isOver(cli.runs[0]?.pid)).toBe(true);
    await collect(run);
  });

  test('is one when it did not', async () => {
    const cli = scriptedCli(stalled, options);
    const run = cli.query({ prompt: 'Go.' });
    await run.next();
    expect(await problemsOf(cli)).toEqual(['process 1 still ran: the application did not end its query']);
    await collect(run);
  });
});

test('the prompts of a stream are told apart, whatever their form', async () => {
  await using cli = scriptedCli(({ turn }) => [turn('1', 'text'), turn('2', 'a\n<image>')], { inProcess: true });
  async function* prompts(): AsyncGenerator<SDKUserMessage> {
    const user = (content: SDKUserMessage['message']['content']): SDKUserMessage => ({
      type: 'user',
      message: { role: 'user', content },
      parent_tool_use_id: null,
    });
    yield user('text');
    const source = { type: 'base64', media_type: 'image/png', data: 'AAAA' } as const;
    await sleep(1);
    yield user([
      { type: 'text', text: 'a' },
      { type: 'image', source },
    ]);
  }
  await collect(cli.query({ prompt: prompts() }));
});

test.each([
  { name: 'a text', item: 'x' },
  { name: 'nothing', item: null },
])('an item that is $name is refused', ({ item }) => {
  expect(() => scriptedCli([item as never], { inProcess: true })).toThrow(
    'Option `script` must be made of messages, steps and lists of these',
  );
});

test('flags of a script of items cannot be strict', () => {
  const script: Script = ({ turn }) => [turn('Hello.')];
  expect(() => scriptedCli(script, { inProcess: true, strictArgv: true })).toThrow(
    'Option `strictArgv` must be left out for a script of items, got boolean true.',
  );
});

test.each([
  ['a promise', async () => false, 'got object (Promise)'],
  ['a match', (text: string) => text.match(/Go/), 'got array of 1'],
])('a test of a prompt that answers %s fails', async (_, judges, got) => {
  const cli = scriptedCli(({ turn }) => [turn('Hello.', judges as never)], { inProcess: true });
  await collect(cli.query({ prompt: 'Go.' }));
  expect(await problemsOf(cli)).toEqual([expect.stringContaining(`expected true or false of its test, ${got}`)]);
});

test('a script function that is async is refused', () => {
  const script = (async () => []) as never;
  expect(() => scriptedCli(script, { inProcess: true })).toThrow(
    'The script function must return items, got a promise.',
  );
});

const circular: { type: string; self?: unknown } = { type: 'assistant' };
circular.self = circular;
const throwing = () => {
  throw new Error('mine');
};

test.each([
  ['circular', circular, 'circular'],
  ['one with a BigInt', { type: 'assistant', count: 1n }, 'BigInt'],
  ['one whose toJSON throws', { type: 'assistant', toJSON: throwing }, 'mine'],
  ['one in a step', { out: circular }, 'circular'],
  [
    'one with a Map',
    { type: 'assistant', message: { content: [{ input: new Map([['a', 1]]) }] } },
    'content[0].input is object (Map)',
  ],
  ['one with a Set', { type: 'assistant', tools: new Set(['a']) }, 'tools is object (Set)'],
  ['one with a Date', { type: 'assistant', at: new Date(0) }, 'at is object (Date)'],
  ['one with bytes', { type: 'assistant', data: Buffer.from('x') }, 'data is object (Buffer)'],
  ['one with a function', { type: 'assistant', make: throwing }, 'make is function'],
  ['one with no number', { type: 'assistant', count: Number.NaN }, 'count is number NaN'],
  ['a step with a Map', { out: { type: 'assistant', input: new Map() } }, 'input is object (Map)'],
])('a frame that is no JSON is refused by its place: %s', (_, frame, why) => {
  const made = () => scriptedCli(({ prompt }) => [prompt(), frame as never], { inProcess: true });
  expect(made).toThrow(/^item 2, \{"(type|out)": …\} cannot be written as JSON: /);
  expect(made).toThrow(why);
  expect(made).toThrow(InvalidOptionError);
});

test('a step that cannot be played is refused', () => {
  expect(() => scriptedCli([{ exit: 'x' } as never])).toThrow('exit code');
});

test('a test of a prompt that throws is a problem of its place, beside the others', async () => {
  const cli = scriptedCli(({ turn }) => [
    turn('A', () => {
      throw new Error('boom');
    }),
    turn('B', 'never'),
  ]);
  const over = (async () => {
    for await (const _ of cli.query({ prompt: 'x' }));
  })();
  await over.catch(() => {});
  const error: unknown = await cli.close().catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ScriptError);
  expect((error as Error).message).toMatch(
    /turn.*prompt 1 is 'x', expected true or false of its test, which threw: boom/,
  );
});
