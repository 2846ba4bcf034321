import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Diagnostic } from '../../../src/diagnostics.js';
import { TranscriptFolder } from '../../../src/query/transcript-mirror/transcript-folder.js';
import {
  type MirrorFailure,
  TranscriptMirror,
  type TranscriptMirrorOptions,
} from '../../../src/query/transcript-mirror/transcript-mirror.js';
import type { SessionKey, SessionStoreEntry } from '../../../src/transcripts/store/session-store.js';
import { createDeferred } from '../../../src/util/deferred.js';
import type { JsonObject } from '../../../src/util/json.js';
import { CLOCKS, settled } from '../memory-session.js';

const ID = '11111111-1111-4111-8111-111111111111';
const MAIN = `/c/projects/-w/${ID}.jsonl`;
const AGENT = `/c/projects/-w/${ID}/subagents/agent-a.jsonl`;
const MIB = 1024 * 1024;

interface Append {
  readonly key: SessionKey;
  readonly entries: readonly SessionStoreEntry[];
}

function setUp(over: Partial<TranscriptMirrorOptions> = {}) {
  const appends: Append[] = [];
  const failures: MirrorFailure[] = [];
  const diagnostics: Diagnostic[] = [];
  const mirror = new TranscriptMirror({
    flush: 'batched',
    folder: new TranscriptFolder('/c', '/'),
    onFailure: (failure) => failures.push(failure),
    onDiagnostic: (diagnostic) => diagnostics.push(diagnostic),
    ...over,
    store: {
      append: async (key, entries) => {
        appends.push({ key, entries: structuredClone(entries) });
        await over.store?.append(key, entries);
      },
    },
  });
  /** Entries that diagnostics report as not stored. */
  const lost = () => diagnostics.reduce((sum, { details }) => sum + Number(details?.entries ?? 0), 0);
  return { mirror, appends, failures, diagnostics, lost, numbers: () => appends.map(numbersOf) };
}

/** What was appended where: `['main', 1, 2]`. */
function numbersOf({ key, entries }: Append): readonly unknown[] {
  return [key.subpath === undefined ? 'main' : 'agent', ...entries.map((entry) => entry.n)];
}

function frame(filePath: unknown, ...numbers: readonly number[]): JsonObject {
  return { type: 'transcript_mirror', filePath, entries: numbers.map((n) => ({ type: 'user', n })) };
}

const range = (length: number) => Array.from({ length }, (_, n) => n);

describe('what is appended when', () => {
  test('nothing until asked; then one call for each transcript, first seen first, entries in order (PY-154, TS-178)', async () => {
    const { mirror, numbers, appends } = setUp();
    mirror.onFrame(frame(MAIN, 1, 2), 10);
    mirror.onFrame(frame(AGENT, 3), 10);
    mirror.onFrame(frame(MAIN, 4), 10);
    await settled();
    expect(numbers()).toEqual([]);
    expect(mirror.isBehind).toBe(true);
    await mirror.flush();
    expect(numbers()).toEqual([
      ['main', 1, 2, 4],
      ['agent', 3],
    ]);
    expect(appends.map(({ key }) => key)).toEqual([
      { projectKey: '-w', sessionId: ID },
      { projectKey: '-w', sessionId: ID, subpath: 'subagents/agent-a' },
    ]);
    expect(mirror.isBehind).toBe(false);
  });

  test('eager is one call for each frame, at once, one after another (PY-155, TS-178)', async () => {
    const gate = createDeferred<void>();
    const { mirror, numbers } = setUp({ flush: 'eager', store: { append: () => gate.promise } });
    mirror.onFrame(frame(MAIN, 1, 2), 10);
    mirror.onFrame(frame(MAIN, 3), 10);
    mirror.onFrame(frame(AGENT, 4), 10);
    expect(numbers()).toEqual([['main', 1, 2]]);
    gate.resolve();
    await mirror.flush();
    expect(numbers()).toEqual([
      ['main', 1, 2],
      ['main', 3],
      ['agent', 4],
    ]);
  });

  test.each([
    { name: '500 entries wait', numbers: range(500), bytes: 10, calls: 0 },
    { name: 'the 501st does not', numbers: range(501), bytes: 10, calls: 1 },
    { name: '1 MiB waits', numbers: [1], bytes: MIB, calls: 0 },
    { name: 'one byte more does not', numbers: [1], bytes: MIB + 1, calls: 1 },
  ])('$name (PY-155)', async ({ numbers, bytes, calls }) => {
    const { mirror, appends } = setUp();
    mirror.onFrame(frame(MAIN, ...numbers), bytes);
    expect(appends).toHaveLength(calls);
    await mirror.flush();
    expect(appends).toHaveLength(1);
  });

  test('a frame without entries makes no call: an empty session would be listed', async () => {
    const { mirror, appends, diagnostics } = setUp();
    mirror.onFrame(frame(MAIN), 10);
    expect(mirror.isBehind).toBe(false);
    await mirror.flush();
    expect(appends).toEqual([]);
    expect(diagnostics).toEqual([]);
  });

  test.each([
    ['without a path', { entries: [{ n: 1 }] }],
    ['with a path that is no text', { filePath: 5, entries: [{ n: 1 }] }],
    ['without entries', { filePath: MAIN }],
    ['with entries that are no list', { filePath: MAIN, entries: { n: 1 } }],
  ])('a frame %s is reported and nothing else', async (_, odd) => {
    const { mirror, appends, diagnostics, failures } = setUp();
    mirror.onFrame({ type: 'transcript_mirror', ...odd }, 10);
    await mirror.flush();
    expect(appends).toEqual([]);
    expect(failures).toEqual([]);
    expect(diagnostics.map(({ code }) => code)).toEqual(['mirror_frame_malformed']);
  });

  test('a transcript of another configuration folder is not stored, and lost aloud, once for each (PY-159)', async () => {
    const { mirror, appends, diagnostics, failures } = setUp();
    const other = `/container/home/projects/x/.claude/projects/-w/${ID}`;
    mirror.onFrame(frame(`${other}.jsonl`, 1), 10);
    mirror.onFrame(frame(`${other}.jsonl`, 2), 10);
    mirror.onFrame(frame(`${other}/subagents/agent-a.jsonl`, 3), 10);
    await mirror.flush();
    expect(appends).toEqual([]);
    expect(failures.map(({ key }) => key)).toEqual([
      { projectKey: '-w', sessionId: ID },
      { projectKey: '-w', sessionId: ID, subpath: 'subagents/agent-a' },
    ]);
    for (const part of [`${other}.jsonl`, '/c/projects', 'CLAUDE_CONFIG_DIR']) {
      expect(failures[0]?.error).toContain(part);
    }
    expect(diagnostics).toMatchObject([
      { code: 'mirror_path_unknown', details: { filePath: `${other}.jsonl`, folder: '/c/projects' } },
      { code: 'mirror_path_unknown' },
    ]);
  });

  test.each([
    '/etc/x.jsonl',
    '/etc/projects/-w/not-an-id.jsonl',
    '/x/projects/../secrets/a.jsonl',
    `/projects/-w/../../${ID}.jsonl`,
    '',
  ])('what is no transcript at all (%j) is a diagnostic alone (PY-159)', async (filePath) => {
    const { mirror, appends, diagnostics, failures } = setUp();
    mirror.onFrame(frame(filePath, 1), 10);
    await mirror.flush();
    expect([appends, failures]).toEqual([[], []]);
    expect(diagnostics.map(({ code }) => code)).toEqual(['mirror_path_unknown']);
  });

  test('of a list with odd members the objects are stored', async () => {
    const { mirror, numbers, diagnostics } = setUp();
    mirror.onFrame({ filePath: MAIN, entries: [null, { type: 'user', n: 1 }, 'x'] }, 10);
    await mirror.flush();
    expect(numbers()).toEqual([['main', 1]]);
    expect(diagnostics).toHaveLength(1);
  });

  test('whatever the flushes and the speed of the store, each transcript arrives once and in order (PY-154)', async () => {
    const step = fc.oneof(
      fc.record({ path: fc.constantFrom(MAIN, AGENT), count: fc.integer({ min: 0, max: 300 }) }),
      fc.constantFrom('flush' as const, 'tick' as const),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 20 }),
        fc.constantFrom('batched' as const, 'eager' as const),
        fc.array(fc.nat(3), { minLength: 1 }),
        async (steps, flush, speeds) => {
          let running = 0;
          let call = 0;
          const { mirror, appends } = setUp({
            flush,
            store: {
              append: async () => {
                running += 1;
                expect(running).toBe(1);
                const ticks = speeds[call++ % speeds.length] ?? 0;
                for (let tick = 0; tick < ticks; tick += 1) await Promise.resolve();
                running -= 1;
              },
            },
          });
          let n = 0;
          const sent: Record<string, number[]> = { main: [], agent: [] };
          for (const each of steps) {
            if (each === 'flush') void mirror.flush();
            else if (each === 'tick') await Promise.resolve();
            else {
              const numbers = range(each.count).map(() => n++);
              sent[each.path === MAIN ? 'main' : 'agent']?.push(...numbers);
              mirror.onFrame(frame(each.path, ...numbers), each.count);
            }
          }
          await mirror.finish(60_000);
          const got: Record<string, unknown[]> = { main: [], agent: [] };
          for (const each of appends) {
            const [name, ...numbers] = numbersOf(each);
            got[name as string]?.push(...numbers);
          }
          expect(got).toEqual(sent);
        },
      ),
      { numRuns: 200 },
    );
  });
});

describe('a store in trouble', () => {
  beforeEach(() => vi.useFakeTimers({ toFake: [...CLOCKS] }));
  afterEach(() => vi.useRealTimers());

  test('a call that fails once is made again after 200 ms, with the same entries (PY-157)', async () => {
    let isBroken = true;
    const { mirror, numbers, failures } = setUp({
      store: {
        append: (_, entries) => {
          // A store may use up what it is given.
          Object.assign(entries[0] ?? {}, { n: 'changed' });
          entries.length = 0;
          if (!isBroken) return Promise.resolve();
          isBroken = false;
          return Promise.reject(new Error('busy'));
        },
      },
    });
    mirror.onFrame(frame(MAIN, 1, 2), 10);
    const stored = mirror.flush();
    await vi.advanceTimersByTimeAsync(199);
    expect(numbers()).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    await stored;
    expect(numbers()).toEqual([
      ['main', 1, 2],
      ['main', 1, 2],
    ]);
    expect(failures).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test.each([
    { name: 'rejects', fail: () => Promise.reject(new Error('disk full')), error: 'disk full' },
    {
      name: 'throws at once',
      fail: () => {
        throw new Error('disk full');
      },
      error: 'disk full',
    },
    { name: 'rejects with text', fail: () => Promise.reject('disk full'), error: 'disk full' },
  ])('a store that $name is asked three times, after 200 and 800 ms (PY-156, TS-179)', async (row) => {
    const { mirror, appends, failures, diagnostics } = setUp({ store: { append: row.fail } });
    mirror.onFrame(frame(MAIN, 1), 10);
    mirror.onFrame(frame(AGENT, 2), 10);
    void mirror.flush();
    await vi.advanceTimersByTimeAsync(999);
    expect(appends).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(1);
    expect(failures).toEqual([{ key: { projectKey: '-w', sessionId: ID }, error: row.error }]);
    await vi.advanceTimersByTimeAsync(1000);
    expect(appends).toHaveLength(6);
    expect(failures).toHaveLength(2);
    expect(diagnostics.map(({ code }) => code)).toEqual(['mirror_failed', 'mirror_failed']);
    expect(mirror.isBehind).toBe(false);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('a call that takes 60 s is given up and not made again; the error says so (PY-158)', async () => {
    const { mirror, appends, failures } = setUp({ store: { append: () => new Promise(() => {}) } });
    mirror.onFrame(frame(MAIN, 1), 10);
    const stored = mirror.flush();
    await vi.advanceTimersByTimeAsync(59_999);
    expect(failures).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    await stored;
    expect(appends).toHaveLength(1);
    expect(failures.map(({ error }) => error)).toEqual([
      `SessionStore.append() timed out after 60000ms for session ${ID}`,
    ]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('finish gives up what is not stored in time, reports every transcript, and leaves no timer', async () => {
    const { mirror, appends, failures } = setUp({ store: { append: () => new Promise(() => {}) } });
    mirror.onFrame(frame(MAIN, 1), 10);
    mirror.onFrame(frame(AGENT, 2), 10);
    const finished = mirror.finish(5000);
    void mirror.finish(60_000);
    await vi.advanceTimersByTimeAsync(5000);
    await finished;
    expect(appends).toHaveLength(1);
    expect(failures.map(({ key }) => key.subpath)).toEqual([undefined, 'subagents/agent-a']);
    expect(failures[0]?.error).toContain('The run ended before');
    expect(vi.getTimerCount()).toBe(0);
    mirror.onFrame(frame(MAIN, 3), 10);
    await mirror.flush();
    expect(appends).toHaveLength(1);
    expect(failures).toHaveLength(3);
  });

  test('finish during a retry’s wait ends the wait', async () => {
    const { mirror, appends, failures } = setUp({ store: { append: () => Promise.reject(new Error('down')) } });
    mirror.onFrame(frame(MAIN, 1), 10);
    const finished = mirror.finish(100);
    await vi.advanceTimersByTimeAsync(100);
    await finished;
    expect(appends).toHaveLength(1);
    expect(failures.map(({ error }) => error)).toEqual(['down']);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('memory has an end: above 64 MiB entries are dropped, each transcript is reported at once and with all its losses', async () => {
    const gate = createDeferred<void>();
    const { mirror, numbers, failures, lost } = setUp({ store: { append: () => gate.promise } });
    for (let n = 0; n < 70; n += 1) mirror.onFrame(frame(MAIN, n), MIB);
    mirror.onFrame(frame(AGENT, 99), MIB);
    expect(failures.map(({ key }) => key.subpath)).toEqual([undefined, 'subagents/agent-a']);
    gate.resolve();
    await mirror.flush();
    // 70 came, 64 had room; the first loss was reported at once.
    expect(failures.slice(2)).toEqual([
      { key: { projectKey: '-w', sessionId: ID }, error: expect.stringContaining('5 more entries are lost') },
    ]);
    expect(lost()).toBe(7);
    expect(
      numbers()
        .flat()
        .filter((n) => n !== 'main'),
    ).toEqual(range(64));
    mirror.onFrame(frame(MAIN, 100), MIB);
    await mirror.flush();
    expect(numbers().at(-1)).toEqual(['main', 100]);
    for (let n = 0; n < 70; n += 1) mirror.onFrame(frame(MAIN, n), MIB);
    expect(failures).toHaveLength(4);
    await mirror.flush();
  });

  test('what was lost for want of room is reported in full when the run ends', async () => {
    const { mirror, failures, lost } = setUp({ store: { append: () => new Promise(() => {}) } });
    for (let n = 0; n < 100; n += 1) mirror.onFrame(frame(MAIN, n), MIB);
    const finished = mirror.finish(5000);
    await vi.advanceTimersByTimeAsync(5000);
    await finished;
    expect(lost()).toBe(100);
    expect(failures.at(-1)?.error).toContain('35 more entries are lost');
  });
});

test('the frames of a real run (CLI 2.1.330, a subagent in the background) give the whole transcripts back (TS-178)', async () => {
  const file = new URL('../../fixtures/transcript-mirror.jsonl', import.meta.url);
  const frames = readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as JsonObject);
  const { mirror, appends, diagnostics } = setUp({ folder: new TranscriptFolder('/config-dir', '/') });
  for (const each of frames) {
    if (each.type === 'result') await mirror.flush();
    else mirror.onFrame(each, 100);
  }
  await mirror.finish(1000);
  expect(diagnostics).toEqual([]);
  const sessionId = '47edccd2-fd1a-41d6-ab5c-d21529c0901b';
  const subpath = 'subagents/agent-acf951f66ad6624a2';
  const main = { projectKey: '-work-dir', sessionId };
  expect(appends.map(({ key }) => key)).toEqual([{ ...main, subpath }, main, main, main]);
  const mirrored = (key: SessionKey) =>
    appends.filter(({ key: { subpath } }) => subpath === key.subpath).flatMap(({ entries }) => entries);
  for (const key of [main, { ...main, subpath }]) {
    const suffix = 'subpath' in key ? `${sessionId}/${subpath}.jsonl` : `${sessionId}.jsonl`;
    const written = frames
      .filter(({ filePath }) => String(filePath).endsWith(suffix))
      .flatMap(({ entries }) => entries);
    expect(written.length).toBeGreaterThan(5);
    expect(mirrored(key)).toEqual(written);
  }
});
