import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Recording, readRecording } from '../../../src/testing/conversion/recording.js';
import { createRecorderLauncher, type RecorderOptions } from '../../../src/testing/recorder/launcher.js';

const RECORDER = new URL('../../../.build/recorder.mjs', import.meta.url);

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: Buffer;
  readonly stderr: Buffer;
}

/** A small program in the CLI's place, behind a recorder, in a folder of its own. */
export class RecordedCli {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), 'recorded-cli-')));
  readonly out = join(this.folder, 'recording.jsonl');
  readonly cli = join(this.folder, 'cli.mjs');
  readonly launcher: string;

  constructor(program: string, options: Partial<RecorderOptions> = {}) {
    onTestFinished(() => rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 }));
    writeFileSync(
      this.cli,
      `if (process.argv.includes('--version')) { console.log('9.9.9 (Fake)'); process.exit(0); }\n${program}`,
    );
    this.launcher = createRecorderLauncher({
      out: this.out,
      cli: this.cli,
      dir: join(this.folder, 'launcher'),
      recorder: RECORDER,
      ...options,
    }).path;
  }

  start(args: readonly string[] = [], env: Readonly<Record<string, string>> = {}): RecorderProcess {
    return new RecorderProcess(
      spawn(process.execPath, [this.launcher, ...args], {
        cwd: this.folder,
        env: { PATH: process.env.PATH, HOME: this.folder, ...env },
      }),
    );
  }

  get text(): string {
    return readFileSync(this.out, 'utf8');
  }

  get recording(): Recording {
    return readRecording(this.text);
  }

  /** The data of every line of one direction. */
  data(dir: 'in' | 'out' | 'err' | 'meta', proc = 1): readonly unknown[] {
    return this.recording.lines.filter((line) => line.dir === dir && line.proc === proc).map(({ data }) => data);
  }

  /** The recorder's notes, by name. */
  events(proc = 1): readonly string[] {
    return this.data('meta', proc).map((data) => (data as { event: string }).event);
  }
}

export class RecorderProcess {
  readonly child: ChildProcessWithoutNullStreams;
  readonly ended: Promise<Ended>;
  readonly #chunks: Buffer[] = [];

  constructor(child: ChildProcessWithoutNullStreams) {
    this.child = child;
    onTestFinished(() => void child.kill('SIGKILL'));
    const errors: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => this.#chunks.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => errors.push(chunk));
    child.stdin.on('error', () => {});
    this.ended = once(child, 'close').then(([code, signal]) => ({
      code,
      signal,
      stdout: Buffer.concat(this.#chunks),
      stderr: Buffer.concat(errors),
    }));
  }

  /** Resolves when stdout holds this text. */
  async heard(text: string): Promise<void> {
    while (!Buffer.concat(this.#chunks).includes(text)) await once(this.child.stdout, 'data');
  }
}
