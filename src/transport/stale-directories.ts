import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { lstat, opendir, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';

/** Entries of the temporary directory that one sweep looks at. */
const MAX_ENTRIES = 10_000;
const ENTRIES_AT_ONCE = 256;

const SWEEP_INTERVAL_MS = 60_000;

/** Owner's process id, when that process started, the machine it runs on; then what `mkdtemp` adds. */
const NAME = /^claudewire-(\d+)-(\d+)-([0-9a-f]{8})-[A-Za-z0-9]{6}$/;

let machine: string | undefined;
let nextSweep = Number.NEGATIVE_INFINITY;

/** How the names of this process's directories begin, so that a later process can tell whether this one still lives. */
export function ownDirectoryPrefix(): string {
  return `claudewire-${process.pid}-${startOf(process.pid) ?? 0}-${machineId()}-`;
}

/**
 * Removes directories whose owner died without removing them: a signal, a crash. The package puts no
 * signal listeners on the host, so this is how secrets go that such a process left. In the background, at most once a minute.
 */
export function sweepNowAndThen(parent: string): void {
  if (performance.now() < nextSweep) return;
  nextSweep = performance.now() + SWEEP_INTERVAL_MS;
  void sweepStaleDirectories(parent);
}

/**
 * Only directories with exactly our kind of name, of this user, of a process of this machine that is gone. A CLI that outlived
 * its host may have made one anew, open to others. Symbolic links are not followed. Never rejects.
 */
export async function sweepStaleDirectories(parent: string): Promise<void> {
  try {
    let count = 0;
    for await (const { name } of await opendir(parent, { bufferSize: ENTRIES_AT_ONCE })) {
      await removeIfStale(join(parent, name), NAME.exec(name));
      count += 1;
      if (count >= MAX_ENTRIES) return;
    }
  } catch {
    // Not readable: then nothing can be swept there, and the run matters more.
  }
}

async function removeIfStale(path: string, name: RegExpExecArray | null): Promise<void> {
  if (name === null) return;
  const [, pid, start, owner] = name;
  if (owner !== machineId() || isAlive(Number(pid), Number(start))) return;
  try {
    if (await isOurs(path)) await rm(path, { recursive: true, force: true });
  } catch {
    // Somebody else was faster, or it may not be removed.
  }
}

async function isOurs(path: string): Promise<boolean> {
  const stats = await lstat(path);
  // On Windows the temporary directory is the user's own.
  return stats.isDirectory() && (process.getuid === undefined || stats.uid === process.getuid());
}

/** When in doubt, true. Where the start is known it counts too: process ids are used again. */
function isAlive(pid: number, start: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: it lives and is somebody else's.
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  const startNow = startOf(pid);
  return start === 0 || startNow === undefined || startNow === start;
}

/** Clock ticks from the boot to the process's start; `undefined` where the system does not tell (other than Linux). */
function startOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name, in parentheses, may hold anything. The start is the twentieth field after it.
    const start = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]);
    return Number.isSafeInteger(start) ? start : undefined;
  } catch {
    return undefined;
  }
}

/** Process ids mean something only within one machine or container, and a temporary directory may be shared by several. */
function machineId(): string {
  machine ??= createHash('sha256')
    .update(`${hostname()} ${processNamespace()}`)
    .digest('hex')
    .slice(0, 8);
  return machine;
}

function processNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}
