import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { AdapterConfigError } from '../../../src/adapter/errors/adapter-error.js';
import { resolveSandbox } from '../../../src/adapter/isolation/isolation-config.js';
import { runCommand } from '../../../src/adapter/isolation/run-command.js';
import { probeOnce, probeSandbox } from '../../../src/adapter/isolation/sandbox-probe.js';
import { requireSandbox } from '../../../src/adapter/isolation/start-checks.js';
import { writeExecutable } from '../../helpers/executable.js';
import { keepingLog, refused } from './support.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cw-probe-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Puts a program on the path that does what the shell lines say. */
function install(name: string, lines = 'exit 0'): void {
  writeExecutable(join(folder, name), `#!/bin/sh\n${lines}\n`);
}

/** What a command in namespaces of its own says of them. */
const SAYS = 'echo "net:[1]"; echo "pid:[2]"';

const probe = () => probeSandbox({ platform: 'linux', path: folder });

// bubblewrap is stood in for by shell scripts, which Windows does not start.
describe.skipIf(process.platform === 'win32')('the probe of bubblewrap (skipped on Windows)', () => {
  const missing = [
    { has: [], names: '`bwrap` and `socat` are', install: 'bubblewrap and socat' },
    { has: ['bwrap'], names: '`socat` is', install: 'Install socat' },
    { has: ['socat'], names: '`bwrap` is', install: 'Install bubblewrap' },
  ];
  test.each(missing)('$names not on the path', async ({ has, names, install: advice }) => {
    for (const name of has) install(name);
    const { passed, problem, fix } = await probe();
    expect(passed).toBe(false);
    expect(problem).toContain(names);
    expect(fix).toContain(advice);
  });

  test('a file that cannot be executed, and a folder, are not on the path', async () => {
    install('socat');
    mkdirSync(join(folder, 'bwrap'));
    expect((await probe()).problem).toContain('`bwrap` is');
    rmSync(join(folder, 'bwrap'), { recursive: true });
    install('bwrap');
    chmodSync(join(folder, 'bwrap'), 0o644);
    expect((await probe()).problem).toContain('`bwrap` is');
  });

  test('it starts a command in namespaces of its own, with a system that cannot be written', async () => {
    install('socat');
    install('bwrap', `echo "$@" > ${join(folder, 'said')}; ${SAYS}`);
    expect(await probe()).toEqual({ passed: true, problem: undefined, fix: undefined });
    const said = readFileSync(join(folder, 'said'), 'utf8');
    for (const part of ['--unshare-net', '--unshare-pid', '--ro-bind / /', '--proc /proc']) {
      expect(said).toContain(part);
    }
    expect(said).toContain('--unshare-ipc');
    expect(said.trim()).toMatch(/-- \/bin\/sh -c .* \S+\/probe \S+\/socat \S+\/bin ipc:\[\d+\]$/s);
  });

  const own = ['net', 'pid'].map((name) => `readlink /proc/self/ns/${name}`).join('; ');
  const fakes = [
    { about: 'ends well and does nothing', lines: 'exit 0', what: 'has no namespaces' },
    { about: 'says something else', lines: 'echo ok; echo ok', what: 'has no namespaces' },
    {
      about: 'starts the command as it is',
      lines: 'while [ "$1" != -- ]; do shift; done; shift; exec "$@"',
      what: 'can write where it must not',
    },
    {
      about: 'writes nothing, and has our namespaces',
      lines: `export PATH=/usr/bin:/bin; ${own}`,
      what: 'has no namespaces',
    },
    {
      about: 'fails after it wrote',
      // The file that must not be written is the fourth from behind.
      lines: 'while [ $# -gt 4 ]; do shift; done; echo x > "$1"; exit 1',
      what: 'can write where it must not',
    },
  ];
  test.each(fakes)('a bwrap that is none is not believed though it ends well: it $about', async ({ lines, what }) => {
    install('socat');
    install('bwrap', lines);
    const { passed, problem, fix } = await probe();
    expect(passed).toBe(false);
    expect(problem).toContain(what);
    expect(fix).toContain('PATH');
  });

  // Namespaces are read from /proc.
  test.skipIf(process.platform !== 'linux')('one of our namespaces is none of its own (Linux only)', async () => {
    const [net, pid] = ['net', 'pid'].map((name) => readlinkSync(`/proc/self/ns/${name}`));
    install('socat');
    for (const [said, passes] of [
      [`${net}\\n${pid}`, false],
      [`${net}\\npid:[1]`, false],
      [`net:[1]\\n${pid}`, false],
      ['net:[1]\\npid:[1]', true],
    ] as const) {
      install('bwrap', `printf '${said}\\n'`);
      expect((await probe()).passed).toBe(passes);
    }
  });

  test('what a command could still do is in the problem, once, with the user and what to do (I-1)', async () => {
    install('socat');
    install('bwrap', `${SAYS}; for _ in 1 2; do echo "open kernel settings"; done; echo "open devices"`);
    const { passed, problem, fix, openings } = await probe();
    expect(passed).toBe(false);
    expect(openings).toEqual(['kernel settings', 'devices']);
    expect(problem).toContain(`(uid ${process.getuid?.()}). Open are: kernel settings; devices.`);
    expect(fix).toContain('not root');
  });

  test('what bwrap says is in the problem', async () => {
    install('socat');
    install('bwrap', 'echo "bwrap: No permissions to create new namespace" >&2; exit 1');
    const { passed, problem, fix } = await probe();
    expect(passed).toBe(false);
    expect(problem).toContain('bwrap: No permissions to create new namespace');
    expect(fix).toContain('user namespaces');
  });

  test('a /proc that is masked, as in a container, has an advice of its own (I-1)', async () => {
    install('socat');
    install('bwrap', `echo "bwrap: Can't mount proc on /newroot/proc: Operation not permitted" >&2; exit 1`);
    expect((await probe()).fix).toContain('systempaths=unconfined');
  });

  test('a bwrap that says nothing gives its exit code', async () => {
    install('socat');
    install('bwrap', 'exit 3');
    expect((await probe()).problem).toContain('exit code 3');
  });

  test('a path that is relative, empty or absent has nothing', async () => {
    for (const path of ['.', '', undefined]) {
      expect((await probeSandbox({ platform: 'linux', path })).passed).toBe(false);
    }
  });
});

test('a platform without a sandbox fails the probe', async () => {
  const { passed, problem } = await probeSandbox({ platform: 'win32', path: '' });
  expect(passed).toBe(false);
  expect(problem).toContain('win32');
});

test('the probe runs once for each path, also when asked twice at a time', async () => {
  const asked: (string | undefined)[] = [];
  const once = probeOnce(async ({ path }) => {
    asked.push(path);
    return { passed: true, problem: undefined, fix: undefined };
  });
  const ask = (path: string) => once({ platform: 'linux', path });
  await Promise.all([ask('/a'), ask('/a'), ask('/b')]);
  await ask('/a');
  expect(asked).toEqual(['/a', '/b']);
});

test('a probe that throws is asked again', async () => {
  let calls = 0;
  const once = probeOnce(async () => {
    calls += 1;
    throw new Error('odd');
  });
  for (const _ of [1, 2]) await refused(once({ platform: 'linux', path: '/a' }));
  expect(calls).toBe(2);
});

describe('a required sandbox', () => {
  const failing = async () => ({ passed: false, problem: 'It is broken.', fix: 'Mend it.' });
  const input = { path: '/bin', log: keepingLog() };

  test('that cannot start is refused, with what to do and the ways out', async () => {
    const sandbox = resolveSandbox(undefined, 'linux');
    const error = await refused(requireSandbox({ ...input, sandbox, platform: 'linux', probe: failing }));
    expect(error).toBeInstanceOf(AdapterConfigError);
    const { message } = error as Error;
    for (const part of ['It is broken.', 'Mend it.', 'required: false', 'enabled: false']) {
      expect(message).toContain(part);
    }
  });

  const open = async () => ({ ...(await failing()), openings: ['kernel settings'] });

  test('that does not hold is refused, and one that is not required is in the report and the log (I-1)', async () => {
    const required = resolveSandbox(undefined, 'linux');
    const tries = { ...input, platform: 'linux', probe: open, log: keepingLog() };
    const error = await refused(requireSandbox({ ...tries, sandbox: required }));
    expect(error).toBeInstanceOf(AdapterConfigError);
    expect((error as Error).message).toMatch(/^The sandbox is required and does not hold. It is broken./);
    const sandbox = resolveSandbox({ required: false }, 'linux');
    const found = await requireSandbox({ ...tries, sandbox });
    expect(found).toEqual({ probePassed: false, openings: ['kernel settings'] });
    expect(JSON.stringify(tries.log.logged)).toContain('isolation.sandbox_open');
  });

  test('is not probed when it is off', async () => {
    const sandbox = resolveSandbox({ enabled: false }, 'linux');
    const probe = () => Promise.reject(new Error('asked'));
    const found = await requireSandbox({ ...input, sandbox, platform: 'linux', probe });
    expect(found).toEqual({ probePassed: null, openings: [] });
    expect(input.log.logged).toEqual([]);
  });
});

// The command is a shell script.
describe.skipIf(process.platform === 'win32')('a short command (skipped on Windows)', () => {
  const run = (lines: string, timeoutMs = 10_000) => {
    install('it', lines);
    return runCommand(join(folder, 'it'), [], { env: { A: '1' }, timeoutMs });
  };

  test('gives its output and exit code, and has only the given variables', async () => {
    expect(await run('echo "$A$HOME"; echo err >&2; exit 4')).toEqual({
      exitCode: 4,
      stdout: '1\n',
      stderr: 'err\n',
      failure: undefined,
    });
  });

  test('is killed when it takes too long', async () => {
    expect(await run('exec sleep 60', 100)).toMatchObject({ exitCode: undefined, failure: 'timeout' });
  });

  test('is not waited for when a process it started holds its output open, and that is ended', async () => {
    const { exitCode, stdout } = await run('sleep 60 & echo $!; exit 3', 1_000);
    expect(exitCode).toBe(3);
    const isGone = () => {
      try {
        return !process.kill(Number(stdout), 0);
      } catch {
        return true;
      }
    };
    await expect.poll(isGone).toBe(true);
  });

  test('is killed when it floods', async () => {
    const { exitCode, failure, stdout } = await run('while :; do echo xxxxxxxxxxxxxxxx; done');
    expect(exitCode).toBeUndefined();
    expect(failure).toBeDefined();
    expect(stdout.length).toBeLessThan(200_000);
  });

  test('that is not there, or cannot be named, is a failure and no exception', async () => {
    const options = { env: {}, timeoutMs: 1000 };
    expect(await runCommand(join(folder, 'none'), [], options)).toMatchObject({
      exitCode: undefined,
      failure: 'ENOENT',
    });
    expect(await runCommand('a\0b', [], options)).toMatchObject({ exitCode: undefined });
  });

  test.runIf(process.platform === 'linux')(
    'a program that is still open for writing is started once it is not',
    async () => {
      const file = join(folder, 'busy');
      writeExecutable(file, '#!/bin/sh\nexit 3\n');
      const open = openSync(file, 'a');
      expect(() => execFileSync(file)).toThrow('ETXTBSY');
      const running = runCommand(file, [], { env: {}, timeoutMs: 60_000 });
      setImmediate(() => closeSync(open));
      expect(await running).toMatchObject({ exitCode: 3, failure: undefined });
    },
  );
});

// The programs are shell scripts.
test.skipIf(process.platform === 'win32')(
  'nothing is left in the folder that was probed (skipped on Windows)',
  async () => {
    install('socat');
    install('bwrap', SAYS);
    expect((await probe()).passed).toBe(true);
    expect(readdirSync(folder).sort()).toEqual(['bwrap', 'socat']);
  },
);
