import { closeSync, lstatSync, openSync, readlinkSync, readSync, type Stats, statSync } from 'node:fs';

export interface FileProblem {
  readonly found: string;
  readonly fix: string;
}

/** Why no process can start from this file, whatever is in it. Opens nothing. */
export function unstartable(path: string): FileProblem | undefined {
  const stats = statsOf(path, statSync);
  if (stats === undefined) {
    if (statsOf(path, lstatSync)?.isSymbolicLink() !== true) return undefined;
    const found = `${path} is a link to ${readlinkSync(path)}, which does not exist.`;
    return { found, fix: 'Install what it led to again, or correct the link.' };
  }
  const kind = stats.isFIFO()
    ? 'a named pipe'
    : stats.isSocket()
      ? 'a socket'
      : isDevice(stats)
        ? 'a device'
        : undefined;
  return kind && { found: `${path} is ${kind}, not a program.`, fix: 'Name the executable of Claude Code.' };
}

const isDevice = (stats: Stats): boolean => stats.isCharacterDevice() || stats.isBlockDevice();

const SHEBANG_BYTES = 256;

/** Why the system does not find the interpreter of a script that looks right. */
export function crlfShebang(path: string): FileProblem | undefined {
  if (!/^#![^\r\n]*\r\n/.test(beginningOf(path))) return undefined;
  return {
    found: `The first line of ${path} ends in CR LF, so the system looks for an interpreter with a carriage return in its name.`,
    fix: 'Convert the ends of its lines to LF.',
  };
}

/** The first bytes of a regular file, as Latin-1. Anything else has none. */
function beginningOf(path: string): string {
  let fd: number | undefined;
  try {
    if (!statSync(path).isFile()) return '';
    fd = openSync(path, 'r');
    const bytes = Buffer.alloc(SHEBANG_BYTES);
    return bytes.toString('latin1', 0, readSync(fd, bytes));
  } catch {
    return '';
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

function statsOf(path: string, stat: typeof statSync): Stats | undefined {
  try {
    return stat(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
