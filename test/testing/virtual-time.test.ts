import timersModule from 'node:timers';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { type createFrames, type VirtualTime, virtualTime } from '../../src/testing/index.js';
import { scriptedCli } from './checked-cli.js';
import { collect } from './collect.js';

let time: VirtualTime | undefined;

afterEach(() => {
  time?.restore();
  vi.useRealTimers();
});

const HOUR_MS = 3_600_000;

describe('virtual time', () => {
  test('moves every clock of the process, and gives back the real ones', async () => {
    const { setTimeout: realTimer, Date: RealDate } = globalThis;
    const realNow = performance.now;
    time = virtualTime();
    const [date, now] = [Date.now(), performance.now()];
    const waits = [
      sleep(HOUR_MS, 'promise'),
      promisify(setTimeout)(HOUR_MS, 'promisified'),
      new Promise((resolve) => void timersModule.setTimeout(resolve, HOUR_MS, 'module')),
      new Promise((resolve) => void setTimeout(resolve, HOUR_MS, 'global')),
    ];
    expect(await time.until(Promise.all(waits))).toEqual(['promise', 'promisified', 'module', 'global']);
    expect(Date.now() - date).toBe(HOUR_MS);
    expect(new Date().toISOString()).toBe(new Date(Date.now()).toISOString());
    expect(new Date(0).getTime()).toBe(0);
    expect(performance.now() - now).toBeCloseTo(HOUR_MS, 3);
    expect(time.elapsedMs).toBe(HOUR_MS);
    time.restore();
    expect(globalThis.setTimeout).toBe(realTimer);
    expect(globalThis.Date).toBe(RealDate);
    expect(performance.now).toBe(realNow);
    await sleep(1);
  });

  test('Date is what it was, but for now', () => {
    const before = new Date(5);
    const realNow = Date.now;
    time = virtualTime();
    const now = new Date();
    expect(before instanceof Date).toBe(true);
    expect(Date()).toBe(now.toString());
    expect(now.constructor).toBe(Date);
    expect(before.constructor).toBe(Date);
    expect(Date.name).toBe('Date');
    expect(Date.UTC(1970, 0, 1)).toBe(0);
    expect(Date.parse('1970-01-01')).toBe(0);
    expect(new Date(1970, 0, 2, 3).getHours()).toBe(3);
    class Later extends Date {
      later(): number {
        return this.getTime() + 1;
      }
    }
    expect(new Later().later()).toBe(Date.now() + 1);
    const spy = vi.spyOn(Date, 'now').mockReturnValue(7);
    expect(Date.now()).toBe(7);
    time.restore();
    spy.mockRestore();
    expect(now instanceof Date).toBe(true);
    expect(now.constructor).toBe(Date);
    expect(Date.now).toBe(realNow);
  });

  test('advance runs what is due, in order, with what follows from it', async () => {
    time = virtualTime();
    const log: string[] = [];
    const every = setInterval(() => log.push(`every ${Date.now() - start}`), 40);
    const start = Date.now();
    setTimeout(() => {
      log.push('a');
      setTimeout(() => log.push('b'), 50);
    }, 50);
    setTimeout(() => log.push('late'), 101);
    const dropped = setTimeout(() => log.push('dropped'), 10);
    clearTimeout(dropped);
    await time.advance(100);
    expect(log).toEqual(['every 40', 'a', 'every 80', 'b']);
    clearInterval(every);
    await time.advance(1);
    expect(log.at(-1)).toBe('late');
    await time.advance(HOUR_MS);
    expect(log).toHaveLength(5);
  });

  test('an aborted wait rejects as the real one does, and leaves nothing', async () => {
    time = virtualTime();
    const controller = new AbortController();
    const wait = sleep(HOUR_MS, undefined, { signal: controller.signal });
    controller.abort();
    await expect(wait).rejects.toMatchObject({ name: 'AbortError', code: 'ABORT_ERR' });
    await expect(sleep(1, undefined, { signal: controller.signal })).rejects.toThrow('aborted');
    expect(await time.until(Promise.resolve(1))).toBe(1);
    expect(time.elapsedMs).toBe(0);
  });

  test('until says when the time is over, and passes on what the promise says', async () => {
    time = virtualTime();
    const never = sleep(2 * HOUR_MS);
    await expect(time.until(never, HOUR_MS)).rejects.toMatchObject({ errorClass: 'deadline_exceeded' });
    await expect(time.until(Promise.reject(new Error('mine')))).rejects.toThrow('mine');
  });

  test('is one at a time', () => {
    time = virtualTime();
    expect(() => virtualTime()).toThrow('Virtual time is on already');
    time.restore();
    time.restore();
    time = virtualTime();
  });
});

/** Asks again after the wait that the outcome names, as an application would. */
async function patientAsk(cli: ReturnType<typeof scriptedCli>): Promise<string> {
  for (let attempt = 0; attempt < 5; attempt += 1) {
    const { outcome } = await collect(cli.query({ prompt: 'Go.' }));
    if (!outcome.retryable) return outcome.message;
    await new Promise((resolve) => setTimeout(resolve, outcome.retryAfterMs ?? 60_000));
  }
  return 'gave up';
}

const retryScript = ({ process, prompt, outcome, turn, pause }: ReturnType<typeof createFrames>) => [
  [process(), prompt(), outcome.overloaded()],
  [process(), prompt(), pause(30_000), outcome.rateLimited()],
  [process(), turn('At last.')],
];

describe('a script that plays in process keeps the time of', () => {
  test('virtualTime()', async () => {
    time = virtualTime();
    await using cli = scriptedCli(retryScript, { inProcess: true });
    expect(await time.until(patientAsk(cli))).toBe('At last.');
    expect(time.elapsedMs).toBe(150_000);
  });

  test('the fake timers of vitest', async () => {
    vi.useFakeTimers();
    await using cli = scriptedCli(retryScript, { inProcess: true });
    let answer: string | undefined;
    void patientAsk(cli).then((text) => {
      answer = text;
    });
    for (let minute = 0; minute < 10 && answer === undefined; minute += 1) {
      await vi.advanceTimersByTimeAsync(60_000);
    }
    expect(answer).toBe('At last.');
  });

  test('and the limits of the steps do not count then', async () => {
    time = virtualTime();
    await using cli = scriptedCli(({ turn }) => [turn('1'), turn('2')], { inProcess: true });
    await using client = cli.client();
    await client.connect();
    await client.query('a');
    await collect(client.receiveResponse());
    await time.until(sleep(HOUR_MS));
    await client.query('b');
    expect((await collect(client.receiveResponse())).outcome.message).toBe('2');
  });
});

test('a real process is refused while virtual time is on, and told what it needs', async () => {
  await using cli = scriptedCli([]);
  time = virtualTime();
  const needsInProcess = expect.objectContaining({
    option: 'inProcess',
    hint: expect.stringContaining('inProcess: true'),
  });
  const attempts = [
    () => scriptedCli(({ turn }) => turn('1')),
    () => cli.query({ prompt: 'a' }),
    () => cli.client().connect(),
  ];
  for (const attempt of attempts) await expect((async () => attempt())()).rejects.toEqual(needsInProcess);
  time.restore();
});
