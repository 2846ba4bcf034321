/**
 * Builds the package into `dist/`: rolldown bundles the code (`rolldown.config.mjs`), tsc writes the declarations.
 *
 *   node scripts/build.mjs [--out-dir DIR] [--no-types] [--quiet]
 *
 * Another DIR that is called `dist` also gets beside it what makes its parent a package: package.json and entry files.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { decode, encode } from '@jridgewell/sourcemap-codec';
import { build } from 'rolldown';
import { buildPage } from '../packages/viewer/scripts/build-page.mjs';
import configs from '../rolldown.config.mjs';
import { copyEntryFiles, exportedDeclarations } from './entry-files.mjs';
import { twinFiles } from './twin.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const { values } = parseArgs({
  options: {
    'out-dir': { type: 'string', default: 'dist' },
    'no-types': { type: 'boolean' },
    quiet: { type: 'boolean' },
  },
});
const outDir = resolve(root, values['out-dir']);

rmSync(outDir, { recursive: true, force: true });
const chunks = new Map();
for (const config of configs) {
  const { output } = await build({ ...config, cwd: root, output: { ...config.output, dir: outDir } });
  for (const chunk of output) if (chunk.type === 'chunk') chunks.set(chunk.fileName, chunk);
}
for (const program of ['bin/claudewire.js', 'player.mjs', 'recorder.mjs']) {
  chmodSync(join(outDir, program), 0o755);
}
cpSync(join(root, 'packages/cli/src/demo/sessions'), join(outDir, 'demo'), { recursive: true });
await buildPage(join(outDir, 'viewer.html.gz'));
for (const name of filesWithoutMap(['viewer.js', 'bin/claudewire.js', 'browser.js'])) removeMap(name);
for (const name of chunks.keys()) thinMap(join(outDir, `${name}.map`));
await writeSchema();
writeFileSync(join(outDir, 'drop-in.json'), `${JSON.stringify(twinFiles(), null, 2)}\n`);
if (!values['no-types']) {
  writeDeclarations();
  removeUnreachedDeclarations();
}
if (basename(outDir) === 'dist' && dirname(outDir) !== resolve(root)) copyEntryFiles(dirname(outDir));
// On stderr: stdout belongs to what runs after the build, such as `npm run demo -- --json`.
if (!values.quiet) console.error(`built ${outDir}`);

/**
 * Commands, what bundlers take apart, and files that nothing else loads: a map is twice as large as the code, and the
 * package has a limit.
 */
function filesWithoutMap(entries) {
  const isOther = ({ isEntry, fileName }) => isEntry && !entries.includes(fileName);
  const others = new Set([...chunks.values()].filter(isOther).map(({ fileName }) => fileName));
  for (const name of others) {
    const { imports = [], dynamicImports = [] } = chunks.get(name) ?? {};
    for (const each of [...imports, ...dynamicImports]) others.add(each);
  }
  return [...chunks.keys()].filter((name) => !others.has(name));
}

function removeMap(name) {
  const file = join(outDir, name);
  rmSync(`${file}.map`, { force: true });
  writeFileSync(file, readFileSync(file, 'utf8').replace(/^\/\/# sourceMappingURL=.*\n?/m, ''));
}

/** A place in the code leads to the line of its source, not to the column: the code has the lines of the source. */
function thinMap(file) {
  if (!existsSync(file)) return;
  const map = JSON.parse(readFileSync(file, 'utf8'));
  const isOther = ([, source, line], before) => before === undefined || source !== before[1] || line !== before[2];
  const lines = decode(map.mappings).map((line) => line.filter((segment, at) => isOther(segment, line[at - 1])));
  writeFileSync(file, JSON.stringify({ ...map, mappings: encode(lines) }));
}

async function writeSchema() {
  const { RUN_REPORT_SCHEMA } = await import(pathToFileURL(join(outDir, 'adapter/index.js')).href);
  mkdirSync(join(outDir, 'schemas'));
  const file = join(outDir, 'schemas/run-report.schema.json');
  // For programs: indented it would be twice as long.
  writeFileSync(file, `${JSON.stringify(RUN_REPORT_SCHEMA)}\n`);
}

function writeDeclarations() {
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const args = [tsc, '-p', 'tsconfig.build.json', '--outDir', outDir];
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: ['ignore', 2, 2] });
  if (status !== 0) process.exit(status ?? 1);
}

/** tsc writes one declaration for each source file. Most are of the inside, and no entry point leads to them. */
function removeUnreachedDeclarations() {
  const reached = new Set(exportedDeclarations().map((path) => join(outDir, path)));
  for (const file of reached) {
    const imports = readFileSync(file, 'utf8').matchAll(/\b(?:from|import\() ?['"](\.[^'"]+)\.js['"]/g);
    for (const [, path] of imports) reached.add(join(dirname(file), `${path}.d.ts`));
  }
  for (const name of readdirSync(outDir, { recursive: true })) {
    const file = join(outDir, name);
    if (name.endsWith('.d.ts') && !reached.has(file)) rmSync(file);
  }
}
