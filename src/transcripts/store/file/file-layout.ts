import { basename, join } from 'node:path';
import { readSmallJson } from '../../files/open-file.js';
import type { SessionKey } from '../session-store.js';
import { writeSmallJson } from './private-files.js';

const TRANSCRIPT = '.jsonl';

/**
 * The paths in a `FileSessionStore`. Every part of a key is one name from `encodeName`, so no key leads out of `root`:
 *
 *     <project>/<session>.jsonl             main transcript
 *     <project>/<session>.summary.json      its summary
 *     <project>/<session>/<subpath>.jsonl   a transcript below it
 */
export class FileLayout {
  readonly root: string;

  constructor(root: string) {
    this.root = root;
  }

  projectFolder(projectKey: string): string {
    return join(this.root, encodeName(projectKey));
  }

  /** Holds what is below a session. */
  sessionFolder({ projectKey, sessionId }: Omit<SessionKey, 'subpath'>): string {
    return join(this.projectFolder(projectKey), encodeName(sessionId));
  }

  transcript(key: SessionKey): string {
    const session = this.sessionFolder(key);
    const path = key.subpath === undefined ? session : join(session, encodeName(key.subpath));
    return `${path}${TRANSCRIPT}`;
  }

  summary(key: Omit<SessionKey, 'subpath'>): string {
    return `${this.sessionFolder(key)}.summary.json`;
  }
}

/** The encoded names of the transcripts among a folder's files. */
export function transcriptNames(files: readonly string[]): string[] {
  return files.filter((file) => file.endsWith(TRANSCRIPT)).map((file) => file.slice(0, -TRANSCRIPT.length));
}

/** The file beside a transcript with a hashed name that has the name, as JSON. */
export function nameFile(transcript: string): string {
  return `${transcript.slice(0, -TRANSCRIPT.length)}.name`;
}

/** Longer names are hashed. File systems allow 255 bytes, and an extension is added. */
const MAX_NAME_LENGTH = 180;
const KEPT_PREFIX = 40;

/** Names that Windows keeps for devices, with any ending. */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])$/;

/**
 * `name` as a file name without an ending, the same on every file system: only `a-z 0-9 _ - = + % @`, so neither the
 * case nor the Unicode form of a name is lost where a file system ignores them, and there is no `.`, `/` or NUL to
 * leave a folder with. Different names have different results. An upper case letter becomes `=` and the letter, `/`
 * becomes `+`, any other UTF-16 unit `%hh` or `%uhhhh`. What is longer than 180 characters then becomes its first 40,
 * `@` and a SHA-256 of the name, which {@link decodeName} cannot undo.
 */
export function encodeName(name: string): string {
  if (isPlain(name)) return name;
  let encoded = '';
  for (let at = 0; at < name.length; at++) encoded += encodeUnit(name[at] as string);
  if (DEVICE.test(encoded)) encoded = escapeUnit(encoded.charCodeAt(0)) + encoded.slice(1);
  if (encoded.length <= MAX_NAME_LENGTH) return encoded;
  return `${encoded.slice(0, KEPT_PREFIX)}@${hashOf(name)}`;
}

/** Most names: a UUID, a project in lower case. */
function isPlain(name: string): boolean {
  return name.length <= MAX_NAME_LENGTH && /^[a-z0-9_-]+$/.test(name) && !DEVICE.test(name);
}

function encodeUnit(unit: string): string {
  if (/[a-z0-9_-]/.test(unit)) return unit;
  if (/[A-Z]/.test(unit)) return `=${unit.toLowerCase()}`;
  return unit === '/' ? '+' : escapeUnit(unit.charCodeAt(0));
}

function escapeUnit(code: number): string {
  return code < 0x100 ? `%${code.toString(16).padStart(2, '0')}` : `%u${code.toString(16).padStart(4, '0')}`;
}

/** Of the UTF-16 units: a lone surrogate has no UTF-8 of its own. */
function hashOf(name: string): string {
  const hash = process.getBuiltinModule('node:crypto').createHash('sha256');
  return hash.update(Buffer.from(name, 'utf16le')).digest('hex');
}

/** True for the hash of a longer name. */
export function isHashedName(file: string): boolean {
  return file.includes('@');
}

/** The name behind `file`. `undefined` when {@link encodeName} did not make it, or hashed it. */
export function decodeName(file: string): string | undefined {
  if (isPlain(file)) return file;
  const name = file.replace(
    /=([a-z])|(\+)|%u([0-9a-f]{4})|%([0-9a-f]{2})/g,
    (_all, upper?: string, slash?: string, long?: string, short?: string) => {
      if (upper !== undefined) return upper.toUpperCase();
      if (slash !== undefined) return '/';
      return String.fromCharCode(Number.parseInt(long ?? short ?? '', 16));
    },
  );
  return encodeName(name) === file && !isHashedName(file) ? name : undefined;
}

const MAX_NAME_FILE_BYTES = 1_048_576;

/** Stores the name of a transcript whose file name is a hash, for listings. Does nothing for others. */
export function keepLongName(transcript: string, name: string): void {
  if (!isHashedName(basename(transcript))) return;
  const path = nameFile(transcript);
  if (readSmallJson(path, MAX_NAME_FILE_BYTES) !== name) writeSmallJson(path, name);
}

/** The name behind an encoded one, `undefined` for a file that no store wrote. */
export function nameOf(folder: string, encoded: string): string | undefined {
  if (!isHashedName(encoded)) return decodeName(encoded);
  const name = readSmallJson(nameFile(join(folder, `${encoded}.jsonl`)), MAX_NAME_FILE_BYTES);
  return typeof name === 'string' && encodeName(name) === encoded ? name : undefined;
}
