import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { environmentFindings } from '../../src/doctor/environment.js';
import type { Finding } from '../../src/doctor/finding.js';
import { type McpOptions, mcpFindings } from '../../src/doctor/mcp-servers.js';
import { settingsFindings } from '../../src/doctor/settings.js';
import { withoutOuterSession } from '../../src/nested-session.js';
import { ENVIRONMENT_CASES } from './environment.cases.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'claudewire-doctor-'));
  mkdirSync(join(folder, 'config'));
  mkdirSync(join(folder, '.claude'));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

const say = (findings: readonly Finding[]): readonly string[] =>
  findings.map(
    ({ name, where, found }) => `${name} ${where.replaceAll(folder, 'DIR')}: ${found.replaceAll(folder, 'DIR')}`,
  );

describe('the environment', () => {
  test.each(ENVIRONMENT_CASES)('$title', ({ env, says }) => {
    const file = join(folder, 'ca.pem');
    writeFileSync(file, '-----BEGIN CERTIFICATE-----\n');
    const real = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, value.replace('FILE', file)]));
    const findings = environmentFindings(real);
    expect(say(findings)).toEqual(says);
    expect(JSON.stringify(findings)).not.toContain('SECRET');
    for (const { status, fix } of findings) expect(fix === undefined).toBe(status === 'passed');
  });

  test('a run of ours gets nothing of an outer session, and keeps what is its own', () => {
    const own = { PATH: '/bin', CLAUDE_CONFIG_DIR: '/c', ANTHROPIC_API_KEY: 'k' };
    expect(withoutOuterSession({ ...own, CLAUDECODE: '1', CLAUDE_PID: '7', CLAUDE_CODE_ENTRYPOINT: 'cli' })).toEqual(
      own,
    );
    expect(withoutOuterSession({ ...own, CLAUDE_CODE_ENTRYPOINT: 'my-app' })).toEqual({
      ...own,
      CLAUDE_CODE_ENTRYPOINT: 'my-app',
    });
  });
});

describe('settings that decide in the place of callbacks', () => {
  const look = async (settings: unknown): Promise<readonly string[]> => {
    vi.stubEnv('CLAUDE_CONFIG_DIR', join(folder, 'config'));
    const text = typeof settings === 'string' ? settings : JSON.stringify(settings);
    writeFileSync(join(folder, '.claude/settings.json'), text);
    return say(await settingsFindings(folder));
  };
  const FILE = 'DIR/.claude/settings.json';

  test.each([
    [{}, []],
    [{ model: 'sonnet', permissions: { defaultMode: 'plan', ask: ['Bash'] }, hooks: { Stop: [{ hooks: [] }] } }, []],
    [
      { permissions: { allow: ['Bash', 'Read(/x)'] } },
      [`callbacks ${FILE}: permissions.allow: canUseTool is not asked about Bash, Read(/x).`],
    ],
    [
      { permissions: { allow: ['A', 'B', 'C', 'D', 'E', 'F', 'G'] } },
      [`callbacks ${FILE}: permissions.allow: canUseTool is not asked about A, B, C, D, E and 2 more.`],
    ],
    [
      { permissions: { allow: [`Bash(curl -H "Authorization: Bearer SECRETSECRETSECRET1" ${'x'.repeat(200)})`] } },
      [
        `callbacks ${FILE}: permissions.allow: canUseTool is not asked about Bash(curl -H "Authorization: Bearer [secret]" ${'x'.repeat(74)}….`,
      ],
    ],
    [
      { permissions: { deny: ['WebFetch'], defaultMode: 'acceptEdits' } },
      [
        `callbacks ${FILE}: defaultMode acceptEdits: canUseTool is not asked about edits of files in the working directory.`,
        `callbacks ${FILE}: permissions.deny: refused without asking canUseTool: WebFetch.`,
      ],
    ],
    [
      { hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command: 'check SECRET' }] }] } },
      [`callbacks ${FILE}: hooks.PreToolUse: commands that may decide before canUseTool is asked.`],
    ],
  ])('%j', async (settings, says) => {
    expect(await look(settings)).toEqual(says);
  });

  test('a file that does not count is named', async () => {
    expect((await look('{ "permissions": '))[0]).toMatch(/^settings DIR\/\.claude\/settings\.json: /);
  });
});

describe('MCP servers', () => {
  const look = (content: unknown, more: Partial<McpOptions> = {}): Promise<readonly Finding[]> => {
    const text = typeof content === 'string' ? content : JSON.stringify({ mcpServers: content });
    writeFileSync(join(folder, '.mcp.json'), text);
    const env = { PATH: process.env.PATH, CLAUDE_CONFIG_DIR: join(folder, 'config') };
    return mcpFindings({ env, cwd: folder, probe: false, ...more });
  };
  const AT = 's in DIR/.mcp.json';

  test.each([
    [{}, []],
    [{ s: { command: process.execPath } }, []],
    [{ s: { url: 'https://mcp.example' } }, []],
    [{ s: { command: 'no-such-program' } }, [`mcp ${AT}: Its command no-such-program was not found.`]],
    [{ s: { command: './no-such-program' } }, [`mcp ${AT}: Its command ./no-such-program was not found.`]],
    [{ s: {} }, [`mcp ${AT}: It has no \`command\` and no \`url\`.`]],
    [{ s: { url: 'nowhere' } }, [`mcp ${AT}: Its \`url\` is no address.`]],
    [
      // biome-ignore lint/suspicious/noTemplateCurlyInString: that is how the file names variables
      { s: { command: 'node', env: { TOKEN: '${MCP_TOKEN}', HOME: '${A_HOME:-/x}' } } },
      [`mcp ${AT}: It uses MCP_TOKEN, which the environment does not have.`],
    ],
    ['{', ['mcp DIR/.mcp.json: It is no JSON object.']],
    ['[]', ['mcp DIR/.mcp.json: It is no JSON object.']],
    // As the CLI does (C-5).
    ['\uFEFF{"mcpServers":{"s":{"command":"no"}}}', [`mcp ${AT}: Its command no was not found.`]],
    ['{"mcpServers":[1,null]}', []],
  ])('%j', async (content, says) => {
    expect(say(await look(content))).toEqual(says);
  });

  test('the value of a variable is not shown', async () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: that is how the file names variables
    const findings = await look({ s: { command: '${TOOLS}/server' } }, { env: { TOOLS: '/opt/SECRET' } });
    // biome-ignore lint/suspicious/noTemplateCurlyInString: as it is in the file
    expect(say(findings)).toEqual([`mcp ${AT}: Its command ${'${TOOLS}/server'} was not found.`]);
  });

  test('a device in the place of the file is not read', async () => {
    symlinkSync('/dev/zero', join(folder, '.mcp.json'));
    const env = { CLAUDE_CONFIG_DIR: join(folder, 'config') };
    expect(say(await mcpFindings({ env, cwd: folder, probe: false }))).toEqual([
      'mcp DIR/.mcp.json: It cannot be read: it is not a regular file.',
    ]);
  });

  test('a server that repeats its headers and variables does not bring them to the screen', async () => {
    const code = "console.error('no ' + process.env.PASS + ' ' + process.argv[1]); process.exit(1)";
    const server = {
      command: process.execPath,
      // biome-ignore lint/suspicious/noTemplateCurlyInString: that is how the file names variables
      args: ['-e', code, '${GIVEN}'],
      env: { PASS: 'SECRET horse battery' },
    };
    const env = { PATH: process.env.PATH, CLAUDE_CONFIG_DIR: join(folder, 'config'), GIVEN: 'SECRET staple' };
    const [finding] = await look({ s: server }, { env, probe: true });
    expect(finding?.found).toMatch(/no \[secret\] \[secret\]$/);
  });

  test('those of the user, and of the user for this folder, are looked at too', async () => {
    const servers = (name: string) => ({ mcpServers: { [name]: { command: 'no-such-program' } } });
    const content = { ...servers('global'), projects: { [folder]: servers('local'), '/other': servers('other') } };
    writeFileSync(join(folder, 'config/.claude.json'), JSON.stringify(content));
    expect((await look({})).map(({ where }) => where.split(' ')[0])).toEqual(['global', 'local']);
  });

  test('with --mcp, and no server in the files, it says that there is none', async () => {
    expect(say(await look({}, { probe: true }))).toEqual([
      'mcp DIR/.mcp.json, DIR/config/.claude.json: They configure no MCP server.',
    ]);
  });

  test('without --mcp nothing is started', async () => {
    const mark = join(folder, 'started');
    await look({
      s: { command: process.execPath, args: ['-e', `require('fs').writeFileSync(${JSON.stringify(mark)}, '')`] },
    });
    expect(() => readFileSync(mark)).toThrow('ENOENT');
  });

  const SERVER = `
    process.stdin.setEncoding('utf8').on('data', (text) => text.split('\\n').filter(Boolean).forEach((line) => {
      const { id, method, params } = JSON.parse(line);
      const results = {
        initialize: () => ({ protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 's', version: process.env.V } }),
        'tools/list': () => ({ tools: [{ name: 'a', inputSchema: { type: 'object' } }] }),
      };
      if (results[method]) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: results[method]() }));
    }));`;
  const run = (code: string) => ({ command: process.execPath, args: ['-e', code], env: { V: '1' } });

  test('with --mcp each is started and ended, and one that fails says why, without secrets', async () => {
    const pids = join(folder, 'pids');
    const note = `require('fs').appendFileSync(${JSON.stringify(pids)}, process.pid + '\\n');`;
    const findings = await look(
      {
        good: run(note + SERVER),
        dies: run(`${note}console.error('bad key sk-ant-api03-SECRETSECRETSECRETSECRET'); process.exit(1)`),
        silent: run(`${note}process.stdin.resume()`),
        away: { url: 'http://127.0.0.1:1/mcp' },
        missing: { command: 'no-such-program' },
        // biome-ignore lint/suspicious/noTemplateCurlyInString: that is how the file names variables
        unset: { command: process.execPath, args: ['${MCP_TOKEN}'] },
      },
      { probe: true, probeMs: 2_000 },
    );
    expect(findings.map(({ status }) => status)).toEqual(['passed', ...Array(5).fill('failed')]);
    expect(findings[0]?.found).toMatch(/^It started in \d+ ms and has 1 tools?\.$/);
    expect(findings[1]?.found).toMatch(/^It did not start: .*Connection closed; bad key \[secret\]/);
    expect(findings[2]?.found).toMatch(/timed out/i);
    expect(findings[4]?.found).toBe('Its command no-such-program was not found.');
    expect(findings[5]?.found).toBe('It uses MCP_TOKEN, which the environment does not have.');
    for (const pid of readFileSync(pids, 'utf8').trim().split('\n')) {
      expect(() => process.kill(Number(pid), 0)).toThrow('ESRCH');
    }
  });
});
