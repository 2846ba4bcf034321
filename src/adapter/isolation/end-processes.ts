import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Homes whose processes the next pass over `/proc` ends. */
let wanted = new Set<string>();
let next: Promise<void> | undefined;
let last: Promise<void> = Promise.resolve();

/**
 * Ends the processes in a home whose CLI is gone: a CLI that is killed while it starts leaves the `socat` of its
 * sandbox behind. They are known by `HOME` or `TMPDIR` in their environment, which name a folder of one run. Parallel
 * calls share one pass. Linux only. Never rejects.
 */
export function endProcessesOf(homePath: string): Promise<void> {
  if (process.platform !== 'linux') return Promise.resolve();
  wanted.add(homePath);
  next ??= last.then(() => {
    const homes = wanted;
    wanted = new Set();
    next = undefined;
    last = endAll(homes);
    return last;
  });
  return next;
}

async function endAll(homes: ReadonlySet<string>): Promise<void> {
  const marks = [...homes].flatMap((home) => [`HOME=${home}`, `TMPDIR=${join(home, 'tmp')}`]);
  const isMark = new Set(marks);
  const names = await readdir('/proc').catch(() => []);
  for (const name of names) {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) continue;
    // Processes of other users cannot be read.
    const environment = await readFile(`/proc/${name}/environ`, 'utf8').catch(() => '');
    if (!environment.split('\0').some((entry) => isMark.has(entry))) continue;
    try {
      process.kill(Number(name), 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
  }
}
