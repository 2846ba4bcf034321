import { type Dirent, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parentsIn, type SubagentParents } from '../transcript/main-chain.js';
import { lstatAt, readSmallObject } from './open-file.js';

const FOLDER = 'subagents';
const FILE_NAME = /^agent-(.*)\.jsonl$/;

/** Deeper folders are ignored. */
const MAX_DEPTH = 16;
const MAX_SIDECAR_BYTES = 1_048_576;

/** A subagent's transcript. */
export interface SubagentFile {
  readonly agentId: string;
  readonly path: string;
  /** The path below the session's folder, with `/` and without `.jsonl`: its `subpath` in a store. */
  readonly subpath: string;
}

/** The transcripts below `<session>/subagents`, by name, a folder's own files first. Links are not followed. */
export function subagentFiles(sessionFolder: string): SubagentFile[] {
  if (lstatAt(sessionFolder)?.isDirectory() !== true) return [];
  return filesIn(join(sessionFolder, FOLDER), FOLDER, 0);
}

function filesIn(folder: string, subpath: string, depth: number): SubagentFile[] {
  const files: SubagentFile[] = [];
  const folders: string[] = [];
  for (const { name, isFile } of entriesOf(folder)) {
    const agentId = FILE_NAME.exec(name)?.[1];
    if (!isFile) folders.push(name);
    else if (agentId !== undefined) {
      const stem = name.slice(0, -'.jsonl'.length);
      files.push({ agentId, path: join(folder, name), subpath: `${subpath}/${stem}` });
    }
  }
  if (depth === MAX_DEPTH) return files;
  const nested = folders.map((name) => filesIn(join(folder, name), `${subpath}/${name}`, depth + 1));
  return [...files, ...nested.flat()];
}

/** Files and folders by name; none when `folder` is a link or does not exist. */
function entriesOf(folder: string): { readonly name: string; readonly isFile: boolean }[] {
  if (lstatAt(folder)?.isDirectory() !== true) return [];
  let entries: Dirent[];
  try {
    entries = readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
  return entries
    .filter((entry) => entry.isFile() || entry.isDirectory())
    .map((entry) => ({ name: entry.name, isFile: entry.isFile() }))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** Who started a subagent, from the sidecar of its transcript. Empty when that is missing or broken. */
export function parentsOf({ path }: SubagentFile): SubagentParents {
  return parentsIn(sidecarOf(path));
}

/** The fields of `agent-<id>.meta.json` beside a subagent's transcript. */
export function sidecarOf(path: string): Record<string, unknown> | undefined {
  return readSmallObject(path.replace(/\.jsonl$/, '.meta.json'), MAX_SIDECAR_BYTES);
}
