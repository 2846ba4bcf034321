import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { AbortError, CLIConnectionError, CLINotFoundError, type Options, type Query, query } from '../../src/index.js';
import { initFrame, turn } from '../helpers/cli-frames.js';
import { type ScriptedCli, type Step, scriptedCli } from '../helpers/scripted-cli.js';

const SECRET = 'sk-very-secret';
const mcpServers: Options['mcpServers'] = { files: { type: 'stdio', command: 'true', env: { TOKEN: SECRET } } };

/** Where temporary files go during one test: whatever is left in it was left behind. */
let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'claudewire-plan-'));
  vi.stubEnv('TMPDIR', folder);
});

afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

/** The class name of what the loop threw, or `end`. */
async function endOf(run: Query): Promise<string> {
  try {
    for await (const _ of run);
    return 'end';
  } catch (error) {
    return (error as Error).name;
  }
}

function privateFiles(): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.startsWith('claudewire-'));
}

/** A scripted CLI whose own files are not in `folder`. */
function cliOutside(steps: readonly Step[]): ScriptedCli {
  vi.unstubAllEnvs();
  const cli = scriptedCli(steps);
  vi.stubEnv('TMPDIR', folder);
  return cli;
}

/** Handles of child processes, one that was spawned this very tick included. Says something by its change. */
function childCount(): number {
  return process.getActiveResourcesInfo().filter((name) => name === 'ProcessWrap').length;
}

// Linux only: what others can read of a command line is in /proc.
describe.runIf(process.platform === 'linux')('private files (Linux only)', () => {
  test('hold the secrets while the child runs, for this user only; the command line has only their path', async () => {
    const cli = cliOutside([...turn(), { wait: 'EOF' }]);
    const run = query({ prompt: 'Go.', options: { pathToClaudeCodeExecutable: cli.path, mcpServers } });
    await run.next();
    const commandLine = readFileSync(`/proc/${cli.log().pid}/cmdline`, 'utf8').split('\0');
    expect(commandLine.join(' ')).not.toContain(SECRET);
    const path = commandLine.find((token) => token.startsWith(folder)) ?? '';
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ mcpServers });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
    expect(JSON.stringify(cli.log().env)).not.toContain(SECRET);
    expect(await endOf(run)).toBe('end');
    expect(privateFiles()).toEqual([]);
  });

  const ends: readonly {
    readonly name: string;
    readonly steps: readonly Step[];
    readonly act?: (run: Query, controller: AbortController) => void;
    readonly sees: string;
  }[] = [
    { name: 'a crash', steps: [{ exit: 1 }], sees: 'ProcessError' },
    { name: 'a kill', steps: [{ kill: 'SIGKILL' }], sees: 'ProcessError' },
    { name: 'an abort', steps: [{ wait: 'EOF' }], act: (_, controller) => controller.abort(), sees: 'AbortError' },
    { name: 'a close', steps: [{ wait: 'EOF' }], act: (run) => run.close(), sees: 'end' },
  ];

  test.each(ends)('are gone after $name', async ({ steps, act, sees }) => {
    const cli = cliOutside([{ in: { type: 'user' } }, { out: initFrame() }, ...steps]);
    const abortController = new AbortController();
    const before = childCount();
    const run = query({
      prompt: 'Go.',
      options: { pathToClaudeCodeExecutable: cli.path, mcpServers, abortController },
    });
    expect(privateFiles()).toHaveLength(2);
    expect(childCount()).toBe(before + 1);
    await run.next();
    act?.(run, abortController);
    expect(await endOf(run)).toBe(sees);
    expect(privateFiles()).toEqual([]);
  });

  test('are gone after a start that failed', async () => {
    const notExecutable = join(folder, 'claude');
    writeFileSync(notExecutable, '#!/bin/sh\n');
    chmodSync(notExecutable, 0o600);
    const run = query({ prompt: 'Go.', options: { pathToClaudeCodeExecutable: notExecutable, mcpServers } });
    await expect(run.next()).rejects.toMatchObject({
      name: 'CLIConnectionError',
      errorClass: 'executable_launch_failed',
      code: 'EACCES',
    });
    expect(privateFiles()).toEqual([]);
  });

  test('that cannot be written are a typed error, and nothing is started', async () => {
    const cli = cliOutside(turn());
    vi.stubEnv('TMPDIR', join(folder, 'missing'));
    const before = childCount();
    const run = query({ prompt: 'Go.', options: { pathToClaudeCodeExecutable: cli.path, mcpServers } });
    expect(childCount()).toBe(before);
    await expect(run.next()).rejects.toThrow(CLIConnectionError);
  });
});

describe('what cannot be started', () => {
  const missing: readonly {
    readonly name: string;
    readonly options: Options;
    readonly error: typeof CLINotFoundError | typeof CLIConnectionError;
    readonly message: RegExp;
  }[] = [
    {
      name: 'a path without a file',
      options: { pathToClaudeCodeExecutable: '/nowhere/claude' },
      error: CLINotFoundError,
      message: /Claude Code native binary not found at \/nowhere\/claude/,
    },
    {
      name: 'a name that is not on the PATH',
      options: { pathToClaudeCodeExecutable: 'no-such-claude', env: { PATH: '/nowhere' } },
      error: CLINotFoundError,
      message: /no-such-claude/,
    },
    {
      name: 'a missing working directory',
      options: { pathToClaudeCodeExecutable: process.execPath, cwd: '/nowhere' },
      error: CLIConnectionError,
      message: /Working directory does not exist: \/nowhere/,
    },
  ];

  test.each(missing)('$name is an error of the loop, not of `query()`', async ({ options, error, message }) => {
    const run = query({ prompt: 'Go.', options });
    const asked = run.setModel('m');
    await expect(run.next()).rejects.toThrow(error);
    await expect(asked).rejects.toThrow(message);
    expect(await run.next()).toEqual({ value: undefined, done: true });
  });

  test('a signal that had aborted before: `query()` throws, and nothing is started', () => {
    const cli = cliOutside(turn());
    const abortController = new AbortController();
    const reason = new Error('too late');
    abortController.abort(reason);
    const before = childCount();
    const start = () =>
      query({ prompt: 'Go.', options: { pathToClaudeCodeExecutable: cli.path, abortController, mcpServers } });
    expect(start).toThrow(AbortError);
    expect(start).toThrow(expect.objectContaining({ cause: reason }));
    expect(childCount()).toBe(before);
    expect(privateFiles()).toEqual([]);
  });
});
