/**
 * Injects faults into the core: see `test/faults/main.ts`.
 *
 *   npm run faults -- --seed 1 --runs 5000
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const program = `${root}/.build/faults/main.mjs`;

await build({
  absWorkingDir: root,
  entryPoints: ['test/faults/main.ts'],
  outfile: program,
  bundle: true,
  keepNames: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  external: ['@modelcontextprotocol/sdk', 'ajv', 'ajv-formats', 'pino', 'zod'],
  banner: {
    js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
  },
  logLevel: 'warning',
});
const { status } = spawnSync(process.execPath, [program, ...process.argv.slice(2)], { stdio: 'inherit' });
process.exitCode = status ?? 1;
