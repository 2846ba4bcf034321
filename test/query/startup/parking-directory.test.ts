import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CLIConnectionError, prewarm } from '../../../src/index.js';
import { createParkingDirectory, withFixedConfigFolder } from '../../../src/query/prewarm/prewarm.js';
import { initFrame, resultFrame } from '../../helpers/cli-frames.js';
import { scriptedCli } from '../../helpers/scripted-cli.js';
import { rejection } from './memory-cli.js';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'claudewire-test-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Variables that put the CLI's configuration into the test's folder. */
const environment = () => ({ PATH: process.env.PATH, CLAUDE_CONFIG_DIR: folder });

const spares = () => (existsSync(join(folder, 'spares')) ? readdirSync(join(folder, 'spares')) : []);

test.each([
  { name: 'CLAUDE_CONFIG_DIR', env: () => ({ CLAUDE_CONFIG_DIR: folder, HOME: '/nowhere' }), parent: () => folder },
  { name: 'HOME', env: () => ({ HOME: folder }), parent: () => join(folder, '.claude') },
  {
    name: 'HOME, when CLAUDE_CONFIG_DIR is empty',
    env: () => ({ CLAUDE_CONFIG_DIR: '', HOME: folder }),
    parent: () => join(folder, '.claude'),
  },
])('the folder is in the configuration that $name names, and nobody else may look into it', ({ env, parent }) => {
  const { path, remove } = createParkingDirectory(env());
  expect(dirname(path)).toBe(join(parent(), 'spares'));
  if (process.platform !== 'win32') {
    expect(statSync(path).mode & 0o777).toBe(0o700);
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
  }
  remove();
  remove();
  expect(existsSync(path)).toBe(false);
});

test('two spares do not share a folder, and each removes its own', () => {
  const first = createParkingDirectory({ CLAUDE_CONFIG_DIR: folder });
  const second = createParkingDirectory({ CLAUDE_CONFIG_DIR: folder });
  writeFileSync(join(first.path, 'left'), 'x');
  first.remove();
  expect(spares()).toEqual([second.path.split(/[\\/]/).at(-1)]);
  second.remove();
});

describe('with a relative CLAUDE_CONFIG_DIR', () => {
  const here = process.cwd();
  beforeEach(() => process.chdir(folder));
  afterEach(() => process.chdir(here));

  test('the folder is absolute, and goes wherever the program is by then', () => {
    const { path, remove } = createParkingDirectory({ CLAUDE_CONFIG_DIR: 'config' });
    expect(dirname(path)).toBe(join(process.cwd(), 'config', 'spares'));
    process.chdir(here);
    remove();
    expect(existsSync(path)).toBe(false);
  });

  test.each([
    { name: 'the program was', cwd: undefined, config: 'config' },
    { name: '`cwd` is', cwd: 'place', config: join('place', 'config') },
  ])('the CLI gets the absolute one, from where $name', async ({ cwd, config }) => {
    mkdirSync('place');
    const base = process.cwd();
    const cli = scriptedCli([{ wait: 'EOF' }]);
    const spare = await prewarm({
      options: {
        pathToClaudeCodeExecutable: cli.path,
        env: { PATH: process.env.PATH, CLAUDE_CONFIG_DIR: 'config' },
        ...(cwd === undefined ? {} : { cwd }),
      },
    });
    process.chdir(here);
    await spare[Symbol.asyncDispose]();
    await spare.exited;
    expect(cli.log().env.CLAUDE_CONFIG_DIR).toBe(join(base, config));
    const expected = cwd === undefined ? join(base, 'config', 'spares') : base;
    expect(dirname(cli.log().cwd)).toBe(expected);
    expect(readdirSync(base, { recursive: true, encoding: 'utf8' })).not.toContainEqual(
      expect.stringContaining('spare-'),
    );
  });

  test('a spawner of the caller’s gets it as it is', () => {
    const options = {
      env: { CLAUDE_CONFIG_DIR: 'config' },
      spawnClaudeCodeProcess: () => {
        throw new Error('not called');
      },
    };
    expect(withFixedConfigFolder(options)).toBe(options);
  });
});

test('a folder that cannot be made is a typed error, and no process is started', async () => {
  writeFileSync(join(folder, 'spares'), 'in the way');
  const cli = scriptedCli([]);
  const error = await rejection(prewarm({ options: { pathToClaudeCodeExecutable: cli.path, env: environment() } }));
  expect(error).toBeInstanceOf(CLIConnectionError);
  expect(error).toHaveProperty('cause.syscall');
  expect(cli.logs()).toEqual([]);
});

test('the process waits in it, and it goes with the process', async () => {
  const cli = scriptedCli([
    { in: { type: 'control_request', request: { subtype: 'claim_session' } }, answer: {} },
    { in: { type: 'user' } },
    { out: initFrame() },
    { out: resultFrame() },
    { wait: 'EOF' },
  ]);
  const spare = await prewarm({
    options: { pathToClaudeCodeExecutable: cli.path, env: environment(), extraArgs: { debug: null }, settings: {} },
  });
  expect(spares()).toHaveLength(1);
  const run = spare.claim({ prompt: 'Hi', options: { cwd: folder } });
  for await (const message of run) expect(message.type).toBeDefined();
  await spare.exited;
  expect(spares()).toEqual([]);
  expect(dirname(cli.log().cwd)).toBe(join(folder, 'spares'));
  expect(cli.log().argv.slice(-4)).toEqual(['--debug', '--await-claim', '--settings', '{}']);
  expect(cli.log().env.CLAUDE_CODE_SDK_READS_STARTUP_MARKS).toBe('1');
});

test('with `cwd` it waits there, and nothing is made or removed', async () => {
  const place = join(folder, 'place');
  mkdirSync(place);
  const cli = scriptedCli([{ wait: 'EOF' }]);
  const spare = await prewarm({ options: { pathToClaudeCodeExecutable: cli.path, env: environment(), cwd: place } });
  expect(spares()).toEqual([]);
  await spare[Symbol.asyncDispose]();
  await spare.exited;
  expect(cli.log().cwd).toBe(place);
  expect(existsSync(place)).toBe(true);
});

test.each([
  { name: 'a start that fails', path: () => scriptedCli([{ wait: 'EOF' }], { answers: { initialize: null } }).path },
  { name: 'a missing executable', path: () => join(folder, 'no-such-cli') },
])('$name leaves no folder', async ({ path }) => {
  await rejection(
    prewarm({ options: { pathToClaudeCodeExecutable: path(), env: environment() }, initializeTimeoutMs: 50 }),
  );
  await expect.poll(spares).toEqual([]);
});
