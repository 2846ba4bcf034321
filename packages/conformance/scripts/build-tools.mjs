import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execaSync } from 'execa';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const suite = fileURLToPath(new URL('..', import.meta.url));
const LIMIT_MS = 180_000;

/**
 * Builds claudewire and the suite into `folder`, without declarations, as they are when both are installed side by side.
 * Returns where the code of the suite is, and where that of claudewire is.
 */
export function buildTools(folder) {
  const sdk = join(folder, 'node_modules', 'claudewire', 'dist');
  // A build that fails throws, with what it said.
  const options = { timeout: LIMIT_MS };
  execaSync(process.execPath, [join(root, 'scripts', 'build.mjs'), '--no-types', '--quiet', '--out-dir', sdk], options);
  const dist = join(folder, 'dist');
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const config = join(suite, 'tsconfig.build.json');
  // `npm test` checks the types.
  execaSync(process.execPath, [tsc, '-p', config, '--outDir', dist, '--declaration', 'false', '--noCheck'], options);
  // The executable finds its data and its version beside `dist`.
  copyFileSync(join(suite, 'package.json'), join(folder, 'package.json'));
  return { dist, sdk };
}
