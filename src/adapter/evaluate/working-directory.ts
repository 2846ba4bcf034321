import { isAbsolute, join, resolve } from 'node:path';
import { absolutePath } from '../../util/host-places.js';
import { AdapterConfigError } from '../errors/adapter-error.js';
import type { HookRun } from '../hooks/hook-run.js';
import type { RenderedPrompt, SectionPlace } from '../prompt/index.js';
import type { Session } from '../state/index.js';
import { ClaudeAgentWorkspace, ClaudeAgentWorkspaceSection } from '../workspace/index.js';
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
  const base = absolutePath('cwd', own ?? '.');
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

/**
 * Refuses a prompt that describes another workspace: tools would change the host's own files, which the model takes for
 * copies.
 *
 * @param places - Of the prompt's template.
 * @throws {@link AdapterConfigError}
 */
export function refuseOtherWorkspace(
  { sections }: RenderedPrompt<unknown>,
  places: readonly SectionPlace[],
  { workspace }: WorkingDirectory,
  session: Session,
): void {
  for (const { section, path } of places) {
    if (!(section instanceof ClaudeAgentWorkspaceSection)) continue;
    const isShown = sections.some((each) => each.path === path);
    if (!isShown || section.tempDir === workspace?.tempDir) continue;
    const isOwn = section.session === session;
    throw new AdapterConfigError(
      `The run would not work in the workspace of section "${path}": ${isOwn ? 'its session has another workspace by now' : 'the evaluation has another session'}`,
      ['options.session'],
      {
        hint: isOwn
          ? 'Use one workspace section for each session.'
          : 'Pass the session that the workspace was created with, or `clone()` the section for this one.',
      },
    );
  }
}
