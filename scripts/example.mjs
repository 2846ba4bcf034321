#!/usr/bin/env node
/**
 * Runs one of `examples/` against the scripted CLI: no Claude Code, no key, no network.
 *
 *   npm run example -- hello
 *   npm run example -- adapter/secure-review
 *   npm run example -- web                        the web page of packages/server, until Ctrl-C
 *   npm run example -- workers                    four workers of packages/bullmq, on a Redis of its own
 *   npm run example -- hello deno run -A          on another runtime than Node
 *
 * What limits the stories in `examples/adapter` on a real machine has stand-ins too: here nothing is sandboxed.
 *
 * With a Claude Code of your own, run the file itself: `node examples/hello.mjs`.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = new URL('..', import.meta.url);
/** What each example is played by: a scenario of its own, or one of the demo's. */
const SCENARIOS = {
  hello: 'dist/demo/hello.jsonl',
  permissions: 'dist/demo/deny.jsonl',
  chat: 'examples/scripts/chat.jsonl',
  client: 'examples/scripts/client.jsonl',
  tools: 'examples/scripts/tools.jsonl',
  evaluate: 'examples/scripts/evaluate.jsonl',
  'evaluate-text': 'examples/scripts/evaluate-text.jsonl',
  transport: 'dist/demo/hello.jsonl',
  spawn: 'dist/demo/hello.jsonl',
  'warm-start': 'dist/demo/hello.jsonl',
  'spare-pool': 'dist/demo/hello.jsonl',
  'web-server': 'dist/demo/hello.jsonl',
  'adapter/secure-review': 'examples/scripts/adapter/secure-review.mjs',
  'adapter/documentation-assistant': 'examples/scripts/adapter/documentation-assistant.mjs',
  'adapter/local-development': 'examples/scripts/adapter/local-development.mjs',
  'adapter/ci-agent': 'examples/scripts/adapter/ci-agent.mjs',
  'adapter/multi-service': 'examples/scripts/adapter/multi-service.mjs',
  'adapter/offline': 'examples/scripts/adapter/offline.mjs',
  'adapter/agent': 'examples/scripts/adapter/agent.mjs',
};

const name = process.argv[2];
const names = [...Object.keys(SCENARIOS), 'web', 'workers'].join(', ');
if (name === undefined) fail(`usage: npm run example -- NAME, which is one of: ${names}`);
if (name === 'web') await serveWebPage();
if (name === 'workers') await showWorkers();
if (!Object.hasOwn(SCENARIOS, name)) fail(`error: no example "${name}"; there are: ${names}`);
const example = fileURLToPath(new URL(`examples/${name}.mjs`, root));

const directory = mkdtempSync(join(tmpdir(), 'cw-example-'));
const file = new URL(SCENARIOS[name], root);
try {
  await (file.pathname.endsWith('.mjs') ? playStory() : playScenario());
} finally {
  rmSync(directory, { recursive: true, force: true });
}

function playScenario() {
  const launcher = join(directory, 'claude.mjs');
  const player = new URL('dist/player.mjs', root);
  const scenario = JSON.stringify({ file: fileURLToPath(file) });
  writeExecutable(
    launcher,
    `#!${process.execPath}\nimport { runPlayer } from ${JSON.stringify(player.href)};\nrunPlayer(${scenario});\n`,
  );
  // A spare process waits in a folder of the configuration.
  run({ CLAUDE_CODE_EXECUTABLE: launcher, CLAUDE_CONFIG_DIR: directory });
}

async function playStory() {
  const { default: script } = await import(file.href);
  const { scriptedCli } = await import(new URL('dist/testing/index.js', root).href);
  // Nothing is run in a sandbox here, and the machine may have none: this one says what the probe wants to hear.
  writeExecutable(join(directory, 'bwrap'), '#!/bin/sh\necho "net:[1]"\necho "pid:[2]"\n');
  writeExecutable(join(directory, 'socat'), '#!/bin/sh\n');
  const cli = scriptedCli(script);
  try {
    run({
      PATH: `${directory}${delimiter}${process.env.PATH}`,
      HOME: directory,
      ANTHROPIC_API_KEY: 'no key is needed',
      // Nothing is run here that root could do harm with.
      IS_SANDBOX: '1',
      CLAUDE_CODE_EXECUTABLE: cli.path,
    });
  } finally {
    await cli.close();
  }
}

/** Ends when it is told to: Ctrl-C reaches it by itself. */
async function serveWebPage() {
  buildPackage('server');
  const { serveExample } = await import(new URL('packages/server/scripts/web.mjs', root).href);
  await serveExample();
  process.exit(0);
}

async function showWorkers() {
  buildPackage('server');
  buildPackage('bullmq');
  const { runExample } = await import(new URL('packages/bullmq/scripts/workers.mjs', root).href);
  process.exit(await runExample());
}

function buildPackage(name) {
  const folder = fileURLToPath(new URL(`packages/${name}`, root));
  const tsc = fileURLToPath(new URL('node_modules/typescript/bin/tsc', root));
  const steps = [[tsc, '-p', 'tsconfig.build.json'], ...(name === 'server' ? [['scripts/copy-page.mjs']] : [])];
  const isBuilt = steps.every(
    (args) => spawnSync(process.execPath, args, { cwd: folder, stdio: ['ignore', 2, 2] }).status === 0,
  );
  if (!isBuilt) fail(`error: packages/${name} does not build; the compiler has said why`);
}

function run(variables) {
  const [runtime = process.execPath, ...flags] = process.argv.slice(3);
  const { status } = spawnSync(runtime, [...flags, example], {
    stdio: 'inherit',
    env: { ...process.env, ...variables },
  });
  process.exitCode = status ?? 1;
}

function writeExecutable(path, text) {
  writeFileSync(path, text);
  chmodSync(path, 0o700);
}

function fail(line) {
  console.error(line);
  process.exit(2);
}
