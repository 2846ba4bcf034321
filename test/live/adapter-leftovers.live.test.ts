import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { afterAll, expect, test } from 'vitest';
import { EphemeralHome } from '../../src/adapter/isolation/ephemeral-home.js';
import { setIsolatedStage, sh } from './support/isolated.js';
import { killProcessesWith, whenFolder } from './support/processes.js';
import { describeSandboxed } from './support/sandbox.js';

/** A host of its own: evaluates once, isolated, until it is killed. */
const HOST = `
import { ClaudeAgentAdapter, MarkdownSection, Prompt, Session } from 'SOURCE/adapter/index.ts';
const { options, clientConfig } = JSON.parse(process.argv[2]);
const section = new MarkdownSection({ title: 'Task', key: 'task', template: 'Go.' });
const prompt = new Prompt({ ns: 'live', key: 'leftovers', sections: [section] });
await new ClaudeAgentAdapter({ ...options, clientConfig }).evaluate(prompt, { session: new Session() });
`;
const COMMAND = 'touch started; for i in 1 2 3 4 5 6; do sleep 5; done';

const hosts: string[] = [];
afterAll(() => {
  for (const file of hosts) rmSync(file, { force: true });
});

describeSandboxed('what a killed run leaves (I-9, I-10)', () => {
  test('the CLI killed: placeholders and home are gone when the run rejects', async () => {
    const stage = await setIsolatedStage([sh(COMMAND)]);
    const run = stage.run({}).catch((error: unknown) => error);
    await whenFolder(stage.cwd, () => existsSync(join(stage.cwd, 'started')));
    // They are there while a command runs.
    expect(readdirSync(stage.cwd)).toEqual(expect.arrayContaining(['.bashrc', '.mcp.json', '.idea']));
    killProcessesWith(stage.folder);
    expect(await run).toMatchObject({ name: 'PromptEvaluationError' });
    expect(readdirSync(stage.cwd)).toEqual(['started']);
    expect(readdirSync(stage.tempRoot)).toEqual([]);
  });

  test('aborted while they start, 12 runs leave no home and no process while the host lives', async () => {
    const stage = await setIsolatedStage([sh('sleep 30')]);
    for (let at = 100; at < 1_900; at += 150) {
      const signal = AbortSignal.timeout(at);
      // The API answers the first call with the command. A later run may have ended before its abort.
      await stage.run({}, { signal }).catch(() => {});
    }
    // Made again by a child that outlived its CLI: gone as soon as that has ended.
    await whenFolder(stage.tempRoot, () => readdirSync(stage.tempRoot).length === 0);
  }, 180_000);

  test("host and CLI killed: the next start removes both, and keeps what is the user's", async () => {
    const stage = await setIsolatedStage([sh(COMMAND)]);
    writeFileSync(join(stage.cwd, '.gitconfig'), '');
    mkdirSync(join(stage.cwd, '.claude'));
    const { cwd, cli, hostHome, tempRoot, folder, api } = stage;
    const env = {
      ...{ LANG: 'C.UTF-8', STAGE: folder, ANTHROPIC_BASE_URL: api.url, DISABLE_AUTOUPDATER: '1' },
      ...(process.getuid?.() === 0 ? { IS_SANDBOX: '1' } : {}),
    };
    const given = {
      options: { hostEnv: { PATH: process.env.PATH, HOME: hostHome }, hostHome, tempRoot },
      clientConfig: { cwd, pathToClaudeCodeExecutable: cli.path, isolation: { apiKey: 'sk-ant-fake', env } },
    };
    const host = spawn(process.execPath, [bundleHost(), JSON.stringify(given)], {
      stdio: 'inherit',
      env: { ...process.env, STAGE: folder },
    });
    await whenFolder(cwd, () => existsSync(join(cwd, 'started')));
    const exited = new Promise((resolve) => host.once('exit', resolve));
    killProcessesWith(folder);
    await exited;
    expect(readdirSync(cwd)).toEqual(expect.arrayContaining(['.bashrc', '.gitconfig', '.idea']));
    expect(readdirSync(tempRoot)).toHaveLength(1);

    await using home = await EphemeralHome.create({}, { workspacePath: cwd, tempRoot, hostHome });
    expect(readdirSync(cwd).sort()).toEqual(['.claude', '.gitconfig', 'started']);
    expect(readdirSync(join(cwd, '.claude'))).toEqual([]);
    expect(readdirSync(tempRoot)).toEqual([basename(home.homePath)]);
  });
});

/** @returns the file; it has to be where its packages are found */
function bundleHost(): string {
  const source = fileURLToPath(new URL('../../src', import.meta.url));
  const outfile = join(source, '..', '.build', `leftovers-host-${process.pid}.mjs`);
  buildSync({
    stdin: { contents: HOST.replaceAll('SOURCE', source), resolveDir: source, loader: 'ts' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    packages: 'external',
    outfile,
  });
  hosts.push(outfile);
  return outfile;
}
