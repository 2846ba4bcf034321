import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Homes whose processes the next look at the system's table ends. */
let wanted = new Set<string>();
let next: Promise<void> | undefined;
let last: Promise<void> = Promise.resolve();

/**
 * Ends what still runs in a home whose CLI is gone: a CLI that is killed while it starts leaves the `socat` of its sandbox
 * behind for good. Known by `HOME` or `TMPDIR` in its environment, which name a folder that one run alone has. Calls at the same time share
 * one look. Linux only. Never rejects.
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
    // Those of other users cannot be read.
    const environment = await readFile(`/proc/${name}/environ`, 'utf8').catch(() => '');
    if (!environment.split('\0').some((entry) => isMark.has(entry))) continue;
    try {
      process.kill(Number(name), 'SIGKILL');
    } catch {
      // It ended by itself meanwhile.
    }
  }
}
