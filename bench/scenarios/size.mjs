/** What an installation puts on the disk, in MB. Sums file lengths, not disk blocks. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const BYTES_PER_MB = 1024 * 1024;
const OFFICIAL = 'node_modules/@anthropic-ai/claude-agent-sdk';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export async function measure(_contender, { what }, contenderName) {
  const bytes = contenderName === 'official' ? officialBytes(what) : claudewireBytes(what);
  return bytes / BYTES_PER_MB;
}

/** As built and as locked. `npm pack` adds only texts to `dist`. */
function claudewireBytes(what) {
  const own = bytesOf(process.env.BENCH_DIST);
  if (what === 'own') return own;
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
  const installed = Object.entries(packages)
    .filter(([path, { dev, devOptional }]) => path !== '' && !dev && !devOptional)
    .map(([path]) => join(ROOT, path))
    .filter((path) => existsSync(path));
  return installed.reduce((sum, path) => sum + bytesOf(path, 'node_modules'), own);
}

function officialBytes(what) {
  const folder = process.env.BENCH_OFFICIAL;
  return bytesOf(join(folder, what === 'own' ? OFFICIAL : 'node_modules'));
}

/** @param except - The name of subfolders that do not count. */
function bytesOf(path, except) {
  let sum = 0;
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const below = join(path, entry.name);
    if (entry.isDirectory()) sum += entry.name === except ? 0 : bytesOf(below, except);
    else if (entry.isFile()) sum += statSync(below).size;
  }
  return sum;
}
