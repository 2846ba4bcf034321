/**
 * Sets where the project lives, in the manifest of every package of the repository. Until then they have placeholders.
 *
 *   node scripts/release.mjs https://github.com/OWNER/NAME
 *   node scripts/release.mjs --check     fails while there are placeholders (before `npm publish`)
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
// Nobody can own a domain that ends like this.
const PLACEHOLDER = 'claudewire.invalid';

const packages = join(root, 'packages');
const folders = ['.', ...(existsSync(packages) ? readdirSync(packages) : []).map(inPackages)];
const manifests = folders
  .map((folder) => ({ folder, file: join(root, folder, 'package.json') }))
  .filter(({ file }) => existsSync(file));

const [argument = ''] = process.argv.slice(2);
if (argument === '--check') {
  const left = manifests.filter(({ file }) => readFileSync(file, 'utf8').includes(PLACEHOLDER));
  if (left.length > 0) fail(`${left.map(({ file }) => file).join(', ')}: set the address first`);
} else if (/^https:\/\/[^/\s]+\/[^/\s]+\/[^/\s]+$/.test(argument)) {
  for (const manifest of manifests) setAddress(manifest, argument.replace(/\.git$/, ''));
} else {
  fail('give the address of the repository, such as https://github.com/OWNER/NAME');
}

function setAddress({ folder, file }, url) {
  const manifest = JSON.parse(readFileSync(file, 'utf8'));
  manifest.repository = { type: 'git', url: `git+${url}.git`, ...(folder === '.' ? {} : { directory: folder }) };
  manifest.homepage = `${url}#readme`;
  manifest.bugs = { url: `${url}/issues` };
  writeFileSync(file, `${JSON.stringify(manifest, undefined, 2)}\n`);
}

function inPackages(name) {
  return `packages/${name}`;
}

function fail(message) {
  console.error(`release: ${message}`);
  process.exit(1);
}
