import { on } from 'node:events';
import { readdirSync, readFileSync, watch } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

export interface LiveProcess {
  readonly pid: number;
  readonly command: string;
}

const POLL_MS = 20;

/** Whether this platform tells what a process was started with. */
export const CAN_LIST_PROCESSES = process.platform === 'linux';

/**
 * Every living process that was started with `marker` in its environment: the CLI and whatever it
 * started, also what outlived its parent. The marker is the stage's own folder, so nobody else's process is meant.
 */
export function processesWith(marker: string): readonly LiveProcess[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        if (!readFileSync(`/proc/${name}/environ`, 'utf8').includes(marker)) return [];
        const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
        return [{ pid: Number(name), command }];
      } catch {
        // It ended while we looked, or belongs to somebody else.
        return [];
      }
    });
}

/** Polls until the condition holds, since the kernel announces no death of a stranger's child. */
export async function waitUntil(what: string, condition: () => boolean, timeoutMs: number): Promise<void> {
  const end = performance.now() + timeoutMs;
  while (!condition()) {
    if (performance.now() > end) throw new Error(`Not within ${timeoutMs} ms: ${what}`);
    await delay(POLL_MS);
  }
}

/**
 * Waits until the condition holds, checked whenever an entry of the folder is made or removed. The time limit of the
 * test ends a wait in vain.
 */
export async function whenFolder(folder: string, condition: () => boolean): Promise<void> {
  const watcher = watch(folder);
  try {
    const changes = on(watcher, 'change');
    if (condition()) return;
    for await (const _ of changes) {
      if (condition()) return;
    }
  } finally {
    watcher.close();
  }
}

/** Ends what a test, or a CLI under test, left running. */
export function killProcessesWith(marker: string): void {
  for (const { pid } of processesWith(marker)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It ended by itself meanwhile.
    }
  }
}
