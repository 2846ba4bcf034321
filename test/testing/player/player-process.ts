import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';
import type { ScenarioHeader } from '../../../src/testing/scenario/scenario-types.js';
import { type ScriptedCli, type Step, scriptedCli } from '../../helpers/scripted-cli.js';
import { writesOddFrames } from '../../helpers/written-frames.js';

export interface PlayerExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** One player as a child process, driven by hand: no SDK between the test and the pipes. */
export class PlayerProcess {
  readonly cli: ScriptedCli;
  readonly child: ChildProcessWithoutNullStreams;
  readonly chunks: Buffer[] = [];
  readonly #exit: Promise<PlayerExit>;

  constructor(
    script: readonly Step[] | string,
    options: { readonly header?: Partial<Omit<ScenarioHeader, 'version'>>; readonly args?: readonly string[] } = {},
  ) {
    // The test writes to it, not the SDK.
    writesOddFrames();
    this.cli = scriptedCli(script, options.header);
    this.child = spawn(process.execPath, [this.cli.path, ...(options.args ?? [])]);
    onTestFinished(() => void this.child.kill('SIGKILL'));
    let stderr = '';
    this.child.stdout.on('data', (chunk: Buffer) => this.chunks.push(chunk));
    this.child.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk.toString();
    });
    // A player that has closed its stdin: the test looks at what it said, not at the write.
    this.child.stdin.on('error', () => {});
    this.#exit = once(this.child, 'close').then(([code, signal]) => ({ code, signal, stdout: this.stdout, stderr }));
  }

  get stdout(): string {
    return Buffer.concat(this.chunks).toString();
  }

  /** Frames on stdout so far. */
  get frames(): unknown[] {
    return this.stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
  }

  send(...frames: readonly object[]): void {
    this.child.stdin.write(frames.map((frame) => `${JSON.stringify(frame)}\n`).join(''));
  }

  /** Resolves when stdout holds this text. */
  async heard(text: string): Promise<void> {
    while (!this.stdout.includes(text)) {
      if (this.child.stdout.readableEnded) throw new Error(`stdout ended without ${text}`);
      await Promise.race([once(this.child.stdout, 'data'), once(this.child.stdout, 'end')]);
    }
  }

  /** Ends the input and waits for the process to end. */
  finish(): Promise<PlayerExit> {
    this.child.stdin.end();
    return this.#exit;
  }

  /** Waits for the process to end by itself. */
  get exit(): Promise<PlayerExit> {
    return this.#exit;
  }
}
