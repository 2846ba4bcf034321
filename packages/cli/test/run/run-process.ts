import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Script } from 'claudewire/testing';
import { type ScriptedCli, type ScriptedCliOptions, scriptedCli } from 'claudewire/testing';
import { expect, onTestFinished } from 'vitest';

export interface RunEnd {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunProcessOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** On a terminal of so many columns; stdout and stderr are one then. */
  readonly columns?: number;
  /** A file in the place of the pipe. */
  readonly stdout?: string;
  /** The pipe that is its input stays open. @defaultValue false, unless it has a terminal */
  readonly isInputOpen?: boolean;
}

/** One `claudewire run` on a scripted CLI, with a temporary directory of its own. */
export class RunProcess {
  readonly tmp = mkdtempSync(join(tmpdir(), 'claudewire-test-'));
  readonly child: ChildProcessWithoutNullStreams;
  readonly done: Promise<RunEnd>;
  stdout = '';
  stderr = '';
  readonly #heardTo = { stdout: 0, stderr: 0 };
  #isOver = false;
  #wake = (): void => {};

  constructor(
    dist: string,
    args: readonly string[],
    { env = {}, columns, stdout, isInputOpen = columns !== undefined }: RunProcessOptions = {},
  ) {
    onTestFinished(() => rmSync(this.tmp, { recursive: true, force: true }));
    const command = [process.execPath, join(dist, 'bin/claudewire.js'), 'run', ...args];
    const toFile = ['sh', '-c', `exec "$@" >${stdout}`, 'sh', ...command];
    const piped = stdout === undefined ? command : toFile;
    const [file = '', ...rest] = columns === undefined ? piped : onTerminal(command, columns);
    this.child = spawn(file, rest, {
      env: { PATH: process.env.PATH, HOME: this.tmp, TMPDIR: this.tmp, TERM: 'xterm-256color', ...env },
    });
    onTestFinished(() => void this.child.kill('SIGKILL'));
    for (const name of ['stdout', 'stderr'] as const) {
      this.child[name].setEncoding('utf8').on('data', (text: string) => {
        this[name] += text;
        this.#wake();
      });
    }
    this.child.stdin.on('error', () => {});
    if (!isInputOpen) this.child.stdin.end();
    this.done = once(this.child, 'close').then(([code]) => {
      this.#isOver = true;
      this.#wake();
      return { code, stdout: this.stdout, stderr: this.stderr };
    });
  }

  /** Waits until a text has come; looks from where the last one ended. */
  async heard(text: string, from: 'stdout' | 'stderr' = 'stdout'): Promise<void> {
    for (;;) {
      const at = this[from].indexOf(text, this.#heardTo[from]);
      if (at >= 0) {
        this.#heardTo[from] = at + text.length;
        return;
      }
      if (this.#isOver) throw new Error(`${from} ended without ${text}; it has:\n${this[from]}`);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  type(keys: string): void {
    this.child.stdin.write(keys);
  }

  /** No process of this run is there any more, and no file. */
  expectNothingLeft(): void {
    expect(readdirSync(this.tmp)).toEqual([]);
    if (process.platform === 'linux') expect(processesWith(`TMPDIR=${this.tmp}`)).toEqual([]);
  }
}

/** `script` of util-linux gives the program a terminal. Size and arguments go through a shell of ours. */
function onTerminal(command: readonly string[], columns: number): readonly string[] {
  const quoted = command.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
  return ['script', '-qefc', `stty cols ${columns} rows 40; exec ${quoted}`, '/dev/null'];
}

/** Processes that have this in their environment, but for the ones of `script`. */
function processesWith(variable: string): readonly string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(variable);
      } catch {
        return false;
      }
    });
}

/** A CLI for this test, and the environment that makes `run` find it. It is not judged unless the test closes it. */
export function cliFor(
  script: Script,
  options: ScriptedCliOptions = {},
): ScriptedCli & { readonly env: Record<string, string> } {
  const cli = scriptedCli(script, { stepTimeoutMs: 100_000, deadlineMs: 0, unclaimed: 'allow', ...options });
  onTestFinished(() => cli.close().catch(() => {}));
  return Object.assign(cli, { env: { CLAUDE_CODE_EXECUTABLE: cli.path ?? '' } });
}
