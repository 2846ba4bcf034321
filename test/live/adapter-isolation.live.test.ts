import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { AdapterError } from '../../src/adapter/errors/adapter-error.js';
import type { AgentRuntime } from '../../src/adapter/runtime/agent-runtime.js';
import { loadRuntime } from '../../src/adapter/runtime/load-runtime.js';
import { isJsonObject, type JsonObject } from '../../src/util/json.js';
import { KEY, setIsolatedStage, sh } from './support/isolated.js';
import { describeSandboxed } from './support/sandbox.js';

/** Every file below, with its size and change time: what changed shows. */
function imageOf(folder: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    filesBelow(folder).map((path) => [path, `${statSync(path).mtimeMs} ${readFileSync(path, 'utf8')}`]),
  );
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** Files below that hold one of the texts. */
function holding(folder: string, texts: readonly string[]): string[] {
  return filesBelow(folder).filter((path) => {
    const content = readFileSync(path, 'latin1');
    return texts.some((text) => content.includes(text));
  });
}

describeSandboxed('isolation on the real CLI, in bypass mode', () => {
  test('the user’s folder is unchanged, the report says what is known, nothing stays behind (AD-253, AD-411, AD-412)', async () => {
    const stage = await setIsolatedStage([
      sh('echo made > made.txt; echo t > "$TMPDIR/t"; ls -d ~/.claude; touch ~/.claude/here ~/here'),
      ['Write', { file_path: 'written.txt', content: 'x' }],
    ]);
    const claude = join(stage.hostHome, '.claude');
    writeFileSync(join(claude, 'marker'), 'the user’s');
    writeFileSync(join(claude, 'settings.json'), JSON.stringify({ model: 'from-the-user' }));
    writeFileSync(join(stage.hostHome, '.claude.json'), '{}');
    const before = imageOf(stage.hostHome);
    const { response, init } = await stage.run({});
    expect(response.text).toBe('Done.');
    expect(imageOf(stage.hostHome)).toEqual(before);
    expect(init.model).not.toBe('from-the-user');
    expect(response.isolation).toEqual({
      requested: true,
      settingsConfirmed: true,
      probePassed: true,
      openings: [],
      managedSources: [],
    });
    expect(readFileSync(join(stage.cwd, 'made.txt'), 'utf8')).toBe('made\n');
    expect(readdirSync(stage.tempRoot)).toEqual([]);
  });

  test('file tools stay in the working directory, by name and by link; shell commands write nowhere else (AD-399)', async () => {
    const stage = await setIsolatedStage(({ folder, cwd, hostHome }) => [
      ['Read', { file_path: join(folder, 'secret.txt') }],
      ['Write', { file_path: join(folder, 'written.txt'), content: 'x' }],
      ['Read', { file_path: '/etc/hostname' }],
      ['Read', { file_path: '../secret.txt' }],
      sh(`ln -s ${folder} way-out; ls -l`),
      ['Read', { file_path: join(cwd, 'way-out', 'secret.txt') }],
      ['Write', { file_path: join(cwd, 'way-out', 'written.txt'), content: 'x' }],
      sh(`echo x > ${folder}/written.txt`),
      sh('echo x > way-out/written.txt'),
      sh('sh ./write.sh'),
      sh(`cp /etc/hostname ${hostHome}/stolen`),
      sh('echo x > .mcp.json'),
      sh('echo x > .claude/settings.json'),
    ]);
    writeFileSync(join(stage.folder, 'secret.txt'), 'not for you');
    const targets = [join(stage.folder, 'written.txt'), join(stage.tempRoot, 'written'), '/var/tmp/written'];
    // By a script, so that the CLI does not see where it writes.
    const lines = targets.map((path) => `echo x > ${path}; ln ${stage.folder}/secret.txt ${path}`);
    writeFileSync(join(stage.cwd, 'write.sh'), lines.join('\n'));
    let settings: unknown;
    const { said } = await stage.run(
      {},
      {
        onMessage: (message) => {
          if (message.type !== 'result') return;
          const [home = ''] = readdirSync(stage.tempRoot);
          const file = join(stage.tempRoot, home, '.claude', 'settings.json');
          settings = JSON.parse(readFileSync(file, 'utf8'));
        },
      },
    );
    for (const at of [0, 1, 2, 3, 5, 6]) expect(said[at]).toMatch(/outside|leaves/i);
    expect(said[4]).toContain('way-out');
    for (const at of [7, 8, 11, 12]) {
      expect(said[at]).toMatch(/Read-only file system|Permission denied/);
    }
    expect(said.join('\n')).not.toContain('not for you');
    expect(targets.filter((path) => existsSync(path))).toEqual([]);
    expect(readdirSync(stage.hostHome)).toEqual(['.claude']);
    expect(readdirSync(stage.cwd).sort()).toEqual(['.claude', 'way-out', 'write.sh']);
    expect(filesBelow(join(stage.cwd, '.claude'))).toEqual([]);
    expect(settings).toMatchObject({
      permissions: { blockReadsOutsideWorkingDirectories: true, blockWritesOutsideWorkingDirectories: true },
    });
  });

  test('a file of the host’s home is not there, nor one below `denyRead`; what nothing names can be read (AD-396)', async () => {
    for (const outsideWorkspacePaths of ['deny', 'allow'] as const) {
      const stage = await setIsolatedStage(({ folder }) => [
        sh('sh ./read.sh 2>&1'),
        sh(`python3 -c "print(open('${folder}/denied/file').read())"`),
      ]);
      const { folder, hostHome } = stage;
      mkdirSync(join(folder, 'denied'));
      writeFileSync(join(hostHome, '.netrc'), 'canary-home');
      writeFileSync(join(folder, 'denied', 'file'), 'canary-denied');
      writeFileSync(join(folder, 'open.txt'), 'not limited');
      symlinkSync(join(folder, 'denied'), join(stage.cwd, 'link'));
      // By a script: the CLI refuses some commands that it sees reading outside.
      const paths = [`${hostHome}/.netrc`, `${folder}/denied/file`, 'link/file', `${folder}/open.txt`];
      writeFileSync(join(stage.cwd, 'read.sh'), paths.map((path) => `cat ${path}`).join('\n'));
      const { said } = await stage.run(
        { sandbox: { denyRead: [join(folder, 'denied')] } },
        { client: { outsideWorkspacePaths } },
      );
      expect(said.join('\n')).not.toContain('canary');
      expect(said[0]?.match(/No such file or directory/g), said[0]).toHaveLength(3);
      expect(said[0]).toContain('not limited');
    }
  });

  test('a sandbox program that the model puts on the PATH is not started', async () => {
    for (const entry of ['node_modules/.bin', '.']) {
      const stage = await setIsolatedStage(({ folder }) => [
        sh(
          `mkdir -p ${entry}; printf '#!/bin/sh\\nid > ${folder}/escaped\\n' > ${entry}/bwrap; cp ${entry}/bwrap ${entry}/socat; chmod +x ${entry}/*`,
        ),
        sh('echo still; command -v bwrap'),
      ]);
      const first = entry === '.' ? entry : join(stage.cwd, entry);
      const hostEnv = { PATH: `${first}:${process.env.PATH}` };
      const { said } = await stage.run({}, { hostEnv });
      expect(existsSync(join(stage.cwd, entry, 'bwrap'))).toBe(true);
      expect(existsSync(join(stage.folder, 'escaped')), said.join('\n')).toBe(false);
      expect(said[1]).toMatch(/^still\n\/.*\/bwrap$/);
      expect(said[1]).not.toContain(stage.cwd);
    }
  });

  test('the home of another run, made after this one started, is not there for commands', async () => {
    const stage = await setIsolatedStage(() => {
      for (const name of ['claude-agent-other', 'open']) {
        const folder = join(stage.tempRoot, name, '.claude', 'projects');
        mkdirSync(folder, { recursive: true });
        writeFileSync(join(folder, 'x.jsonl'), `canary-${name}`);
      }
      return [sh('sh ./read.sh 2>&1'), sh('echo t > "$TMPDIR/t" && cat "$TMPDIR/t"')];
    });
    const lines = [
      `cat ${stage.tempRoot}/*/.claude/projects/x.jsonl`,
      `find ${stage.tempRoot} -name '*.jsonl'`,
      'cat "$HOME/.claude/settings.json"',
    ];
    writeFileSync(join(stage.cwd, 'read.sh'), lines.join('\n'));
    const { said } = await stage.run({});
    expect(said[0]).toContain('canary-open');
    expect(said[0]).not.toContain('canary-claude-agent-other');
    expect(said[0]).not.toContain('allowedDomains');
    expect(said[0]?.match(/\.jsonl$/gm), said[0]).toHaveLength(1);
    expect(said[1]).toBe('t');
  });

  test('an excluded command leaves the sandbox, as the documentation says (AD-402)', async () => {
    const stage = await setIsolatedStage(({ folder }) => [sh(`touch ${folder}/free`), sh(`mkdir ${folder}/held`)]);
    await stage.run(
      { sandbox: { excludedCommands: ['touch'], allowUnsandboxedCommands: false } },
      // With the block the CLI would refuse the path before the command runs.
      { client: { outsideWorkspacePaths: 'allow' } },
    );
    const isThere = (name: string) => existsSync(join(stage.folder, name));
    expect([isThere('free'), isThere('held')]).toEqual([true, false]);
  });

  test('planted secrets and the API key reach the CLI only: no command, no server, no file, no message (AD-394)', async () => {
    const secrets = {
      ANTHROPIC_API_KEY: 'planted-host-key',
      ANTHROPIC_AUTH_TOKEN: 'planted-auth-token',
      AWS_SECRET_ACCESS_KEY: 'planted-aws',
      CLAUDE_CODE_OAUTH_TOKEN: 'planted-oauth',
      GITHUB_TOKEN: 'planted-github',
      // The CLI's own, and names that say what they are in other words.
      ANTHROPIC_CUSTOM_HEADERS: 'X-Planted: planted-header',
      CLAUDE_CODE_CLIENT_KEY_PASSPHRASE: 'planted-passphrase',
      GH_PAT: 'planted-pat',
      DB_PASS: 'planted-pass',
      HOST_SETTING: 'planted-host-setting',
    };
    const stage = await setIsolatedStage([
      sh('env'),
      sh('echo "key=[$ANTHROPIC_API_KEY][$GITHUB_TOKEN]"'),
      sh('sh ./look.sh'),
      ['mcp__planted__anything', {}],
    ]);
    const { hostHome, cwd, tempRoot } = stage;
    plantConfiguration(hostHome, { PLANTED: 'planted-settings' });
    plantConfiguration(cwd, {});
    writeFileSync(join(hostHome, '.claude', '.credentials.json'), '{"token":"planted-credentials"}');
    writeFileSync(join(hostHome, '.claude', 'CLAUDE.md'), 'planted-memory');
    // The pattern is not its own match; `control` shows that the search finds what is there.
    const search = [
      'CONTROL=planted-control; export CONTROL',
      '(for p in /proc/[0-9]*; do cat $p/environ $p/cmdline | tr "\\0" "\\n"; done',
      'sh -c env',
      `find ${hostHome} ${tempRoot} "$HOME" "$TMPDIR/.." -type f -exec cat {} +`,
      `) 2>/dev/null | grep -a -e 'planted-[a-z]' -e '${KEY.slice(0, -1)}[f]'`,
    ];
    writeFileSync(join(cwd, 'look.sh'), search.join('\n'));
    const wanted = [KEY, ...Object.values(secrets), 'planted-settings', 'planted-credentials', 'planted-memory'];
    const found: string[] = [];
    let searched = 0;
    const { said, response, init } = await stage.run(
      { passEnv: Object.keys(secrets).filter((name) => /GITHUB|CUSTOM|CLIENT|PA(?:T|SS)$/.test(name)) },
      {
        hostEnv: secrets,
        onMessage: (message) => {
          // The home, the CLI's own files and the working directory, while all of them are there.
          if (message.type !== 'result') return;
          found.push(...holding(tempRoot, wanted), ...holding(cwd, wanted));
          searched = filesBelow(tempRoot).length;
        },
      },
    );
    expect(said[1]).toBe('key=[][]');
    expect(said[2]).toContain('planted-control');
    const bodies = stage.api.requests.map(({ body }) => body);
    const told = JSON.stringify([said, response, bodies]);
    expect(wanted.filter((secret) => told.includes(secret))).toEqual([]);
    expect(found).toEqual([]);
    expect(searched).toBeGreaterThan(3);
    expect(said[3]).toMatch(/No such tool/);
    expect(readdirSync(cwd).sort()).toEqual(['.claude', '.claude.json', '.mcp.json', 'look.sh']);
    expect(init.mcp_servers).toEqual([]);
    // The CLI itself has the key, and used it.
    expect(init.apiKeySource).toBe('ANTHROPIC_API_KEY');
    expect(stage.api.requests.some(({ headers }) => headers['x-api-key'] !== undefined)).toBe(true);
  });

  const spoiled: readonly (readonly [name: string, spoil: (settings: JsonObject) => JsonObject])[] = [
    ['beside the sandbox', (settings) => ({ ...settings, cleanupPeriodDays: 'soon' })],
    ['in the sandbox', (settings) => ({ ...settings, sandbox: { enabled: 'yes' } })],
    ['that is no object', () => [] as never],
  ];
  test.each(spoiled)(
    'a settings file with a value of a wrong type %s is an error, and nothing is sent to the model',
    async (_name, spoil) => {
      const stage = await setIsolatedStage([sh('echo ran > ran.txt')]);
      const run = stage.run({}, { adapter: { loadRuntime: () => runtimeThatSpoils(spoil) } });
      await expect(run).rejects.toBeInstanceOf(AdapterError);
      expect(stage.mainCalls()).toEqual([]);
      expect(readdirSync(stage.cwd)).toEqual([]);
      expect(readdirSync(stage.tempRoot)).toEqual([]);
    },
  );
});

/** What a curious CLI would load from a home or a project: hooks and servers that write down their environment. */
function plantConfiguration(folder: string, env: Readonly<Record<string, string>>): void {
  const command = `env > ${join(folder, 'planted-hook.txt')}`;
  mkdirSync(join(folder, '.claude'), { recursive: true });
  const settings = {
    env,
    enableAllProjectMcpServers: true,
    hooks: { SessionStart: [{ hooks: [{ type: 'command', command }] }] },
  };
  writeFileSync(join(folder, '.claude', 'settings.json'), JSON.stringify(settings));
  const server = { command: 'sh', args: ['-c', `env > ${join(folder, 'planted-server.txt')}`] };
  const servers = JSON.stringify({ mcpServers: { planted: server } });
  for (const name of ['.mcp.json', '.claude.json']) writeFileSync(join(folder, name), servers);
}

/** Changes the settings file behind the adapter's back, right before the CLI starts. */
async function runtimeThatSpoils(spoil: (settings: JsonObject) => JsonObject): Promise<AgentRuntime> {
  const runtime = await loadRuntime();
  return {
    locateExecutable: (options) => runtime.locateExecutable(options),
    query: (input, options) => {
      const file = String(options.settings);
      const settings: unknown = JSON.parse(readFileSync(file, 'utf8'));
      writeFileSync(file, JSON.stringify(spoil(isJsonObject(settings) ? settings : {})));
      return runtime.query(input, options);
    },
  };
}
