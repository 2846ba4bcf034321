/**
 * Builds the package into `dist/`.
 *
 *   node scripts/build.mjs [--out-dir DIR] [--no-types] [--quiet]
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
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { execaParts } from './execa-parts.mjs';
import { licensesOf } from './licenses.mjs';
import { pruneDeclarations, shrinkDeclarations } from './prune-declarations.mjs';
import { shorten } from './shorten.mjs';

const EXTERNAL = ['@modelcontextprotocol/sdk', 'ajv', 'ajv-formats', 'commander', 'pino', 'zod'];
/** CommonJS inside the bundle (parts of execa) asks for Node's modules with `require`. */
const REQUIRE =
  "import { createRequire as __createRequire } from 'node:module';\nconst require = __createRequire(import.meta.url);";

const root = fileURLToPath(new URL('..', import.meta.url));
const { values } = parseArgs({
  options: {
    'out-dir': { type: 'string', default: 'dist' },
    'no-types': { type: 'boolean' },
    quiet: { type: 'boolean' },
  },
});
const outDir = resolve(root, values['out-dir']);

/** Entries that share most of their code, besides the executable: names in `dist`, without `.js`. */
const NODE_ENTRIES = {
  index: 'src/index.ts',
  core: 'src/core.ts',
  'adapter/index': 'src/adapter/index.ts',
  'conformance/index': 'src/conformance/index.ts',
  'testing/index': 'src/testing/index.ts',
};

const DECLARED_ENTRIES = [
  'index.d.ts',
  'core.d.ts',
  'extract.d.ts',
  'browser.d.ts',
  'bridge.d.ts',
  'tool-types/index.d.ts',
  'adapter/index.d.ts',
  'conformance/index.d.ts',
  'testing/index.d.ts',
];

const shared = {
  absWorkingDir: root,
  outdir: outDir,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  external: EXTERNAL.flatMap((name) => [name, `${name}/*`]),
  legalComments: 'none',
  minifyWhitespace: true,
  minifySyntax: true,
  metafile: true,
  write: false,
  logLevel: 'warning',
};

/** Files under `src/conformance/` that the player and the recorder export: who needs them imports the program. */
const IN_PROGRAMS = {
  'player/play.js': 'player.mjs',
  'player/match.js': 'player.mjs',
  'player/variables.js': 'player.mjs',
  'recorder/recorder.js': 'recorder.mjs',
  'recorder/folders.js': 'recorder.mjs',
};
/** Both are one file each, and have to be there: a second copy of what is in them would be 40 KB more. */
const programsOnce = {
  name: 'programs-once',
  setup: ({ onResolve }) =>
    onResolve({ filter: /^\.{1,2}\/.*\.js$/ }, ({ path, resolveDir }) => {
      const file = relative(join(root, 'src', 'conformance'), resolve(resolveDir, path));
      const program = IN_PROGRAMS[file.replaceAll('\\', '/')];
      // Every output that needs one lies one folder down.
      return program && { path: `../${program}`, external: true, sideEffects: false };
    }),
};

rmSync(outDir, { recursive: true, force: true });
mkdirSync(outDir, { recursive: true });

const bundles = await Promise.all([
  build({
    ...shared,
    entryPoints: { ...NODE_ENTRIES, 'bin/claudewire': 'src/bin/claudewire.ts' },
    chunkNames: 'chunks/[name]-[hash]',
    splitting: true,
    banner: { js: REQUIRE },
    plugins: [programsOnce, execaParts],
  }),
  build({
    ...shared,
    entryPoints: {
      player: 'src/conformance/player/main.ts',
      recorder: 'src/conformance/recorder/main.ts',
    },
    outExtension: { '.js': '.mjs' },
    banner: { js: '#!/usr/bin/env node' },
  }),
  // Alone, each in one file: what they need of the others is little, and every shared chunk is one more file to load
  // for everybody. `browser` must not share any, since chunks are for Node.
  build({
    ...shared,
    entryPoints: { bridge: 'src/bridge.ts', extract: 'src/extract.ts' },
  }),
  build({
    ...shared,
    entryPoints: { browser: 'src/browser.ts' },
    platform: 'browser',
    external: [],
  }),
  // esbuild has printed the errors.
]).catch(() => fail('esbuild reported errors'));

await Promise.all(bundles.flatMap(({ outputFiles }) => outputFiles).map(writeShort));
for (const file of ['bin/claudewire.js', 'player.mjs', 'recorder.mjs'])
  chmodSync(join(outDir, file), 0o755);
cpSync(join(root, 'src/bin/demo/sessions'), join(outDir, 'demo'), { recursive: true });
copySchemas();
writeFileSync(
  join(values['out-dir'] === 'dist' ? root : outDir, 'THIRD_PARTY_LICENSES.md'),
  licensesOf(
    root,
    bundles.map(({ metafile }) => metafile),
  ),
);
// Types only: an `import` of it resolves to nothing at run time.
mkdirSync(join(outDir, 'tool-types'));
writeFileSync(join(outDir, 'tool-types', 'index.js'), 'export {};\n');
if (!values['no-types']) declare();
checkSize();

/** Without the blanks: they are for programs. */
function copySchemas() {
  const [from, to] = [join(root, 'schemas'), join(outDir, 'schemas')];
  mkdirSync(to);
  for (const file of readdirSync(from)) {
    const schema = JSON.parse(readFileSync(join(from, file), 'utf8'));
    writeFileSync(join(to, file), `${JSON.stringify(schema)}\n`);
  }
}

async function writeShort({ path, text }) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${await shorten(path, text)}\n`);
}

function declare() {
  const tsc = join(root, 'node_modules', '.bin', 'tsc');
  const { status } = spawnSync(tsc, ['-p', 'tsconfig.build.json', '--outDir', outDir], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (status !== 0) fail('tsc reported errors');
  pruneDeclarations(outDir, DECLARED_ENTRIES);
  shrinkDeclarations(outDir);
}

function checkSize() {
  const files = readdirSync(outDir, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  const bytes = files.reduce(
    (sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size,
    0,
  );
  // On stderr: stdout belongs to what runs after the build, such as `npm run demo -- --json`.
  if (values.quiet !== true) console.error(`${files.length} files, ${Math.round(bytes / 1024)} KB`);
}

function fail(message) {
  console.error(`build: ${message}`);
  process.exit(1);
}
