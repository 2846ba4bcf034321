import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Builds what the tests spawn: the scenario player and the recorder, from source, into `.build/`. */
export default async function setup(): Promise<void> {
  mkdirSync(join(root, '.build'), { recursive: true });
  await buildProgram('player.mjs', 'packages/cli/src/replay/main.ts');
  await buildProgram('recorder.mjs', 'packages/cli/src/record/main.ts');
}

async function buildProgram(name: string, input: string): Promise<void> {
  const { output } = await build({
    cwd: root,
    input,
    platform: 'node',
    transform: { target: 'node20.19' },
    output: { codeSplitting: false },
    write: false,
  });
  const path = join(root, '.build', name);
  // Two runs at once build the same files, and one may be starting what the other writes.
  writeFileSync(`${path}.${process.pid}`, output[0].code);
  renameSync(`${path}.${process.pid}`, path);
}
