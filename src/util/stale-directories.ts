import { readFileSync, readlinkSync } from 'node:fs';
import { lstat, opendir } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { removeTree } from './remove-tree.js';

/** Entries of the temporary directory that one sweep looks at. */
const MAX_ENTRIES = 1_000_000;
const ENTRIES_AT_ONCE = 256;

const SWEEP_INTERVAL_MS = 60_000;

const PREFIX = 'claudewire-';

/**
 * Owner's process id, when that process started, the machine it runs on; then what `mkdtemp` adds. Numbers to the base
 * 36: some of these directories hold Unix sockets, whose paths must be short.
 */
const OWNER = /^([0-9a-z]{1,7})-([0-9a-z]{1,10})-([0-9a-z]{6})-[A-Za-z0-9]{6}$/;
const BASE = 36;

let machine: string | undefined;
let nextSweep = Number.NEGATIVE_INFINITY;

/** How the names of this process's directories begin, so that a later process can tell whether this one still lives. */
export function ownDirectoryPrefix(prefix: string = PREFIX): string {
  const numbers = [process.pid, statusOf(process.pid)?.start ?? 0].map((each) => each.toString(BASE));
  return `${prefix}${numbers.join('-')}-${machineId()}-`;
}

/**
 * Removes directories whose owner died without removing them: a signal, a crash. They may hold secrets, and the package
 * puts no signal listeners on the host. In the background, at most once a minute.
 * @param parent - Asked only when a sweep is due: `tmpdir()` reads the environment.
 */
export function sweepNowAndThen(parent: () => string): void {
  if (performance.now() < nextSweep) return;
  nextSweep = performance.now() + SWEEP_INTERVAL_MS;
  // Behind all that the caller does now.
  setImmediate(() => void sweepStaleDirectories(parent()));
}

/**
 * Only directories with a name of `ownDirectoryPrefix(prefix)` and `mkdtemp`, of this user, of a process of this
 * machine that is gone. Symbolic links are not followed. Never rejects.
 */
export async function sweepStaleDirectories(
  parent: string,
  prefix: string = PREFIX,
  remove: (path: string) => Promise<void> = removeTree,
): Promise<void> {
  try {
    let count = 0;
    for await (const { name } of await opendir(parent, { bufferSize: ENTRIES_AT_ONCE })) {
      if (name.startsWith(prefix)) await removeIfStale(join(parent, name), ownerOf(name, prefix) === 'gone', remove);
      count += 1;
      if (count >= MAX_ENTRIES) return;
    }
  } catch {
    // Not readable: then nothing can be swept there, and the run matters more.
  }
}

/** Directories of our kind of name, of this user, whose owner lives. Without those that cannot be listed. */
export async function livingDirectories(parent: string, prefix: string): Promise<string[]> {
  const found: string[] = [];
  // A host may have hundreds of them: what comes before the random end names the owner.
  const known = new Map<string, boolean>();
  const isAlive = (name: string): boolean => {
    const who = name.slice(0, name.lastIndexOf('-'));
    const alive = known.get(who) ?? ['alive', 'elsewhere'].includes(ownerOf(name, prefix) ?? '');
    known.set(who, alive);
    return alive;
  };
  try {
    for await (const { name } of await opendir(parent, { bufferSize: ENTRIES_AT_ONCE })) {
      // Any user may make one with such a name.
      if (name.startsWith(prefix) && isAlive(name) && (await isOurs(join(parent, name))))
        found.push(join(parent, name));
      if (found.length >= MAX_ENTRIES) break;
    }
  } catch {
    // Not readable: then nothing is known to live there.
  }
  return found;
}

async function removeIfStale(path: string, isStale: boolean, remove: (path: string) => Promise<void>): Promise<void> {
  if (!isStale) return;
  try {
    if (await isOurs(path)) await remove(path);
  } catch {
    // Another process was faster, or it may not be removed.
  }
}

/**
 * What became of the process that made a name with `ownDirectoryPrefix(prefix)` and six characters; `elsewhere`: on
 * another machine or in another container, so unknown. `undefined`: not such a name.
 */
export function ownerOf(name: string, prefix: string): 'alive' | 'gone' | 'elsewhere' | undefined {
  const parts = name.startsWith(prefix) ? OWNER.exec(name.slice(prefix.length)) : null;
  if (parts === null) return undefined;
  const [, pid, start, owner] = parts;
  if (owner !== machineId()) return 'elsewhere';
  const [id, since] = [pid, start].map((text = '') => Number.parseInt(text, BASE));
  return isAlive(id ?? 0, since ?? 0) ? 'alive' : 'gone';
}

async function isOurs(path: string): Promise<boolean> {
  const stats = await lstat(path).catch(() => undefined);
  // On Windows the temporary directory is the user's own.
  return stats?.isDirectory() === true && stats.uid === (process.getuid?.() ?? stats.uid);
}

/** When in doubt, true. Where the start is known it counts too: process ids are used again. */
function isAlive(pid: number, start: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: it lives and belongs to another user.
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  const now = statusOf(pid);
  // A zombie: dead, but its parent has not asked how it ended, so its id is still taken.
  if (now?.state === 'Z') return false;
  return start === 0 || now === undefined || now.start === start;
}

/** `start`: clock ticks from the boot. `undefined` where the system does not tell (other than Linux). */
function statusOf(pid: number): { readonly state: string | undefined; readonly start: number } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name, in parentheses, may hold anything. The start is the twentieth field after it.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const start = Number(fields[19]);
    return Number.isSafeInteger(start) ? { state: fields[0], start } : undefined;
  } catch {
    return undefined;
  }
}

/** Process ids belong to one machine or container, and several may share a temporary directory. */
function machineId(): string {
  if (machine !== undefined) return machine;
  machine = hashOf(`${hostname()} ${processNamespace()}`).toString(BASE).padStart(6, '0').slice(-6);
  return machine;
}

/** 32 bits, by FNV-1a. To load `node:crypto` takes 4 ms and 5 MB. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

function processNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}
