/**
 * Bundles our side of the pure rows.
 *
 *   buildOurs({ outfile, entry, patch })
 *
 * `entry` is another program that uses our sources. `patch` replaces a text in one file of `src` on the way: `{ file, anchor, replacement }`. An anchor that is not in the file
 * once throws.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../../../..', import.meta.url));

export async function buildOurs({ outfile, entry = 'test/parity/python/pure/ours.ts', patch }) {
  await build({
    absWorkingDir: root,
    entryPoints: [entry],
    outfile,
    bundle: true,
    keepNames: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    packages: 'external',
    logLevel: 'silent',
    plugins: patch === undefined ? [] : [patching(patch)],
  });
}

/** An esbuild plugin that loads one file with a text replaced. */
export function patching({ file, anchor, replacement }) {
  const path = join(root, file);
  const source = readFileSync(path, 'utf8');
  if (source.split(anchor).length !== 2) {
    throw new Error(`${file}: the anchor is there ${source.split(anchor).length - 1} times: ${anchor}`);
  }
  const contents = source.replace(anchor, () => replacement);
  return {
    name: 'patching',
    setup({ onLoad }) {
      onLoad({ filter: /\.ts$/ }, (args) => (args.path === path ? { contents, loader: 'ts' } : undefined));
    },
  };
}
