import { copyFileSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { applyMutation, type Mutation } from '../teeth/apply-mutation.js';

const root = join(import.meta.dirname, '..', '..', '..');

/**
 * Bundles `claudewire/adapter` into `.build/NAME/`, for programs that run in a process of their own, and returns that folder: what lies in it
 * imports `claudewire/adapter` from there. Honours the change of `test/adapter/teeth`, which reaches no build.
 */
export async function bundleAdapter(name: string): Promise<string> {
  const folder = join(root, '.build', name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  copyFileSync(join(root, 'package.json'), join(folder, 'package.json'));
  const { ADAPTER_MUTATION } = process.env;
  await build({
    absWorkingDir: root,
    entryPoints: { 'adapter/index': 'src/adapter/index.ts' },
    outdir: join(folder, 'dist'),
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    packages: 'external',
    logLevel: 'warning',
    plugins: ADAPTER_MUTATION === undefined ? [] : [mutate(JSON.parse(ADAPTER_MUTATION))],
  });
  return folder;
}

function mutate(mutation: Mutation): Plugin {
  return {
    name: 'mutation',
    setup: ({ onLoad }) =>
      onLoad({ filter: /\.ts$/ }, ({ path }) => {
        if (relative(root, path).replaceAll('\\', '/') !== mutation.file) return undefined;
        return { contents: applyMutation(readFileSync(path, 'utf8'), mutation), loader: 'ts' };
      }),
  };
}
