import { execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { AdapterConfigError } from '../../../src/adapter/errors/adapter-error.js';
import { EphemeralHome, type EphemeralHomeOptions } from '../../../src/adapter/isolation/ephemeral-home.js';
import { keepingLog, refused } from './support.js';

let tempRoot: string;
let machine: EphemeralHomeOptions;
beforeEach(() => {
  tempRoot = mkdtempSync(join(tmpdir(), 'cw-home-'));
  machine = { tempRoot, hostEnv: { PATH: '/bin' }, hostHome: '/home/u', platform: 'linux' };
});
afterEach(() => rmSync(tempRoot, { recursive: true, force: true }));

const modeOf = (path: string): number => statSync(path).mode & 0o777;

// The row is about POSIX: Windows has no such modes.
test.skipIf(process.platform === 'win32')(
  'only this user may enter the home or read its settings (skipped on Windows) (AD-246)',
  async () => {
    await using home = await EphemeralHome.create({}, machine);
    expect([home.homePath, home.claudeDir, home.tmpDir].map(modeOf)).toEqual([0o700, 0o700, 0o700]);
    expect(modeOf(home.settingsPath)).toBe(0o600);
  },
);

test('a second clean-up, or one of a folder that is gone, is no error (AD-248)', async () => {
  const log = keepingLog();
  const home = await EphemeralHome.create({}, { ...machine, log });
  await home.cleanup();
  await home.cleanup();
  const gone = await EphemeralHome.create({}, machine);
  rmSync(gone.homePath, { recursive: true });
  await gone.cleanup();
  expect(readdirSync(tempRoot)).toEqual([]);
  expect(log.logged.map(({ event }) => event)).toEqual(['isolation.home_created', 'isolation.home_removed']);
});

test('a relative root is one of this process, not of the working directory of the CLI', async () => {
  await using home = await EphemeralHome.create({}, { ...machine, tempRoot: relative(process.cwd(), tempRoot) });
  expect(dirname(home.homePath)).toBe(tempRoot);
  expect(home.getEnv().HOME).toBe(home.homePath);
});

test('the home goes with its scope (AD-249)', async () => {
  let path = '';
  {
    await using home = await EphemeralHome.create({}, machine);
    path = home.homePath;
    expect(existsSync(path)).toBe(true);
  }
  expect(existsSync(path)).toBe(false);
});

test('the settings file is two-space JSON, in the home’s own configuration folder', async () => {
  await using home = await EphemeralHome.create({ apiKey: 'sk-SECRET' }, machine);
  expect(home.settingsPath).toBe(join(home.homePath, '.claude', 'settings.json'));
  const text = readFileSync(home.settingsPath, 'utf8');
  expect(JSON.parse(text)).toEqual(home.settings);
  expect(text).toBe(`${JSON.stringify(home.settings, null, 2)}\n`);
  expect(text).not.toContain('SECRET');
  expect(home.getSettingSources()).toEqual([]);
});

describe('homes of others', () => {
  const host = { file: '', folder: '' };
  beforeAll(() => {
    host.folder = mkdtempSync(join(tmpdir(), 'cw-host-'));
    host.file = join(host.folder, 'host.mjs');
    const source = fileURLToPath(new URL('../../../src/adapter/isolation/', import.meta.url));
    buildSync({
      stdin: {
        contents: `
          import { EphemeralHome } from '${source}ephemeral-home.ts';
          const [tempRoot, leave] = process.argv.slice(2);
          let home = await EphemeralHome.create({}, { tempRoot, platform: 'linux' });
          const path = home.homePath;
          process.stdout.write(path + '\\n');
          if (leave === 'exit') process.exit(0);
          if (leave === 'throw') throw new Error('as if by accident');
          if (leave === 'stay') setInterval(() => {}, 60_000);
          if (leave === 'forget') {
            const { existsSync } = await import('node:fs');
            home = undefined;
            for (let i = 0; i < 200 && existsSync(path); i += 1) {
              globalThis.gc();
              await new Promise((resolve) => setTimeout(resolve, 10));
            }
            process.stdout.write(existsSync(path) ? 'kept' : 'removed');
            process.kill(process.pid, 'SIGKILL');
          }`,
        resolveDir: source,
        loader: 'ts',
      },
      bundle: true,
      platform: 'node',
      format: 'esm',
      packages: 'external',
      outfile: host.file,
    });
  });
  afterAll(() => rmSync(host.folder, { recursive: true, force: true }));

  /** A process that makes a home and stays. */
  async function startHost(): Promise<{ readonly path: string; kill(): Promise<void> }> {
    const child = spawn(process.execPath, [host.file, tempRoot, 'stay'], { stdio: ['ignore', 'pipe', 'inherit'] });
    const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    const path = await new Promise<string>((resolve, reject) => {
      child.stdout.once('data', (chunk: Buffer) => resolve(chunk.toString().trim()));
      child.once('exit', () => reject(new Error('ended too early')));
    });
    return {
      path,
      kill: () => {
        child.kill('SIGKILL');
        return exited;
      },
    };
  }

  test('the next home takes away one of a killed process, and leaves that of a living one (AD-251)', async () => {
    const [killed, living] = await Promise.all([startHost(), startHost()]);
    try {
      await killed.kill();
      writeFileSync(join(killed.path, 'tmp', 'canary'), 'secret');
      expect(existsSync(killed.path)).toBe(true);
      await using own = await EphemeralHome.create({}, machine);
      expect(existsSync(killed.path)).toBe(false);
      expect(existsSync(living.path)).toBe(true);
      expect(existsSync(own.homePath)).toBe(true);
    } finally {
      await living.kill();
    }
  });

  test('with a prefix of the caller’s own, homes of that prefix are taken away and no others', async () => {
    const killed = await startHost();
    await killed.kill();
    await using home = await EphemeralHome.create({}, { ...machine, prefix: 'mine.' });
    expect(basename(home.homePath)).toMatch(/^mine\.[0-9a-z]+-[0-9a-z]+-[0-9a-z]{6}-\w{6}$/);
    expect(existsSync(killed.path)).toBe(true);
  });

  for (const leave of ['exit', 'throw']) {
    test(`a host that ends by ${leave} leaves no home`, () => {
      const run = () => execFileSync(process.execPath, [host.file, tempRoot, leave], { stdio: 'pipe' });
      if (leave === 'throw') expect(run).toThrow('as if by accident');
      else run();
      expect(readdirSync(tempRoot)).toEqual([]);
    });
  }

  test('a home that is forgotten without clean-up is removed', () => {
    const args = ['--expose-gc', host.file, tempRoot, 'forget'];
    // It ends itself with a signal, so that no listener for the exit can have done it.
    let output = '';
    try {
      execFileSync(process.execPath, args, { encoding: 'utf8', stdio: 'pipe' });
    } catch (error) {
      output = String((error as { stdout: unknown }).stdout);
    }
    expect(output.split('\n')[1]).toBe('removed');
  });
});

test('what tools leave without permission to write goes too, and links are not followed', async () => {
  const outside = join(tempRoot, 'outside');
  mkdirSync(outside);
  writeFileSync(join(outside, 'kept'), '');
  const home = await EphemeralHome.create({}, machine);
  const cache = join(home.homePath, 'go', 'mod');
  mkdirSync(cache, { recursive: true });
  writeFileSync(join(cache, 'file'), '');
  symlinkSync(outside, join(cache, 'link'));
  chmodSync(cache, 0o500);
  await home.cleanup();
  expect(existsSync(home.homePath)).toBe(false);
  expect(readdirSync(outside)).toEqual(['kept']);
});

// Only root may start a process as somebody else.
test.runIf(process.getuid?.() === 0 && process.platform === 'linux')(
  'also for a user who is not root, whom a read-only folder really stops (root on Linux only)',
  () => {
    const source = fileURLToPath(new URL('../../../src/util/remove-tree.ts', import.meta.url));
    const file = join(tempRoot, 'remove.mjs');
    buildSync({
      stdin: {
        contents: `
          import { mkdirSync, writeFileSync, chmodSync, existsSync } from 'node:fs';
          import { removeTree, removeTreeSync } from '${source}';
          for (const remove of [removeTree, removeTreeSync]) {
            mkdirSync('tree/a/b', { recursive: true });
            writeFileSync('tree/a/b/f', '');
            chmodSync('tree/a/b', 0o500); chmodSync('tree/a', 0o000);
            await remove(process.cwd() + '/tree');
            process.stdout.write(String(existsSync('tree')));
          }`,
        resolveDir: tempRoot,
        loader: 'ts',
      },
      bundle: true,
      platform: 'node',
      format: 'esm',
      outfile: file,
    });
    const cwd = join(tempRoot, 'theirs');
    mkdirSync(cwd);
    chmodSync(tempRoot, 0o755);
    chmodSync(cwd, 0o777);
    const options = { cwd, uid: 65_534, gid: 65_534, encoding: 'utf8' } as const;
    // Where this one lies another user may not come.
    const node = join(tempRoot, 'node');
    // By another process: a child that another test starts meanwhile would inherit the open file, which then is busy.
    execFileSync('cp', ['--reflink=auto', process.execPath, node]);
    chmodSync(node, 0o755);
    expect(execFileSync(node, [file], options)).toBe('falsefalse');
  },
);

// Making links needs a privilege on Windows.
test.skipIf(process.platform === 'win32')(
  'a home that was swapped for a link takes nothing of its target with it, and that is said (skipped on Windows)',
  async () => {
    const precious = join(tempRoot, 'precious');
    mkdirSync(precious);
    writeFileSync(join(precious, 'kept'), '');
    const log = keepingLog();
    const home = await EphemeralHome.create({}, { ...machine, log });
    rmSync(home.homePath, { recursive: true });
    symlinkSync(precious, home.homePath);
    await home.cleanup();
    expect(readdirSync(precious)).toEqual(['kept']);
    expect(log.logged.at(-1)).toMatchObject({ level: 'warn', event: 'isolation.home_not_removed' });
    // A second try after somebody put it right.
    rmSync(home.homePath);
    await home.cleanup();
    expect(log.logged.at(-1)?.event).toBe('isolation.home_removed');
  },
);

// Other systems refuse such names.
test.runIf(process.platform === 'linux')(
  'paths that are too long to name, and names that are no text, go too; a sweep removes them as well (Linux only)',
  async () => {
    const litter = (folder: string): void => {
      // Each level has a name of 200 characters: the path has more than the system takes.
      const script = `
        cd "$1"
        name=$(printf 'x%.0s' $(seq 200))
        for i in $(seq 30); do mkdir "$name" && cd "$name" || exit 1; done
        touch file
        cd "$1" && touch "$(printf '\\377\\376')"
        mkdir shut && touch shut/file && chmod 000 shut`;
      execFileSync('/bin/bash', ['-c', script, 'bash', folder]);
    };
    const home = await EphemeralHome.create({}, machine);
    litter(home.tmpDir);
    await home.cleanup();
    expect(readdirSync(tempRoot)).toEqual([]);

    // As one of a process that is gone: the same name, another process.
    const dead = Number(execFileSync(process.execPath, ['-p', 'process.pid'], { encoding: 'utf8' }));
    const [, , , ...rest] = basename(home.homePath).split('-');
    const stale = join(tempRoot, ['claude', 'agent', dead.toString(36), ...rest].join('-'));
    mkdirSync(stale);
    litter(stale);
    await using next = await EphemeralHome.create({}, machine);
    expect(readdirSync(tempRoot)).toEqual([basename(next.homePath)]);
  },
);

describe('what cannot be made leaves nothing', () => {
  test('a path that cannot be resolved', async () => {
    const isolation = { sandbox: { denyRead: ['relative'] } };
    expect(await refused(EphemeralHome.create(isolation, machine))).toBeInstanceOf(AdapterConfigError);
    expect(readdirSync(tempRoot)).toEqual([]);
  });

  test('a temporary directory that is not there', async () => {
    const error = await refused(EphemeralHome.create({}, { ...machine, tempRoot: join(tempRoot, 'nowhere') }));
    expect(error).toBeInstanceOf(AdapterConfigError);
    expect(error).toMatchObject({ fields: ['tempRoot'], hint: expect.stringContaining('TMPDIR') });
  });

  test('a temporary directory whose path is too long for the sandbox’s sockets', async () => {
    const long = join(tempRoot, 'x'.repeat(40));
    mkdirSync(long);
    const error = await refused(EphemeralHome.create({}, { ...machine, tempRoot: long }));
    expect(error).toBeInstanceOf(AdapterConfigError);
    expect((error as Error).message).toContain('may have 72');
    expect(readdirSync(long)).toEqual([]);
    const sandbox = { required: false };
    await using home = await EphemeralHome.create({ sandbox }, { ...machine, tempRoot: long });
    expect(existsSync(home.homePath)).toBe(true);
  });

  test.each(['', '../x', 'a/b', 'a b', 'a*'])('the prefix %j', async (prefix) => {
    const error = await refused(EphemeralHome.create({}, { ...machine, prefix }));
    expect(error).toMatchObject({ fields: ['prefix'] });
    expect(readdirSync(tempRoot)).toEqual([]);
  });
});
