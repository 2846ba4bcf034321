/**
 * Builds the package into `dist/`: rolldown bundles the code (`rolldown.config.mjs`), tsc writes the declarations.
 *
 *   node scripts/build.mjs [--out-dir DIR] [--no-types] [--quiet]
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'rolldown';
import configs from '../rolldown.config.mjs';

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
for (const config of configs) {
  await build({ ...config, cwd: root, output: { ...config.output, dir: outDir } });
}
for (const program of ['bin/claudewire.js', 'player.mjs', 'recorder.mjs']) {
  chmodSync(join(outDir, program), 0o755);
}
cpSync(join(root, 'src/bin/demo/sessions'), join(outDir, 'demo'), { recursive: true });
await writeSchema();
if (!values['no-types']) writeDeclarations();
// On stderr: stdout belongs to what runs after the build, such as `npm run demo -- --json`.
if (!values.quiet) console.error(`built ${outDir}`);

async function writeSchema() {
  const { RUN_REPORT_SCHEMA } = await import(pathToFileURL(join(outDir, 'adapter/index.js')).href);
  mkdirSync(join(outDir, 'schemas'));
  const file = join(outDir, 'schemas/run-report.schema.json');
  writeFileSync(file, `${JSON.stringify(RUN_REPORT_SCHEMA, undefined, 2)}\n`);
}

function writeDeclarations() {
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const args = [tsc, '-p', 'tsconfig.build.json', '--outDir', outDir];
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: ['ignore', 2, 2] });
  if (status !== 0) process.exit(status ?? 1);
}
