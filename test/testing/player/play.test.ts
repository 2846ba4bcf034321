import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { playOn } from '../../../src/testing/player/play.js';
import type { LineReceiver, OutputSink, PlayIo } from '../../../src/testing/player/play-io.js';
import { parseScenario, scenarioOf } from '../../../src/testing/scenario/parse-scenario.js';
import type { PlayerSignal, ScenarioHeader, Step, Verdict } from '../../../src/testing/scenario/scenario-types.js';

const isVerdict = new Ajv2020({ strict: true, strictRequired: false }).compile(
  JSON.parse(
    readFileSync(new URL('../../../packages/conformance/schemas/verdict.schema.json', import.meta.url), 'utf8'),
  ),
);

/** A play without a process: memory instead of pipes, and a clock that is turned by hand. */
class MemoryIo implements PlayIo {
  readonly argv: readonly string[] = [];
  readonly env = {};
  readonly cwd = '/work-dir';
  readonly events: string[] = [];
  readonly verdicts: Verdict[] = [];
  readonly ends: (number | string)[] = [];
  written = '';
  #receiver: LineReceiver | undefined;
  #onSignal: ((signal: PlayerSignal) => void) | undefined;
  readonly timers = new Map<number, { readonly at: number; readonly run: () => void }>();
  #now = 0;
  #next = 0;
  #openGate: (() => void) | undefined;

  readonly stdin = {
    read: (receiver: LineReceiver) => {
      this.#receiver = receiver;
    },
    pause: () => {},
    resume: () => {},
    close: () => {},
  };
  readonly stdout: OutputSink = {
    write: (bytes) => {
      this.written += String(bytes);
      return undefined;
    },
    flush: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
  readonly stderr: OutputSink = {
    write: () => undefined,
    flush: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
  readonly clock = {
    setTimeout: (run: () => void, ms: number): unknown => {
      this.#next += 1;
      this.timers.set(this.#next, { at: this.#now + ms, run });
      return this.#next;
    },
    clearTimeout: (timer: unknown): void => void this.timers.delete(timer as number),
  };

  onSignal(listener: (signal: PlayerSignal) => void): void {
    this.#onSignal = listener;
  }
  log(event: { readonly event: string }): void {
    this.events.push(event.event);
  }
  grandchild(): void {}
  mark(name: string): void {
    this.events.push(`marked ${name}`);
  }
  gate(): Promise<void> {
    return new Promise((resolve) => {
      this.#openGate = resolve;
    });
  }
  report(verdict: Verdict): void {
    this.verdicts.push(verdict);
    expect(isVerdict(verdict), JSON.stringify(isVerdict.errors)).toBe(true);
  }
  exit(end: number | string): void {
    this.ends.push(end);
  }

  async send(...frames: readonly object[]): Promise<void> {
    for (const frame of frames) this.#receiver?.onLine(JSON.stringify(frame));
    await this.settle();
  }
  async endInput(): Promise<void> {
    this.#receiver?.onEof('');
    await this.settle();
  }
  async signal(signal: PlayerSignal): Promise<void> {
    this.#onSignal?.(signal);
    await this.settle();
  }
  async open(): Promise<void> {
    this.#openGate?.();
    await this.settle();
  }
  async pass(ms: number): Promise<void> {
    this.#now += ms;
    for (const [id, { at, run }] of [...this.timers]) {
      if (at > this.#now) continue;
      this.timers.delete(id);
      run();
    }
    await this.settle();
  }
  async settle(): Promise<void> {
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
  }
}

async function play(steps: readonly Step[], header: Partial<Omit<ScenarioHeader, 'version'>> = {}): Promise<MemoryIo> {
  const io = new MemoryIo();
  playOn(io, scenarioOf(steps, header));
  await io.settle();
  return io;
}

const user = { type: 'user' };

describe('a play needs no process', () => {
  test('a whole turn, to the end of input', async () => {
    const io = await play([{ in: user }, { out: { n: 1 } }, { mark: 'm' }]);
    await io.send(user);
    expect(io.written).toBe('{"n":1}\n');
    expect(io.verdicts.map(({ end, passed }) => [end, passed])).toEqual([['running', true]]);
    await io.endInput();
    expect(io.verdicts.at(-1)).toMatchObject({ end: 'finished', passed: true });
    expect(io.ends).toEqual([0]);
    expect(io.events).toEqual(['in', 'marked m', 'mark', 'eof', 'end']);
    expect(io.timers.size).toBe(0);
  });

  const endless: readonly (readonly [name: string, steps: readonly Step[]])[] = [
    ['rounds that only mark', [{ repeat: 1e9, steps: [{ ignore: [] }] }]],
    ['rounds of nothing', [{ repeat: 1e9, steps: [] }]],
    ['rounds in rounds', [{ repeat: 1e9, steps: [{ repeat: 3, steps: [] }] }]],
  ];
  test.each(endless)('%s end at the deadline, and on a signal', async (_, steps) => {
    const io = await play(steps, { deadlineMs: 1000 });
    expect(io.ends).toEqual([]);
    await io.pass(1000);
    expect(io.verdicts.at(-1)).toMatchObject({ end: 'deadline', passed: false });
    expect(io.ends).toEqual([3]);
    const other = await play(steps);
    await other.signal('SIGTERM');
    expect(other.ends).toEqual([143]);
  });

  test('time is the clock’s: a delay takes none of ours', async () => {
    const io = await play([{ delayMs: 3_600_000 }, { out: { n: 1 } }], { deadlineMs: 0 });
    await io.pass(3_599_999);
    expect(io.written).toBe('');
    await io.pass(1);
    expect(io.written).toBe('{"n":1}\n');
  });

  test('a gate holds it, and its time-out is gone when it opens', async () => {
    const io = await play([{ gate: 'g' }, { out: { n: 1 } }], { deadlineMs: 0 });
    expect([io.written, io.timers.size]).toEqual(['', 1]);
    await io.open();
    expect([io.written, io.timers.size]).toEqual(['{"n":1}\n', 0]);
  });

  const ends: readonly {
    readonly name: string;
    readonly steps: readonly Step[];
    readonly act: (io: MemoryIo) => Promise<void>;
    readonly end: Verdict['end'];
    readonly exits: number | string;
    readonly passed?: boolean;
  }[] = [
    { name: 'an exit step', steps: [{ exit: 7 }], act: (io) => io.settle(), end: 'finished', exits: 7, passed: true },
    {
      name: 'a kill step',
      steps: [{ kill: 'SIGSEGV' }],
      act: (io) => io.settle(),
      end: 'finished',
      exits: 'SIGSEGV',
      passed: true,
    },
    { name: 'a mismatch', steps: [{ in: user }], act: (io) => io.endInput(), end: 'mismatch', exits: 3 },
    { name: 'a step out of time', steps: [{ in: user }], act: (io) => io.pass(10_000), end: 'deadline', exits: 3 },
    { name: 'the deadline', steps: [{ wait: 'forever' }], act: (io) => io.pass(60_000), end: 'deadline', exits: 3 },
    { name: 'a signal', steps: [{ in: user }], act: (io) => io.signal('SIGTERM'), end: 'signal', exits: 143 },
    {
      name: 'a signal when all was played',
      steps: [],
      act: (io) => io.signal('SIGINT'),
      end: 'signal',
      exits: 0,
      passed: true,
    },
    { name: 'a gate out of time', steps: [{ gate: 'g' }], act: (io) => io.pass(10_000), end: 'deadline', exits: 3 },
  ];
  for (const { name, steps, act, end, exits, passed = false } of ends) {
    test(`ended by ${name}: one exit, no timer left, nothing played after it`, async () => {
      const io = await play([...steps, { out: { after: true } }].slice(0, passed ? steps.length : undefined));
      await act(io);
      expect(io.verdicts.at(-1)).toMatchObject({ end, passed });
      expect([io.ends, io.timers.size]).toEqual([[exits], 0]);
      const seen = [io.verdicts.length, io.events.length];
      await io.send(user);
      await io.signal('SIGTERM');
      await io.endInput();
      await io.open();
      await io.pass(100_000);
      expect([io.written, io.ends]).toEqual(['', [exits]]);
      expect([io.verdicts.length, io.events.length]).toEqual(seen);
    });
  }

  test('a flood stops when the play is over', async () => {
    const io = new MemoryIo();
    io.stdout.write = (bytes) => {
      io.written += String(bytes);
      if (io.written.length === 64) void io.signal('SIGTERM');
      return undefined;
    };
    playOn(io, scenarioOf([{ repeat: 1_000, steps: [{ out: { n: 1 } }] }]));
    await io.settle();
    expect([io.written.length, io.ends]).toEqual([64, [143]]);
  });
});

describe('a verdict', () => {
  test('names the place in the file and in the frame, and what came before', async () => {
    const io = new MemoryIo();
    const text = '{"scenario":"s","version":1,"order":"exact"}\n\n{"in":{"a":{"b":[1,{"c":"x"}]}}}';
    playOn(io, parseScenario(text, 'folder/s.jsonl'));
    await io.settle();
    await io.send({ a: { b: [1, { c: 'y' }] } });
    expect(io.verdicts.at(-1)?.failure).toEqual({
      message:
        'an expected frame did not come: another one is next (nearest: a.b[1].c: expected string "x", found string "y")',
      where: 'folder/s.jsonl:3',
      line: 3,
      expected: { a: { b: [1, { c: 'x' }] } },
      difference: { path: 'a.b[1].c', expected: 'string "x"', found: 'string "y"' },
      got: [{ a: { b: [1, { c: 'y' }] } }],
    });
  });

  test('cuts frames that are too long to show', async () => {
    const io = await play([{ in: { type: 'other' } }]);
    await io.send({ type: 'user', text: 'x'.repeat(20_000) });
    await io.endInput();
    expect(io.verdicts.at(-1)?.failure?.got).toEqual([
      { type: 'user', cut: expect.stringMatching(/^.{1000}$/), characters: 20_025 },
    ]);
  });

  test('a pattern named like an inherited property matches own fields only', async () => {
    const io = await play([{ in: { constructor: '$_', __proto__: {} } as never }]);
    await io.send({ type: 'user' });
    await io.endInput();
    expect(io.verdicts.at(-1)).toMatchObject({ passed: false });
  });
});
