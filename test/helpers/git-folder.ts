import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What git takes for a repository. */
export function makeGitFolder(path: string): void {
  for (const name of ['objects', 'refs']) mkdirSync(join(path, name), { recursive: true });
  writeFileSync(join(path, 'HEAD'), 'ref: refs/heads/main\n');
}
