#!/usr/bin/env node
/**
 * Runs one of `examples/` against the scripted CLI: no Claude Code, no key, no network.
 *
 *   npm run example -- hello
 *
 * With a Claude Code of your own, run the file itself: `node examples/hello.mjs`.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = new URL('..', import.meta.url);
/** What each example is played by. */
const SCENARIOS = { hello: 'hello', permissions: 'deny', client: 'hello' };

const name = process.argv[2] ?? '';
const example = fileURLToPath(new URL(`examples/${name}.mjs`, root));
if (!(name in SCENARIOS) || !existsSync(example)) {
  const names = readdirSync(new URL('examples/', root)).map((file) => file.replace('.mjs', ''));
  console.error(`error: no example "${name}"; there are: ${names.join(', ')}`);
  process.exit(2);
}

const directory = mkdtempSync(join(tmpdir(), 'claudewire-example-'));
const launcher = join(directory, 'claude.mjs');
const player = new URL('dist/player.mjs', root);
const file = fileURLToPath(new URL(`dist/scenarios/${SCENARIOS[name]}.jsonl`, root));
try {
  writeFileSync(
    launcher,
    `import { runPlayer } from ${JSON.stringify(player.href)};\nrunPlayer(${JSON.stringify({ file })});\n`,
  );
  chmodSync(launcher, 0o700);
  const { status } = spawnSync(process.execPath, [example], {
    stdio: 'inherit',
    env: { ...process.env, CLAUDE_CODE_EXECUTABLE: launcher },
  });
  process.exitCode = status ?? 1;
} finally {
  rmSync(directory, { recursive: true, force: true });
}
