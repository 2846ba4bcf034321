import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PEER } from '../transport/support.js';

/** A host whose working directory was deleted, or whose user has no home: both need a process of their own. */
const LOSE_CWD = `
  const gone = require('node:fs').mkdtempSync(require('node:path').join(require('node:os').tmpdir(), 'claudewire-gone-'));
  process.chdir(gone);
  require('node:fs').rmdirSync(gone);`;
/** As Node does for a user id that the user database does not have. */
const LOSE_HOME = `
  delete process.env.HOME;
  const os = require('node:os');
  const fail = (name) => () => { throw Object.assign(new Error('A system error occurred: ' + name + ' returned ENOENT'), { code: 'ERR_SYSTEM_ERROR' }); };
  os.homedir = fail('uv_os_homedir');
  os.userInfo = fail('uv_os_get_passwd');`;

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'claudewire-test-'));
  mkdirSync(join(directory, 'config', 'projects'), { recursive: true });
  buildSync({
    entryPoints: [fileURLToPath(new URL('../../src/index.ts', import.meta.url))],
    bundle: true,
    platform: 'node',
    format: 'cjs',
    outfile: join(directory, 'index.cjs'),
    logLevel: 'silent',
  });
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

interface Answer {
  readonly value?: unknown;
  readonly error?: string;
  readonly isOurs?: boolean;
}

/** What `expression` gives in such a host. `q` drains a query, and `cli` is a command line that ends at once. */
function ask(lose: string, expression: string, env: Record<string, string> = {}): Answer {
  const script = `
    ${lose}
    const sdk = require(${JSON.stringify(join(directory, 'index.cjs'))});
    const cli = { pathToClaudeCodeExecutable: ${JSON.stringify(PEER)}, env: { PEER_MODE: 'exits-with' } };
    const q = async (options) => { for await (const _ of sdk.query({ prompt: 'x', options })); return 'ended'; };
    (async () => (${expression}))().then(
      (value) => console.log(JSON.stringify({ value })),
      (error) => console.log(JSON.stringify({ error: String(error.message), isOurs: sdk.isClaudeSDKError(error) })),
    ).then(() => process.exit());`;
  const text = execFileSync(process.execPath, ['-e', script], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, CLAUDE_CONFIG_DIR: join(directory, 'config'), ...env },
  });
  return JSON.parse(text) as Answer;
}

describe('the working directory of the host was deleted (C-7)', () => {
  test.each([
    ['a run with an executable, a cwd and an environment', "q({ ...cli, cwd: '/' })"],
    ['one with a store', "q({ ...cli, cwd: '/', sessionStore: new sdk.InMemorySessionStore() })"],
    [
      'a spawn hook',
      "q({ ...cli, spawnClaudeCodeProcess: ({ args, env }) => require('node:child_process').spawn(process.execPath, args, { cwd: '/', env, stdio: 'pipe' }) })",
    ],
  ])('%s starts', (_, expression) => {
    const { error = '', isOurs = true } = ask(LOSE_CWD, expression);
    // The fixture answers nothing: that it ran is what counts.
    expect(isOurs).toBe(true);
    expect(error).not.toMatch(/uv_cwd|working directory/);
  });

  test.each([
    ['resolveSettings with a folder', "(await sdk.resolveSettings({ cwd: '/' })).sources.length"],
    ['settings of the user', "(await sdk.resolveSettings({ settingSources: ['user'] })).sources.length"],
    ['listSessions', "(await sdk.listSessions({ dir: '/' })).length"],
    ['a store in a folder', "new sdk.FileSessionStore('/x').directory.length - 2"],
  ])('%s works', (_, expression) => {
    expect(ask(LOSE_CWD, expression)).toEqual({ value: 0 });
  });

  test.each([
    ['query', 'q({ ...cli })', 'cwd'],
    ['query with a store', 'q({ ...cli, sessionStore: new sdk.InMemorySessionStore() })', 'cwd'],
    ['prewarm', "sdk.prewarm({ options: { ...cli, env: { CLAUDE_CONFIG_DIR: 'rel' } } })", 'cwd'],
    ['resolveSettings', 'sdk.resolveSettings()', 'cwd'],
    ['FileSessionStore', "new sdk.FileSessionStore('x')", 'directory'],
    ['listSessions', "sdk.listSessions({ dir: 'rel' })", 'dir'],
    ['projectKeyForDirectory', 'sdk.projectKeyForDirectory()', 'dir'],
  ])('%s says which path is missing', (_, expression, option) => {
    const { error, isOurs } = ask(LOSE_CWD, expression);
    expect(error).toContain(`Option \`${option}\` must be an absolute path`);
    expect(isOurs).toBe(true);
  });
});

describe('the user has no entry in the user database, and HOME is not set (C-8)', () => {
  test('a run starts', () => {
    const { error = '', isOurs = true } = ask(LOSE_HOME, "q({ ...cli, cwd: '/' })");
    expect(isOurs).toBe(true);
    expect(error).not.toContain('uv_os_');
  });

  test('sessions are read where CLAUDE_CONFIG_DIR is set, and asked for it otherwise', () => {
    expect(ask(LOSE_HOME, '(await sdk.listSessions()).length')).toEqual({ value: 0 });
    const { error, isOurs } = ask(LOSE_HOME, 'sdk.listSessions()', { CLAUDE_CONFIG_DIR: '' });
    expect(error).toContain('The home directory is not known: `HOME` is not set');
    expect(isOurs).toBe(true);
  });

  test('a search for the CLI that finds none is CLINotFoundError', () => {
    const { error } = ask(LOSE_HOME, "q({ env: { PATH: '/nowhere' }, cwd: '/' })");
    expect(error ?? 'ended').not.toContain('uv_os_');
  });
});
