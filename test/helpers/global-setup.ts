import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** Builds what the tests spawn: the scenario player and the recorder, from source, into `.build/`. */
export default async function setup(): Promise<void> {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: {
      player: 'src/conformance/player/main.ts',
      recorder: 'src/conformance/recorder/main.ts',
    },
    outdir: '.build',
    outExtension: { '.js': '.mjs' },
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    logLevel: 'warning',
    write: false,
  });
  for (const { path, contents } of outputFiles) {
    mkdirSync(dirname(path), { recursive: true });
    // Two runs at once build the same files, and one may be starting what the other writes.
    writeFileSync(`${path}.${process.pid}`, contents);
    renameSync(`${path}.${process.pid}`, path);
  }
}
