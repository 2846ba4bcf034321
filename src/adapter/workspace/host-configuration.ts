import { Buffer } from 'node:buffer';
import { readFile, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join, posix, resolve, sep } from 'node:path';
import { strictRealPath } from '../../util/strict-real-path.js';
import { WorkspaceSecurityError } from '../errors/adapter-error.js';
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

/**
 * Real paths, in lower case, of the files that the Git configuration of a folder includes. None without `.git`.
 * @throws {@link WorkspaceSecurityError} there is a file that cannot be known.
 */
export async function includedConfigurations(folder: string): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  const seen = new Set<string>();
  const read = async (path: string): Promise<void> => {
    for (const value of includesIn(await readConfiguration(path))) {
      if (UNKNOWN_PLACE.test(value)) throw unknownIncludes(path, `includes ${JSON.stringify(value)}`);
      const named = value.replace(/^~(?=\/|$)/, () => homedir());
      const written = isAbsolute(named) ? named : `${dirname(path)}${sep}${named}`;
      // Where this is a link, its own folder counts for further includes. Git cannot read in a folder that is locked
      // or a loop.
      const at = await strictRealPath(dirname(written)).then(
        (real) => join(real, basename(written)),
        () => undefined,
      );
      if (at === undefined || seen.has(at)) continue;
      if (seen.size >= MAX_INCLUDED) throw unknownIncludes(path, `is one of more than ${MAX_INCLUDED} included files`);
      seen.add(at);
      found.add(at.toLowerCase()).add((await strictRealPath(at).catch(() => at)).toLowerCase());
      await read(at);
    }
  };
  const git = join(folder, '.git');
  // A worktree or a submodule has a file that names the folder.
  const named = /^gitdir:(.*)/.exec(await readConfiguration(git))?.[1]?.trim();
  const own = await strictRealPath(named === undefined ? git : resolve(folder, named)).catch(() => git);
  const common = (await readConfiguration(join(own, 'commondir'))).trim();
  for (const each of new Set([own, resolve(own, common)]))
    for (const name of ['config', 'config.worktree']) await read(join(each, name));
  return found;
}

/** The home of another user, Git's own folder (`%(prefix)`), a mark such as `:(optional)`, or no text. */
const UNKNOWN_PLACE = /^(?:~[^/]|%\(|:\()|[\0\ufffd]/;

function unknownIncludes(path: string, what: string): WorkspaceSecurityError {
  return new WorkspaceSecurityError(path, `${path} ${what}: the files that Git reads as configuration are not known`, {
    hint: 'Nothing was written. Name the included files by their absolute paths, or write to another directory.',
  });
}

/** A comment, the header of a section, or a key with its value. Parts that Git refuses are skipped. */
const ELEMENT =
  /[#;][^\n]*|\[([\w.-]*)(?:[ \t\r]+"(?:[^"\\\n]|\\[^\n])*")?\]|([a-z][\w-]*)[ \t]*(?:=((?:[^"\\\n#;]|\\.|"(?:[^"\\\n]|\\.)*")*))?/gis;
const ESCAPES: Readonly<Record<string, string>> = { t: '\t', n: '\n', b: '\b', '\n': '' };

/** Values of `path` in the sections `include` and `includeIf` of a Git configuration, whatever the condition. */
export function includesIn(text: string): readonly string[] {
  const values: string[] = [];
  let isInclude = false;
  for (const [, section, key, value] of text.replaceAll('\r\n', '\n').matchAll(ELEMENT)) {
    if (section !== undefined) isInclude = /^include(?:if)?$/i.test(section);
    else if (isInclude && key?.toLowerCase() === 'path' && value !== undefined)
      values.push(...new Set([readValue(value), readValue(value, ' ')]));
  }
  return values;
}

/**
 * Without quotes, escapes, and the blanks around it that are not quoted.
 * @param blank - What each other blank outside of quotes becomes: a space before Git 2.45.
 */
function readValue(raw: string, blank?: string): string {
  let value = '';
  let end = 0;
  let isQuoted = false;
  for (const [token, escaped] of raw.matchAll(/\\(.)|./gs)) {
    if (!isQuoted && /^[ \t\r]$/.test(token)) {
      if (value !== '') value += blank ?? token;
      continue;
    }
    if (token === '"') isQuoted = !isQuoted;
    else value += escaped === undefined ? token : (ESCAPES[escaped] ?? escaped);
    end = value.length;
  }
  return value.slice(0, end);
}

/** Empty when there is no such file. */
async function readConfiguration(path: string): Promise<string> {
  const size = await stat(path).then(
    (entry) => (entry.isFile() ? entry.size : 0),
    () => 0,
  );
  if (size > MAX_CONFIGURATION_BYTES) throw unknownIncludes(path, `is larger than ${MAX_CONFIGURATION_BYTES} bytes`);
  return size === 0 ? '' : readFile(path, 'utf8').catch(() => '');
}

function isHead(name: string): boolean {
  return seenName(name).toUpperCase() === 'HEAD';
}

function seenName(name: string): string {
  return name.replace(IGNORED, '').replace(/(?<![. ])[. ]+$/, '');
}
