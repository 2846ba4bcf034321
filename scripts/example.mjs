#!/usr/bin/env node
/**
 * Runs one of `examples/` against the scripted CLI: no Claude Code, no key, no network.
 *
 *   npm run example -- hello
 *
 * With a Claude Code of your own, run the file itself: `node examples/hello.mjs`.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = new URL('..', import.meta.url);
/** What each example is played by: a scenario of its own, or one of the demo's. */
const SCENARIOS = {
  hello: 'dist/scenarios/hello.jsonl',
  permissions: 'dist/scenarios/deny.jsonl',
  chat: 'examples/scenarios/chat.jsonl',
  client: 'examples/scenarios/client.jsonl',
  tools: 'examples/scenarios/tools.jsonl',
  transport: 'dist/scenarios/hello.jsonl',
  spawn: 'dist/scenarios/hello.jsonl',
  'warm-start': 'dist/scenarios/hello.jsonl',
  'spare-pool': 'dist/scenarios/hello.jsonl',
};

const name = process.argv[2];
const names = Object.keys(SCENARIOS).join(', ');
if (name === undefined) fail(`usage: npm run example -- NAME, which is one of: ${names}`);
if (!Object.hasOwn(SCENARIOS, name)) fail(`error: no example "${name}"; there are: ${names}`);
const example = fileURLToPath(new URL(`examples/${name}.mjs`, root));

const directory = mkdtempSync(join(tmpdir(), 'claudewire-example-'));
const launcher = join(directory, 'claude.mjs');
const player = new URL('dist/player.mjs', root);
const file = fileURLToPath(new URL(SCENARIOS[name], root));
try {
  writeFileSync(
    launcher,
    `#!${process.execPath}\nimport { runPlayer } from ${JSON.stringify(player.href)};\nrunPlayer(${JSON.stringify({ file })});\n`,
  );
  chmodSync(launcher, 0o700);
  const { status } = spawnSync(process.execPath, [example], {
    stdio: 'inherit',
    // A spare process waits in a folder of the configuration.
    env: { ...process.env, CLAUDE_CODE_EXECUTABLE: launcher, CLAUDE_CONFIG_DIR: directory },
  });
  process.exitCode = status ?? 1;
} finally {
  rmSync(directory, { recursive: true, force: true });
}

function fail(line) {
  console.error(line);
  process.exit(2);
}
