import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { codeOf } from '../../util/error-code.js';
import { onHostExit } from '../../util/host-exit.js';

export interface CommandOutcome {
  /** `undefined` when the command did not start or a signal ended it. */
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
  /** Why there is no exit code: `ENOENT`, `timeout`, the name of a signal. */
  readonly failure: string | undefined;
}

/** How much of each stream is kept, in UTF-16 units. */
const MAX_OUTPUT = 64 * 1024;
/** On Windows `detached` would open a console window. */
const HAS_GROUPS = process.platform !== 'win32';

/** A process that another thread starts holds a file that we just wrote open, until it becomes its own program. */
const BUSY_RETRIES = 50;
const BUSY_MS = 20;

interface CommandLimits {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs: number;
}

/**
 * Runs a short command to its end, without a shell. After `timeoutMs` it is killed with all that it started, and so it is
 * when this process exits or when it says too much. Never rejects.
 */
export async function runCommand(
  file: string,
  args: readonly string[],
  options: CommandLimits,
): Promise<CommandOutcome> {
  for (let retries = 0; ; retries += 1) {
    const outcome = await runOnce(file, args, options);
    if (outcome.failure !== 'ETXTBSY' || retries === BUSY_RETRIES) return outcome;
    await sleep(BUSY_MS);
  }
}

function runOnce(file: string, args: readonly string[], options: CommandLimits): Promise<CommandOutcome> {
  return new Promise((resolve) => {
    const said = { stdout: '', stderr: '' };
    const settle = (exitCode: number | undefined, failure: string | undefined): void =>
      resolve({ exitCode, ...said, failure });
    let child: ReturnType<typeof start>;
    try {
      child = start(file, args, options.env);
    } catch (error) {
      // A path with a NUL character, for one, is refused at once.
      return settle(undefined, codeOf(error) ?? 'unknown');
    }
    let failure: string | undefined;
    const stop = (why: string): void => {
      failure ??= why;
      kill(child);
      // A process that left the group may hold them open.
      child.stdout.destroy();
      child.stderr.destroy();
    };
    const forgetHostExit = onHostExit(() => kill(child));
    const timer = setTimeout(stop, options.timeoutMs, 'timeout');
    const over = (): void => {
      clearTimeout(timer);
      forgetHostExit();
    };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8').on('data', (chunk: string) => {
        said[name] = `${said[name]}${chunk}`.slice(0, MAX_OUTPUT);
        if (said[name].length === MAX_OUTPUT) stop('too much output');
      });
    }
    child.on('error', (error) => {
      over();
      settle(undefined, codeOf(error) ?? 'unknown');
    });
    child.on('close', (code, signal) => {
      over();
      settle(code ?? undefined, code === null ? (failure ?? signal ?? 'unknown') : undefined);
    });
  });
}

function start(file: string, args: readonly string[], env: Readonly<Record<string, string | undefined>>) {
  // All that it starts is in its group.
  return spawn(file, [...args], { env, stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true, detached: HAS_GROUPS });
}

function kill(child: ChildProcess): void {
  try {
    if (HAS_GROUPS && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    else child.kill('SIGKILL');
  } catch {
    // Everyone in the group is gone.
  }
}
