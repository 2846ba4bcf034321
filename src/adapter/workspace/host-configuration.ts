import { Buffer } from 'node:buffer';
import { readFile, realpath, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, posix, resolve } from 'node:path';
import type { AnchoredDirectory } from './anchored-directory.js';
import { closing } from './walk-down.js';

/** Prefix of our own journals and temporary files. */
export const OWN_PREFIX = '.claudewire-write-';

/** Folders and files that tell the host's CLI or Git what to run. */
const FOLDERS = /^\.(?:claude|git)$/iu;
const FILES = /^\.(?:git|gitconfig|mcp\.json|claude\.json|claudewire-write-.*)$/isu;
/** Names that Git reads in the folder of a repository: a renamed `.git`, a bare one, a worktree or a submodule. */
const IN_REPOSITORY =
  /^(?:\w*HEAD|config|config\.worktree|commondir|gitdir|hooks|index|info|logs|modules|objects|packed-refs|refs|reftable|remotes|branches|shallow|worktrees|rebase-\w+|sequencer|description)$/iu;
/** Content that Git accepts in `HEAD`. A folder without that file is not a repository. */
const HEAD_CONTENT = /^(?:ref:\s*refs\/|[0-9a-f]{40})/i;
const HEAD_BYTES = 255;
/** How far before a `=` its key is searched. */
const MAX_KEY_LENGTH = 64;
const MAX_INCLUDED = 100;
const MAX_CONFIGURATION_BYTES = 1_000_000;
/** HFS+ ignores these characters in names. */
const IGNORED = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/gu;

/**
 * Whether a path is, or is in, configuration of the host. It ignores case, as some file systems do, and the blanks and
 * dots that Windows drops at the end of a name.
 */
export function isConfiguration(segments: readonly string[]): boolean {
  const names = segments.map(seenName);
  return names.slice(0, -1).some((name) => FOLDERS.test(name)) || FILES.test(names.at(-1) ?? '');
}

/** The folders above a path in which Git would read it if they were repositories. Empty: Git never reads this path. */
export function repositoryFolders(segments: readonly string[]): readonly (readonly string[])[] {
  return segments.flatMap((name, index) => (IN_REPOSITORY.test(seenName(name)) ? [segments.slice(0, index)] : []));
}

/** Paths, with `/`, of the folders that these files make a repository. */
export function repositoriesAmong(
  files: readonly { readonly path: string; readonly content: string }[],
): ReadonlySet<string> {
  const heads = files.filter(({ path, content }) => isHead(posix.basename(path)) && HEAD_CONTENT.test(content));
  return new Set(heads.map(({ path }) => path.slice(0, Math.max(0, path.lastIndexOf('/')))));
}

/** Whether the content of a folder makes it a repository, such as a bare one. */
export async function isRepository(folder: AnchoredDirectory): Promise<boolean> {
  for (const entry of await folder.entries()) {
    if (!isHead(entry.name)) continue;
    // Early versions of Git made it a link.
    if (entry.isSymbolicLink()) return true;
    const opened = await folder.openFile(entry.name);
    if (opened === undefined) continue;
    const { buffer, bytesRead } = await closing(opened, (file) =>
      file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0),
    );
    if (HEAD_CONTENT.test(buffer.toString('latin1', 0, bytesRead))) return true;
  }
  return false;
}

/** Real paths, in lower case, of the files that the Git configuration of a folder includes. None without `.git`. */
export async function includedConfigurations(folder: string): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  const read = async (path: string): Promise<void> => {
    for (const value of (await textOf(path)).split('\n').flatMap(pathsIn)) {
      const included = resolve(dirname(path), value.replace(/^~(?=\/)/, homedir()));
      const real = await realpath(included).catch(() => included);
      if (found.has(real.toLowerCase()) || found.size >= MAX_INCLUDED) continue;
      found.add(real.toLowerCase());
      await read(real);
    }
  };
  const git = join(folder, '.git');
  // A worktree or a submodule has a file that names the folder.
  const named = /^gitdir:(.*)/.exec(await textOf(git))?.[1]?.trim();
  const own = named === undefined ? git : resolve(folder, named);
  const common = (await textOf(join(own, 'commondir'))).trim();
  for (const each of new Set([own, resolve(own, common)]))
    for (const name of ['config', 'config.worktree']) await read(join(each, name));
  return found;
}

/** Values of every key `path` in a line, as in `[include]` and `[includeIf]`. */
function pathsIn(line: string): readonly string[] {
  const values: string[] = [];
  for (let at = line.indexOf('='); at >= 0; at = line.indexOf('=', at + 1)) {
    const key = line.slice(Math.max(0, at - MAX_KEY_LENGTH), at).trimEnd();
    if (!/(?:^|[\s\]])path$/i.test(key)) continue;
    const rest = line.slice(at + 1).trim();
    values.push((rest.startsWith('"') ? rest.slice(1) : rest).split(/["#;]/, 1)[0]?.trim() ?? '');
  }
  return values;
}

/** Empty when there is no such file. */
async function textOf(path: string): Promise<string> {
  try {
    const { size } = await stat(path).then((entry) => (entry.isFile() ? entry : { size: 0 }));
    return size === 0 || size > MAX_CONFIGURATION_BYTES ? '' : await readFile(path, 'utf8');
  } catch {
    return '';
  }
}

function isHead(name: string): boolean {
  return seenName(name).toUpperCase() === 'HEAD';
}

function seenName(name: string): string {
  return name.replace(IGNORED, '').replace(/(?<![. ])[. ]+$/, '');
}
