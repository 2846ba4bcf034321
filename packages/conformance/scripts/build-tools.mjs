import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const suite = fileURLToPath(new URL('..', import.meta.url));
const LIMIT_MS = 180_000;

/**
 * Builds claudewire and the suite into `folder`, without declarations, as they are when both are installed side by side.
 * Returns where the code of the suite is, and where that of claudewire is.
 */
export function buildTools(folder) {
  const claudewire = join(folder, 'node_modules', 'claudewire');
  mkdirSync(claudewire, { recursive: true });
  copyFileSync(join(root, 'package.json'), join(claudewire, 'package.json'));
  const sdk = join(claudewire, 'dist');
  run([join(root, 'scripts', 'build.mjs'), '--no-types', '--quiet', '--out-dir', sdk]);
  const dist = join(folder, 'dist');
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const config = join(suite, 'tsconfig.build.json');
  // `npm test` checks the types.
  run([tsc, '-p', config, '--outDir', dist, '--declaration', 'false', '--noCheck']);
  // The executable finds its data and its version beside `dist`.
  copyFileSync(join(suite, 'package.json'), join(folder, 'package.json'));
  return { dist, sdk };
}

function run(args) {
  const { status, stdout, stderr, error } = spawnSync(process.execPath, args, {
    encoding: 'utf8',
    timeout: LIMIT_MS,
  });
  if (status === 0) return;
  throw new Error(`${args[0]} failed (${error?.message ?? `exit ${status}`})\n${stdout}${stderr}`);
}
