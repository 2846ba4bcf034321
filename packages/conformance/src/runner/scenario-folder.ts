import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve, sep } from 'node:path';
import { type Scenario, ScenarioError, type ScenarioFile, type Variables } from 'claudewire/testing';
import { atExit } from '../driver/process-group.js';

interface TempFolder {
  readonly path: string;
  remove(): void;
  /** It stays. */
  keep(): void;
}

/**
 * A folder that goes when it is removed, or at the latest when this process ends. What a client leaves running may still
 * write there for a moment.
 */
export function makeTempFolder(prefix: string): TempFolder {
  const path = realpathSync(mkdtempSync(join(tmpdir(), prefix)));
  const erase = (): void => rmSync(path, { recursive: true, force: true, maxRetries: 10 });
  const keep = atExit('remove', erase);
  return {
    path,
    keep,
    remove() {
      erase();
      keep();
    },
  };
}

/**
 * Writes what the header's `files` lists, before anything is started. `$projectKey` is the folder name of the project's
 * transcripts. The home directory is emptied first: drivers live longer than scenarios.
 *
 * @throws ScenarioError a file leaves its folder, or a variable has no value yet.
 */
export function writeScenarioFiles(
  { header: { files = [] }, file: source }: Scenario,
  { cwd, home, variables }: { readonly cwd: string; readonly home: string | undefined; readonly variables: Variables },
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
  const { path, lines, text } = variables.fill({ ...given }) as unknown as ScenarioFile;
  if (root === undefined) throw new RangeError('this run has no home directory');
  const file = resolve(root, String(path));
  if (!file.startsWith(join(root, sep))) throw new RangeError(`${path} leaves its folder`);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, lines === undefined ? String(text) : lines.map(asLine).join(''));
}

function asLine(line: unknown): string {
  return `${typeof line === 'string' ? line : JSON.stringify(line)}\n`;
}
