import { closeSync, existsSync, fstatSync, openSync, readSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { ViewError } from '../errors.js';
import { GENERATOR } from '../render/page-file.js';

/** Only the owner may read it: so it is with recordings. */
const PRIVATE = 0o600;
const HEAD_BYTES = 4_096;

const WHY: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  ENOTDIR: 'a part of the path is no folder',
  EISDIR: 'it is a folder',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ENOSPC: 'the disk is full',
  ELOOP: 'too many links',
  ENAMETOOLONG: 'the name is too long',
  EROFS: 'the file system is read-only',
};

/** An error of the file system in words. */
export function whyOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : undefined;
  return code === undefined ? String(error) : (WHY[code] ?? code);
}

/** @throws ViewError there is nothing at this path. */
export function kindOfPath(argument: string, path: string): 'file' | 'folder' | 'pipe' {
  try {
    const stat = statSync(path);
    if (stat.isDirectory()) return 'folder';
    return stat.isFile() ? 'file' : 'pipe';
  } catch (cause) {
    throw new ViewError(argument, `cannot read ${path}: ${whyOf(cause)}`, { cause });
  }
}

/**
 * Writes a page as a whole or not at all. A page of ours is replaced, anything else is not.
 * @throws ViewError something else is there, or it cannot be written.
 */
export function writePage(file: string, pieces: Iterable<string>): void {
  if (existsSync(file)) assertOurs(file);
  const draft = `${file}.${process.pid}.tmp`;
  try {
    const fd = openSync(draft, 'wx', PRIVATE);
    try {
      for (const piece of pieces) writeAll(fd, Buffer.from(piece));
    } finally {
      closeSync(fd);
    }
    renameSync(draft, file);
  } catch (cause) {
    if (existsSync(draft)) rmSync(draft, { force: true });
    if (cause instanceof ViewError) throw cause;
    throw new ViewError('out', `cannot write ${file}: ${whyOf(cause)}`, { cause });
  }
}

function assertOurs(file: string): void {
  if (statSync(file).isDirectory()) throw new ViewError('out', `${file} is a folder: name a file`);
  if (!headOf(file).includes(GENERATOR)) {
    throw new ViewError(
      'out',
      `${file} exists and is no page of claudewire view: remove it, or name another file with --out`,
    );
  }
}

/** The begin of a file; nothing of what is no file. */
export function headOf(file: string, bytes = HEAD_BYTES): string {
  const fd = openSync(file, 'r');
  try {
    if (!fstatSync(fd).isFile()) return '';
    const buffer = Buffer.alloc(bytes);
    return buffer.toString('utf8', 0, readSync(fd, buffer, 0, bytes, 0));
  } finally {
    closeSync(fd);
  }
}

function writeAll(fd: number, bytes: Buffer): void {
  let rest = bytes;
  while (rest.length > 0) rest = rest.subarray(writeSync(fd, rest));
}
