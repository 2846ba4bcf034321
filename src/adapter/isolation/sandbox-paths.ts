import { lstat, mkdir, stat } from 'node:fs/promises';
import { isAbsolute, join, relative, resolve } from 'node:path';
import { codeOf } from '../../util/error-code.js';
import { AdapterConfigError } from '../errors/adapter-error.js';
import type { ResolvedSandbox } from './isolation-config.js';
import { isInside, lenientRealPath } from './path-trust.js';

export interface SandboxPathsInput {
  readonly sandbox: ResolvedSandbox;
  /** The chosen working directory, against which relative paths are resolved. */
  readonly cwd: string | undefined;
  /** The actual working directory. @defaultValue `cwd` */
  readonly workingDirectory?: string | undefined;
  readonly addDirs: readonly string[];
  readonly tmpDir: string;
  /** The folder of all homes, and the prefix of their names. */
  readonly tempRoot: string;
  readonly prefix: string;
  readonly hostHome: string;
  /** The host's `CLAUDE_CONFIG_DIR`. */
  readonly hostConfigDir: string | undefined;
  /** Resolves links. @defaultValue the path stays as it is */
  readonly realPath?: ((path: string) => string) | undefined;
}

interface SandboxPaths {
  readonly allowWrite: readonly string[];
  readonly denyRead: readonly string[];
  readonly allowRead: readonly string[];
  /** The host's home, if it is a working directory and therefore readable. */
  readonly openHome: string | undefined;
}

/**
 * The paths that shell commands may write and read. The more specific of two entries wins, and of two equal ones the
 * allowing one (observed). So a denied file in a re-opened working directory stays denied.
 *
 * @throws {@link AdapterConfigError} a path cannot be resolved, or two entries contradict each other.
 */
export function sandboxPaths(input: SandboxPathsInput): SandboxPaths {
  const { sandbox, cwd, workingDirectory = cwd, addDirs, tmpDir, prefix, realPath = (path) => path } = input;
  const resolved = (name: 'writablePaths' | 'readablePaths' | 'denyRead'): string[] =>
    sandbox[name].map((path) => resolvePath(path, cwd, `isolation.sandbox.${name}`));
  const allowWrite = resolved('writablePaths');
  if (!sandbox.enabled) return { allowWrite, denyRead: [], allowRead: [], openHome: undefined };

  const readable = resolved('readablePaths');
  const denied = resolved('denyRead');
  const isSame = (a: string, b: string): boolean => realPath(a) === realPath(b);
  const isBelow = (path: string, parent: string): boolean => isInside(realPath(path), realPath(parent));
  const working = [...(workingDirectory === undefined ? [] : [workingDirectory]), ...addDirs].map((path) =>
    resolve(path),
  );
  for (const path of denied) {
    const contrary = [...working, ...readable].find((other) => isSame(other, path));
    if (contrary !== undefined) throw contradiction(path);
  }
  const home = resolve(input.hostHome);
  const openHome = isRoot(home) || working.some((path) => isSame(path, home)) ? home : undefined;
  const hidden = [
    ...(openHome === undefined ? [home] : configOf(home)),
    ...(input.hostConfigDir ? [resolve(input.hostConfigDir)] : []),
  ].filter((path) => !isRoot(path) && !working.some((other) => isSame(path, other)));
  const tempRoot = realPath(input.tempRoot);
  const homes = join(tempRoot, `${prefix}*`);
  const denyRead = unique([...hidden, ...denied, homes]);
  const reopened = [...working, ...allowWrite].filter(
    (path) => denyRead.some((parent) => isBelow(path, parent)) || isInHomes(realPath(path), tempRoot, prefix),
  );
  return { allowWrite, denyRead, allowRead: unique([tmpDir, ...reopened, ...readable]), openHome };
}

/** The CLI's own files, for a home that cannot be hidden as a whole. */
function configOf(home: string): string[] {
  return [join(home, '.claude'), join(home, '.claude.json')];
}

function resolvePath(path: string, cwd: string | undefined, where: string): string {
  if (path === '~' || path.startsWith('~/')) {
    throw new AdapterConfigError(`\`${where}\` has ${JSON.stringify(path)}, and ~ is not expanded`, [where], {
      hint: 'Give the absolute path, with os.homedir().',
    });
  }
  if (isAbsolute(path)) return resolve(path);
  if (cwd === undefined) {
    throw new AdapterConfigError(
      `\`${where}\` has the relative path ${JSON.stringify(path)}, and there is no working directory to resolve it against`,
      [where],
      { hint: 'Give `clientConfig.cwd`, a workspace, or an absolute path.' },
    );
  }
  return resolve(cwd, path);
}

function contradiction(path: string): AdapterConfigError {
  return new AdapterConfigError(
    `\`isolation.sandbox.denyRead\` names ${JSON.stringify(path)}, which is a working directory or one of \`readablePaths\``,
    ['isolation.sandbox.denyRead'],
    { hint: 'Deny what lies below it, or take it out of the other list.' },
  );
}

/** Whether a path is, or is in, one of the homes. Without links. */
function isInHomes(path: string, tempRoot: string, prefix: string): boolean {
  return isInside(path, tempRoot) && relative(tempRoot, path).startsWith(prefix);
}

const isRoot = (path: string): boolean => resolve(path, '..') === path;

const unique = (paths: readonly string[]): string[] => [...new Set(paths)];

const FIELD = 'isolation.sandbox.writablePaths';

/**
 * Creates missing relative paths. The CLI ignores a writable path that does not exist, and refuses writes through a
 * link out of the working directory.
 *
 * @throws {@link AdapterConfigError} an absolute path is missing, or a relative one leads elsewhere by a link.
 */
export async function makeWritablePaths(paths: readonly string[], cwd: string | undefined): Promise<void> {
  for (const path of paths) {
    if (isAbsolute(path)) await requirePath(path);
    // Without a working directory, the settings refused a relative path already.
    else if (cwd !== undefined) await makePath(path, cwd);
  }
}

async function requirePath(path: string): Promise<void> {
  try {
    await stat(path);
  } catch (cause) {
    throw refused(path, 'which does not exist', 'Make it, or give a relative path, which is made.', cause);
  }
}

async function makePath(path: string, cwd: string): Promise<void> {
  const target = resolve(cwd, path);
  // A path may name the outside openly, but not lead there by a link.
  if (isInside(target, resolve(cwd)) && !isInside(lenientRealPath(target), lenientRealPath(cwd))) {
    throw refused(path, 'which leads out of the working directory by a link', 'Name the target.');
  }
  try {
    if (await exists(target)) await stat(target);
    else await mkdir(target, { recursive: true });
  } catch (cause) {
    throw refused(path, `which cannot be made (${codeOf(cause) ?? 'unknown'})`, 'Make it.', cause);
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch {
    return false;
  }
}

function refused(path: string, what: string, hint: string, cause?: unknown): AdapterConfigError {
  return new AdapterConfigError(`\`${FIELD}\` has ${JSON.stringify(path)}, ${what}`, [FIELD], {
    hint,
    ...(cause === undefined ? {} : { cause }),
  });
}
