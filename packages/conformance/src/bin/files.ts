import { readFileSync, writeFileSync } from 'node:fs';
import { InvalidOptionError } from 'claudewire';

/** @throws InvalidOptionError it cannot be read, or is not JSON. */
export function readJson(option: string, file: string): unknown {
  return named(option, `read ${file} as JSON`, () => JSON.parse(readFileSync(file, 'utf8')));
}

/** @throws InvalidOptionError it cannot be written; the message names it. */
export function writeText(option: string, file: string, text: string): void {
  named(option, `write ${file}`, () => writeFileSync(file, text));
}

function named<T>(option: string, what: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new InvalidOptionError(option, `cannot ${what}: ${why}`, { cause });
  }
}
