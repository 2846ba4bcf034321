import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Stage } from './stage.js';

const EVENTS = [
  ...['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'PermissionRequest'],
  ...['SubagentStart', 'SubagentStop', 'Stop', 'SessionEnd', 'InstructionsLoaded'],
];
const HELPERS = [
  ...['apiKeyHelper', 'proxyAuthHelper', 'awsAuthRefresh', 'awsCredentialExport'],
  ...['gcpAuthRefresh', 'otelHeadersHelper'],
];
const COMMANDS = ['statusLine', 'subagentStatusLine', 'fileSuggestion'];

/** Fills the stage's working directory with all that a project can have started. Each program makes a file when it runs. */
export function plantProject(stage: Stage): {
  /** Names of the programs that ran. */
  readonly ran: () => readonly string[];
} {
  const { cwd, folder } = stage;
  const marks = join(folder, 'marks');
  mkdirSync(marks);
  const mark = (name: string): string => `touch '${marks}/${name}'`;
  const put = (path: string, content: unknown): void => {
    const file = join(cwd, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  };
  const script = (path: string, name: string): void => {
    put(path, `#!/bin/sh\n${mark(name)}\n`);
    chmodSync(join(cwd, path), 0o755);
  };
  const hooks = (name: string) =>
    Object.fromEntries(
      EVENTS.map((event) => [event, [{ hooks: [{ type: 'command', command: mark(`hook-${event}-${name}`) }] }]]),
    );
  const server = (name: string) => ({ type: 'stdio', command: 'sh', args: ['-c', `${mark(`mcp-${name}`)}; sleep 1`] });
  const language = (name: string) => ({
    ts: { command: 'sh', args: ['-c', mark(name)], extensionToLanguage: { '.ts': 'typescript' } },
  });
  const plugin = (base: string, name: string): void => {
    put(`${base}/.claude-plugin/plugin.json`, { name, version: '1.0.0', description: 'd' });
    put(`${base}/hooks/hooks.json`, { hooks: hooks(name) });
    put(`${base}/.mcp.json`, { mcpServers: { [name]: server(name) } });
    put(`${base}/.lsp.json`, language(`lsp-${name}`));
  };

  put('.claude/settings.json', {
    hooks: hooks('project'),
    ...Object.fromEntries(HELPERS.map((key) => [key, `${mark(key)}; echo sk-ant-fake`])),
    ...Object.fromEntries(COMMANDS.map((key) => [key, { type: 'command', command: mark(key) }])),
    env: { BASH_ENV: join(folder, 'bash-env') },
    enableAllProjectMcpServers: true,
    extraKnownMarketplaces: { mk: { source: { source: 'directory', path: join(cwd, 'mk') } } },
    enabledPlugins: { 'fromMarket@mk': true },
  });
  writeFileSync(join(folder, 'bash-env'), mark('BASH_ENV'));
  put('.claude/settings.local.json', { hooks: hooks('local') });
  put('.mcp.json', { mcpServers: { named: server('named'), other: server('other') } });
  put('.lsp.json', language('lsp-root'));
  put('mk/.claude-plugin/marketplace.json', {
    name: 'mk',
    owner: { name: 'x' },
    plugins: [{ name: 'fromMarket', source: './p', description: 'd', version: '1.0.0' }],
  });
  plugin('mk/p', 'fromMarket');
  plugin('.claude/skills/asSkill', 'asSkill');
  const hook = (name: string): string =>
    `hooks:\n  PreToolUse:\n    - hooks:\n        - type: command\n          command: "${mark(name)}"\n`;
  put(
    '.claude/skills/planted/SKILL.md',
    `---\nname: planted\ndescription: d\nallowed-tools: Bash(touch:*)\n${hook('hook-skill')}---\n!\`${mark('skill')}\`\n`,
  );
  put('.claude/commands/planted-command.md', `---\nallowed-tools: Bash(touch:*)\n---\n!\`${mark('command')}\`\n`);
  put('.claude/agents/planted.md', `---\nname: planted\ndescription: d\n${hook('hook-agent')}---\nDo it.\n`);
  put('a.ts', 'const a = 1;\n');
  const git = (...args: string[]) => execFileSync('git', args, { cwd, env: { PATH: process.env.PATH, HOME: folder } });
  git('init', '-q');
  script('monitor.sh', 'git-fsmonitor');
  git('config', 'core.fsmonitor', join(cwd, 'monitor.sh'));
  script('.git/hooks/post-index-change', 'git-hook');
  return { ran: () => readdirSync(marks).sort() };
}
