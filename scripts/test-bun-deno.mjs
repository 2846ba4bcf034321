#!/usr/bin/env node
/**
 * Runs the examples on Bun and Deno, which come from npm, and compares what they print with what they print on Node.
 *
 *   node scripts/test-bun-deno.mjs
 *
 * The last line is `N passed, N failed`. Exits with 1 when anything failed.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PACKAGES = ['bun@1', 'deno@2'];
const EXAMPLES = ['hello', 'permissions', 'chat', 'client', 'tools', 'evaluate-text', 'web-server'];
const MINUTE = 60_000;

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'claudewire-runtimes-'));
let passed = 0;
let failed = 0;
try {
  run('npm', ['run', '--silent', 'build', '--', '--quiet'], root);
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  run('npm', ['install', '--no-audit', '--no-fund', ...PACKAGES], folder);
  const binary = (name) => join(folder, 'node_modules', '.bin', name);
  for (const example of EXAMPLES) {
    const expected = steady(runExample(example));
    for (const [name, runtime] of Object.entries({ Bun: [binary('bun')], Deno: [binary('deno'), 'run', '-A'] })) {
      check(`${name}: ${example}`, () => {
        const printed = steady(runExample(example, ...runtime));
        if (printed !== expected) throw new Error(`printed\n${printed}\ninstead of\n${expected}`);
      });
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

function check(name, body) {
  try {
    body();
    passed += 1;
  } catch (error) {
    failed += 1;
    console.log(`FAILED  ${name}: ${error.stderr || error.message}`);
  }
}

function runExample(example, ...runtime) {
  return run(process.execPath, [join(root, 'scripts', 'example.mjs'), example, ...runtime], root);
}

/** Without the ids and times of one run. */
function steady(output) {
  return output.replace(/[\da-f]{8}-[\da-f-]{27}/g, 'ID').replace(/\d+(?:\.\d+)? m?s\b/g, 'TIME');
}

function run(program, args, cwd) {
  return execFileSync(program, args, { cwd, encoding: 'utf8', timeout: 5 * MINUTE, stdio: ['ignore', 'pipe', 'pipe'] });
}
