import { isAbsolute } from 'node:path';
import { type JsonObject, stringField } from '../../../util/json.js';
import { Workspace } from '../../state/index.js';
import type { ToolCall } from '../hook-input.js';
import type { HookRun } from '../hook-run.js';
import { isCliConfiguration } from '../paths/cli-configuration.js';
import { judgePath, type PathScope } from '../paths/judge-path.js';
import { sessionFiles } from '../paths/session-files.js';
import { type Check, deny, type Verdict } from './check.js';

interface FileTool {
  /** Of the input; a missing one is no path. */
  readonly field: string;
  readonly access: 'read' | 'write';
}

const FILE_TOOLS: ReadonlyMap<string, FileTool> = new Map<string, FileTool>([
  ['Read', { field: 'file_path', access: 'read' }],
  ['Write', { field: 'file_path', access: 'write' }],
  ['Edit', { field: 'file_path', access: 'write' }],
  ['MultiEdit', { field: 'file_path', access: 'write' }],
  ['NotebookEdit', { field: 'notebook_path', access: 'write' }],
  ['Glob', { field: 'path', access: 'read' }],
  ['Grep', { field: 'path', access: 'read' }],
]);

/**
 * Keeps the file tools in the workspace and sends them to its copies; in an isolated run, keeps them from writing what a later start of
 * the CLI would load. Approves nothing.
 */
export const checkPaths: Check = async (call, run) => {
  const tool = FILE_TOOLS.get(call.toolName);
  if (tool === undefined) return undefined;
  const scope = scopeOf(call, run, tool.access);
  const guards = run.isolation !== undefined && tool.access === 'write';
  return (
    (await judgeField(call.toolInput, tool.field, scope, guards)) ??
    (await judgePattern(call, scope))
  );
};

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

async function judgeField(
  toolInput: JsonObject,
  field: string,
  scope: PathScope,
  guards: boolean,
): Promise<Verdict> {
  const asked = stringField(toolInput, field);
  if (asked === undefined) return undefined;
  const verdict = await judgePath(asked, scope);
  if (verdict.kind === 'denied') return deny(verdict.reason);
  const path = verdict.kind === 'rewritten' ? verdict.path : asked;
  const dirs = rooted(scope);
  if (guards && (await isCliConfiguration(path, dirs[0] ?? '', dirs))) {
    return deny(
      'Configuration of the CLI (`.claude`, `.mcp.json`) must not be written in an isolated run',
    );
  }
  if (verdict.kind === 'unchanged' || verdict.path === asked) return undefined;
  return { kind: 'rewrite', field, updatedInput: { ...toolInput, [field]: verdict.path } };
}

/** Glob takes a whole path as its pattern: the part before the first wildcard is where it looks. */
async function judgePattern({ toolName, toolInput }: ToolCall, scope: PathScope): Promise<Verdict> {
  const pattern = toolName === 'Glob' ? stringField(toolInput, 'pattern')?.trim() : undefined;
  if (pattern === undefined || scope.outside === 'allow') return undefined;
  if (/(?:^|[\\/{,(|])\.\.(?:[\\/},)|]|$)/.test(pattern)) {
    return deny('A Glob pattern must not leave the workspace: leave out the `..`');
  }
  if (!isAbsolute(pattern) && !pattern.startsWith('~')) return undefined;
  const verdict = await judgePath(fixedPart(pattern), {
    ...scope,
    root: undefined,
    insideDirs: rooted(scope),
  });
  return verdict.kind === 'denied' ? deny(verdict.reason) : undefined;
}

/** Up to the last whole folder before a wildcard: `/a/b*` also looks into `/a/bc`. */
function fixedPart(pattern: string): string {
  const wildcard = pattern.search(/[*?[{]/);
  return wildcard === -1 ? pattern : pattern.slice(0, wildcard).replace(/(?<![^\\/])[^\\/]*$/, '');
}

/** A pattern is not rewritten, so it is judged as if nothing were mounted. */
function rooted({ root, insideDirs }: PathScope): readonly string[] {
  return root === undefined ? insideDirs : [root, ...insideDirs];
}
