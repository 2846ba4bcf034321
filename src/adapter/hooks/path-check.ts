import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path';
import { type JsonObject, stringField } from '../../util/json.js';
import { strictRealPath } from '../../util/strict-real-path.js';
import { Workspace } from '../state/index.js';
import { hasOddNames, isBelow, isReallyInside, readings } from './containment.js';
import type { HookRun } from './hook-run.js';
import { deny, type ToolCall, type Verdict } from './tool-call.js';

interface FileTool {
  /** The field of the input that has the path. */
  readonly field: string;
  readonly access: 'read' | 'write';
  readonly isList?: true;
}

const FILE_TOOLS: ReadonlyMap<string, FileTool> = new Map([
  ['Read', { field: 'file_path', access: 'read' }],
  ['Write', { field: 'file_path', access: 'write' }],
  ['Edit', { field: 'file_path', access: 'write' }],
  ['MultiEdit', { field: 'file_path', access: 'write' }],
  ['NotebookEdit', { field: 'notebook_path', access: 'write' }],
  ['Glob', { field: 'path', access: 'read' }],
  ['Grep', { field: 'path', access: 'read' }],
]);

/** Tools of the vendor's services, which send files from here and save others. */
const SERVICE_TOOLS: ReadonlyMap<string, readonly FileTool[]> = new Map([
  [
    'Artifact',
    [
      { field: 'file_path', access: 'read' },
      { field: 'file_paths', access: 'read', isList: true },
      { field: 'out_dir', access: 'write' },
    ],
  ],
  ['Projects', [{ field: 'local_path', access: 'write' }]],
]);

/** The file that a call of a file tool writes, as the model named it. */
export function writtenPath({ toolName, toolInput }: ToolCall): string | undefined {
  const tool = FILE_TOOLS.get(toolName);
  return tool?.access === 'write' ? stringField(toolInput, tool.field) : undefined;
}

/**
 * Keeps the file tools in the workspace and sends them to its copies. In an isolated run, also keeps them from writing
 * what a later start of the CLI would load. Approves nothing.
 */
export async function checkPaths(call: ToolCall, run: HookRun): Promise<Verdict> {
  const own = FILE_TOOLS.get(call.toolName);
  let { toolInput } = call;
  let found: Verdict;
  for (const { field, access, isList } of own === undefined ? (SERVICE_TOOLS.get(call.toolName) ?? []) : [own]) {
    const guards = run.isolation !== undefined && access === 'write';
    const verdict = await (isList ? judgeList : judgeField)(toolInput, field, scopeOf(call, run, access), guards);
    if (verdict?.kind === 'deny') return verdict;
    if (verdict?.kind === 'rewrite') ({ updatedInput: toolInput } = verdict);
    found = verdict ?? found;
  }
  // Also when the path is rewritten: an absolute pattern does not care for it.
  return (own && (await judgePattern(call, scopeOf(call, run, own.access)))) ?? found;
}

function scopeOf({ input }: ToolCall, run: HookRun, access: 'read' | 'write'): PathScope {
  const root = run.session.query(Workspace).latest()?.root;
  return {
    root: root !== undefined && isAbsolute(root) ? root : undefined,
    insideDirs: run.insideDirs,
    mounts: run.mounts,
    outside: run.outsideWorkspacePaths,
    sessionFiles: sessionFiles(input),
    access,
  };
}

async function judgeField(toolInput: JsonObject, field: string, scope: PathScope, guards: boolean): Promise<Verdict> {
  const asked = stringField(toolInput, field);
  if (asked === undefined) return undefined;
  const verdict = await judgePath(asked, scope);
  if (verdict.kind === 'denied') return deny(verdict.reason);
  const path = verdict.kind === 'rewritten' ? verdict.path : asked;
  const dirs = allDirs(scope);
  if (guards && (await isCliConfiguration(path, dirs[0] ?? '', dirs))) {
    return deny('Configuration of the CLI (`.claude`, `.mcp.json`) must not be written in an isolated run');
  }
  if (verdict.kind === 'unchanged' || verdict.path === asked) return undefined;
  return { kind: 'rewrite', field, updatedInput: { ...toolInput, [field]: verdict.path } };
}

/** {@link judgeField} for each path of a field with a list of them. */
async function judgeList(toolInput: JsonObject, field: string, scope: PathScope, guards: boolean): Promise<Verdict> {
  const given = toolInput[field];
  if (!Array.isArray(given)) return undefined;
  let paths: JsonObject = { ...given };
  for (const index of Object.keys(paths)) {
    const verdict = await judgeField(paths, index, scope, guards);
    if (verdict?.kind === 'deny') return verdict;
    if (verdict?.kind === 'rewrite') ({ updatedInput: paths } = verdict);
  }
  const list = Object.values(paths);
  if (list.every((path, index) => path === given[index])) return undefined;
  return { kind: 'rewrite', field, updatedInput: { ...toolInput, [field]: list } };
}

/** Glob takes a whole path as its pattern: the part before the first wildcard is where it looks. */
async function judgePattern({ toolName, toolInput }: ToolCall, scope: PathScope): Promise<Verdict> {
  const pattern = toolName === 'Glob' ? stringField(toolInput, 'pattern')?.trim() : undefined;
  if (pattern === undefined || scope.outside === 'allow') return undefined;
  if (/(?:^|[\\/{,(|])\.\.(?:[\\/},)|]|$)/.test(pattern)) {
    return deny('A Glob pattern must not leave the workspace: leave out the `..`');
  }
  if (!isAbsolute(pattern) && !pattern.startsWith('~')) return undefined;
  // A pattern is not rewritten, so it is judged as if nothing were mounted.
  const verdict = await judgePath(fixedPart(pattern), { ...scope, root: undefined, insideDirs: allDirs(scope) });
  return verdict.kind === 'denied' ? deny(verdict.reason) : undefined;
}

/** Up to the last whole folder before a wildcard: `/a/b*` also looks into `/a/bc`. */
function fixedPart(pattern: string): string {
  const wildcard = pattern.search(/[*?[{]/);
  return wildcard === -1 ? pattern : pattern.slice(0, wildcard).replace(/(?<![^\\/])[^\\/]*$/, '');
}

/** The first of `insideDirs` is where relative paths begin when there is no root. */
export interface PathScope extends Pick<HookRun, 'insideDirs' | 'mounts'> {
  /** Of the workspace; absolute. Without it nothing is rewritten. */
  readonly root: string | undefined;
  readonly outside: 'allow' | 'deny';
  readonly sessionFiles: SessionFiles | undefined;
  readonly access: 'read' | 'write';
}

type PathVerdict =
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'rewritten'; readonly path: string }
  | { readonly kind: 'denied'; readonly reason: string };

const UNCHANGED: PathVerdict = { kind: 'unchanged' };

/**
 * Whether a file tool may use a path, and under which name. Judged by where the path really leads, links included, and
 * for every way in which the CLI may read it. Later changes of the links by other processes are not seen.
 */
export async function judgePath(asked: string, scope: PathScope): Promise<PathVerdict> {
  const path = asked.trim();
  if (path === '') return UNCHANGED;
  if (path.includes('\0')) return denied(asked, 'contains a null byte');
  // The CLI expands it to the home directory.
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

/** The path itself too, with its `..` resolved after links: that reading must lead to the same place. */
function waysTo(path: string, base: string): readonly string[] {
  return [base === '' ? path : `${base}${sep}${path}`, ...readings(path, base)];
}

/** Without the white space around it, so that it cannot mean another file. */
function plain(asked: string, path: string): PathVerdict {
  return asked === path ? UNCHANGED : { kind: 'rewritten', path };
}

/** The copy of a mounted host path in the workspace, by either of its names. The innermost mount counts. */
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

async function rewriteTo(asked: string, ways: readonly string[], scope: PathScope): Promise<PathVerdict> {
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
  return own.length > 0 && own.every(Boolean) ? UNCHANGED : denied(asked, 'is outside the workspace');
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

/** The model reads the reason, so it shows the path as the model wrote it. */
function denied(asked: string, what: string): PathVerdict {
  return { kind: 'denied', reason: `The path ${JSON.stringify(asked.slice(0, 300))} ${what}` };
}

/** The CLI's own files of this session. Its tools need them although they are outside every working directory. */
interface SessionFiles {
  /** Long outputs. Read by the file tools, written by the CLI alone. */
  readonly outputs: string;
  readonly plans: string;
  /** End of the folder, below the child's temporary directory, that has the outputs of background commands. */
  readonly tasks: string;
}

/** Derived from the path of the transcript: `<config>/projects/<project>/<session>.jsonl`. */
function sessionFiles(input: JsonObject): SessionFiles | undefined {
  const transcript = stringField(input, 'transcript_path');
  if (transcript === undefined || !isAbsolute(transcript)) return undefined;
  const outputs = /^(.*[^/\\])\.jsonl$/s.exec(transcript)?.[1];
  if (outputs === undefined) return undefined;
  const project = dirname(outputs);
  return {
    outputs,
    plans: join(project, '..', '..', 'plans'),
    tasks: join(sep, basename(project), basename(outputs), 'tasks'),
  };
}

async function isSessionFile(
  files: SessionFiles | undefined,
  path: string,
  access: 'read' | 'write',
): Promise<boolean> {
  if (files === undefined) return false;
  if (dirname(path) === files.plans && path.endsWith('.md')) return isReallyInside([files.plans], path);
  if (access === 'write') return false;
  return (await isReallyInside([files.outputs], path)) || isTaskOutput(files, path);
}

/** `<tmp>/claude-<uid>/<project>/<session>/tasks/<id>.output`, as a real path: a link of that name leads elsewhere. */
async function isTaskOutput({ tasks }: SessionFiles, path: string): Promise<boolean> {
  const real = await strictRealPath(path).catch(() => '');
  const folder = dirname(real);
  if (!real.endsWith('.output') || !folder.endsWith(tasks)) return false;
  return /^claude(?:-\d+)?$/.test(basename(folder.slice(0, -tasks.length)));
}

const CONFIGURATION_NAMES = new Set(['.claude', '.mcp.json']);

/**
 * Whether a later, plain start of the CLI would load the path as configuration of a working directory: hooks, servers,
 * skills. By name and by where it really leads, at any depth, in any case.
 * @param dirs - absolute
 */
async function isCliConfiguration(path: string, base: string, dirs: readonly string[]): Promise<boolean> {
  const ways = readings(path, base);
  const real = await Promise.all(ways.map((way) => strictRealPath(way).catch(() => way)));
  const folders = await Promise.all(dirs.map((dir) => strictRealPath(dir).catch(() => dir)));
  return [...ways, ...real].some((way) =>
    [...dirs, ...folders].some((dir) => isBelow(dir, way) && hasName(relative(dir, way))),
  );
}

function hasName(way: string): boolean {
  return way.split(/[\\/]/).some((name) => CONFIGURATION_NAMES.has(folded(name)));
}

/** As lenient file systems compare names: without case, compatible or invisible letters, and dots at the end. */
function folded(name: string): string {
  return name
    .normalize('NFKC')
    .replace(/\p{Cf}/gu, '')
    .replace(/(?<![ .])[ .]+$/, '')
    .toLowerCase();
}
