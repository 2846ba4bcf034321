import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, test } from 'vitest';
import { CLIConnectionError, FrameTooLargeError } from '../../src/errors.js';
import { createSubprocessTransport } from '../../src/transport/subprocess.js';
import { closeStarted, createReceiver, fixtureSpec, isAlive, SIGTERM_SOON, startFixture } from './support.js';

afterEach(closeStarted);

const isReady = ({ type }: Record<string, unknown>): boolean => type === 'ready';

/** The pid of a running fixture, which must be there. */
function pidOf({ transport }: ReturnType<typeof startFixture>): number {
  expect(transport.pid).toBeTypeOf('number');
  return transport.pid ?? -1;
}

describe('how the peer ends', () => {
  const exits = [
    { row: 'TS-151', name: 'exit 0', fixture: 'exits-with', args: ['0'], exitCode: 0, signal: null },
    { row: 'TS-152, PY-095', name: 'exit 3', fixture: 'exits-with', args: ['3'], exitCode: 3, signal: null },
    {
      row: 'TS-153, PY-096',
      name: 'SIGKILL',
      fixture: 'kills-itself',
      args: ['SIGKILL'],
      exitCode: null,
      signal: 'SIGKILL',
    },
    { row: 'TS-153', name: 'SIGTERM', fixture: 'kills-itself', args: ['SIGTERM'], exitCode: null, signal: 'SIGTERM' },
  ];
  for (const { row, name, fixture, args, exitCode, signal } of exits) {
    test(`${name} comes after the frames before it (${row})`, async () => {
      const { transport, receiver } = startFixture(fixture, args);
      const end = await receiver.end;
      expect(receiver.log).toEqual(['frame', 'end']);
      expect(end.error).toBeUndefined();
      expect(end.exit).toMatchObject({ exitCode, signal });
      expect(isAlive(transport.pid ?? -1)).toBe(false);
    });
  }

  test('the stderr tail is trimmed and part of the exit (TS-152)', async () => {
    const { receiver } = startFixture('exits-with', ['1']);
    expect((await receiver.end).exit?.stderrTail).toBe('it went wrong');
  });

  test('a flood on stderr is drained without a callback; the last 2048 units stay (TS-166)', async () => {
    const { receiver } = startFixture('floods-stderr');
    const { exit } = await receiver.end;
    expect(receiver.frames).toEqual([{ type: 'done' }]);
    expect(exit).toEqual({ exitCode: 3, signal: null, stderrTail: `${'x'.repeat(2040)}the end` });
  });

  test('children that write at the same time do not mix, though they are read into one buffer', async () => {
    // Lines of half a megabyte: each takes several reads, between those of the others.
    const script = `for (let n = 0; n < 8; n += 1) console.log(JSON.stringify({ text: process.argv[1].repeat(500_000 + n) }))`;
    const receivers = ['a', 'é', '中'].map((letter) => {
      const spec = { args: ['-e', script, letter], maxBufferBytes: Number.POSITIVE_INFINITY };
      const transport = createSubprocessTransport(fixtureSpec('', [], spec));
      const receiver = createReceiver();
      transport.open(receiver);
      return { letter, receiver };
    });
    for (const { letter, receiver } of receivers) {
      expect((await receiver.end).exit?.exitCode).toBe(0);
      const isWhole = receiver.frames.map(({ text }, n) => text === letter.repeat(500_000 + n));
      expect(isWhole).toEqual(new Array(8).fill(true));
    }
  });

  test('sending after the exit names the exit code (PY-093)', async () => {
    const { transport, receiver } = startFixture('exits-with', ['0']);
    await receiver.end;
    expect(() => transport.send({})).toThrow(/^Cannot write to terminated process \(exit code: 0\)$/);
  });

  test('a peer that closed its stdin refuses frames with the cause, and can be closed (PY-094)', async () => {
    const run = startFixture('closes-stdin-but-lives');
    await run.receiver.frame(isReady);
    const sendUntilRefused = async (): Promise<unknown> => {
      for (;;) {
        try {
          run.transport.send({ text: 'x' });
        } catch (error) {
          return error;
        }
        await new Promise(setImmediate);
      }
    };
    const error = await sendUntilRefused();
    expect(error).toBeInstanceOf(CLIConnectionError);
    expect(String(error)).toMatch(/Failed to write to process stdin: .*EPIPE/);
    await run.transport.close(SIGTERM_SOON);
  });

  test('a peer that closes stdout but lives is ended after the grace', async () => {
    const run = startFixture('closes-stdout-but-lives', [], { exitGraceMs: 50 });
    const end = await run.receiver.end;
    expect(run.receiver.log).toEqual(['frame', 'process_signalled', 'end']);
    expect(end).toEqual({ exit: { exitCode: null, signal: 'SIGTERM', stderrTail: '' } });
    expect(isAlive(pidOf(run))).toBe(false);
  });

  test('a grandchild that holds the pipes does not hold the end', async () => {
    const { receiver } = startFixture('grandchild-holds-stdout');
    const { pid } = await receiver.frame(({ type }) => type === 'left');
    try {
      expect((await receiver.end).exit).toMatchObject({ exitCode: 0, signal: null });
      expect(isAlive(Number(pid))).toBe(true);
    } finally {
      process.kill(Number(pid), 'SIGKILL');
    }
  });

  test('what is in the pipe at the exit is read, also after a pause', async () => {
    const { transport, receiver } = startFixture('floods-stdout', ['50']);
    transport.pause();
    const pid = transport.pid ?? -1;
    while (isAlive(pid)) await new Promise(setImmediate);
    expect(receiver.frames).toEqual([]);
    transport.resume();
    await receiver.end;
    expect(receiver.frames.map(({ n }) => n)).toEqual(Array.from({ length: 50 }, (_, n) => n));
  });
});

describe('the exit ladder', () => {
  test('a peer that exits at the end of its input gets no signal (TS-157, PY-097)', async () => {
    const run = startFixture('exits-on-eof');
    await run.transport.close();
    expect(run.receiver.diagnostics).toEqual([]);
    expect((await run.receiver.end).exit).toMatchObject({ exitCode: 0, signal: null });
    expect(isAlive(pidOf(run))).toBe(false);
  });

  test('one that ignores it gets SIGTERM (TS-158, PY-098)', async () => {
    const run = startFixture('ignores-eof');
    await run.receiver.frame(isReady);
    await run.transport.close(SIGTERM_SOON);
    expect((await run.receiver.end).exit).toMatchObject({ exitCode: null, signal: 'SIGTERM' });
    expect(run.receiver.log).toEqual(['frame', 'process_signalled', 'end']);
    expect(isAlive(pidOf(run))).toBe(false);
  });

  test('one that answers SIGTERM with an exit code ends with that code', async () => {
    const run = startFixture('exits-on-sigterm');
    await run.receiver.frame(isReady);
    await run.transport.close(SIGTERM_SOON);
    expect((await run.receiver.end).exit).toMatchObject({ exitCode: 143, signal: null });
  });

  test('one that ignores SIGTERM too gets SIGKILL after it (TS-158, PY-099)', async () => {
    const run = startFixture('ignores-sigterm');
    await run.receiver.frame(isReady);
    void run.transport.close({ sigtermMs: 0, sigkillMs: 60_000 });
    await run.receiver.frame(({ type }) => type === 'sigterm');
    await run.transport.close({ sigkillMs: 0 });
    expect((await run.receiver.end).exit).toMatchObject({ exitCode: null, signal: 'SIGKILL' });
    expect(run.receiver.diagnostics.map(({ details }) => details?.signal)).toEqual(['SIGTERM', 'SIGKILL']);
    expect(run.receiver.frames).toEqual([{ type: 'ready' }, { type: 'sigterm' }]);
    expect(isAlive(pidOf(run))).toBe(false);
  });

  test('closing twice is closing once; closing after the end is nothing (PY-100)', async () => {
    const run = startFixture('ignores-eof');
    await run.receiver.frame(isReady);
    await Promise.all([run.transport.close(SIGTERM_SOON), run.transport.close(SIGTERM_SOON)]);
    await run.transport.close();
    expect(run.receiver.log).toEqual(['frame', 'process_signalled', 'end']);
  });

  test('a peer blocked on a full stdout can leave although reading is paused', async () => {
    const run = startFixture('floods-stdout', ['20000']);
    run.transport.pause();
    run.transport.discard();
    await run.transport.close({ sigtermMs: 60_000 });
    expect((await run.receiver.end).exit).toMatchObject({ exitCode: 0 });
    expect(run.receiver.frames).toEqual([]);
  });
});

describe('stdout', () => {
  test('a character split over reads comes whole, on stderr too (TS-170, PY-077)', async () => {
    const texts: string[] = [];
    const { receiver } = startFixture('splits-utf8', [], { stderr: (text) => texts.push(text) });
    await receiver.end;
    expect(receiver.frames).toEqual([{ type: 'text', text: 'grüße 😀 \u2028 漢字' }]);
    expect(texts.join('')).toBe('{"type":"text","text":"grüße 😀 \u2028 漢字"}\n');
  });

  test('garbage is reported and the session goes on (TS-167, TS-170)', async () => {
    const { receiver } = startFixture('writes-garbage');
    await receiver.end;
    expect(receiver.frames.map(({ type }) => type)).toEqual(['first', 'second', 'third']);
    expect(receiver.diagnostics.map(({ code }) => code)).toEqual([
      'line_not_json',
      'line_not_object',
      'line_not_object',
      'line_not_object',
      'line_not_json',
      'line_incomplete',
    ]);
  });

  test('10 000 frames arrive in order, with pauses in between (TS-173)', async () => {
    const { transport, receiver } = startFixture('floods-stdout', ['10000']);
    const pauseNow = (): void => {
      transport.pause();
      setImmediate(() => transport.resume());
    };
    for (const at of [0, 100, 5_000]) void receiver.frame(({ n }) => n === at).then(pauseNow);
    await receiver.end;
    expect(receiver.frames.map(({ n }) => n)).toEqual(Array.from({ length: 10_000 }, (_, n) => n));
  });

  test('a line over the limit ends the process at once, with the frames before it (PY-084)', async () => {
    const run = startFixture('exits-on-eof', [], { maxBufferBytes: 100 });
    run.transport.send({ n: 1 });
    run.transport.send({ text: 'x'.repeat(200) });
    run.transport.send({ n: 2 });
    const end = await run.receiver.end;
    expect(run.receiver.frames).toEqual([{ n: 1 }]);
    expect(end.error).toBeInstanceOf(FrameTooLargeError);
    expect(isAlive(pidOf(run))).toBe(false);
  });
});

describe('the host', () => {
  test('a stderr callback that throws is contained, and later chunks still come (PY-089)', async () => {
    let calls = 0;
    const { receiver } = startFixture('splits-utf8', [], {
      stderr: () => {
        calls += 1;
        throw new Error('callback failed');
      },
    });
    await receiver.end;
    expect(calls).toBeGreaterThan(0);
    const codes = receiver.diagnostics.map(({ code }) => code);
    expect(codes).toEqual(Array.from({ length: calls }, () => 'listener_threw'));
  });

  test('the child gets pipes, its environment and directory, and nothing else (TS-013, TS-018)', async () => {
    const env = { PATH: process.env.PATH ?? '', A: 'ü' };
    const { transport, receiver } = startFixture('reports-launch', ['--x=1', 'a b', '"*$'], { env, cwd: '/' });
    await receiver.end;
    expect(receiver.frames).toEqual([
      { type: 'launch', argv: ['--x=1', 'a b', '"*$'], env, cwd: '/', pid: transport.pid, execPath: process.execPath },
    ]);
  });

  test('live children share one exit listener, and no signal has a listener', async () => {
    const before = process.listenerCount('exit');
    const runs = [startFixture('exits-on-eof'), startFixture('exits-on-eof')];
    expect(process.listenerCount('exit')).toBe(before + 1);
    expect(process.listenerCount('SIGTERM') + process.listenerCount('SIGINT')).toBe(0);
    await Promise.all(runs.map(({ transport }) => transport.close()));
    await Promise.all(runs.map(({ receiver }) => receiver.end));
    expect(process.listenerCount('exit')).toBe(before);
  });

  test('the cleanup runs once, before onEnd; a throw is reported', async () => {
    let calls = 0;
    const { receiver } = startFixture('exits-with', ['0'], {
      onExitCleanup: () => {
        calls += 1;
        throw new Error('still there');
      },
    });
    await receiver.end;
    expect(calls).toBe(1);
    expect(receiver.log).toEqual(['frame', 'cleanup_failed', 'end']);
  });

  test('a transport that is closed before it was opened is cleaned up too', async () => {
    let cleanups = 0;
    const transport = createSubprocessTransport(
      fixtureSpec('exits-on-eof', [], {
        onExitCleanup: () => {
          cleanups += 1;
        },
      }),
    );
    await transport.close();
    await transport.close();
    expect(cleanups).toBe(1);
  });

  test('the child is in the process group of the host (TS-018)', async () => {
    const run = startFixture('exits-on-eof');
    const groupOf = (pid: number | string): string | undefined =>
      readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[2];
    expect(groupOf(pidOf(run))).toBe(groupOf('self'));
  });
});
