import { copyFileSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

const root = join(import.meta.dirname, '..', '..', '..');

/**
 * Bundles `claudewire/adapter` into `.build/NAME/`, for programs that run in a process of their own, and returns that folder: what lies in it
 * imports `claudewire/adapter` from there.
 */
export async function bundleAdapter(name: string): Promise<string> {
  const folder = join(root, '.build', name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  copyFileSync(join(root, 'package.json'), join(folder, 'package.json'));
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
  });
  return folder;
}
