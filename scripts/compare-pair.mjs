/**
 * Compares the pair of `examples/from-python` with `claudewire-conformance compare`, one side on the official Python SDK,
 * and holds what the command prints against `docs/from-python.md`. Run by `npm run parity:pair`.
 *
 * The last line is `N passed, N failed`. Exits with 1 when anything failed.
 */
import { copyFileSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { execaSync } from 'execa';
import { buildTools } from '../packages/conformance/scripts/build-tools.mjs';
import { allowsNoPython, ensurePython, NoPython } from './python-env.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const LIMIT_MS = 120_000;

try {
  report(await runPair(ensurePython()));
} catch (error) {
  if (!(error instanceof NoPython)) throw error;
  console.error(`compare-pair: ${error.message}`);
  const isKnown = allowsNoPython();
  console.log(isKnown ? '0 passed, 0 failed' : '0 passed, 1 failed');
  process.exitCode = isKnown ? 0 : 1;
}

async function runPair(python) {
  const folder = join(root, '.build', 'compare-pair');
  const { dist } = buildTools(folder);
  const pair = join(folder, 'pair');
  rmSync(pair, { recursive: true, force: true });
  mkdirSync(pair, { recursive: true });
  copyFileSync(join(root, 'examples/from-python/ask.py'), join(pair, 'ask.py'));
  // Any Node runs it then, with nothing installed.
  await build({
    entryPoints: [join(root, 'examples/from-python/ask.ts')],
    outfile: join(pair, 'ask.mjs'),
    format: 'esm',
    target: 'node20.19',
  });
  const data = join(root, 'packages', 'conformance');
  const program = join(dist, 'bin', 'claudewire-conformance.js');
  const args = ['compare', 'ask.py', 'ask.mjs', '--python', python, '--data', data];
  return execaSync(process.execPath, [program, ...args], { cwd: pair, timeout: LIMIT_MS, reject: false });
}

/** Without versions, and with the name that the program has in the guide. */
function comparable(text) {
  return text
    .replaceAll('ask.mjs', 'ask.ts')
    .replace(/\((?:Python|Node) [^)]*\)/g, '()')
    .replace(/(\S) {2,}/g, '$1  ')
    .trim();
}

function report({ stdout, stderr, exitCode }) {
  const page = readFileSync(join(root, 'docs', 'from-python.md'), 'utf8');
  const [, shown = ''] = /^```text\n(ask\.py [\s\S]*?)^```$/m.exec(page) ?? [];
  const isShown = comparable(stdout) === comparable(shown);
  const passed = isShown && exitCode === 1;
  console.log(`  ${passed ? 'equal' : 'FAIL '}          examples/from-python, compared as docs/from-python.md says`);
  if (!passed) console.log(`exit code ${exitCode}, expected 1\n${stdout}\n${stderr}`);
  console.log(passed ? '1 passed, 0 failed' : '0 passed, 1 failed');
  process.exitCode = passed ? 0 : 1;
}
