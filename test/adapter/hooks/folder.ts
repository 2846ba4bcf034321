import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';

/** What to make: a text is a file, a list of one a link to it, an object a folder. */
export interface Tree {
  readonly [name: string]: string | readonly [target: string] | Tree;
}

/** A folder that goes with the test. Its path is a real one. */
export function folderWith(tree: Tree): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'cw-hooks-')));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  plant(root, tree);
  return root;
}

export function plant(folder: string, tree: Tree): void {
  for (const [name, entry] of Object.entries(tree)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    if (typeof entry === 'string') writeFileSync(path, entry);
    else if (Array.isArray(entry)) symlinkSync(String(entry[0]), path);
    else {
      mkdirSync(path, { recursive: true });
      plant(path, entry as Tree);
    }
  }
}
