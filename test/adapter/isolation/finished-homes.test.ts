import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { EphemeralHome } from '../../../src/adapter/isolation/ephemeral-home.js';
import { removeDirectory } from '../../../src/adapter/workspace/remove-directory.js';
import { keepingLog } from './support.js';

vi.mock('../../../src/adapter/workspace/remove-directory.js', { spy: true });
vi.mock('../../../src/adapter/isolation/end-processes.js', () => ({ endProcessesOf: async () => {} }));

let tempRoot: string;
const made: string[] = [];
beforeEach(() => {
  tempRoot = mkdtempSync(join(tmpdir(), 'cw-finished-'));
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
  vi.mocked(removeDirectory).mockReset();
  made.splice(0);
  rmSync(tempRoot, { recursive: true, force: true });
});

const log = keepingLog();
const create = () => EphemeralHome.create({}, { tempRoot, hostEnv: {}, hostHome: '/home/u', platform: 'linux', log });

/** As a child of the CLI does that outlived it. */
function makeAgain(home: EphemeralHome): void {
  mkdirSync(join(home.homePath, '.npm'), { recursive: true });
  writeFileSync(join(home.homePath, '.npm', 'log'), 'late');
}

/** Lets the time until the next check pass, and that check end: then the one after it is armed. */
async function nextCheck(delayMs: number): Promise<void> {
  const { setTimeout } = globalThis;
  const armed = new Promise<void>((resolve) => {
    vi.spyOn(globalThis, 'setTimeout').mockImplementationOnce((...args) => {
      resolve();
      return setTimeout(...args);
    });
  });
  await vi.advanceTimersByTimeAsync(delayMs);
  await armed;
}

describe('homes that are done with while their host lives (I-9)', () => {
  test('one that is made again goes after a while', async () => {
    const home = await create();
    await home.cleanup();
    makeAgain(home);
    await nextCheck(250);
    expect(readdirSync(tempRoot)).toEqual([]);
    makeAgain(home);
    await nextCheck(2_000);
    expect(readdirSync(tempRoot)).toEqual([]);
  });

  test('one that is made again goes when the next one is made', async () => {
    const home = await create();
    await home.cleanup();
    makeAgain(home);
    const next = await create();
    expect(existsSync(home.homePath)).toBe(false);
    expect(existsSync(next.homePath), 'a home in use').toBe(true);
    await next.cleanup();
  });

  test('one that could not be removed is tried again, and is then no more action at the exit', async () => {
    const busy = Object.assign(new Error('busy'), { code: 'EBUSY' });
    const before = process.listenerCount('exit');
    const home = await create();
    vi.mocked(removeDirectory).mockRejectedValueOnce(busy).mockRejectedValueOnce(busy);
    await home.cleanup();
    expect(log.logged.at(-1)).toMatchObject({ event: 'isolation.home_not_removed' });
    expect(process.listenerCount('exit')).toBeGreaterThan(before);
    await nextCheck(250);
    expect(existsSync(home.homePath)).toBe(true);
    await nextCheck(2_000);
    expect(readdirSync(tempRoot)).toEqual([]);
    expect(process.listenerCount('exit')).toBe(before);
  });

  test('after the last look nothing is left to do', async () => {
    const home = await create();
    await home.cleanup();
    for (const delay of [250, 2_000, 10_000]) {
      await nextCheck(delay);
      expect(vi.getTimerCount()).toBe(1);
    }
    await vi.advanceTimersByTimeAsync(60_000);
    expect(vi.getTimerCount()).toBe(0);
    // Nothing was there to remove again.
    expect(vi.mocked(removeDirectory)).toHaveBeenCalledTimes(1);
  });
});
