import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Session } from '../../../src/adapter/state/index.js';
import { syncWorkspaceToVfs } from '../../../src/adapter/workspace/workspace-changes.js';
import { ClaudeAgentWorkspaceSection } from '../../../src/adapter/workspace/workspace-section.js';
import { type WriteBackOptions, writeBackToHost } from '../../../src/adapter/workspace/write-back.js';
import { harvest, plant, scratch, type Tree } from './scratch.js';

/** The folder `m` of the host, mounted; what is written back goes where it came from. */
export async function mounted(tree: Tree, root = scratch()) {
  const host = plant(join(root, 'host', 'm'), tree);
  const session = new Session();
  const section = await ClaudeAgentWorkspaceSection.create({
    session,
    tempRoot: plant(join(root, 'tmp'), {}),
    mounts: [{ hostPath: host }],
  });
  const target = join(root, 'host');
  return {
    root,
    session,
    section,
    host,
    target,
    /** Where the model works. */
    inside: join(section.tempDir, 'm'),
    sync: () => syncWorkspaceToVfs(session, section.workspace),
    writeBack: (options?: WriteBackOptions) => writeBackToHost(session, section.workspace, target, options),
  };
}

/** Files with their content, folders, and what may be run: everything that a write back may change. */
export function stateOf(folder: string): Record<string, string> {
  const found: Record<string, string> = {};
  const walk = (at: string, path: string): void => {
    for (const name of readdirSync(at)) {
      const entry = statSync(join(at, name));
      const entryPath = `${path}${name}`;
      if (entry.isDirectory()) {
        found[`${entryPath}/`] = 'folder';
        walk(join(at, name), `${entryPath}/`);
      } else found[entryPath] = `${(entry.mode & 0o777).toString(8)}`;
    }
  };
  walk(folder, '');
  const files = harvest(folder);
  for (const [path, content] of Object.entries(files)) found[path] = `${found[path]} ${content}`;
  return found;
}
