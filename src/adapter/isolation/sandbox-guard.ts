import {
  accessSync,
  constants,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { codeOf } from '../../util/error-code.js';

/**
 * Whoever can write this file can run a program as the real root: the next crash starts it outside of every namespace.
 */
const CRASH_HANDLER = '/proc/sys/kernel/core_pattern';
/** Numbers of the system call keyctl(2). Its operation 1 takes a new keyring for the session. */
const KEYCTL: Readonly<Record<string, number>> = { x64: 250, arm64: 219 };
const SECRET_TYPES = ['user', 'logon', 'big_key', 'encrypted', 'trusted'];
/** Its own folder: it comes first on the `PATH`, so nothing else may be in it. */
const FOLDER = 'bin';
/** Characters without a meaning for a shell. */
const PLAIN = /^[\w./+-]+$/;

/**
 * Puts our own `bwrap` first on the child's `PATH`. The CLI mounts a new `/proc` in its sandbox, in which uid 0 could
 * set `/proc/sys/kernel/core_pattern`. The CLI has no setting for more mounts, and a read-only mount around it makes
 * its own mount fail. So our `bwrap` adds the mounts and then becomes the real one.
 * @param folder - Private, and closed to the commands of the sandbox.
 * @returns the environment with the guard, or the same one where there is no `bwrap`.
 */
export function guardSandbox(
  env: Readonly<Record<string, string>>,
  folder: string,
  platform: string,
): Readonly<Record<string, string>> {
  const path = env.PATH;
  const bwrap = platform === 'linux' ? findProgram('bwrap', path) : undefined;
  if (bwrap === undefined) return env;
  writeGuard(join(folder, FOLDER), bwrap, perlOf(path));
  return { ...env, PATH: `${join(folder, FOLDER)}${delimiter}${path}` };
}

/** @returns the path of the guard */
export function writeGuard(folder: string, bwrap: string, perl?: string | undefined, words = guardWords()): string {
  mkdirSync(folder, { mode: 0o700 });
  const file = join(folder, 'bwrap');
  // Synchronous: a process started in between would inherit the open file, and nobody could execute it.
  writeFileSync(file, guardScript(bwrap, words, perl), { mode: 0o500, flag: 'wx' });
  return file;
}

/** Perl is on most machines, and no other common program can make the system call. */
export function perlOf(path: string | undefined): string | undefined {
  return KEYCTL[process.arch] === undefined ? undefined : findProgram('perl', `${path ?? ''}${delimiter}/usr/bin`);
}

/**
 * Whether this user has keys in the kernel, perhaps in the keyring of the session. Every command inherits that keyring;
 * neither the CLI nor bubblewrap removes it.
 */
export function hasKeys(): boolean {
  try {
    const uid = process.getuid?.();
    return readFileSync('/proc/keys', 'utf8')
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .some(([, , , , , owner, , type = '']) => owner === String(uid) && SECRET_TYPES.includes(type));
  } catch {
    return false;
  }
}

/**
 * The arguments for bwrap that are added to every sandbox.
 *
 * - For every user, memory segments, semaphores and message queues of its own: those of the host's programs can be read
 *   otherwise.
 * - Where the kernel takes this user for root, everything in `/proc` except processes becomes read-only, and what only
 *   root may read becomes empty: uid 0 then has of `/proc` what other users have. Not for others, whose sandbox mounts
 *   a second `/proc` that hides more; the kernel allows that only while nothing covers the first one.
 */
export function guardWords(): readonly string[] {
  return ['--unshare-ipc', ...(isRootForKernel() ? coverWords() : [])];
}

/** The user id is not enough, since it may be mapped. `EROFS` is reported after the check of the rights. */
function isRootForKernel(): boolean {
  try {
    accessSync(CRASH_HANDLER, constants.W_OK);
    return true;
  } catch (error) {
    if (process.platform !== 'linux') return false;
    return codeOf(error) === 'EROFS' || (codeOf(error) === 'ENOENT' && process.getuid?.() === 0);
  }
}

function coverWords(): string[] {
  const words = readdirSync('/proc')
    .filter((name) => PLAIN.test(name) && !/^\d/.test(name))
    .flatMap((name) => coverOf(`/proc/${name}`));
  // Already read-only, unless `/` was opened.
  return [...words, '--ro-bind', '/sys', '/sys'];
}

function coverOf(path: string): string[] {
  try {
    const entry = lstatSync(path);
    if (entry.isSymbolicLink()) return [];
    const isForRoot = entry.isFile() && (entry.mode & 0o044) === 0;
    return ['--ro-bind-try', isForRoot ? '/dev/null' : path, path];
  } catch {
    return [];
  }
}

/**
 * A script that passes on every argument, with ours before the first `--`: after all mounts, so that none of them
 * covers ours. It refuses a command line without `--`, to which nothing could be added.
 */
export function guardScript(bwrap: string, words: readonly string[], perl?: string | undefined): string {
  const odd = words.find((word) => !PLAIN.test(word));
  if (odd !== undefined) throw new Error(`not a plain word: ${JSON.stringify(odd)}`);
  return `#!/bin/sh
# Starts bubblewrap with more limits than Claude Code asks for. Made by claudewire for one run.
_cw_n=0 _cw_words= _cw_found=
for _cw_arg do
  _cw_n=$((_cw_n + 1))
  if [ -z "$_cw_found" ] && [ "$_cw_arg" = -- ]; then
    _cw_found=1
    _cw_words="$_cw_words ${words.join(' ')}"
  fi
  _cw_words="$_cw_words \\"\\\${$_cw_n}\\""
done
# Without a command, or the CLI's own trial of user namespaces.
if [ -z "$_cw_found" ] && [ "$#" -gt 1 ] && [ "$*" != '--unshare-user --dev-bind / / true' ]; then
  echo 'bwrap: claudewire cannot limit a command that is started in this way' >&2
  exit 1
fi
eval "set -- $_cw_words"
unset _cw_n _cw_words _cw_found _cw_arg
${perl === undefined ? 'exec' : inNewSession(perl)} ${quoted(bwrap)} "$@"
`;
}

/** Perl takes a new keyring and then becomes the program that follows, without a warning about missing locales. */
function inNewSession(perl: string): string {
  const code = `delete $ENV{PERL_BADLANG}; syscall(${KEYCTL[process.arch]}, 1, 0); exec { $ARGV[0] } @ARGV; exit 127`;
  return `export PERL_BADLANG=0\nexec ${quoted(perl)} -C0 -e '${code}'`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/**
 * The first executable file of this name on a `PATH`. Relative entries are skipped: they depend on the working
 * directory.
 */
export function findProgram(name: string, path: string | undefined): string | undefined {
  const folders = (path ?? '').split(delimiter).filter((folder) => isAbsolute(folder));
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

export function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
