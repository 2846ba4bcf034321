import { describe, expect, test } from 'vitest';
import { QueueLimitError, SpoolError } from '../../../src/errors.js';
import { openPrivateFile } from '../../../src/query/backlog/spool-file.js';
import { createDeferred } from '../../../src/util/deferred.js';
import { drain, FakeFile, settled, systemError, TINY, tinyQueue } from './support.js';

const MESSAGES = Array.from({ length: 60 }, (_, n) => ({ n, text: 'x'.repeat(20) }));

function fill({ queue }: { queue: { push(item: object, bytes: number, line: string): void } }) {
  for (const message of MESSAGES) {
    const line = JSON.stringify(message);
    queue.push(message, line.length, line);
  }
}

describe('a file that cannot be written', () => {
  test.each([
    { name: 'a full disk', code: 'ENOSPC', at: 3 },
    { name: 'a full disk at the first write', code: 'ENOSPC', at: 1 },
    { name: 'an I/O error', code: 'EIO', at: 5 },
  ])('$name is one typed error, and all that was received is handed out in order', async ({ code, at }) => {
    const file = new FakeFile();
    file.before = (call, index) => (call === 'write' && index >= at ? Promise.reject(systemError(code)) : undefined);
    const watched = tinyQueue<object>({ openSpool: async () => file });
    fill(watched);
    await expect.poll(() => watched.failures).toHaveLength(1);
    expect(watched.failures[0]).toBeInstanceOf(SpoolError);
    expect(watched.failures[0]).toMatchObject({ errorClass: 'spool_failed', code });
    // What still comes before the session has stopped.
    fill(watched);
    await settled(file);
    expect(watched.failures).toHaveLength(1);
    expect(watched.busy.at(-1) ?? false).toBe(false);
    watched.queue.end(watched.failures[0]);
    const { items, error } = await drain(watched.queue);
    expect(items).toEqual([...MESSAGES, ...MESSAGES]);
    expect(error).toBe(watched.failures[0]);
    expect(file.calls.close).toBe(1);
  });

  test('no folder takes a file: a typed error, and nothing is lost', async () => {
    const openSpool = () => openPrivateFile(['/proc', '/dev/null']);
    const watched = tinyQueue<object>({ openSpool });
    fill(watched);
    await expect.poll(() => watched.failures).toHaveLength(1);
    expect(watched.failures[0]).toMatchObject({ name: 'SpoolError', code: expect.stringMatching(/^E/) });
    watched.queue.end();
    expect((await drain(watched.queue)).items).toEqual(MESSAGES);
  });

  test('a disk that does not answer is a typed error after its time', async () => {
    const file = new FakeFile();
    file.before = () => new Promise(() => {});
    const watched = tinyQueue<object>({ openSpool: async () => file, sizes: { ...TINY, diskTimeoutMs: 1 } });
    fill(watched);
    await expect.poll(() => watched.failures).toHaveLength(1);
    expect(String(watched.failures[0])).toContain('did not answer within 1 ms');
    expect(watched.busy).toEqual([true, false]);
    watched.queue.end();
    expect((await drain(watched.queue)).items).toEqual(MESSAGES);
  });

  test('the limit of the file is a typed error that names the option, and nothing is lost', async () => {
    const file = new FakeFile();
    const watched = tinyQueue<object>({ openSpool: async () => file, maxSpooledBytes: 300 });
    fill(watched);
    expect(watched.failures).toHaveLength(1);
    expect(watched.failures[0]).toBeInstanceOf(QueueLimitError);
    expect(watched.failures[0]).toMatchObject({ limitBytes: 300, hint: 'Read faster, or raise `maxSpooledBytes`.' });
    await settled(file);
    watched.queue.end();
    expect((await drain(watched.queue)).items).toEqual(MESSAGES);
    expect(file.calls.close).toBe(1);
  });

  test('what was read makes room below the limit again', async () => {
    const watched = tinyQueue<object>({ openSpool: async () => new FakeFile(), maxSpooledBytes: 3000 });
    for (let round = 0; round < 5; round += 1) {
      fill(watched);
      for (const message of MESSAGES) {
        expect(await watched.queue.next()).toEqual({ value: message, done: false });
      }
    }
    expect(watched.failures).toEqual([]);
  });
});

describe('a file that cannot be read back', () => {
  test('everything up to the gap is handed out, then a typed error, then nothing', async () => {
    const file = new FakeFile();
    file.before = (call, index) => (call === 'read' && index > 3 ? Promise.reject(systemError('EIO')) : undefined);
    const watched = tinyQueue<object>({ openSpool: async () => file });
    fill(watched);
    watched.queue.end();
    await settled(file);
    const { items, error } = await drain(watched.queue);
    expect(items.length).toBeGreaterThan(5);
    expect(items.length).toBeLessThan(MESSAGES.length);
    expect(items).toEqual(MESSAGES.slice(0, items.length));
    expect(error).toMatchObject({ name: 'SpoolError', code: 'EIO' });
    expect(watched.failures).toEqual([error]);
    expect(await watched.queue.next()).toEqual({ value: undefined, done: true });
    expect(watched.queue.queuedBytes).toBe(0);
    expect(file.calls.close).toBe(1);
  });

  test('a file that has become shorter is one', async () => {
    const file = new FakeFile();
    file.read = async () => ({ bytesRead: 0 });
    const watched = tinyQueue<object>({ openSpool: async () => file });
    fill(watched);
    await settled(file);
    expect((await drain(watched.queue)).error).toMatchObject({
      message: expect.stringContaining('The file ended before the block did'),
    });
  });

  test('bytes that are not what was written are one', async () => {
    const file = new FakeFile();
    const read = file.read.bind(file);
    file.read = async (into, offset, length, position) => {
      const answer = await read(into, offset, length, position);
      into.fill(0x7b, offset, offset + 3);
      return answer;
    };
    const watched = tinyQueue<object>({ openSpool: async () => file });
    fill(watched);
    await settled(file);
    expect((await drain(watched.queue)).error).toBeInstanceOf(SpoolError);
  });

  test('every call that waits settles, the first with the error', async () => {
    const file = new FakeFile();
    const gate = createDeferred<void>();
    file.before = (call) => (call === 'read' ? gate.promise : undefined);
    const watched = tinyQueue<object>({ openSpool: async () => file });
    fill(watched);
    await settled(file);
    const waiting = MESSAGES.map(() => watched.queue.next());
    gate.reject(systemError('EIO'));
    const settledCalls = await Promise.allSettled(waiting);
    const rejected = settledCalls.filter(({ status }) => status === 'rejected');
    expect(rejected).toHaveLength(1);
  });
});

describe('the file', () => {
  test('is closed when everything was taken, and made again when it is needed again', async () => {
    const files: FakeFile[] = [];
    const watched = tinyQueue<object>({
      openSpool: async () => {
        const file = new FakeFile();
        files.push(file);
        return file;
      },
    });
    for (let round = 1; round <= 3; round += 1) {
      fill(watched);
      await expect.poll(() => files.length).toBe(round);
      await settled(files[round - 1] as FakeFile);
      for (const _ of MESSAGES) await watched.queue.next();
      expect(files.map(({ calls }) => calls.close)).toEqual(files.map(() => 1));
    }
  });

  test.each(['written', 'read', 'opened'] as const)(
    'is closed by `abandon` while it is being %s, and those who wait are told that it is over',
    async (state) => {
      const file = new FakeFile();
      const gate = createDeferred<void>();
      file.before = (call) =>
        (call === 'write') === (state === 'written') && state !== 'opened' ? gate.promise : undefined;
      const watched = tinyQueue<object>({
        openSpool: async () => {
          if (state === 'opened') await gate.promise;
          return file;
        },
      });
      fill(watched);
      await settled(file);
      const waiting = state === 'read' ? MESSAGES.map(() => watched.queue.next()) : [];
      await settled(file);
      watched.queue.abandon();
      const last = await Promise.all([...waiting, watched.queue.next()]);
      expect(last.at(-1)).toEqual({ value: undefined, done: true });
      expect(watched.queue.queuedBytes).toBe(0);
      gate.resolve();
      await expect.poll(() => file.calls.close).toBe(1);
      expect(watched.failures).toEqual([]);
      expect(watched.busy.at(-1) ?? false).toBe(false);
    },
  );

  test('a disk that is behind says so, and says when it has caught up', async () => {
    const file = new FakeFile();
    const gate = createDeferred<void>();
    file.before = () => gate.promise;
    const watched = tinyQueue<object>({ openSpool: async () => file });
    fill(watched);
    expect(watched.busy).toEqual([true]);
    gate.resolve();
    await expect.poll(() => watched.busy).toEqual([true, false]);
    expect((await watched.queue.next()).value).toEqual(MESSAGES[0]);
  });
});
