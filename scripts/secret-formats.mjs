/**
 * Which forms of secrets the newest secretlint knows and the recorder does not hide.
 *
 *   npm run secrets
 *
 * Installs its recommended rules, makes texts of every expression in them, and scrubs these. Each line is an expression and
 * how many of its texts were hidden. What is new belongs into `src/util/secret-formats.ts`, with the date. Needs a registry.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import fc from 'fast-check';
import { parseAst } from 'rolldown/parseAst';
import { outputOf } from './run.mjs';

const RULES = '@secretlint/secretlint-rule-preset-recommend';
const TEXTS = 30;
const root = fileURLToPath(new URL('..', import.meta.url));
const work = mkdtempSync(join(tmpdir(), 'claudewire-secrets-'));
try {
  writeFileSync(join(work, 'package.json'), '{"private":true}');
  outputOf('npm', ['install', '--ignore-scripts', RULES], work);
  const folder = join(work, 'node_modules', RULES);
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const outfile = join(work, 'scrubber.mjs');
  const entry = join(root, 'src/testing/recorder/scrub/scrubber.ts');
  await build({ entryPoints: [entry], outfile, bundle: true, format: 'esm', platform: 'node', logLevel: 'error' });
  const { Scrubber } = await import(pathToFileURL(outfile).href);
  const isHidden = (text) =>
    new Scrubber({ env: {}, cwd: '/w' }).text(`see ${text} there`, 'x') !== `see ${text} there`;
  console.log(`secretlint ${version}`);
  for (const { pattern, flags } of expressionsIn(readFileSync(join(folder, 'module/index.js'), 'utf8'))) {
    const texts = textsOf(pattern, flags);
    const said = texts === undefined ? 'no texts' : `${texts.filter(isHidden).length} of ${TEXTS}`;
    console.log(`${said.padEnd(9)} ${pattern.slice(0, 140)}`);
  }
} finally {
  rmSync(work, { recursive: true, force: true });
}

/** Those that search for long words. */
function expressionsIn(code) {
  const found = [];
  const visit = (node) => {
    if (typeof node !== 'object' || node === null) return;
    if (node.regex?.flags.includes('g') && /\](?:\{\d+|\+)|\\w\{/.test(node.regex.pattern)) found.push(node.regex);
    for (const each of Object.values(node)) visit(each);
  };
  visit(parseAst(code));
  return found;
}

/** Texts that an expression finds, without what must or must not stand around them. */
function textsOf(pattern, flags) {
  const plain = pattern.replace(/\(\?<?[!=][^)]*\)|\\b/g, '').replace(/\(\?<[A-Za-z]\w*>/g, '(');
  try {
    const expression = new RegExp(`^(?:${plain})$`, flags.replace(/[gy]/g, ''));
    return fc.sample(fc.stringMatching(expression), { numRuns: TEXTS, seed: 1 });
  } catch {
    return undefined;
  }
}
