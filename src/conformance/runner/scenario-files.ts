import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import { isJsonObject } from '../../util/json.js';
import { fill, type Variables } from '../player/variables.js';
import type { Scenario } from '../scenario/scenario-types.js';
import { ScenarioFailure } from './scenario-result.js';

/**
 * Writes what the header's `files` lists, before anything is started: `{"at": "home" | "cwd", "path": …, "lines": [...]}` (JSON
 * Lines) or `"text"`. Strings may hold variables; `${projectKey}` is the folder name of a project's transcripts.
 * The home directory is emptied first: drivers live longer than scenarios.
 */
export function writeScenarioFiles(
  { header }: Scenario,
  {
    cwd,
    home,
    variables,
  }: { readonly cwd: string; readonly home: string | undefined; readonly variables: Variables },
): void {
  variables.set('projectKey', cwd.replaceAll(/[^a-zA-Z0-9]/g, '-'));
  if (home !== undefined) {
    variables.set('home', home);
    rmSync(home, { recursive: true, force: true, maxRetries: 3 });
    mkdirSync(home);
  }
  const { files } = header as { readonly files?: unknown };
  if (!Array.isArray(files)) return;
  for (const given of files) {
    const file = isJsonObject(given) ? fill(given, variables) : {};
    const root = file['at'] === 'home' ? home : cwd;
    if (root === undefined) throw new ScenarioFailure('files: this run has no home directory');
    const path = resolve(root, String(file['path']));
    if (!path.startsWith(join(root, sep)))
      throw new ScenarioFailure(`files: ${String(file['path'])} leaves its folder`);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, contentOf(file['lines'], file['text']));
  }
}

function contentOf(lines: unknown, text: unknown): string {
  if (!Array.isArray(lines)) return String(text ?? '');
  return lines
    .map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`)
    .join('');
}
