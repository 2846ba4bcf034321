import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { InvalidOptionError } from 'claudewire';
import { execa } from 'execa';
import { type Declared, mergeDeclared } from '../surface/declared.js';
import { readDeclarations } from '../surface/read-declarations.js';
import { isJsonObject, parseJsonObject } from '../util/json.js';
import type { InstalledRelease } from './install-release.js';

const LIMIT_MS = 60_000;
const DECLARATIONS = /\.d\.[cm]?ts$/;

/**
 * Everything that an installed SDK offers: what its files declare, and the values that its entries have at run time. No CLI is
 * started. `programs` is the folder of `declarations.py`.
 *
 * @throws InvalidOptionError a file cannot be read, or an entry cannot be imported.
 */
export async function installedSurface(release: InstalledRelease, programs: string): Promise<readonly Declared[]> {
  return release.kind === 'py' ? pythonSurface(release, programs) : typescriptSurface(dirname(release.path));
}

async function typescriptSurface(folder: string): Promise<readonly Declared[]> {
  const names = declarationFiles(folder);
  if (names.length === 0) throw new InvalidOptionError('release', `${folder} has no declaration files`);
  const files = names.map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') }));
  return mergeDeclared([...readDeclarations(files), ...(await runtimeNames(folder))]);
}

/** Relative to the package, sorted: whatever a release has, none by name. */
export function declarationFiles(folder: string): readonly string[] {
  const walk = (under: string): readonly string[] =>
    readdirSync(join(folder, under), { withFileTypes: true }).flatMap((entry) => {
      const name = under === '' ? entry.name : `${under}/${entry.name}`;
      if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : walk(name);
      return DECLARATIONS.test(entry.name) ? [name] : [];
    });
  return [...walk('')].sort();
}

async function runtimeNames(folder: string): Promise<readonly Declared[]> {
  const entries = runtimeEntries(folder);
  const urls = entries.map((entry) => pathToFileURL(join(folder, entry)).href);
  const source = `const all = []; for (const url of ${JSON.stringify(urls)}) all.push(Object.keys(await import(url)));
console.log(JSON.stringify({ all })); process.exit(0);`;
  const names = await printedList(process.execPath, ['--input-type=module', '-e', source], 'all');
  return entries.flatMap((entry, index) => {
    const found = names[index];
    if (!Array.isArray(found))
      throw new InvalidOptionError('release', `${entry} of ${folder} says not what it exports`);
    return found.map((name): Declared => {
      return {
        path: `${entry} gives ${String(name)}`,
        kind: 'runtime',
        type: '',
        ownType: '',
        marks: [],
        files: [entry],
      };
    });
  });
}

/** The modules that a program can import. */
function runtimeEntries(folder: string): readonly string[] {
  const manifest = parseJsonObject(readFileSync(join(folder, 'package.json'), 'utf8')) ?? {};
  const targets = [manifest.main, ...strings(manifest.exports)].map((target) =>
    String(target ?? '').replace(/^\.\//, ''),
  );
  const modules = targets.filter((target) => /\.[cm]?js$/.test(target) && existsSync(join(folder, target)));
  return [...new Set(modules)].sort();
}

function strings(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return isJsonObject(value) ? Object.values(value).flatMap(strings) : [];
}

async function pythonSurface(
  { path, python = 'python3' }: InstalledRelease,
  programs: string,
): Promise<readonly Declared[]> {
  const args = ['-B', join(programs, 'declarations.py'), join(path, 'claude_agent_sdk')];
  // Written by our own program, in this form.
  return mergeDeclared((await printedList(python, args, 'facts')) as readonly Declared[]);
}

async function printedList(command: string, args: readonly string[], name: string): Promise<readonly unknown[]> {
  const { failed, stdout, stderr, shortMessage } = await execa(command, args, {
    stdin: 'ignore',
    timeout: LIMIT_MS,
    reject: false,
  });
  const list = parseJsonObject(stdout.trim().split('\n').at(-1) ?? '')?.[name];
  if (!failed && Array.isArray(list)) return list;
  const said = stderr.trim().split('\n').at(-1) || shortMessage || 'it printed no list';
  throw new InvalidOptionError('release', `${args.at(-1)?.split('\n')[0]} cannot be read: ${said}`);
}
