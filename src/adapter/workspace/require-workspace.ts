import { isJsonObject } from '../../util/json.js';
import { wrongArgument } from '../options/read-fields.js';
import type { Session } from '../state/index.js';
import type { ClaudeAgentWorkspace } from './workspace.js';

/** @throws AdapterConfigError it is no workspace. */
export function requireWorkspace(call: string, workspace: ClaudeAgentWorkspace): void {
  // Also one of another copy of this package.
  if (typeof workspace?.tempDir === 'string' && isJsonObject(workspace.vfsSnapshot)) return;
  const cure = 'Pass the `workspace` of a ClaudeAgentWorkspaceSection.';
  throw wrongArgument('workspace', `${call}() takes a ClaudeAgentWorkspace`, workspace, cure);
}

/** @throws AdapterConfigError it is no session. */
export function requireSession(call: string, session: Session): void {
  if (typeof session?.query === 'function' && typeof session.mutate === 'function') return;
  const cure = 'Pass the `session` of a response, or the one that the section was made with.';
  throw wrongArgument('session', `${call}() takes a Session as its first argument`, session, cure);
}
