/**
 * Holds our comments and texts against those of the official package: runs of nine words and more that both have are a
 * failure. Names, wire words and texts that programs match on are in `exceptions.json`, each with its reason; an
 * exception that nothing needs is a failure too.
 *
 *   node compare.mjs FOLDER      FOLDER is the official package
 *
 * The last line is `N passed, N failed`.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { RUN, sharedRuns } from './shared-words.mjs';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const [folder] = process.argv.slice(2);
const read = (...path) => readFileSync(join(...path), 'utf8');

const official = readdirSync(folder)
  .filter((file) => /\.(?:d\.ts|mjs|js)$/.test(file))
  .map((file) => read(folder, file));
/** What the package is built of. */
const files = ['src', 'packages/cli/src'].flatMap((sources) =>
  readdirSync(join(root, sources), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(?:ts|mjs)$/.test(file))
    .map((file) => `${sources}/${file.replaceAll('\\', '/')}`),
);
const exceptions = JSON.parse(read(import.meta.dirname, 'exceptions.json'));
const shared = sharedRuns(
  files.map((file) => ({ file, source: read(root, file) })),
  official,
);
const isMeant = (one) => exceptions.some(({ file, words }) => file === one.file && words === one.words);
const unneeded = exceptions.filter(
  ({ file, words }) => !shared.some((one) => one.file === file && one.words === words),
);
const wrong = shared.filter((one) => !isMeant(one));

if (official.length === 0) console.log(`  FAIL  no declarations in ${folder}`);
for (const { file, line, words } of wrong) {
  console.log(`  FAIL  ${file}:${line}: ${RUN} words or more of the official package: "${words}"`);
}
for (const { file, words } of unneeded) {
  console.log(`  FAIL  exceptions.json: ${file} no longer has "${words}"`);
}
const failed = wrong.length + unneeded.length + (official.length === 0 ? 1 : 0);
console.log(`${files.length - new Set(wrong.map(({ file }) => file)).size} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
