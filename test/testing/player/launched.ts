import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createPlayerLauncher, type PlayerLauncher } from '../../../src/testing/player/launcher.js';
import type { PlayLogRecord } from '../../../src/testing/player/player-config.js';
import type { ScenarioHeader, Step, Verdict } from '../../../src/testing/scenario/scenario-types.js';

const PLAYER = new URL('../../../.build/player.mjs', import.meta.url);

/** One launcher, and the processes that a test starts with it by hand. */
export class Launched {
  readonly dir = mkdtempSync(join(tmpdir(), 'claudewire-player-'));
  readonly launcher: PlayerLauncher;

  constructor(
    script: readonly Step[],
    header: Partial<Omit<ScenarioHeader, 'version'>> = {},
    options: { readonly cwd?: string; readonly timeoutFactor?: number } = {},
  ) {
    onTestFinished(() => rmSync(this.dir, { recursive: true, force: true, maxRetries: 3 }));
    this.launcher = createPlayerLauncher({
      scenario: script,
      header,
      dir: this.dir,
      log: join(this.dir, 'log.jsonl'),
      player: PLAYER,
      ...options,
    });
  }

  start(
    args: readonly string[] = [],
    options: { readonly env?: Record<string, string>; readonly cwd?: string } = {},
  ): ChildProcessWithoutNullStreams {
    const child = spawn(process.execPath, [this.launcher.path, ...args], options);
    onTestFinished(() => void child.kill('SIGKILL'));
    child.stdin.on('error', () => {});
    return child;
  }

  /** Sends the frames, ends the input, and returns the verdict of that process. */
  async play(
    frames: readonly object[] = [],
    args: readonly string[] = [],
    options: Parameters<Launched['start']>[1] = {},
  ): Promise<Verdict> {
    const child = this.start(args, options);
    const output = text(child);
    child.stdin.end(frames.map((frame) => `${JSON.stringify(frame)}\n`).join(''));
    await once(child, 'close');
    await output;
    const spawned = this.log().findLast((record) => record.pid === child.pid)?.spawn ?? 0;
    const verdict = this.verdict(spawned);
    if (verdict === undefined) throw new Error(`no verdict of process ${spawned}`);
    return verdict;
  }

  verdict(spawned = 1): Verdict | undefined {
    const file = this.launcher.folder.verdictFile(spawned);
    return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Verdict) : undefined;
  }

  log(): readonly PlayLogRecord[] {
    return readFileSync(join(this.dir, 'log.jsonl'), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as PlayLogRecord);
  }
}

/** Everything a process writes to stdout. */
export async function text(child: ChildProcessWithoutNullStreams): Promise<string> {
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  await once(child.stdout, 'close');
  return Buffer.concat(chunks).toString();
}
