import { DeleteObjectCommand, ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3';
import { describe, expect, test } from 'vitest';
import { S3SessionStore } from '../../../src/s3/index.js';
import { cuttingProxy } from '../../helpers/cutting-proxy.js';
import { newBucket, s3Client, useS3 } from '../../helpers/s3-server.js';
import { batchOf, cutEverywhere, expectSessionOnce, sessionKey } from '../../helpers/stored-once.js';

const s3 = useS3();

async function options() {
  const client = s3Client(s3.server.port);
  return { client, bucket: await newBucket(client), tenant: 'ada' };
}

type Options = Awaited<ReturnType<typeof options>>;

async function keysOf({ client, bucket }: Options): Promise<readonly string[]> {
  const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: bucket }));
  return Contents.map(({ Key = '' }) => Key);
}

async function put({ client, bucket }: Options, key: string, body: string): Promise<void> {
  await client.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: body }));
}

test('an append that is cut anywhere is stored once', async () => {
  const shared = await options();
  const proxy = await cuttingProxy(s3.server.port);
  const store = new S3SessionStore({ ...shared, client: s3Client(proxy.port), timeoutMs: 20_000 });
  const other = new S3SessionStore(shared);
  await cutEverywhere(
    proxy,
    293,
    (name) => store.append(sessionKey(name), batchOf(name)),
    (name) => expectSessionOnce(other, name),
  );
});

test('a server that takes connections and never answers gives `timeout`, one that is not there `unavailable`', async () => {
  const shared = await options();
  const proxy = await cuttingProxy(s3.server.port);
  const stalled = new S3SessionStore({ ...shared, client: s3Client(proxy.port), timeoutMs: 300 });
  proxy.stall();
  for (const call of [() => stalled.append(sessionKey('s'), batchOf('a')), () => stalled.load(sessionKey('s'))]) {
    await expect(call()).rejects.toMatchObject({ code: 'timeout' });
  }
  const away = new S3SessionStore({ ...shared, client: s3Client(1), timeoutMs: 300 });
  await expect(away.load(sessionKey('s'))).rejects.toMatchObject({ code: 'unavailable', hint: expect.any(String) });
  const nowhere = new S3SessionStore({ ...shared, bucket: 'no-such-bucket' });
  await expect(nowhere.append(sessionKey('s'), batchOf('a'))).rejects.toMatchObject({ code: 'not_ready' });
});

test('a number that another writer has taken (412) is left to it, and the next one is used', async () => {
  const shared = await options();
  const [store, other] = [new S3SessionStore(shared), new S3SessionStore(shared)];
  await store.append(sessionKey('s'), batchOf('a'));
  await other.append(sessionKey('s'), batchOf('b'));
  await store.append(sessionKey('s'), batchOf('c'));
  expect(await other.load(sessionKey('s'))).toEqual(['a', 'b', 'c'].flatMap(batchOf));
  expect(await keysOf(shared)).toHaveLength(3);
});

describe('compact()', () => {
  test('merges what is there, keeps order and time, and appends go on', async () => {
    const shared = await options();
    const [store, other] = [new S3SessionStore(shared), new S3SessionStore(shared)];
    for (const name of ['a', 'b', 'a', 'c']) await store.append(sessionKey('s'), batchOf(name));
    const [before] = await store.listSessions('p');
    expect(await other.compact(sessionKey('s'))).toBe(4);
    expect(await keysOf(shared)).toHaveLength(1);
    expect(await store.listSessions('p')).toEqual([before]);
    expect(await other.compact(sessionKey('s'))).toBe(0);
    await store.append(sessionKey('s'), batchOf('d'));
    expect(await other.load(sessionKey('s'))).toEqual(['a', 'b', 'c', 'd'].flatMap(batchOf));
    expect(await other.compact(sessionKey('s'))).toBe(2);
    expect(await store.compact(sessionKey('none'))).toBe(0);
  });

  test('an append whose number was merged and deleted meanwhile is not lost', async () => {
    const shared = await options();
    const [slow, other] = [new S3SessionStore(shared), new S3SessionStore(shared)];
    await slow.append(sessionKey('s'), batchOf('a'));
    for (const name of ['b', 'c', 'd']) await other.append(sessionKey('s'), batchOf(name));
    await other.compact(sessionKey('s'));
    // It believes that 2 is free, and it is, by now.
    await slow.append(sessionKey('s'), batchOf('e'));
    expect(await other.load(sessionKey('s'))).toEqual(['a', 'b', 'c', 'd', 'e'].flatMap(batchOf));
  });

  test('what a compaction left behind when it was cut off counts for nothing, and the next one removes it', async () => {
    const shared = await options();
    const store = new S3SessionStore(shared);
    for (const name of ['a', 'b']) await store.append(sessionKey('s'), batchOf(name));
    const [first = ''] = await keysOf(shared);
    await store.compact(sessionKey('s'));
    await put(shared, first, 'what was not deleted');
    expect(await store.load(sessionKey('s'))).toEqual(['a', 'b'].flatMap(batchOf));
    await store.compact(sessionKey('s'));
    expect(await keysOf(shared)).toHaveLength(1);
  });

  test('may run in several processes beside appends and loads', async () => {
    const shared = await options();
    const [store, other] = [new S3SessionStore(shared), new S3SessionStore(shared)];
    const names = Array.from({ length: 12 }, (_, index) => `n${index}`);
    const append = async (): Promise<void> => {
      for (const name of names) await store.append(sessionKey('s'), batchOf(name));
    };
    let isOver = false;
    const appended = append().finally(() => {
      isOver = true;
    });
    const again = async (): Promise<void> => {
      while (!isOver) {
        await other.compact(sessionKey('s'));
        const loaded = (await other.load(sessionKey('s'))) ?? [];
        expect(loaded).toEqual(names.flatMap(batchOf).slice(0, loaded.length));
      }
    };
    await Promise.all([appended, again(), again()]);
    expect(await other.load(sessionKey('s'))).toEqual(names.flatMap(batchOf));
  });
});

test.each([
  ['no text', ''],
  ['no JSON', 'x\n'],
  ['no header', '{"type":"user"}\n'],
  ['an entry that is cut off', '{"tenant":"ada","projectKey":"p","sessionId":"s","ids":["a","b"]}\n{"type":"x"}\n{"ty'],
  ['an entry that is no object', '{"tenant":"ada","projectKey":"p","sessionId":"s","ids":["a"]}\n7\n'],
])('an object with %s is `damaged`, with the key, and hides nothing else', async (_, body) => {
  const shared = await options();
  const store = new S3SessionStore(shared);
  await store.append(sessionKey('s'), batchOf('a'));
  await store.append(sessionKey('good'), batchOf('b'));
  const key = (await keysOf(shared)).find((each) => each.includes('/s/')) ?? '';
  await put(shared, key, body);
  await expect(store.load(sessionKey('s'))).rejects.toMatchObject({ code: 'damaged', key: expect.any(String) });
  expect(await store.load(sessionKey('good'))).toEqual(batchOf('b'));
  expect((await store.listSessions('p')).length).toBe(2);
  await shared.client.send(new DeleteObjectCommand({ Bucket: shared.bucket, Key: key }));
  expect(await store.load(sessionKey('s'))).toBeNull();
});
