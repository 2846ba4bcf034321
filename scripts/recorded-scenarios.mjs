/**
 * Writes the scenarios of the data package that are made of recordings: `l3-rec-set-model.jsonl` and the like.
 *
 *   node scripts/recorded-scenarios.mjs
 *
 * Which recordings, and what they show, stands in `test/testing/conversion/recorded-scenarios.json`; a test keeps
 * the files in step.
 */
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = join(root, 'conformance', 'scenarios');
const built = join(root, '.build', 'recorded-scenarios.mjs');
await build({
  absWorkingDir: root,
  entryPoints: ['test/testing/conversion/recorded-scenarios.ts'],
  outfile: built,
  bundle: true,
  format: 'esm',
  platform: 'node',
  define: {
    'import.meta.url': JSON.stringify(
      pathToFileURL(join(root, 'test/testing/conversion/recorded-scenarios.ts')).href,
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
