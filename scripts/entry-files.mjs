/** The files at the root of the package that lead into `dist/`, under the names that the official package has. */
import { copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const targets = Object.values(exports).flatMap((target) =>
  typeof target === 'string' ? [target] : Object.values(target),
);
const entryFiles = [...new Set(targets)].filter((target) => !target.startsWith('./dist/'));

/** Makes a package of a folder that has or gets a `dist/`: its package.json and the files that lead into `dist/`. */
export function copyEntryFiles(folder) {
  mkdirSync(folder, { recursive: true });
  for (const file of entryFiles) copyFileSync(join(root, file), join(folder, file));
}

/** The declarations in `dist/` to which the exports of package.json lead, relative to it. */
export function exportedDeclarations() {
  return targets
    .filter((target) => target.endsWith('.d.ts'))
    .flatMap((target) => {
      if (target.startsWith('./dist/')) return [target.slice('./dist/'.length)];
      const imports = readFileSync(join(root, target), 'utf8').matchAll(/'\.\/dist\/(.+)\.js'/g);
      return [...imports].map(([, path]) => `${path}.d.ts`);
    });
}
