import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { Json } from '../harness/row.js';
import type { FileSpec, PureProgram } from './program.js';

/** Makes a program's folder anew. */
export function prepareFolder(root: string, program: PureProgram): void {
  rmSync(root, { recursive: true, force: true });
  for (const folder of ['config', 'home', 'tmp', 'work']) {
    mkdirSync(join(root, folder), { recursive: true });
  }
  for (const file of program.files ?? []) writeFile(root, file);
  for (const [repository, tree] of program.worktrees ?? []) {
    makeWorktree(join(root, repository), join(root, tree));
  }
}

/** `<root>` is the folder, `<root-key>` its name as a project folder. */
function filled(root: string, text: string): string {
  return text.replaceAll('<root-key>', root.replaceAll(/[^a-zA-Z0-9]/g, '-')).replaceAll('<root>', root);
}

function writeFile(root: string, file: FileSpec): void {
  const path = join(root, filled(root, file.path));
  mkdirSync(dirname(path), { recursive: true });
  if (file.linkTo !== undefined) {
    symlinkSync(filled(root, file.linkTo), path);
    return;
  }
  writeFileSync(path, contentOf(root, file));
  if (file.mode !== undefined) chmodSync(path, file.mode);
  const time = file.mtime ?? 1_770_000_000;
  utimesSync(path, time, time);
}

function contentOf(root: string, { content = '', base64 }: FileSpec): string | Buffer {
  if (base64 !== undefined) return Buffer.from(base64, 'base64');
  const text =
    typeof content === 'string'
      ? content
      : content.map((one) => `${typeof one === 'string' ? one : JSON.stringify(one)}\n`).join('');
  return filled(root, text);
}

/** The git of the machine, with no configuration but its own. */
function makeWorktree(repository: string, tree: string): void {
  const git = (...args: string[]): void => {
    const env = {
      PATH: process.env.PATH,
      HOME: '/nonexistent',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
    };
    const identity = ['-c', 'user.name=t', '-c', 'user.email=t@localhost', '-c', 'gc.auto=0'];
    const { status, stderr } = spawnSync('git', [...identity, '-C', repository, ...args], {
      env,
      encoding: 'utf8',
      timeout: 20_000,
    });
    if (status !== 0) throw new Error(`git ${args[0]}: ${stderr}`);
  };
  mkdirSync(repository, { recursive: true });
  git('init', '-q');
  git('commit', '-q', '--allow-empty', '-m', 'x');
  git('worktree', 'add', '-q', tree);
}

/** What is below the folders that the program shows: path, mode and text of each file. */
export function filesAfter(root: string, folders: readonly string[]): Json[] {
  return folders.flatMap((folder) => (existsSync(join(root, folder)) ? below(root, folder) : []));
}

function below(root: string, folder: string): Json[] {
  return readdirSync(join(root, folder))
    .sort()
    .flatMap((name): Json[] => {
      const path = `${folder}/${name}`;
      const stats = lstatSync(join(root, path));
      if (stats.isDirectory()) return below(root, path);
      const mode = (stats.mode & 0o777).toString(8);
      return [{ path, mode, lines: linesOf(readFileSync(join(root, path), 'utf8')) }];
    });
}

/** Lines of JSON as values: the order of keys and the spaces are the writer's own business. */
export function linesOf(text: string): Json {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines.map((line): Json => {
    try {
      return JSON.parse(line) as Json;
    } catch {
      return line;
    }
  });
}
