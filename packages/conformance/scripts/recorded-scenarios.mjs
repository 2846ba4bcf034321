/**
 * Writes the scenarios of the data package that are made of recordings: `l3-rec-set-model.jsonl` and the like.
 *
 *   node packages/conformance/scripts/recorded-scenarios.mjs
 *
 * Which recordings, and what they show, is in `packages/conformance/test/conversion/recorded-scenarios.json`; a test
 * compares the files.
 */
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const folder = fileURLToPath(new URL('../scenarios', import.meta.url));
const built = join(root, '.build', 'recorded-scenarios.mjs');
await build({
  absWorkingDir: root,
  entryPoints: ['packages/conformance/test/conversion/recorded-scenarios.ts'],
  outfile: built,
  bundle: true,
  format: 'esm',
  platform: 'node',
  define: {
    'import.meta.url': JSON.stringify(
      pathToFileURL(join(root, 'packages/conformance/test/conversion/recorded-scenarios.ts')).href,
    ),
  },
});
const { recordedScenarios } = await import(pathToFileURL(built).href);
for (const file of readdirSync(folder, { recursive: true })) {
  if (/-rec-.*\.jsonl$/.test(file)) rmSync(join(folder, file));
}
const scenarios = recordedScenarios();
for (const { file, text } of scenarios) writeFileSync(join(folder, file), text);
const bytes = scenarios.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
console.log(`${scenarios.length} scenarios, ${Math.round(bytes / 1024)} KB`);
