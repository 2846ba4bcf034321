import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { InvalidOptionError } from 'claudewire';
import type { Scenario } from 'claudewire/testing';
import { codeOf } from '../../../src/util/error-code.js';

const WHY: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  EISDIR: 'it is a folder',
  EACCES: 'permission denied',
};

/** @throws InvalidOptionError it cannot be read; the message names it. */
export function readText(option: string, file: string): string {
  return attempt(option, `read ${file}`, () => readFileSync(file, 'utf8'));
}

/** @throws InvalidOptionError it cannot be read, or is no JSON. */
export function readJson(option: string, file: string): unknown {
  const text = readText(option, file);
  // Editors on Windows write the mark, and npm reads it.
  return attempt(option, `read ${file} as JSON`, () => JSON.parse(text.replace(/^\uFEFF/, '')) as unknown);
}

/** @throws InvalidOptionError it cannot be written; the message names it. */
export function writeText(option: string, file: string, text: string): void {
  attempt(option, `write ${file}`, () => writeFileSync(file, text));
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
