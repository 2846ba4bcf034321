import {
  existsSync,
  type FSWatcher,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  watch,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { codeOf } from '../../util/error-code.js';
import { writeWhole } from '../../util/write-whole.js';
import type { Verdict } from '../scenario/scenario-types.js';

/** A process of a launcher. */
export interface PlayerProcess {
  /** From 1. */
  readonly spawn: number;
  readonly pid: number | undefined;
}

/**
 * Where the processes of one launcher and the runner meet, as files: `spawns/1` (holds the pid), `marks/NAME`,
 * `gates/NAME`, `verdict-1.json`.
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
    return claimNumber(join(this.dir, 'spawns'), String(pid));
  }

  /** The processes so far, in the order they started. One that claims its number at this moment has no pid yet. */
  processes(): readonly PlayerProcess[] {
    return readdirSync(join(this.dir, 'spawns'))
      .map(Number)
      .sort((a, b) => a - b)
      .map((spawn) => {
        const pid = Number(readFileSync(join(this.dir, 'spawns', String(spawn)), 'utf8'));
        return { spawn, pid: pid > 0 ? pid : undefined };
      });
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

  /** Resolves when a process has passed this mark. After `abandoned` it stays pending and holds nothing. */
  marked(name: string, abandoned: AbortSignal): Promise<void> {
    return fileAppears(this.markFile(name), abandoned);
  }

  gateFile(name: string): string {
    return join(this.dir, 'gates', name);
  }

  verdictFile(spawn: number): string {
    return join(this.dir, `verdict-${spawn}.json`);
  }

  /** `undefined` while the process runs, and when it was killed before it could say. */
  verdict(spawn: number): Verdict | undefined {
    try {
      // A player has written it, as a whole.
      return JSON.parse(readFileSync(this.verdictFile(spawn), 'utf8')) as Verdict;
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return undefined;
      throw error;
    }
  }

  /** A reader finds the whole verdict or the one before. */
  writeVerdict(verdict: Verdict): void {
    writeWhole(this.verdictFile(verdict.spawn), `${JSON.stringify(verdict)}\n`);
  }
}

/** Makes the first file of `folder/1`, `folder/2` and so on that does not exist, and gives its number. */
export function claimNumber(folder: string, text: string): number {
  for (let number = 1; ; number += 1) {
    try {
      // 'wx' fails for a file that exists: the file system decides who comes first.
      writeFileSync(join(folder, String(number)), text, { flag: 'wx', mode: 0o600 });
      return number;
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
    }
  }
}

/** For file systems without change notifications. */
const POLL_MS = 250;

/**
 * Resolves when the file is there; does so at once when it is. After `abandoned` it stays pending and holds nothing.
 */
export function fileAppears(file: string, abandoned: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (abandoned.aborted) return;
    let watcher: FSWatcher | undefined;
    const stop = (): void => {
      clearInterval(timer);
      watcher?.close();
      abandoned.removeEventListener('abort', stop);
    };
    const look = (): void => {
      if (!existsSync(file)) return;
      stop();
      resolve();
    };
    const timer = setInterval(look, POLL_MS);
    abandoned.addEventListener('abort', stop, { once: true });
    try {
      watcher = watch(dirname(file), look);
      watcher.on('error', () => watcher?.close());
    } catch {
      // The folder cannot be watched: the timer looks.
    }
    // After the watch began, so that a file made in between is not missed.
    look();
  });
}
