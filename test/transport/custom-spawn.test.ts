import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { afterEach, describe, expect, expectTypeOf, test } from 'vitest';
import { CLIConnectionError, CLINotFoundError, InvalidOptionError } from '../../src/errors.js';
import { virtualTime } from '../../src/testing/virtual-time.js';
import {
  type CustomSpawnSpec,
  createCustomSpawnTransport,
  type SpawnedProcess,
  type SpawnOptions,
} from '../../src/transport/custom-spawn.js';
import type { FrameTransport } from '../../src/transport/transport.js';
import { createReceiver, fixtureSpec, isAlive, QUICK_LADDER, SIGTERM_SOON } from './support.js';

const opened: FrameTransport[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((each) => each.close({ sigtermMs: 0, sigkillMs: 0 })));
});

function start(fixture: string, overrides: Partial<CustomSpawnSpec> = {}) {
  const { file, args, env, maxBufferBytes, exitGraceMs } = fixtureSpec(fixture);
  const transport = createCustomSpawnTransport({
    spawn: spawnLocally,
    command: file,
    args,
    env,
    cwd: undefined,
    maxBufferBytes,
    exitGraceMs,
    ...overrides,
  });
  const receiver = createReceiver();
  transport.open(receiver);
  opened.push(transport);
  return { transport, receiver };
}

function spawnLocally({ command, args, env }: SpawnOptions): ChildProcessWithoutNullStreams {
  return spawn(command, args, { env, stdio: 'pipe' });
}

/** The least a `SpawnedProcess` may be, under a test's control. */
class FakeProcess extends EventEmitter {
  readonly stdin = new PassThrough();
  readonly stdout = new PassThrough();
  readonly signals: string[] = [];
  killed = false;
  exitCode: number | null = null;

  kill(signal: NodeJS.Signals): boolean {
    this.signals.push(signal);
    return true;
  }

  exit(code: number | null, signal: NodeJS.Signals | null = null): void {
    this.exitCode = code;
    this.stdout.end();
    this.emit('exit', code, signal);
  }
}

describe('spawnClaudeCodeProcess', () => {
  test('it is called once, synchronously, with exactly five fields (TS-015)', async () => {
    const calls: SpawnOptions[] = [];
    const { file, args, env } = fixtureSpec('exits-on-eof');
    const given = { command: file, args: [...args, '--b', 'ü', '', '--a'], cwd: '/not/here', env };
    const { receiver, transport } = start('exits-on-eof', {
      ...given,
      spawn: (options) => {
        calls.push(options);
        return spawnLocally(options);
      },
    });
    expect(calls).toHaveLength(1);
    expect(calls[0]).toStrictEqual({ ...given, signal: expect.any(AbortSignal) });
    expect(calls[0]?.signal.aborted).toBe(false);
    transport.endInput();
    await receiver.end;
    expect(calls[0]?.signal.aborted).toBe(false);
  });

  test('without a `cwd` the field is there and undefined (TS-015)', () => {
    const fake = new FakeProcess();
    let asked: SpawnOptions | undefined;
    start('', {
      spawn: (options) => {
        asked = options;
        return fake;
      },
    });
    expect(Object.entries(asked ?? {})).toContainEqual(['cwd', undefined]);
    fake.exit(0);
  });

  test('what it throws leaves open (TS-016)', () => {
    const failure = new Error('no container');
    let cleanups = 0;
    const fail = () =>
      start('exits-on-eof', {
        spawn: () => {
          throw failure;
        },
        onExitCleanup: () => {
          cleanups += 1;
        },
      });
    expect(fail).toThrow(failure);
    expect(cleanups).toBe(1);
  });

  for (const [name, value] of [
    ['nothing', undefined],
    ['a promise', Promise.resolve()],
    ['a process without pipes', { stdin: null, stdout: null, kill() {}, on() {}, once() {}, off() {} }],
  ] as const) {
    test(`${name} instead of a process is an InvalidOptionError`, () => {
      const spec = { spawn: () => value as unknown as SpawnedProcess };
      expect(() => start('exits-on-eof', spec)).toThrow(InvalidOptionError);
    });
  }

  for (const [name, stderr] of [
    ['a file descriptor', 2],
    ['a path', '/dev/null'],
    ['an object that is no stream', {}],
  ] as const) {
    test(`${name} as stderr is refused, and the process does not stay behind`, () => {
      const fake = Object.assign(new FakeProcess(), { stderr });
      const spec = { spawn: () => fake as unknown as SpawnedProcess };
      expect(() => start('', spec)).toThrow(InvalidOptionError);
      expect(fake.signals).toEqual(['SIGTERM']);
      // Nobody listens but us, and it must not end the host.
      expect(() => fake.emit('error', new Error('late'))).not.toThrow();
    });
  }

  test('a refused process whose kill throws is refused all the same', () => {
    const fake = Object.assign(new FakeProcess(), {
      stderr: 2,
      kill: () => {
        throw new Error('no kill');
      },
    });
    expect(() => start('', { spawn: () => fake as unknown as SpawnedProcess })).toThrow(InvalidOptionError);
  });

  test('the process of an async hook is refused and killed when it comes', async () => {
    const fake = new FakeProcess();
    const spec = { spawn: (() => Promise.resolve(fake)) as unknown as () => SpawnedProcess };
    expect(() => start('', spec)).toThrow(InvalidOptionError);
    await new Promise(setImmediate);
    expect(fake.signals).toEqual(['SIGTERM']);
  });

  test('a hook that rejects is refused, and its rejection does not end the host', () => {
    const spec = { spawn: (() => Promise.reject(new Error('no'))) as unknown as () => SpawnedProcess };
    expect(() => start('', spec)).toThrow(InvalidOptionError);
  });

  test('the least a process may be is enough for a turn (TS-017)', async () => {
    const fake = new FakeProcess();
    const { transport, receiver } = start('', { spawn: () => fake });
    fake.stdin.once('data', (line: Buffer) => fake.stdout.write(line));
    transport.send({ n: 1 });
    await receiver.frame(({ n }) => n === 1);
    fake.stdin.on('end', () => fake.exit(0)).resume();
    transport.endInput();
    expect(await receiver.end).toEqual({ exit: { exitCode: 0, signal: null, stderrTail: '' } });
    expect(fake.signals).toEqual([]);
    expect(fake.listenerCount('exit')).toBe(0);
  });

  test('its stderr is drained and shown, when it has one', async () => {
    const texts: string[] = [];
    const { receiver } = start('exits-with', { stderr: (text) => texts.push(text) });
    expect((await receiver.end).exit?.stderrTail).toBe('it went wrong');
    expect(texts.join('')).toBe('it went wrong  \n');
  });

  test('the signal aborts only when the process did not leave, after SIGTERM (TS-161)', async () => {
    const events: string[] = [];
    const fake = new FakeProcess();
    fake.kill = (signal) => {
      events.push(signal);
      if (signal === 'SIGKILL') fake.exit(null, signal);
      return true;
    };
    const { transport, receiver } = start('', {
      spawn: ({ signal }) => {
        signal.addEventListener('abort', () => events.push('abort'));
        return fake;
      },
    });
    const closed = transport.close(QUICK_LADDER);
    expect(events).toEqual([]);
    await closed;
    expect(events).toEqual(['SIGTERM', 'abort', 'SIGKILL']);
    expect((await receiver.end).exit).toMatchObject({ exitCode: null, signal: 'SIGKILL' });
  });

  test('a spawn that forwards the signal reports an abort; the exit still counts', async () => {
    const { transport, receiver } = start('ignores-eof', {
      spawn: ({ command, args, env, signal }) => spawn(command, args, { env, signal, stdio: 'pipe' }),
    });
    await receiver.frame(({ type }) => type === 'ready');
    await transport.close(SIGTERM_SOON);
    const end = await receiver.end;
    expect(end).toEqual({ exit: { exitCode: null, signal: 'SIGTERM', stderrTail: '' } });
    expect(isAlive(transport.pid ?? -1)).toBe(false);
  });

  test('a command that does not exist is found out by the start itself (TS-015, TS-162)', async () => {
    const { receiver } = start('', { command: '/does/not/exist' });
    const { error } = await receiver.end;
    expect(error).toBeInstanceOf(CLINotFoundError);
    expect(error).toMatchObject({ code: 'ENOENT', errorClass: 'executable_not_found' });
  });

  test('what is still in the pipes when the exit with 0 is told comes before the end (TS-151)', async () => {
    const fake = new FakeProcess();
    const { receiver } = start('', { spawn: () => fake });
    fake.exitCode = 0;
    fake.emit('exit', 0, null);
    fake.stdout.write('{"type":"result"}\n{"type":"la');
    await receiver.frame(({ type }) => type === 'result');
    fake.stdout.end('te"}');
    expect((await receiver.end).exit).toMatchObject({ exitCode: 0, signal: null });
    expect(receiver.frames.map(({ type }) => type)).toEqual(['result', 'late']);
    expect(receiver.log.at(-1)).toBe('end');
  });

  test('a process without an exitCode is one that runs, until it tells of its exit', async () => {
    const fake = new FakeProcess();
    Object.assign(fake, { exitCode: undefined });
    const { transport, receiver } = start('', { spawn: () => fake });
    fake.stdout.write('{"type":"ready"}\n');
    await receiver.frame(({ type }) => type === 'ready');
    await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => setImmediate(resolve));
    expect(receiver.log).not.toContain('end');
    fake.stdout.end();
    fake.emit('exit', 3, null);
    expect((await receiver.end).exit).toMatchObject({ exitCode: 3, signal: null });
    await transport.close(QUICK_LADDER);
  });

  test('another error of the process ends the session and the process', async () => {
    const fake = new FakeProcess();
    const { receiver } = start('', { spawn: () => fake });
    const cause = Object.assign(new Error('link lost'), { code: 'ELINK' });
    fake.emit('error', cause);
    fake.emit('error', new Error('again'));
    const { error, exit } = await receiver.end;
    expect(error).toBeInstanceOf(CLIConnectionError);
    expect(error).toMatchObject({ errorClass: 'process_error', code: 'ELINK', cause });
    expect(exit).toBeUndefined();
    expect(fake.signals).toEqual(['SIGTERM']);
  });

  test('a process that reports an error and ignores SIGTERM is killed after 5 s', async () => {
    using time = virtualTime();
    const stays = new FakeProcess();
    const { receiver } = start('', { spawn: () => stays });
    stays.emit('error', new Error('link lost'));
    await receiver.end;
    await time.advance(4_999);
    expect(stays.signals).toEqual(['SIGTERM']);
    await time.advance(1);
    expect(stays.signals).toEqual(['SIGTERM', 'SIGKILL']);
  });

  test('a process that reports an error and leaves is not killed', async () => {
    using time = virtualTime();
    const leaves = new FakeProcess();
    const { receiver } = start('', { spawn: () => leaves });
    leaves.emit('error', new Error('link lost'));
    await receiver.end;
    leaves.exit(null, 'SIGTERM');
    await time.advance(60_000);
    expect(leaves.signals).toEqual(['SIGTERM']);
    expect(leaves.listenerCount('exit')).toBe(0);
  });

  test('a process that had exited before it was handed over ends the session', async () => {
    const fake = new FakeProcess();
    fake.exitCode = 4;
    fake.stdout.end('{"type":"last"}\n');
    const { receiver } = start('', { spawn: () => fake });
    expect((await receiver.end).exit).toMatchObject({ exitCode: 4 });
    expect(receiver.frames).toEqual([{ type: 'last' }]);
  });

  test.each([
    [0, null],
    [null, 'SIGKILL'],
  ] as const)('without an event of the exit, what the process says of itself counts: %s %s', async (code, signal) => {
    using time = virtualTime();
    const fake = Object.assign(new FakeProcess(), { signalCode: null as NodeJS.Signals | null });
    const { receiver } = start('', { spawn: () => fake });
    fake.exitCode = code;
    fake.signalCode = signal;
    fake.stdout.end('{"type":"result"}\n');
    const { exit } = await time.until(receiver.end, 1_000);
    expect(exit).toMatchObject({ exitCode: code, signal });
    expect(fake.signals).toEqual([]);
  });

  test('a process that says it only later gets no signal', async () => {
    using time = virtualTime();
    const fake = new FakeProcess();
    const { receiver } = start('', { spawn: () => fake, exitGraceMs: 1_000 });
    fake.stdout.end();
    await time.advance(500);
    fake.exitCode = 0;
    expect((await time.until(receiver.end, 2_000)).exit).toMatchObject({ exitCode: 0, signal: null });
    expect(fake.signals).toEqual([]);
  });

  test('a process whose output cannot be read is ended after 2 s', async () => {
    using time = virtualTime();
    const fake = new FakeProcess();
    const { receiver } = start('', { spawn: () => fake });
    fake.stdout.destroy(new Error('ECONNRESET'));
    await time.advance(1_900);
    expect(fake.signals).toEqual([]);
    await time.advance(200);
    expect(fake.signals).toEqual(['SIGTERM']);
    fake.emit('exit', null, 'SIGTERM');
    expect((await time.until(receiver.end, 5_000)).error).toMatchObject({
      message: expect.stringContaining('Failed to read from process stdout: ECONNRESET'),
    });
  });

  test('a kill that throws is contained, and the close ends in bounded time', async () => {
    const fake = new FakeProcess();
    fake.kill = () => {
      throw new Error('no kill');
    };
    const { transport, receiver } = start('', { spawn: () => fake });
    await transport.close({ sigtermMs: 0, sigkillMs: 0 });
    const { error } = await receiver.end;
    expect(error).toMatchObject({ errorClass: 'process_error' });
  });

  test("Node's ChildProcess is a SpawnedProcess when its stdio is piped", () => {
    expectTypeOf<ChildProcessWithoutNullStreams>().toExtend<SpawnedProcess>();
  });
});
