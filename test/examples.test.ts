import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { buildPackage } from './helpers/built-package.js';

/** A copy of the package with what a clone has beside it: `claudewire` then resolves to that build. */
let folder = '';

beforeAll(() => {
  folder = join(buildPackage('examples'), '..');
  for (const name of ['examples', 'scripts/example.mjs']) {
    cpSync(join(import.meta.dirname, '..', name), join(folder, name), { recursive: true });
  }
});

test.each([
  {
    name: 'hello',
    prints:
      'Hello! I am a scripted stand-in for Claude Code, and every word of this came over a real pipe.\ncompleted\n',
  },
  { name: 'permissions', prints: 'denied: Bash' },
  { name: 'chat', prints: 'you     And who reads it?\nclaude  Whoever holds the other end' },
  {
    name: 'client',
    prints: 'Say hello. completed\nTell me a very long story. interrupted\nWhere did you stop? completed\n',
  },
  { name: 'tools', prints: 'result [{"type":"text","text":"4.5 pages"}]\n' },
  {
    name: 'evaluate',
    prints: "answer { title: 'Walden', shelf: 7 }\ntools  mcp__wink__look_up, StructuredOutput\ntokens 600 40\n",
  },
  { name: 'evaluate-text', prints: 'prime - only 1 and 17 divide it\ntokens 300 20\n' },
  { name: 'transport', prints: 'over a real pipe.\n' },
  { name: 'spawn', prints: 'success --output-format' },
  { name: 'warm-start', prints: 'ready, and nothing asked yet\nsession, success\n' },
  { name: 'spare-pool', prints: 'success, success\n' },
  { name: 'web-server', prints: 'metered completed, 310 in, ' },
  { name: 'adapter/secure-review', prints: '1 finding(s)\n' },
  { name: 'adapter/documentation-assistant', prints: 'refused: WebFetch' },
  { name: 'adapter/local-development', prints: 'changed: NOTES.md (Write)\n' },
  { name: 'adapter/ci-agent', prints: 'passed: ' },
  { name: 'adapter/multi-service', prints: 'up   http://127.0.0.1:8080/\n' },
  { name: 'adapter/offline', prints: 'A program whose tools reach no host.\n' },
  { name: 'adapter/agent', prints: 'success  Bash\ncalls    Bash {"command":"rm -r build"}\ndenied   Bash\n' },
])('the example $name runs on the scripted CLI and checks itself', ({ name, prints }) => {
  const { stdout, stderr, status } = spawnSync(process.execPath, [join(folder, 'scripts', 'example.mjs'), name], {
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  expect(stdout).toContain(prints);
  expect(status).toBe(0);
});

test.each([
  { name: 'taken', answer: { answer: {} }, served: ['spare', 'spare'], prints: '' },
  {
    name: 'refused',
    answer: { error: 'cwd_not_found: gone' },
    served: ['own', 'own'],
    prints: 'not claimed: cwd_not_found: gone\nnot claimed: cwd_not_found: gone\n',
  },
])('in the spare pool each prompt runs once when its claim is $name', ({ answer, served, prints }) => {
  const home = mkdtempSync(join(folder, 'pool-'));
  const launcher = join(home, 'claude.mjs');
  const log = join(home, 'log.txt');
  const refusal = [
    { in: { type: 'control_request', request: { subtype: 'claim_session' } }, ...answer },
    { wait: 'EOF' },
    { exit: 1 },
  ];
  const hello = readFileSync(join(folder, 'dist/demo/hello.jsonl'), 'utf8');
  const steps = hello
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => JSON.parse(line) as object);
  writeFileSync(
    launcher,
    `#!${process.execPath}
import { appendFileSync } from 'node:fs';
import { runPlayer } from ${JSON.stringify(pathToFileURL(join(folder, 'dist/player.mjs')).href)};
const kind = process.argv.includes('--await-claim') ? 'spare' : 'own';
const refuses = kind === 'spare' && ${JSON.stringify('error' in answer)};
process.stdin.on('data', (data) => {
  if (!refuses && String(data).includes('"type":"user"')) appendFileSync(${JSON.stringify(log)}, kind + ' ');
});
runPlayer({ steps: refuses ? ${JSON.stringify(refusal)} : ${JSON.stringify(steps)} });
`,
    { mode: 0o700 },
  );
  const { stdout, stderr, status } = spawnSync(process.execPath, [join(folder, 'examples', 'spare-pool.mjs')], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, CLAUDE_CODE_EXECUTABLE: launcher, CLAUDE_CONFIG_DIR: home },
  });
  expect({ stdout, stderr, status }).toEqual({ stdout: `${prints}success, success\n`, stderr: '', status: 0 });
  expect(readFileSync(log, 'utf8').trim().split(' ')).toEqual(served);
  expect(readdirSync(join(home, 'spares'))).toEqual([]);
});

test.each([
  { name: 'that does not exist', args: ['nope'], says: /^error: no example "nope"; there are: hello, / },
  { name: 'without a name', args: [], says: /^usage: npm run example -- NAME, which is one of: hello, / },
])('an example $name is one clear line and exit code 2', ({ args, says }) => {
  const { stderr, status } = spawnSync(process.execPath, [join(folder, 'scripts', 'example.mjs'), ...args], {
    encoding: 'utf8',
  });
  expect(stderr).toMatch(says);
  expect(stderr.trimEnd()).not.toContain('\n');
  expect(status).toBe(2);
});

test('every example is in the table of what plays it', () => {
  const stories = readdirSync(join(folder, 'examples', 'adapter'))
    .filter((file) => file !== 'machine.mjs')
    .map((file) => `adapter/${file}`);
  const files = [...readdirSync(join(folder, 'examples')), ...stories].filter((file) => file.endsWith('.mjs'));
  const script = readFileSync(join(folder, 'scripts', 'example.mjs'), 'utf8');
  expect(files.filter((file) => !new RegExp(`^  '?${file.replace('.mjs', '')}'?: `, 'm').test(script))).toEqual([]);
});

test('the player plays the first scenario of docs/reference/scenarios.md', () => {
  const page = readFileSync(join(import.meta.dirname, '..', 'docs', 'reference', 'scenarios.md'), 'utf8');
  const scenario = /^```jsonl\n([\s\S]*?)^```$/m.exec(page)?.[1] ?? '';
  const file = join(folder, 'greeting.jsonl');
  writeFileSync(file, scenario);
  const player = join(import.meta.dirname, '..', '.build', 'player.mjs');
  const { stdout, status } = spawnSync(process.execPath, [player, file], {
    encoding: 'utf8',
    input: '{"type":"user","message":{"role":"user","content":"Hi."}}\n',
  });
  expect(stdout).toContain('"result":"Hello."');
  expect(status).toBe(0);
});
