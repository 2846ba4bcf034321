import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { CanUseTool, Options, Query, SDKUserMessage } from '../../src/index.js';
import { type RecordedCli, recordOnce, replayTransport, type Script } from '../../src/testing/index.js';
import { compileScript } from '../../src/testing/script/compile-script.js';
import { scriptedCli } from './checked-cli.js';
import { collect, problemsOf } from './collect.js';

let folder = '';
let file = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'record-once-test-'));
  file = join(folder, 'recordings', 'run.jsonl');
  vi.stubEnv('CI', undefined);
  vi.stubEnv('CLAUDEWIRE_RECORD', undefined);
  vi.stubEnv('CLAUDE_CODE_EXECUTABLE', undefined);
});

afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

describe('without a recording', () => {
  test.each([
    { name: 'nothing was asked for', env: {}, message: 'Run the test once with CLAUDEWIRE_RECORD=1' },
    {
      name: 'recording was asked for in CI',
      env: { CI: 'true', CLAUDEWIRE_RECORD: '1' },
      message: 'and CI does not record. Run the test once with CLAUDEWIRE_RECORD=1',
    },
    {
      name: 'the variable says something else',
      env: { CLAUDEWIRE_RECORD: 'true' },
      message: 'There is no recording at',
    },
    {
      name: 'there is no CLI',
      env: { CLAUDEWIRE_RECORD: '1', CLAUDE_CODE_EXECUTABLE: 'no-such-claude', PATH: '/nowhere' },
      message:
        'There is no CLI to record. Give its path (`cli`, or --cli), or set CLAUDE_CODE_EXECUTABLE. Searched: /nowhere/no-such-claude.',
    },
    {
      name: 'the CLI is not there',
      env: { CLAUDEWIRE_RECORD: '1', CI: 'false', CLAUDE_CODE_EXECUTABLE: '/no/such/claude' },
      message: 'There is no CLI to record. Give its path',
    },
  ])('$name: an error that says what to do', ({ env, message }) => {
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
    expect(() => recordOnce(file)).toThrow(message);
    expect(existsSync(file)).toBe(false);
  });
});

const deny: Options = { model: 'opus', canUseTool: async () => ({ behavior: 'deny', message: 'No.' }) };

/** Two processes, the second of which resumes the first: what is recorded and what is replayed. */
async function app(cli: Pick<RecordedCli, 'query'>, options: Options = deny): Promise<string[]> {
  const first = await collect(cli.query({ prompt: 'Tidy up.', options }));
  const resume = first.messages.at(-1)?.session_id ?? '';
  const second = await collect(cli.query({ prompt: 'And now?', options: { ...options, resume } }));
  return [first.outcome.message, second.outcome.message];
}

async function record(): Promise<string[]> {
  // A scripted CLI in the real one's place.
  await using real = scriptedCli(({ process, prompt, init, toolUse, permission, toolResult, result, turn }) => [
    [process(), prompt(), init(), toolUse('Bash', { command: 'rm -r /' })],
    [permission(), toolResult('No.', { isError: true }), result('Kept.')],
    [process(), turn('Done.')],
  ]);
  vi.stubEnv('CLAUDEWIRE_RECORD', '1');
  vi.stubEnv('SECRET_TOKEN', 'very-secret-value');
  await using cli = recordOnce(file, { cli: real.path ?? '' });
  expect(cli.mode).toBe('record');
  return await app(cli);
}

test('records a run, and replays it from then on', async () => {
  expect(await record()).toEqual(['Kept.', 'Done.']);
  const text = readFileSync(file, 'utf8');
  expect(JSON.parse(text.split('\n')[0] ?? '')).toMatchObject({
    dir: 'meta',
    data: { cli_version: '2.1.330', scenario: 'run' },
  });
  expect(text).not.toContain('very-secret-value');

  // In CI too, and with the variable still set.
  vi.stubEnv('CI', '1');
  for (const options of [{}, { inProcess: true }]) {
    await using cli = recordOnce(file, options);
    expect(cli.mode).toBe('replay');
    expect(await app(cli)).toEqual(['Kept.', 'Done.']);
  }
  expect(readFileSync(file, 'utf8')).toBe(text);
});

test.each<{ name: string; change: Options; problem: RegExp }>([
  { name: 'option', change: { ...deny, model: 'haiku' }, problem: /--model/ },
  { name: 'answer', change: { ...deny, canUseTool: async () => ({ behavior: 'allow' }) }, problem: /behavior/ },
])('a replay with a changed $name fails', async ({ change, problem }) => {
  await record();
  const cli = recordOnce(file, { inProcess: true, stepTimeoutMs: 300 });
  await app(cli, change);
  expect((await problemsOf(cli)).join('\n')).toMatch(problem);
});

test.each<{ name: string; change: Options }>([
  { name: 'permission mode', change: { ...deny, permissionMode: 'acceptEdits' } },
  { name: 'skipping of permissions', change: { ...deny, allowDangerouslySkipPermissions: true } },
  { name: 'argument', change: { ...deny, extraArgs: { 'no-such-flag': null } } },
])('a replay with an added $name fails, unless other flags are let through', async ({ change }) => {
  await record();
  const strict = recordOnce(file, { inProcess: true, stepTimeoutMs: 300 });
  await app(strict, change);
  expect((await problemsOf(strict)).join('\n')).toMatch(/argv --[\w-]+: expected no such flag/);
  const lax = recordOnce(file, { inProcess: true, strictArgv: false });
  await app(lax, change);
  expect(await problemsOf(lax)).toEqual([]);
});

describe('what the program does besides', () => {
  const hooks = { PreToolUse: [{ matcher: 'Bash', hooks: [async () => ({})] }] };
  const agents = { a: { description: 'd', prompt: 'p' } };
  const allowing = (further: object, input: object = {}): CanUseTool => {
    return async (_tool, given) => ({ behavior: 'allow', updatedInput: { ...given, ...input }, ...further });
  };
  const base: Options = { title: 'T', hooks, agents, canUseTool: allowing({}) };
  const rule = { type: 'addRules', rules: [{ toolName: 'Bash' }], behavior: 'allow', destination: 'session' };
  const said = { role: 'user', content: 'Tidy up.' } as const;
  type Prompt = Parameters<RecordedCli['query']>[0]['prompt'];
  async function* saying(further: object): AsyncGenerator<SDKUserMessage> {
    yield { type: 'user', message: said, parent_tool_use_id: null, session_id: '', ...further };
  }

  interface Case {
    readonly name: string;
    readonly change?: Options;
    readonly prompt?: () => Prompt;
    readonly act?: (run: Query) => Promise<unknown>;
    readonly problem?: RegExp;
  }
  const tidy = async (cli: RecordedCli, { change, prompt, act }: Partial<Case> = {}): Promise<string[]> => {
    const run = cli.query({ prompt: prompt?.() ?? saying({}), options: { ...base, ...change } });
    act?.(run).catch(() => {});
    await collect(run);
    return problemsOf(cli);
  };

  let recording = '';
  beforeEach(async () => {
    if (recording === '') {
      await using real = scriptedCli(({ prompt, init, permission, result }) => [
        [prompt(), init(), permission('Bash', { command: 'ls' }), result('Done.')],
      ]);
      vi.stubEnv('CLAUDEWIRE_RECORD', '1');
      expect(await tidy(recordOnce(file, { cli: real.path ?? '' }))).toEqual([]);
      recording = readFileSync(file, 'utf8');
    }
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, recording);
  });

  const cases: readonly Case[] = [
    { name: 'nothing' },
    { name: 'an id and a time', prompt: () => saying({ uuid: randomUUID(), timestamp: new Date().toISOString() }) },
    {
      name: 'a permission for the session',
      change: { canUseTool: allowing({ updatedPermissions: [rule] }) },
      problem: /updatedPermissions: expected no such key/,
    },
    {
      name: 'an input of the tool',
      change: { canUseTool: allowing({}, { dangerouslyDisableSandbox: true }) },
      problem: /updatedInput\.dangerouslyDisableSandbox: expected no such key/,
    },
    { name: 'a mode', act: (run) => run.setPermissionMode('bypassPermissions'), problem: /set_permission_mode/ },
    { name: 'an interrupt', act: (run) => run.interrupt(), problem: /no step expects this request: interrupt/ },
    { name: 'a model', act: (run) => run.setModel('other'), problem: /no step expects this request: set_model/ },
    {
      name: 'a hook',
      change: { hooks: { ...hooks, Stop: [{ hooks: [async () => ({})] }] } },
      problem: /initialize \(nearest: request\.hooks\.Stop: expected no such key/,
    },
    { name: 'an agent', change: { agents: { ...agents, b: agents.a } }, problem: /request\.agents\.b: expected no/ },
    {
      name: 'a tool of an agent',
      change: { agents: { a: { ...agents.a, tools: ['Bash'] } } },
      problem: /request\.agents\.a\.tools: expected no such key/,
    },
    {
      name: 'instructions',
      change: { planModeInstructions: 'P' },
      problem: /request\.planModeInstructions: expected no/,
    },
    { name: 'suggestions', change: { promptSuggestions: true }, problem: /request\.promptSuggestions: expected no/ },
    { name: 'verbatim prompts', change: { verbatimPrompts: true }, problem: /client_composed: expected no such key/ },
    { name: 'texts', change: { forwardSubagentText: true }, problem: /request\.forwardSubagentText: expected no/ },
    {
      name: 'checkpoints',
      change: { enableFileCheckpointing: true },
      problem: /FILE_CHECKPOINTING: expected no such key/,
    },
    { name: 'a priority', prompt: () => saying({ priority: 'now' }), problem: /priority: expected no such key/ },
    {
      name: 'a key of the message',
      prompt: () => saying({ message: { ...said, cache: 1 } }),
      problem: /message\.cache: expected no such key/,
    },
  ];
  // Without a limit: what differs must end the replay by itself.
  test.each(cases)('$name', async ({ problem, ...more }) => {
    const problems = await tidy(recordOnce(file, { inProcess: true, stepTimeoutMs: 0 }), more);
    if (problem === undefined) expect(problems).toEqual([]);
    else expect(problems).toEqual([expect.stringMatching(problem)]);
  });

  test('where the recording has none of it: an initialize that says nothing', async () => {
    const lines = recording
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    for (const { data } of lines) {
      if (data.request?.subtype === 'initialize') data.request = { subtype: 'initialize' };
    }
    writeFileSync(file, lines.map((line) => JSON.stringify(line)).join('\n'));
    const problems = await tidy(recordOnce(file, { inProcess: true, stepTimeoutMs: 0 }));
    expect(problems).toEqual([expect.stringMatching(/initialize \(nearest: request\.\w+: expected no such key/)]);
  });

  test('is let through when that was asked for', async () => {
    const change: Options = { canUseTool: allowing({ updatedPermissions: [rule] }), promptSuggestions: true };
    const cli = recordOnce(file, { inProcess: true, exact: false });
    expect(await tidy(cli, { change, act: (run) => run.setModel('other') })).toEqual([]);
  });
});

test('a step of a recording waits as long as one of a script', async () => {
  await record();
  const limitOf = (script: Script) => compileScript(script, { reuse: false, header: {} }).scenario.header.stepTimeoutMs;
  expect(limitOf(file)).toBe(4_000);
  expect(limitOf(({ turn }) => turn('Yes.'))).toBe(4_000);
  // A scenario file says it itself.
  expect(limitOf(new URL('../../packages/cli/src/demo/sessions/hello.jsonl', import.meta.url))).toBeUndefined();
});

test('a replay that resumes another session fails', async () => {
  await record();
  const cli = recordOnce(file, { inProcess: true, stepTimeoutMs: 300 });
  await collect(cli.query({ prompt: 'Tidy up.', options: deny }));
  const resume = '11111111-2222-4333-8444-555555555555';
  await collect(cli.query({ prompt: 'And now?', options: { ...deny, resume } }));
  expect((await problemsOf(cli)).join('\n')).toMatch(/argv --resume: expected string/);
});

test('a recording finds the CLI as query() does, and offers what a scripted CLI does (U-5)', async () => {
  await using real = scriptedCli(({ prompt, init, toolUse, permission, toolResult, result }) => [
    [prompt(), init(), toolUse('Bash', { command: 'rm -r /' })],
    [permission(), toolResult('No.', { isError: true }), result('Kept.')],
  ]);
  symlinkSync(real.path ?? '', join(folder, 'claude'));
  vi.stubEnv('PATH', `${folder}:${process.env.PATH}`);
  vi.stubEnv('CLAUDE_CODE_EXECUTABLE', 'claude');
  vi.stubEnv('CLAUDEWIRE_RECORD', '1');
  const seen = [];
  for (const mode of ['record', 'replay']) {
    const cli = recordOnce(file);
    expect(cli.mode).toBe(mode);
    expect(existsSync(cli.path ?? '')).toBe(true);
    await collect(cli.query({ prompt: 'Tidy up.', options: deny }));
    await cli.close();
    const { prompts, permissionAnswers, argv } = cli.sent;
    seen.push({ prompts, permissionAnswers, argv });
    expect(cli.runs).toMatchObject([{ spawn: 1, signals: [], sawEndOfInput: true, exitCode: 0 }]);
  }
  expect(seen[0]).toMatchObject({
    prompts: ['Tidy up.'],
    permissionAnswers: [{ toolName: 'Bash', behavior: 'deny' }],
    argv: [expect.arrayContaining(['--model=opus'])],
  });
  expect(seen[1]).toEqual(seen[0]);
});

test('a recording that is closed while a process runs is not written', async () => {
  await using real = scriptedCli(({ init }) => init());
  vi.stubEnv('CLAUDEWIRE_RECORD', '1');
  const cli = recordOnce(file, { cli: real.path ?? '', closeGraceMs: 50 });
  const client = cli.client();
  await client.connect();
  expect(await problemsOf(cli)).toEqual([
    expect.stringMatching(/^nothing was recorded: process 1 still ran; end every query/),
  ]);
  expect(existsSync(file)).toBe(false);
  await client.disconnect();
});

test('closing a recording waits for the last lines of its processes', async () => {
  await using real = scriptedCli(({ turn, endOfInput, pause, exit }) => [
    turn('One.'),
    endOfInput(),
    pause(150),
    exit(0),
  ]);
  vi.stubEnv('CLAUDEWIRE_RECORD', '1');
  const cli = recordOnce(file, { cli: real.path ?? '' });
  const run = cli.query({ prompt: 'Go.', options: {} });
  for await (const message of run) if (message.type === 'result') break;
  await cli.close();
  expect(readFileSync(file, 'utf8')).toMatch(/"event":"exit"[^\n]*\n[^\n]*"event":"scrubbed"[^\n]*\n$/);
});

test('a recording is a script, also for a transport', async () => {
  const recording = new URL('../fixtures/recordings/official-sdk-hello.jsonl', import.meta.url);
  const exists = existsSync(recording);
  expect(exists).toBe(true);
  expect(() => replayTransport(recording)).not.toThrow();
});
