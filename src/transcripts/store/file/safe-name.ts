import { createHash } from 'node:crypto';

/** Longest name that is written out. File systems allow 255 bytes, and an ending is added. */
const MAX_LENGTH = 180;
const KEPT_PREFIX = 40;

/** Names that Windows keeps for devices, with any ending. */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])$/;

/**
 * `name` as a file name without an ending, the same on every file system: only `a-z 0-9 _ - = + % @`, so neither
 * the case nor the Unicode form of a name is lost where a file system ignores them, and there is no `.`, `/` or NUL to
 * leave a folder with. Different names have different results.
 *
 * An upper case letter becomes `=` and the letter, `/` becomes `+`, any other UTF-16 unit `%hh` or `%uhhhh`. What is
 * longer than 180 characters then becomes its first 40, `@` and a SHA-256 of the name, which {@link decodeName} cannot undo.
 */
export function encodeName(name: string): string {
  if (isPlain(name)) return name;
  let encoded = '';
  for (let at = 0; at < name.length; at++) encoded += encodeUnit(name[at] as string);
  if (DEVICE.test(encoded)) encoded = escapeUnit(encoded.charCodeAt(0)) + encoded.slice(1);
  if (encoded.length <= MAX_LENGTH) return encoded;
  return `${encoded.slice(0, KEPT_PREFIX)}@${hashOf(name)}`;
}

/** Most names: a UUID, a project in lower case. */
function isPlain(name: string): boolean {
  return name.length <= MAX_LENGTH && /^[a-z0-9_-]+$/.test(name) && !DEVICE.test(name);
}

function encodeUnit(unit: string): string {
  if (/[a-z0-9_-]/.test(unit)) return unit;
  if (/[A-Z]/.test(unit)) return `=${unit.toLowerCase()}`;
  return unit === '/' ? '+' : escapeUnit(unit.charCodeAt(0));
}

function escapeUnit(code: number): string {
  return code < 0x100
    ? `%${code.toString(16).padStart(2, '0')}`
    : `%u${code.toString(16).padStart(4, '0')}`;
}

/** Of the UTF-16 units: a lone surrogate has no UTF-8 of its own. */
function hashOf(name: string): string {
  return createHash('sha256').update(Buffer.from(name, 'utf16le')).digest('hex');
}

/** True for a name that stands for a longer one and does not say which. */
export function isHashedName(file: string): boolean {
  return file.includes('@');
}

/** The name that {@link encodeName} made `file` of, `undefined` when it did not make it, or hashed it. */
export function decodeName(file: string): string | undefined {
  if (isPlain(file)) return file;
  const name = file.replace(
    /=([a-z])|(\+)|%u([0-9a-f]{4})|%([0-9a-f]{2})/g,
    (
      _all: string,
      upper: string | undefined,
      slash: string | undefined,
      long: string | undefined,
      short: string | undefined,
    ) => {
      if (upper !== undefined) return upper.toUpperCase();
      if (slash !== undefined) return '/';
      return String.fromCharCode(Number.parseInt(long ?? short ?? '', 16));
    },
  );
  return encodeName(name) === file && !isHashedName(file) ? name : undefined;
}
