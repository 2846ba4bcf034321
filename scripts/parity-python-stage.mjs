/** What the parity stage with the Python SDK and the breaks of its rows share: the bundles, and a run of rows. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { installOfficial } from './official-sdk.mjs';
import { allowsNoPython, ensurePython, NoPython } from './python-env.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const parity = join(root, 'test', 'parity', 'python');
const harness = join(parity, 'harness');
const pure = join(parity, 'pure');

/** Both releases of the Python SDK. Without a Python it says so and ends the process, well if that is allowed. */
export function findPython() {
  try {
    return { python: ensurePython(), before: ensurePython({ isBefore: true }) };
  } catch (error) {
    if (!(error instanceof NoPython)) throw error;
    console.error(`parity-python: ${error.message}`);
    if (allowsNoPython()) {
      console.log('  not run: there is no Python, and ALLOW_NO_PYTHON=1 says that this is known');
      console.log('0 passed, 0 failed');
      process.exit(0);
    }
    console.log('0 passed, 1 failed');
    process.exit(1);
  }
}

function bundle(folder, entryPoints, plugins = []) {
  return build({
    absWorkingDir: root,
    bundle: true,
    keepNames: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    logLevel: 'warning',
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    packages: 'external',
    entryPoints,
    plugins,
  });
}

/** Bundles our two sides of the rows, with the sources as the plugins change them. */
export function buildOurs(folder, plugins = []) {
  const entries = { ours: join(harness, 'ours.ts'), 'pure-ours': join(pure, 'ours.ts') };
  return bundle(folder, entries, plugins);
}

/**
 * Bundles the harness.
 *
 * @returns a function that runs rows with the bundles of our sides in a folder.
 */
export async function prepareStage({ folder, python, before }) {
  mkdirSync(folder, { recursive: true });
  const official = installOfficial();
  await bundle(folder, {
    main: join(harness, 'main.ts'),
    official: join(harness, 'official.ts'),
    player: join(root, 'packages', 'cli', 'src', 'replay', 'main.ts'),
  });
  const { run } = await import(pathToFileURL(join(folder, 'main.mjs')).href);
  return (ours, more = {}) =>
    run({
      python,
      before,
      pythonDriver: join(harness, 'parity_driver.py'),
      driverFolder: join(root, 'packages', 'conformance', 'drivers', 'python'),
      oursDriver: join(ours, 'ours.mjs'),
      player: join(folder, 'player.mjs'),
      officialDriver: join(folder, 'official.mjs'),
      official: pathToFileURL(join(official.folder, 'sdk.mjs')).href,
      officialVersion: official.version,
      pureScript: join(pure, 'pure.py'),
      pureOurs: join(ours, 'pure-ours.mjs'),
      pureCli: join(root, 'test', 'fixtures', 'cli', 'writes-down.mjs'),
      ...more,
    });
}
