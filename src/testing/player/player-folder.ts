import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Verdict } from '../scenario/scenario-types.js';

/**
 * Where the processes of one launcher and the runner meet, as files:
 * `spawns/1` (holds the pid), `marks/NAME`, `gates/NAME`, `verdict-1.json`.
 */
export class PlayerFolder {
  readonly dir: string;

  constructor(dir: string) {
    this.dir = dir;
  }

  /** Makes it ready for new processes; what earlier ones left is removed. */
  reset(): void {
    for (const each of ['spawns', 'marks', 'gates']) {
      rmSync(join(this.dir, each), { recursive: true, force: true });
      mkdirSync(join(this.dir, each), { recursive: true });
    }
    for (const file of readdirSync(this.dir)) {
      if (/^verdict-\d+\.json$/.test(file)) rmSync(join(this.dir, file), { force: true });
    }
  }

  /** The number of this process, from 1. Two processes never get the same one. */
  claimSpawn(pid: number): number {
    for (let spawn = 1; ; spawn += 1) {
      try {
        // 'wx' fails for a file that is there: the file system decides who comes first.
        const fd = openSync(join(this.dir, 'spawns', String(spawn)), 'wx', 0o600);
        writeSync(fd, String(pid));
        closeSync(fd);
        return spawn;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      }
    }
  }

  mark(name: string): void {
    writeFileSync(join(this.dir, 'marks', name), '');
  }

  openGate(name: string): void {
    writeFileSync(join(this.dir, 'gates', name), '');
  }

  markFile(name: string): string {
    return join(this.dir, 'marks', name);
  }

  gateFile(name: string): string {
    return join(this.dir, 'gates', name);
  }

  verdictFile(spawn: number): string {
    return join(this.dir, `verdict-${spawn}.json`);
  }

  /** A reader finds the whole verdict or the one before. */
  writeVerdict(verdict: Verdict): void {
    writeWhole(this.verdictFile(verdict.spawn), `${JSON.stringify(verdict)}\n`);
  }
}

/** Replaces a file in one step. */
export function writeWhole(file: string, text: string): void {
  const draft = `${file}.${process.pid}.tmp`;
  writeFileSync(draft, text, { mode: 0o600 });
  renameSync(draft, file);
}
