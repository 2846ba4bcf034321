import { type Dirent, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { JsonObject } from '../../util/json.js';
import { lstatAt, readSmallObject } from './open-file.js';

const FOLDER = 'subagents';
const MAX_SIDECAR_BYTES = 1_048_576;

/** A transcript below a session's folder. */
export interface TranscriptBelow {
  readonly path: string;
  /** The path below the session's folder, with `/` and without `.jsonl`: its `subpath` in a store. */
  readonly subpath: string;
}

/**
 * The transcripts below `<session>/subagents`, by name, a folder's own files first. Links are not followed.
 * @param onUnreadable - Called for a folder that cannot be read. @defaultValue it counts as empty
 */
export function transcriptsBelow(
  sessionFolder: string,
  onUnreadable: (folder: string, error: unknown) => void = () => {},
): TranscriptBelow[] {
  const walk = (subpath: string): TranscriptBelow[] => {
    const folder = join(sessionFolder, subpath);
    if (!isFolder(folder)) return [];
    let entries: Dirent[];
    try {
      entries = readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
    } catch (error) {
      onUnreadable(folder, error);
      return [];
    }
    const files = entries.filter((entry) => entry.isFile() && entry.name.endsWith('.jsonl'));
    return [
      ...files.map(({ name }) => ({ path: join(folder, name), subpath: `${subpath}/${basename(name, '.jsonl')}` })),
      ...entries.filter((entry) => entry.isDirectory()).flatMap(({ name }) => walk(`${subpath}/${name}`)),
    ];
  };
  return isFolder(sessionFolder) ? walk(FOLDER) : [];
}

/** A link could lead anywhere. */
function isFolder(path: string): boolean {
  return lstatAt(path)?.isDirectory() === true;
}

/** The id of the subagent whose transcript has this subpath: `x` for `subagents/agent-x`, also in a nested folder. */
export function agentOf(subpath: string): string | undefined {
  return /^subagents\/(?:.*\/)?agent-([^/]*)$/s.exec(subpath)?.[1] || undefined;
}

/** The fields of `agent-<id>.meta.json` beside a subagent's transcript. `undefined` when it is missing or broken. */
export function sidecarOf(path: string): JsonObject | undefined {
  return readSmallObject(path.replace(/\.jsonl$/, '.meta.json'), MAX_SIDECAR_BYTES);
}
