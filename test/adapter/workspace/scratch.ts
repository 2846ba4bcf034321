import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';

export type Tree = Readonly<Record<string, string | Uint8Array | { readonly link: string }>>;

/** A folder for one test, removed when it ends. Its path is real. */
export function scratch(): string {
  const path = makeScratch();
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** The caller removes it. */
export function makeScratch(): string {
  return realpathSync(mkdtempSync(join(tmpdir(), 'cw-workspace-')));
}

/** Writes files and links below a folder, and gives it back. */
export function plant(folder: string, tree: Tree): string {
  mkdirSync(folder, { recursive: true });
  for (const [path, content] of Object.entries(tree)) {
    const at = join(folder, path);
    mkdirSync(dirname(at), { recursive: true });
    if (typeof content === 'string' || content instanceof Uint8Array) writeFileSync(at, content);
    else symlinkSync(content.link, at);
  }
  return folder;
}

/** Every entry below a folder: content of files as latin1, so that it is exact; links and folders by what they are. */
export function harvest(folder: string): Record<string, string> {
  const found: Record<string, string> = {};
  const walk = (at: string, path: string): void => {
    for (const entry of readdirSync(at, { withFileTypes: true })) {
      const entryPath = path === '' ? entry.name : `${path}/${entry.name}`;
      if (entry.isDirectory()) walk(join(at, entry.name), entryPath);
      else if (entry.isFile()) found[entryPath] = readFileSync(join(at, entry.name), 'latin1');
      else found[entryPath] = '<special>';
    }
  };
  walk(folder, '');
  return found;
}
