#!/usr/bin/env node
/**
 * Runs the examples on Bun and Deno, which come from npm, and compares what they print with what they print on Node.
 * The same for programs in one file, with no package beside them: compiled by Bun and Deno, or bundled by esbuild.
 *
 *   node scripts/test-bun-deno.mjs
 *
 * The last line is `N passed, N failed`. Exits with 1 when anything failed.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const PACKAGES = ['bun@1', 'deno@2'];
const EXAMPLES = ['hello', 'permissions', 'chat', 'client', 'tools', 'evaluate-text', 'web-server'];
/** In one file: streaming, a tool in this process, the adapter. */
const ALONE = ['hello', 'tools', 'evaluate-text'];
const MINUTE = 60_000;

/** Bun puts the file `claude` into the program. Only a copy of it can be started. */
const EMBEDDED = `import { query, textOf } from 'claudewire';
import { extractFromBunfs } from 'claudewire/extract';
import embedded from './claude' with { type: 'file' };
for (const pathToClaudeCodeExecutable of [embedded, extractFromBunfs(embedded)]) {
  try {
    for await (const text of textOf(query({ prompt: 'Hi', options: { pathToClaudeCodeExecutable } }))) console.log(text);
  } catch (error) {
    console.log(error.errorClass, /extractFromBunfs/.test(error.message));
  }
}
`;

/** It has no top-level await. What is read synchronously is loaded by `require`. */
const COMMON_JS = `import { createSdkMcpServer, query, textOf } from 'claudewire';
import { defineType, evaluate } from 'claudewire/adapter';
async function main() {
  let answer = '';
  for await (const text of textOf(query({ prompt: 'Hi' }))) answer += text;
  console.log(answer.slice(0, 6));
  console.log(typeof createSdkMcpServer({ name: 'x' }).instance.connect, typeof evaluate);
  console.log(typeof defineType({ type: 'object' }));
}
main();
`;

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'claudewire-runtimes-'));
let passed = 0;
let failed = 0;
try {
  run('npm', ['run', '--silent', 'build', '--', '--quiet'], root);
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  run('npm', ['install', '--no-audit', '--no-fund', ...PACKAGES], folder);
  const binary = (name) => join(folder, 'node_modules', '.bin', name);
  const expected = Object.fromEntries(EXAMPLES.map((example) => [example, steady(runExample(example))]));
  for (const example of EXAMPLES) {
    for (const [name, runtime] of Object.entries({ Bun: [binary('bun')], Deno: [binary('deno'), 'run', '-A'] })) {
      await check(`${name}: ${example}`, () => same(steady(runExample(example, ...runtime)), expected[example]));
    }
  }
  const compiled = join(folder, 'program');
  const bundled = join(folder, 'program.mjs');
  for (const example of ALONE) {
    const source = join(root, 'examples', `${example}.mjs`);
    await check(`compiled by Bun: ${example}`, () => {
      run(binary('bun'), ['build', '--compile', source, '--outfile', compiled], root);
      same(steady(runExample(example, compiled)), expected[example]);
    });
    await check(`bundled by esbuild: ${example}`, async () => {
      await bundle({ entryPoints: [source], format: 'esm', outfile: bundled });
      same(steady(runExample(example, process.execPath, bundled)), expected[example]);
    });
  }
  await checkEmbedded(binary('bun'));
  await checkCommonJs();
  await checkDenoCompile(binary('deno'));
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

async function checkEmbedded(bun) {
  const place = programFolder('embedded', EMBEDDED);
  const player = JSON.stringify(join(root, 'dist/player.mjs'));
  const file = JSON.stringify(join(root, 'dist/demo/hello.jsonl'));
  writeFileSync(join(place, 'play.mjs'), `import { runPlayer } from ${player};\nrunPlayer({ file: ${file} });\n`);
  writeFileSync(join(place, 'claude'), `#!/bin/sh\nexec '${process.execPath}' '${join(place, 'play.mjs')}' "$@"\n`);
  await check('compiled by Bun: Claude Code inside the program', () => {
    run(bun, ['build', '--compile', 'program.mjs', '--outfile', 'program'], place);
    const environment = { ...process.env, TMPDIR: place };
    const [refused, text] = run(join(place, 'program'), [], tmpdir(), environment).split('\n');
    same(refused, 'executable_launch_failed true');
    if (!text.startsWith('Hello!')) throw new Error(`printed ${text}`);
  });
}

async function checkCommonJs() {
  const place = programFolder('common-js', COMMON_JS);
  await check('bundled by esbuild as CommonJS', async () => {
    const outfile = join(folder, 'program.cjs');
    await bundle({ entryPoints: [join(place, 'program.mjs')], format: 'cjs', outfile });
    same(runExample('hello', process.execPath, outfile), 'Hello!\nfunction function\nobject\n');
  });
}

/** Deno takes the runtime that it puts into the program from a server of its own. */
async function checkDenoCompile(deno) {
  const source = join(root, 'examples', 'hello.mjs');
  const outfile = join(folder, 'deno-program');
  try {
    run(deno, ['compile', '-A', '--no-check', '--no-lock', '--output', outfile, source], root);
  } catch (error) {
    if (!/denort/.test(error.stderr)) throw error;
    console.log('not tried: compiled by Deno, which could not download its runtime');
    return;
  }
  await check('compiled by Deno: hello', () => same(steady(runExample('hello', outfile)), steady(runExample('hello'))));
}

/** A folder with a program and the packages it imports. */
function programFolder(name, program) {
  const place = join(folder, name);
  mkdirSync(join(place, 'node_modules'), { recursive: true });
  writeFileSync(join(place, 'program.mjs'), program);
  symlinkSync(root, join(place, 'node_modules', 'claudewire'), 'junction');
  for (const dependency of ['@modelcontextprotocol', 'ajv', 'ajv-formats', 'zod']) {
    symlinkSync(join(root, 'node_modules', dependency), join(place, 'node_modules', dependency), 'junction');
  }
  return place;
}

/** A warning is a failure: everybody who bundles claudewire would see it. That of `import.meta` belongs to CommonJS. */
async function bundle(options) {
  const logOverride = options.format === 'cjs' ? { 'empty-import-meta': 'silent' } : {};
  const { warnings } = await build({ ...options, logOverride, bundle: true, platform: 'node', logLevel: 'silent' });
  if (warnings.length > 0) throw new Error(warnings.map(({ text }) => text).join('\n'));
}

async function check(name, body) {
  try {
    await body();
    passed += 1;
  } catch (error) {
    failed += 1;
    console.log(`FAILED  ${name}: ${error.stderr || error.message}`);
  }
}

function same(printed, expected) {
  if (printed !== expected) throw new Error(`printed\n${printed}\ninstead of\n${expected}`);
}

function runExample(example, ...runtime) {
  return run(process.execPath, [join(root, 'scripts', 'example.mjs'), example, ...runtime], root);
}

/** Without the ids and times of one run. */
function steady(output) {
  return output.replace(/[\da-f]{8}-[\da-f-]{27}/g, 'ID').replace(/\d+(?:\.\d+)? m?s\b/g, 'TIME');
}

function run(program, args, cwd, env = process.env) {
  const limits = { encoding: 'utf8', timeout: 5 * MINUTE };
  return execFileSync(program, args, { cwd, env, ...limits, stdio: ['ignore', 'pipe', 'pipe'] });
}
