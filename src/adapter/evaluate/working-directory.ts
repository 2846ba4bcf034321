import { isAbsolute, join, resolve } from 'node:path';
import type { HookRun } from '../hooks/hook-run.js';
import type { Session } from '../session/session.js';
import { ClaudeAgentWorkspace } from '../workspace/workspace.js';
import type { ResolvedClientConfig } from './client-config.js';

export interface WorkingDirectory {
  /** `undefined`: the host's. */
  readonly cwd: string | undefined;
  /** Further directories for the CLI. */
  readonly addDirs: readonly string[];
  /** All of them, absolute; the child's own first. */
  readonly insideDirs: readonly string[];
  readonly mounts: HookRun['mounts'];
  readonly workspace: ClaudeAgentWorkspace | undefined;
}

/** Where a run works: the configured directory, else the workspace of the session, else the host's. */
export function workingDirectory(
  { cwd, addDirs }: Pick<ResolvedClientConfig, 'cwd' | 'addDirs'>,
  session: Session,
): WorkingDirectory {
  const workspace = session.query(ClaudeAgentWorkspace).latest();
  const own = cwd ?? workspace?.tempDir;
  const extra = workspace === undefined ? addDirs : [...new Set([...addDirs, workspace.tempDir])];
  const base = resolve(own ?? '.');
  return {
    cwd: own,
    addDirs: extra,
    insideDirs: [base, ...extra.map((each) => (isAbsolute(each) ? each : resolve(base, each)))],
    mounts: (workspace?.mountPreviews ?? []).map(({ resolvedHost, mountPath }) => ({
      hostPath: resolvedHost,
      copyPath: join(workspace?.tempDir ?? '', ...mountPath.split('/')),
    })),
    workspace,
  };
}
