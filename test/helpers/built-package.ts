import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Builds the package's code (no declarations) into `.build/NAME/` as a package, and returns its `dist`. */
export function buildPackage(name: string): string {
  const folder = join(root, '.build', name);
  const dist = join(folder, 'dist');
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(root, 'scripts/build.mjs'), '--no-types', '--out-dir', dist],
    { encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(`the build failed: ${stderr}`);
  // `npm run demo -- --json` builds first, and its stdout is for a program to read.
  if (stdout !== '') throw new Error(`the build wrote to stdout: ${stdout}`);
  return dist;
}
