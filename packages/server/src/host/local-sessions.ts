import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { unlessMissing } from '../stores/file-errors.js';

/** Folders in a home of Claude Code whose entries are named after sessions. */
const BY_SESSION = ['file-history', 'session-env', 'todos'];

/**
 * Removes what Claude Code has written about sessions into the home of a tenant on this machine: transcripts with those of
 * sub-agents, file history, to-do lists.
 * @param home - `CLAUDE_CONFIG_DIR`.
 */
export async function removeLocalSessions(home: string, sessions: ReadonlySet<string>): Promise<void> {
  if (sessions.size === 0) return;
  const projects = join(home, 'projects');
  const names = (await unlessMissing(readdir(projects))) ?? [];
  const folders = [...names.map((name) => join(projects, name)), ...BY_SESSION.map((name) => join(home, name))];
  for (const folder of folders) {
    for (const entry of await entriesOf(folder)) {
      // A name begins with the id of its session.
      if (sessions.has(entry.slice(0, 36))) await rm(join(folder, entry), { recursive: true, force: true });
    }
  }
}

/** None where there is no folder. */
async function entriesOf(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch {
    return [];
  }
}
