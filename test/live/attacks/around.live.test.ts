import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ClaudeAgentAdapter } from '../../../src/adapter/index.js';
import { OLDEST } from '../support/clis.js';
import { setIsolatedStage, sh } from '../support/isolated.js';
import { describeSandboxed } from '../support/sandbox.js';

/** A bwrap that leaves out what the guard adds, as one would that does not know it. */
const FORGETFUL = `#!/bin/sh
n=0 words= skip=0
for word do
  n=$((n + 1))
  [ "$skip" = 0 ] || { skip=$((skip - 1)); continue; }
  case $word in --unshare-ipc) continue ;; --ro-bind-try) skip=2; continue ;; esac
  words="$words \\"\\\${$n}\\""
done
eval "set -- $words"
exec /usr/bin/bwrap "$@"
`;

const uid = process.getuid?.();

describeSandboxed(`around the sandbox of the real CLI, as uid ${uid}`, () => {
  test('a sandbox that does not hold is refused where it is required, and said where it is not (I-1)', async () => {
    const stage = await setIsolatedStage([sh('echo ran > ran.txt')]);
    const bin = join(stage.folder, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'bwrap'), FORGETFUL, { mode: 0o755 });
    const PATH = `${bin}:${process.env.PATH}`;
    const opening = uid === 0 ? 'kernel settings in /proc/sys' : 'memory segments';
    await expect(stage.run({}, { hostEnv: { PATH } })).rejects.toThrow(
      new RegExp(`required and does not hold.*\\(uid ${uid}\\).*${opening}.*required: false`),
    );
    expect(stage.mainCalls()).toEqual([]);
    expect(readdirSync(stage.cwd)).toEqual([]);
    const { response } = await stage.run({ sandbox: { required: false } }, { hostEnv: { PATH } });
    expect(response.isolation?.probePassed).toBe(false);
    expect(response.isolation?.openings.join()).toContain(opening);
    const adapter = new ClaudeAgentAdapter({
      hostEnv: { PATH, HOME: stage.hostHome },
      hostHome: stage.hostHome,
      tempRoot: stage.tempRoot,
      clientConfig: { cwd: stage.cwd, pathToClaudeCodeExecutable: stage.cli.path, isolation: { apiKey: 'k' } },
    });
    const item = (await adapter.check()).items.find(({ name }) => name === 'sandbox');
    expect(item).toMatchObject({ status: 'failed', found: expect.stringContaining(opening) });
  });

  test('a release that has no sandbox runs nothing under isolation, also where none is required (I-1)', async () => {
    const stage = await setIsolatedStage([sh('echo ran > ran.txt')]);
    for (const [permissionMode, required] of [
      ['bypassPermissions', true],
      ['acceptEdits', true],
      ['acceptEdits', false],
    ] as const) {
      const client = { pathToClaudeCodeExecutable: OLDEST.path, permissionMode };
      await expect(stage.run({ sandbox: { required } }, { client })).rejects.toThrow();
    }
    expect(stage.mainCalls()).toEqual([]);
    expect(readdirSync(stage.cwd)).toEqual([]);
    expect(readdirSync(stage.tempRoot)).toEqual([]);
    // A script of several megabytes, started three times.
  }, 180_000);

  test('plugins, their hooks, servers, monitors and language servers do not start, wherever they lie (I-1)', async () => {
    const stage = await setIsolatedStage(({ cwd }) => [
      ['Write', { file_path: join(cwd, 'a.xyz'), content: 'text' }],
      ['LSP', { operation: 'hover', filePath: join(cwd, 'a.xyz'), line: 1, character: 1 }],
      sh('ls'),
    ]);
    const { cwd, hostHome, folder } = stage;
    const started = join(folder, 'started');
    for (const place of [join(cwd, 'market'), join(hostHome, 'market')]) plantMarket(place, started);
    for (const [place, market] of [
      [cwd, './market'],
      [hostHome, join(hostHome, 'market')],
    ] as const) {
      mkdirSync(join(place, '.claude', 'plugins'), { recursive: true });
      const source = { source: 'directory', path: market };
      const settings = { enabledPlugins: { 'planted@market': true }, extraKnownMarketplaces: { market: { source } } };
      writeFileSync(join(place, '.claude', 'settings.json'), JSON.stringify(settings));
      const known = { market: { source, installLocation: join(place, 'market'), lastUpdated: 'x' } };
      writeFileSync(join(place, '.claude', 'plugins', 'known_marketplaces.json'), JSON.stringify(known));
      const entry = { scope: 'user', installPath: join(place, 'market', 'planted'), version: '1.0.0' };
      const installed = { version: 2, plugins: { 'planted@market': [entry] } };
      writeFileSync(join(place, '.claude', 'plugins', 'installed_plugins.json'), JSON.stringify(installed));
    }
    const { init } = await stage.run({ env: { ENABLE_LSP_TOOL: '1' } });
    expect(init.plugins.filter(({ path }) => path !== 'builtin')).toEqual([]);
    expect(init.mcp_servers).toEqual([]);
    expect(existsSync(started)).toBe(false);
  });
});

/** A market place with one plugin that notes whatever of it is started. */
function plantMarket(place: string, started: string): void {
  const plugin = join(place, 'planted');
  for (const folder of ['.claude-plugin', 'hooks']) {
    mkdirSync(join(plugin, folder), { recursive: true });
  }
  mkdirSync(join(place, '.claude-plugin'));
  const note = (what: string) => ({ command: 'sh', args: ['-c', `echo ${what} >> ${started}`] });
  const write = (name: string, value: unknown) => writeFileSync(join(place, name), JSON.stringify(value));
  write('.claude-plugin/marketplace.json', {
    name: 'market',
    owner: { name: 'x' },
    plugins: [{ name: 'planted', source: './planted' }],
  });
  write('planted/.claude-plugin/plugin.json', { name: 'planted', version: '1.0.0' });
  const hook = { hooks: [{ type: 'command', command: `echo hook >> ${started}` }] };
  write('planted/hooks/hooks.json', { hooks: { SessionStart: [hook], PreToolUse: [hook] } });
  write('planted/.mcp.json', { mcpServers: { planted: note('server') } });
  write('planted/.lsp.json', { planted: { ...note('language'), extensionToLanguage: { '.xyz': 'xyz' } } });
  write('planted/monitors.json', [{ name: 'm', description: 'm', ...note('monitor') }]);
}
