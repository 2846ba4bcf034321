import { existsSync, readFileSync, statSync } from 'node:fs';
import { InvalidOptionError } from 'claudewire';
import type { Scenario } from 'claudewire/testing';
import { codeOf } from '../../../src/util/error-code.js';
import { writeWhole } from '../../../src/util/write-whole.js';

const WHY: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  EISDIR: 'it is a folder',
  EACCES: 'permission denied',
  ENOSPC: 'the disk is full',
  EROFS: 'the file system is read-only',
  EFBIG: 'it would be too large',
};

/** By their first two bytes. */
const KINDS = [
  [Buffer.from('1f8b', 'hex'), 'compressed with gzip: unpack it with `gunzip`'],
  [Buffer.from('fffe', 'hex'), 'UTF-16: save it as UTF-8'],
  [Buffer.from('feff', 'hex'), 'UTF-16: save it as UTF-8'],
] as const;

/** @throws InvalidOptionError it cannot be read; the message names it. */
export function readText(option: string, file: string): string {
  const bytes = attempt(option, `read ${file}`, () => readFileSync(file));
  const kind = KINDS.find(([beginning]) => bytes.subarray(0, 2).equals(beginning))?.[1];
  if (kind !== undefined) throw new InvalidOptionError(option, `cannot read ${file}: it is ${kind}`);
  // Editors on Windows write the mark, and npm reads it.
  return bytes.toString('utf8').replace(/^\uFEFF/, '');
}

/** @throws InvalidOptionError it cannot be read, or is no JSON. */
export function readJson(option: string, file: string): unknown {
  const text = readText(option, file);
  return attempt(option, `read ${file} as JSON`, () => JSON.parse(text) as unknown);
}

/**
 * Replaces a scenario, and no other file: what is there may be the only recording of something.
 * @throws InvalidOptionError another file is there, or it cannot be written.
 */
export async function writeScenario(option: string, file: string, text: string): Promise<void> {
  if (statSync(file, { throwIfNoEntry: false })?.isFile() === true && !(await isScenario(option, file))) {
    const cure = `remove it, or name another file with --${option}`;
    throw new InvalidOptionError(option, `${file} exists and is no scenario: ${cure}`);
  }
  attempt(option, `write ${file}`, () => writeWhole(file, text, 0o666));
}

async function isScenario(option: string, file: string): Promise<boolean> {
  const { parseScenario, ScenarioError } = await import('claudewire/testing');
  try {
    parseScenario(readText(option, file), file);
    return true;
  } catch (error) {
    if (error instanceof ScenarioError) return false;
    throw error;
  }
}

/** @throws InvalidOptionError the work failed: the message says what and why. */
export function attempt<T>(option: string, what: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    if (cause instanceof InvalidOptionError) throw cause;
    const code = codeOf(cause);
    const why = code === undefined ? 'it is damaged' : (WHY[code] ?? code);
    throw new InvalidOptionError(option, `cannot ${what}: ${why}`, { cause });
  }
}

/**
 * @throws InvalidOptionError there is no such file, or it cannot be read.
 * @throws ScenarioError it cannot be played.
 */
export async function readScenario(file: string): Promise<Scenario> {
  if (!existsSync(file)) throw new InvalidOptionError('file', `no scenario at ${file}`);
  // The other commands do without it.
  const { parseScenario } = await import('claudewire/testing');
  return parseScenario(readText('file', file), file);
}
