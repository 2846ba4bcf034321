import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { type JsonObject, parseJsonObject } from '../../util/json.js';

/** Starts a process that holds this one's stdout, and ends by itself. */
export function grandchild(ms: number): void {
  spawn(process.execPath, ['-e', `setTimeout(() => {}, ${ms})`], {
    stdio: ['ignore', 'inherit', 'ignore'],
    // Whoever ends the group of this process must not end it too.
    detached: true,
  }).unref();
}

/**
 * The files below a folder, by their path in it with `/`; nothing when
 * there is no such folder. Links are not followed.
 */
export function configFiles(folder: string | undefined): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  if (folder === undefined || folder === '') return files;
  for (const entry of entriesOf(folder)) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    files.set(relative(folder, path).split(sep).join('/'), readFileSync(path, 'utf8'));
  }
  return files;
}

/** What `--settings` gives, a path or JSON; `undefined` without it, and when it cannot be read. */
export function settingsOf(argv: readonly string[]): JsonObject | undefined {
  const at = argv.findIndex((each) => /^--settings(=|$)/.test(each));
  if (at < 0) return undefined;
  const given = /^--settings=(.*)$/s.exec(argv[at] ?? '')?.[1] ?? argv[at + 1] ?? '';
  try {
    return parseJsonObject(given.trimStart().startsWith('{') ? given : readFileSync(given, 'utf8'));
  } catch {
    return undefined;
  }
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true });
  } catch {
    return [];
  }
}
