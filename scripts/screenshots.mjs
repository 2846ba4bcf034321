/**
 * Makes the pictures of the documents anew: `docs/demo.svg`, `docs/run.svg` (a scripted session in a terminal of 90
 * columns), the web page (`packages/server/docs/page-*.png`), the viewer (`packages/viewer/docs`), and small copies of the
 * last two for the guides. By hand, since the times in them are those of the day: look at the pictures before you commit them.
 *
 *   node scripts/screenshots.mjs [demo] [run] [page] [viewer] [readme]     without a name: all of them
 *
 * Needs tmux for the terminal and Chromium for the pages.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { drawTerminal } from './terminal-picture.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const COLUMNS = 90;
const WAIT_MS = 30_000;

const makers = {
  demo: () => script('scripts/demo-picture.mjs'),
  run: drawRun,
  page: () => script('scripts/test-page.mjs', { PAGE_PICTURES: join(root, 'packages/server/docs') }),
  viewer: () => script('packages/viewer/scripts/screenshots.mjs'),
  readme: () => script('scripts/readme-pictures.mjs'),
};

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !Object.hasOwn(makers, name));
if (unknown.length > 0) {
  console.error(`There is no picture ${unknown.join(', ')}; there are ${Object.keys(makers).join(', ')}.`);
  process.exit(2);
}
for (const [name, make] of Object.entries(makers)) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  console.log(`> ${name}`);
  await make();
}

async function script(file, env = {}) {
  await execa(process.execPath, [join(root, file)], { cwd: root, env, stdio: 'inherit' });
}

/** `claudewire run` as a person has it: two questions are answered by keys. */
async function drawRun() {
  await script('scripts/build.mjs');
  const { scriptedCli } = await import('../dist/testing/index.js');
  const folder = mkdtempSync(join(tmpdir(), 'claudewire-picture-'));
  const cli = scriptedCli(session, { stepTimeoutMs: WAIT_MS });
  const tmux = (...args) => execa('tmux', ['-S', join(folder, 'socket'), ...args]);
  const screen = async (...flags) => (await tmux('capture-pane', '-p', ...flags)).stdout;
  const shows = async (text) => {
    for (const until = Date.now() + WAIT_MS; ; await pause(50)) {
      const shown = await screen();
      if (shown.includes(text)) return;
      if (Date.now() > until) throw new Error(`the terminal does not show ${text}:\n${shown}`);
    }
  };
  const command = `node ${join(root, 'dist/bin/claudewire.js')} run 'Why does the build fail?'; sleep ${WAIT_MS}`;
  const env = ['-e', `CLAUDE_CODE_EXECUTABLE=${cli.path}`, '-e', 'NO_COLOR=', '-e', 'FORCE_COLOR='];
  try {
    await tmux('-f', '/dev/null', 'new-session', '-d', '-x', String(COLUMNS), '-y', '50', ...env, command);
    await shows('[y/n/a, or say why not]');
    await tmux('send-keys', 'a', 'Enter');
    await shows('command: rm -r dist');
    await shows('Allow it? [y/n, or say why not]');
    await tmux('send-keys', 'keep it, I need the old files', 'Enter');
    await shows('Go on with');
    const shown = (await screen('-e')).trimEnd().split('\n');
    const lines = ['\u001b[1m$ claudewire run "Why does the build fail?"\u001b[0m', ...shown];
    writeFileSync(
      join(root, 'docs/run.svg'),
      drawTerminal(lines, { columns: COLUMNS, label: 'claudewire run in a terminal' }),
    );
  } finally {
    await tmux('kill-server').catch(() => {});
    await cli.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function session({ prompt, init, partialText, faults, toolUse, permission, toolResult, pause: wait, result }) {
  const say = (text) => faults.slow(partialText(text.split(/(?<= )/)), 15);
  const rule = {
    type: 'addRules',
    rules: [{ toolName: 'Bash', ruleContent: 'npm run *' }],
    behavior: 'allow',
    destination: 'session',
  };
  return [
    prompt(),
    init(),
    say('I will look at the script, and then run it.'),
    toolUse('Read', { file_path: 'package.json' }),
    wait(120),
    toolResult('{ "scripts": { "build": "tsc" } }'),
    toolUse('Bash', { command: 'npm run build', description: 'Run the build' }),
    permission(undefined, undefined, { suggestions: [rule] }),
    wait(900),
    toolResult("src/app.ts(12,3): error TS2322: Type 'string' is not assignable to type 'number'.", { isError: true }),
    say('Files of an older build may be in the way.'),
    toolUse('Bash', { command: 'rm -r dist' }),
    permission(undefined, undefined, {}),
    toolResult('keep it, I need the old files', { isError: true }),
    say(
      'Then I leave them. The build fails because of src/app.ts, line 12:\na string is given where a number is expected.',
    ),
    result('Line 12.', { num_turns: 4, total_cost_usd: 0.0312 }),
  ];
}
