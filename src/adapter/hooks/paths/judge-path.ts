import { isAbsolute, join, relative, sep } from 'node:path';
import { hasOddNames, isBelow, isReallyInside, readings } from './containment.js';
import { isSessionFile, type SessionFiles } from './session-files.js';
import { strictRealPath } from './strict-real-path.js';

export interface PathScope {
  /** Of the workspace; absolute. Without it nothing is rewritten. */
  readonly root: string | undefined;
  /** Absolute; the first is where relative paths begin when there is no root. */
  readonly insideDirs: readonly string[];
  /** `hostPath` is a real path. */
  readonly mounts: readonly { readonly hostPath: string; readonly copyPath: string }[];
  readonly outside: 'allow' | 'deny';
  readonly sessionFiles: SessionFiles | undefined;
  readonly access: 'read' | 'write';
}

export type PathVerdict =
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'rewritten'; readonly path: string }
  | { readonly kind: 'denied'; readonly reason: string };

const UNCHANGED: PathVerdict = { kind: 'unchanged' };

/**
 * Whether a file tool may have a path, and under which name. Judged by where the path really leads, links included,
 * and for every way in which the CLI may read it. What another process does to the links afterwards is not seen.
 */
export async function judgePath(asked: string, scope: PathScope): Promise<PathVerdict> {
  const path = asked.trim();
  if (path === '') return UNCHANGED;
  if (path.includes('\0')) return denied(asked, 'holds a null byte');
  // The CLI puts the home directory there.
  if (/^~(?:[\\/]|$)/.test(path)) return elsewhere(asked, scope);
  if (hasOddNames(path)) return elsewhere(asked, scope);
  return isAbsolute(path) ? judgeAbsolute(asked, path, scope) : judgeRelative(asked, path, scope);
}

async function judgeRelative(asked: string, path: string, scope: PathScope): Promise<PathVerdict> {
  const { root, insideDirs } = scope;
  if (root !== undefined) {
    const ways = readings(path, root);
    return ways.every((way) => isBelow(root, way)) ? rewriteTo(asked, ways, scope) : leaves(asked);
  }
  const [base] = insideDirs;
  if (base === undefined || scope.outside === 'allow') return UNCHANGED;
  return (await areInside(insideDirs, waysTo(path, base))) ? plain(asked, path) : leaves(asked);
}

async function judgeAbsolute(asked: string, path: string, scope: PathScope): Promise<PathVerdict> {
  const dirs = allDirs(scope);
  const ways = waysTo(path, '');
  if (await areInside(dirs, ways)) return plain(asked, path);
  const copy = scope.root === undefined ? undefined : await copyOf(path, scope);
  if (copy !== undefined) return rewriteTo(asked, readings(copy, ''), scope);
  return elsewhere(asked, scope, ways);
}

/** The path itself too, with its `..` taken after links: whoever reads it so must find nothing else. */
function waysTo(path: string, base: string): readonly string[] {
  return [base === '' ? path : `${base}${sep}${path}`, ...readings(path, base)];
}

/** Without the white space around it, so that nobody can mean another file by it. */
function plain(asked: string, path: string): PathVerdict {
  return asked === path ? UNCHANGED : { kind: 'rewritten', path };
}

/** The path in the workspace of what was mounted from the host, by either name of it; the innermost mount counts. */
async function copyOf(path: string, { mounts }: PathScope): Promise<string | undefined> {
  const [name = path] = readings(path, '');
  return copyIn(mounts, name) ?? copyIn(mounts, await strictRealPath(name).catch(() => name));
}

function copyIn(mounts: PathScope['mounts'], path: string): string | undefined {
  const [mount] = mounts
    .filter(({ hostPath }) => isBelow(hostPath, path))
    .sort((a, b) => b.hostPath.length - a.hostPath.length);
  return mount && join(mount.copyPath, relative(mount.hostPath, path));
}

async function rewriteTo(
  asked: string,
  ways: readonly string[],
  scope: PathScope,
): Promise<PathVerdict> {
  const path = ways.at(-1);
  if (path === undefined || !(await areInside(allDirs(scope), ways))) return leaves(asked);
  return { kind: 'rewritten', path };
}

async function elsewhere(
  asked: string,
  { outside, sessionFiles, access }: PathScope,
  ways: readonly string[] = [],
): Promise<PathVerdict> {
  if (outside === 'allow') return UNCHANGED;
  const own = await Promise.all(ways.map((way) => isSessionFile(sessionFiles, way, access)));
  return own.length > 0 && own.every(Boolean)
    ? UNCHANGED
    : denied(asked, 'is outside the workspace');
}

async function areInside(dirs: readonly string[], ways: readonly string[]): Promise<boolean> {
  for (const way of ways) {
    if (!(await isReallyInside(dirs, way))) return false;
  }
  return true;
}

function allDirs({ root, insideDirs }: PathScope): readonly string[] {
  return root === undefined ? insideDirs : [root, ...insideDirs];
}

function leaves(asked: string): PathVerdict {
  return denied(asked, 'leads out of the workspace');
}

/** Told to the model, so a path is shown as it wrote it. */
function denied(asked: string, what: string): PathVerdict {
  return { kind: 'denied', reason: `The path ${JSON.stringify(asked.slice(0, 300))} ${what}` };
}
