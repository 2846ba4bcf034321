import type { FileHandle } from 'node:fs/promises';
import { codeOf } from '../../util/error-code.js';
import { WorkspaceSecurityError } from '../errors/adapter-error.js';
import { AnchoredDirectory } from './anchored-directory.js';
import { chunksOf, digest } from './file-content.js';
import { closing } from './walk-down.js';
import type { OpaqueFile } from './workspace.js';

/** Larger files are not kept as text. */
const MAX_TEXT_BYTES = 32 * 1024 * 1024;
/** A model can nest folders without limit, and each level is kept open. */
const MAX_DEPTH = 200;
/** The CLI's own folder: its files must not become configuration on the host. */
const LEFT_OUT = '.claude';

/** Whether a folder of that name is left out. Ignores case, as some file systems do. */
export function isLeftOut(name: string): boolean {
  return name.toLowerCase() === LEFT_OUT;
}

export interface TextFile {
  /** Below the workspace, with `/`. */
  readonly path: string;
  readonly content: string;
  /** Permission bits. */
  readonly permissions: number;
}

/** The regular files of a directory, without links and folders named `.claude`. */
export interface WorkspaceFiles {
  readonly texts: readonly TextFile[];
  readonly opaque: readonly OpaqueFile[];
  /** Files that could not be read, and folders that are nested too deep. */
  readonly unread: readonly string[];
}

/** @param directory - Real and absolute. */
export async function readWorkspace(directory: string): Promise<WorkspaceFiles> {
  const found: Found = { texts: [], opaque: [], unread: [] };
  await closing(AnchoredDirectory.open(directory), (root) => readFolder(root, '', 0, found));
  return found;
}

type Found = { readonly [List in keyof WorkspaceFiles]: WorkspaceFiles[List][number][] };

async function readFolder(folder: AnchoredDirectory, path: string, depth: number, found: Found): Promise<void> {
  for (const entry of await folder.entries()) {
    const entryPath = path === '' ? entry.name : `${path}/${entry.name}`;
    try {
      if (entry.isFile()) await readEntry(folder, entry.name, entryPath, found);
      else if (entry.isDirectory() && !isLeftOut(entry.name)) {
        if (depth === MAX_DEPTH) found.unread.push(entryPath);
        else await closing(folder.openDirectory(entry.name), (child) => readFolder(child, entryPath, depth + 1, found));
      }
    } catch (error) {
      // Processes of the model may still swap, lock or remove entries. Such entries are not read.
      if (!isPassing(error)) throw error;
      if (codeOf(error) !== 'ENOENT') found.unread.push(entryPath);
    }
  }
}

async function readEntry(folder: AnchoredDirectory, name: string, path: string, found: Found): Promise<void> {
  const opened = await folder.openFile(name);
  if (opened === undefined) return;
  await closing(opened, async (file) => {
    const content = await readUtf8Text(file);
    const permissions = (await file.stat()).mode & 0o777;
    if (content === undefined) found.opaque.push({ path, ...(await digest(file)), permissions });
    else found.texts.push({ path, content, permissions });
  });
}

/** `undefined`: not UTF-8, or too large. */
async function readUtf8Text(file: FileHandle): Promise<string | undefined> {
  const { size } = await file.stat();
  if (size > MAX_TEXT_BYTES) return undefined;
  // A byte order mark is part of the content.
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let text = '';
  try {
    for await (const chunk of chunksOf(file, size)) text += decoder.decode(chunk, { stream: true });
    return text + decoder.decode();
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

function isPassing(error: unknown): boolean {
  return error instanceof WorkspaceSecurityError || ['ENOENT', 'EACCES', 'EPERM'].includes(codeOf(error) ?? '');
}
