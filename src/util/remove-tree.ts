import { chmodSync, lstatSync, readdirSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from './error-code.js';

/** What still writes into the tree gets some time to end. */
const OPTIONS = { recursive: true, force: true, maxRetries: 5, retryDelay: 50 } as const;

/** Removes a file or a folder with its content, if it exists. Links are not followed. */
export async function removeTree(path: string): Promise<void> {
  try {
    await rm(path, OPTIONS);
  } catch (error) {
    if (!isRefused(error)) throw error;
    openFolders(path);
    await rm(path, OPTIONS);
  }
}

/** As {@link removeTree}, for where nothing asynchronous can happen. */
export function removeTreeSync(path: string): void {
  try {
    rmSync(path, OPTIONS);
  } catch (error) {
    if (!isRefused(error)) throw error;
    openFolders(path);
    rmSync(path, OPTIONS);
  }
}

/** Package managers leave folders that may not be written, and what is in one cannot be removed. */
function openFolders(path: string): void {
  if (!lstatSync(path).isDirectory()) return;
  chmodSync(path, 0o700);
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    if (entry.isDirectory()) openFolders(join(path, entry.name));
  }
}

function isRefused(error: unknown): boolean {
  return ['EACCES', 'EPERM'].includes(codeOf(error) ?? '');
}
