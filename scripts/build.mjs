/**
 * Builds the package into `dist/`.
 *
 *   node scripts/build.mjs [--out-dir DIR] [--no-types]
 *
 * Bundles (esbuild), copies the shipped scenarios, writes the declarations (tsc) and
 * THIRD_PARTY_LICENSES.md, and fails when the result is larger than promised.
 */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { build, transform } from 'esbuild';
import { licensesOf } from './licenses.mjs';
import { pruneDeclarations } from './prune-declarations.mjs';

const MAX_BYTES = 1024 * 1024;
const EXTERNAL = ['@modelcontextprotocol/sdk', 'ajv', 'ajv-formats', 'pino', 'zod'];
/** CommonJS inside the bundle (parts of execa and commander) asks for Node's modules with `require`. */
const REQUIRE =
  "import { createRequire as __createRequire } from 'node:module';\nconst require = __createRequire(import.meta.url);";

const root = fileURLToPath(new URL('..', import.meta.url));
const { values } = parseArgs({
  options: { 'out-dir': { type: 'string', default: 'dist' }, 'no-types': { type: 'boolean' } },
});
const outDir = resolve(root, values['out-dir']);

/** A third of the bundled packages' size is comments, which esbuild keeps; their licences are written apart. */
const dropComments = {
  name: 'drop-comments',
  setup({ onLoad }) {
    onLoad({ filter: /node_modules.*\.[cm]?js$/ }, async ({ path }) => {
      const { code } = await transform(readFileSync(path, 'utf8'), { minifyWhitespace: true });
      return { contents: code };
    });
  },
};

const shared = {
  absWorkingDir: root,
  outdir: outDir,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  external: EXTERNAL.flatMap((name) => [name, `${name}/*`]),
  legalComments: 'none',
  metafile: true,
  plugins: [dropComments],
  logLevel: 'warning',
};

rmSync(outDir, { recursive: true, force: true });
mkdirSync(outDir, { recursive: true });

const [main, player] = await Promise.all([
  build({
    ...shared,
    entryPoints: { index: 'src/index.ts', 'bin/claudewire': 'src/bin/claudewire.ts' },
    chunkNames: 'chunks/[name]-[hash]',
    splitting: true,
    banner: { js: REQUIRE },
  }),
  build({
    ...shared,
    entryPoints: { player: 'src/conformance/player/main.ts' },
    outExtension: { '.js': '.mjs' },
    banner: { js: '#!/usr/bin/env node' },
  }),
  // esbuild has printed the errors.
]).catch(() => fail('esbuild reported errors'));

for (const file of ['bin/claudewire.js', 'player.mjs']) chmodSync(join(outDir, file), 0o755);
cpSync(join(root, 'scenarios'), join(outDir, 'scenarios'), { recursive: true });
writeFileSync(
  join(values['out-dir'] === 'dist' ? root : outDir, 'THIRD_PARTY_LICENSES.md'),
  licensesOf(root, [main.metafile, player.metafile]),
);
if (!values['no-types']) declare();
checkSize();

function declare() {
  const tsc = join(root, 'node_modules', '.bin', 'tsc');
  const { status } = spawnSync(tsc, ['-p', 'tsconfig.build.json', '--outDir', outDir], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (status !== 0) fail('tsc reported errors');
  pruneDeclarations(outDir, ['index.d.ts']);
}

function checkSize() {
  const files = readdirSync(outDir, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  const bytes = files.reduce(
    (sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size,
    0,
  );
  if (bytes > MAX_BYTES) fail(`${outDir} has ${bytes} bytes, more than ${MAX_BYTES}`);
  // On stderr: stdout belongs to what runs after the build, such as `npm run demo -- --json`.
  console.error(`${files.length} files, ${Math.round(bytes / 1024)} KB`);
}

function fail(message) {
  console.error(`build: ${message}`);
  process.exit(1);
}
