import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import { fill, type Variables } from '../../testing/player/patterns.js';
import { ScenarioError } from '../../testing/scenario/parse-scenario.js';
import type { Scenario, ScenarioFile } from '../../testing/scenario/scenario-types.js';

/**
 * Writes what the header's `files` lists, before anything is started. `$projectKey` is the folder name of the project's
 * transcripts. The home directory is emptied first: drivers live longer than scenarios.
 *
 * @throws ScenarioError a file leaves its folder, or a variable has no value yet.
 */
export function writeScenarioFiles(
  { header: { files = [] }, file: source }: Scenario,
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
  for (const [index, given] of files.entries()) {
    try {
      writeOne(given, given.at === 'home' ? home : cwd, variables);
    } catch (error) {
      throw new ScenarioError(source, 1, `header: files[${index}]: ${(error as Error).message}`);
    }
  }
}

function writeOne(given: ScenarioFile, root: string | undefined, variables: Variables): void {
  // What is filled in has the shape of what was there.
  const { path, lines, text } = fill({ ...given }, variables) as unknown as ScenarioFile;
  if (root === undefined) throw new RangeError('this run has no home directory');
  const file = resolve(root, String(path));
  if (!file.startsWith(join(root, sep))) throw new RangeError(`${path} leaves its folder`);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, lines === undefined ? String(text) : lines.map(asLine).join(''));
}

function asLine(line: unknown): string {
  return `${typeof line === 'string' ? line : JSON.stringify(line)}\n`;
}
