import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { AdapterConfigError } from '../errors/config-errors.js';
import type { ResolvedSandbox } from './sandbox-config.js';

export interface SandboxPathsInput {
  readonly sandbox: ResolvedSandbox;
  /** The child's working directory when one was chosen; relative paths are resolved against it. */
  readonly cwd: string | undefined;
  /** Where the child really runs. @defaultValue `cwd` */
  readonly workingDirectory?: string | undefined;
  readonly addDirs: readonly string[];
  readonly tmpDir: string;
  /** Where this run's home is made, and those of others; and how their names begin. */
  readonly tempRoot: string;
  readonly prefix: string;
  readonly hostHome: string;
  /** The host's `CLAUDE_CONFIG_DIR`. */
  readonly hostConfigDir: string | undefined;
  /** The path without links. @defaultValue the path itself */
  readonly realPath?: ((path: string) => string) | undefined;
}

export interface SandboxPaths {
  readonly allowWrite: readonly string[];
  readonly denyRead: readonly string[];
  readonly allowRead: readonly string[];
  /** The host's home, when commands may read it because it is where they work. */
  readonly openHome: string | undefined;
}

/**
 * What shell commands may write and read. Of two entries the more specific one holds, of two equal ones the allowing one
 * (seen on the CLI), so a denied file in a re-opened working directory stays denied.
 *
 * @throws {@link AdapterConfigError} a path that cannot be resolved, or two entries that contradict each other.
 */
export function sandboxPaths(input: SandboxPathsInput): SandboxPaths {
  const {
    sandbox,
    cwd,
    workingDirectory = cwd,
    addDirs,
    tmpDir,
    prefix,
    realPath = (path) => path,
  } = input;
  const resolved = (name: 'writablePaths' | 'readablePaths' | 'denyRead'): string[] =>
    sandbox[name].map((path) => resolvePath(path, cwd, `isolation.sandbox.${name}`));
  const allowWrite = resolved('writablePaths');
  if (!sandbox.enabled) return { allowWrite, denyRead: [], allowRead: [], openHome: undefined };

  const readable = resolved('readablePaths');
  const denied = resolved('denyRead');
  const isSame = (a: string, b: string): boolean => realPath(a) === realPath(b);
  const isBelow = (path: string, parent: string): boolean =>
    isInside(realPath(path), realPath(parent));
  const working = [...(workingDirectory === undefined ? [] : [workingDirectory]), ...addDirs].map(
    (path) => resolve(path),
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
    (path) =>
      denyRead.some((parent) => isBelow(path, parent)) ||
      isInHomes(realPath(path), tempRoot, prefix),
  );
  return { allowWrite, denyRead, allowRead: unique([tmpDir, ...reopened, ...readable]), openHome };
}

/** Where a home cannot be hidden as a whole, what the CLI keeps in it can. */
function configOf(home: string): string[] {
  return [join(home, '.claude'), join(home, '.claude.json')];
}

function resolvePath(path: string, cwd: string | undefined, where: string): string {
  if (path === '~' || path.startsWith('~/')) {
    throw new AdapterConfigError(
      `\`${where}\` has ${JSON.stringify(path)}, and ~ is not expanded`,
      [where],
      {
        hint: 'Give the absolute path, with os.homedir().',
      },
    );
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

/** Whether a path is one of the homes, or lies in one. Without links. */
function isInHomes(path: string, tempRoot: string, prefix: string): boolean {
  return isInside(path, tempRoot) && relative(tempRoot, path).startsWith(prefix);
}

/** Strictly. Both without links. */
export function isInside(path: string, parent: string): boolean {
  const way = relative(parent, path);
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

const isRoot = (path: string): boolean => resolve(path, '..') === path;

const unique = (paths: readonly string[]): string[] => [...new Set(paths)];
