import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Diagnostic } from '../../src/diagnostics.js';
import { AbortError, InvalidOptionError, query, type SpawnOptions } from '../../src/index.js';
import { openSession } from '../../src/query/open-session.js';
import { assistantFrame, initFrame, resultFrame, turn } from '../helpers/cli-frames.js';
import { scriptedCli } from '../helpers/scripted-cli.js';

describe('what fails before anything runs', () => {
  // The sweep of old directories is not of the run.
  beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval'] }));
  afterEach(() => vi.useRealTimers());

  test.each([
    { name: 'an option that cannot be used', options: { maxTurns: -1 }, error: InvalidOptionError },
    {
      name: '`spawnClaudeCodeProcess` that throws',
      options: {
        spawnClaudeCodeProcess: () => {
          throw new RangeError('no room');
        },
      },
      error: RangeError,
    },
  ])('$name leaves `query()`, and no timer or listener behind', ({ options, error }) => {
    const abortController = new AbortController();
    const start = () =>
      query({ prompt: 'Go.', options: { deadlineMs: 1000, idleTimeoutMs: 1000, ...options, abortController } });
    expect(start).toThrow(error);
    expect(getEventListeners(abortController.signal, 'abort')).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });
});

test('`spawnClaudeCodeProcess` that aborts the run: the process it started is ended', async () => {
  const cli = scriptedCli([{ wait: 'EOF' }]);
  const abortController = new AbortController();
  let child: ChildProcessWithoutNullStreams | undefined;
  const run = query({
    prompt: 'Go.',
    options: {
      abortController,
      spawnClaudeCodeProcess: () => {
        child = spawn(process.execPath, [cli.path]);
        abortController.abort();
        return child;
      },
    },
  });
  await expect(run.next()).rejects.toThrow(AbortError);
  expect(child?.exitCode).toBe(0);
});

test('`spawnClaudeCodeProcess` gets the whole command of the run, and nothing of it is checked (TS-015)', async () => {
  const cli = scriptedCli(turn());
  const calls: SpawnOptions[] = [];
  let isReturned = false;
  const run = query({
    prompt: 'Go.',
    options: {
      pathToClaudeCodeExecutable: '/not/here/cli.js',
      executable: 'bun',
      executableArgs: ['--smol', '--no-install'],
      cwd: '/not/here',
      env: { A: '1', CLAUDE_CODE_EXECUTABLE: '/not/here/either' },
      model: 'm',
      spawnClaudeCodeProcess: (options) => {
        expect(isReturned).toBe(false);
        calls.push(options);
        return spawn(process.execPath, [cli.path, ...options.args.slice(3)]);
      },
    },
  });
  isReturned = true;
  for await (const _ of run);
  expect(calls).toHaveLength(1);
  const { command, args, cwd, env } = calls[0] as SpawnOptions;
  expect({ command, args: args.slice(0, 3), cwd }).toEqual({
    command: 'bun',
    args: ['--smol', '--no-install', '/not/here/cli.js'],
    cwd: '/not/here',
  });
  expect(args).toContain('--model=m');
  expect(env).toMatchObject({ A: '1', CLAUDE_CODE_ENTRYPOINT: 'sdk-ts' });
  expect(Object.keys(env)).not.toContain('HOME');
  // The caller's `AbortController` is another: this one only says that the process has to go.
  expect(calls[0]?.signal.aborted).toBe(false);
});

test('`spawnClaudeCodeProcess` without a path gets the executable that the child environment names (TS-015)', async () => {
  const cli = scriptedCli(turn());
  const commands: string[] = [];
  const run = query({
    prompt: 'Go.',
    options: {
      env: { CLAUDE_CODE_EXECUTABLE: '/far/claude' },
      spawnClaudeCodeProcess: ({ command, args }) => {
        commands.push(command);
        return spawn(process.execPath, [cli.path, ...args]);
      },
    },
  });
  for await (const _ of run);
  expect(commands).toEqual(['/far/claude']);
});

test('`null` is "not given" in the options that are means of reaching the CLI', async () => {
  const cli = scriptedCli(turn());
  const options = {
    pathToClaudeCodeExecutable: cli.path,
    transport: null,
    spawnClaudeCodeProcess: null,
    stderr: null,
    onDiagnostic: null,
    logger: null,
    abortController: null,
  };
  const run = query({ prompt: 'Go.', options: options as never });
  const types: string[] = [];
  for await (const { type } of run) types.push(type);
  expect(types).toEqual(['system', 'assistant', 'result']);
});

test('the child is spawned, and `initialize` and a string prompt are written, before it returns', async () => {
  const cli = scriptedCli(turn());
  const before = process.getActiveResourcesInfo().filter((name) => name === 'ProcessWrap').length;
  const session = openSession({ front: 'query', prompt: 'Go.', options: { pathToClaudeCodeExecutable: cli.path } });
  const now = process.getActiveResourcesInfo().filter((name) => name === 'ProcessWrap').length;
  expect(now).toBe(before + 1);
  while ((await session.messages.next()).done !== true);
  expect(cli.log().frames.map(({ type }) => type)).toEqual(['control_request', 'user']);
});

test('what is noticed on the way reaches `onDiagnostic` and the logger', async () => {
  const cli = scriptedCli([
    { in: { type: 'user' } },
    { out: initFrame() },
    { raw: 'a library says hello\n' },
    { out: assistantFrame('Hello.') },
    { out: resultFrame() },
  ]);
  const diagnostics: Diagnostic[] = [];
  const logger = { trace: vi.fn(), debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() };
  const run = query({
    prompt: 'Go.',
    options: {
      pathToClaudeCodeExecutable: cli.path,
      onDiagnostic: (diagnostic) => diagnostics.push(diagnostic),
      logger,
    },
  });
  for await (const _ of run);
  expect(diagnostics.map(({ code }) => code)).toEqual(['line_not_json']);
  expect(logger.debug).toHaveBeenCalledWith(
    expect.objectContaining({ code: 'line_not_json', ...diagnostics[0]?.details }),
    diagnostics[0]?.message,
  );
});
