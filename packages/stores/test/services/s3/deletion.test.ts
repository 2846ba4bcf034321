import {
  CopyObjectCommand,
  DeleteObjectsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { describe, expect, test } from 'vitest';
import { S3SessionStore } from '../../../src/s3/index.js';
import { newBucket, s3Client, useS3 } from '../../helpers/s3-server.js';
import { batchOf, sessionKey } from '../../helpers/stored-once.js';

const s3 = useS3();
const TOMORROW = new Date(Date.now() + 86_400_000);

async function place() {
  const client = s3Client(s3.server.port);
  const shared = { client, bucket: await newBucket(client), tenant: 'ada' };
  const store = new S3SessionStore(shared);
  const names = async (): Promise<readonly string[]> => {
    const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: shared.bucket }));
    return Contents.map(({ Key = '' }) => Key.slice(Key.lastIndexOf('/') + 1));
  };
  return { shared, store, names };
}

interface Request {
  readonly constructor: { readonly name: string };
  readonly input: { readonly Key?: string };
}

/** A store that does something before or after one request of its choice, as another process might. */
function meddledWith(
  shared: Awaited<ReturnType<typeof place>>['shared'],
  when: 'before' | 'after',
  isIt: (request: Request) => boolean,
  meddle: () => Promise<unknown>,
): S3SessionStore {
  let isDone = false;
  const client = new Proxy(shared.client, {
    get(target, name) {
      if (name !== 'send') return Reflect.get(target, name, target);
      return async (request: Parameters<S3Client['send']>[0], options: object) => {
        const isNow = !isDone && isIt(request as unknown as Request);
        if (isNow) isDone = true;
        if (isNow && when === 'before') await meddle();
        const answer = await target.send(request, options);
        if (isNow && when === 'after') await meddle();
        return answer;
      };
    },
  });
  return new S3SessionStore({ ...shared, client });
}

const isPut =
  (letter: string) =>
  (request: Request): boolean =>
    request.input.Key?.includes(`/${letter}0`) === true && request.constructor === PutObjectCommand;

describe('deleteOlderThan()', () => {
  test.each(['before', 'after'] as const)('keeps a session that is appended to just %s it is hidden', async (when) => {
    const { shared, store } = await place();
    for (const name of ['a', 'b']) await store.append(sessionKey('s'), batchOf(name));
    const deleting = meddledWith(shared, when, isPut('d'), () => store.append(sessionKey('s'), batchOf('late')));
    expect(await deleting.deleteOlderThan(TOMORROW)).toBe(0);
    expect(await store.load(sessionKey('s'))).toEqual(['a', 'b', 'late'].flatMap(batchOf));
    expect(await store.deleteOlderThan(TOMORROW)).toBe(1);
    expect(await store.load(sessionKey('s'))).toBeNull();
  });

  test('keeps an append that used a number below the last one, which was free', async () => {
    const { shared, store } = await place();
    for (const name of ['a', 'b', 'c']) await store.append(sessionKey('s'), batchOf(name));
    const key = (number: number): string => `claudewire/ada/p/main/s/s${String(number).padStart(16, '0')}`;
    const rename = { Bucket: shared.bucket, CopySource: `${shared.bucket}/${key(2)}` };
    const deleting = meddledWith(shared, 'before', isPut('d'), async () => {
      await shared.client.send(new CopyObjectCommand({ ...rename, Key: key(0) }));
    });
    expect(await deleting.deleteOlderThan(TOMORROW)).toBe(0);
    expect(await store.load(sessionKey('s'))).toHaveLength(9);
  });

  test('deletes what a deletion has left that was cut off, and counts it no second time', async () => {
    const { shared, store, names } = await place();
    for (const name of ['a', 'b']) await store.append(sessionKey('s'), batchOf(name));
    const isDelete = (request: Request): boolean => request.constructor === DeleteObjectsCommand;
    const cutOff = meddledWith(shared, 'before', isDelete, () => Promise.reject(new Error('The process is gone.')));
    await expect(cutOff.delete(sessionKey('s'))).rejects.toThrow('The process is gone.');
    expect(await store.load(sessionKey('s'))).toBeNull();
    expect(await store.listSessions('p')).toEqual([]);
    expect(await store.deleteOlderThan(TOMORROW)).toBe(0);
    expect(await names()).toEqual(['d0000000000000002']);
  });
});

test('a session that is deleted while it is compacted stays deleted', async () => {
  const { shared, store } = await place();
  for (const name of ['a', 'b']) await store.append(sessionKey('s'), batchOf(name));
  await meddledWith(shared, 'before', isPut('c'), () => store.delete(sessionKey('s'))).compact(sessionKey('s'));
  expect(await store.load(sessionKey('s'))).toBeNull();
  expect(await store.listSessions('p')).toEqual([]);
  await store.append(sessionKey('s'), batchOf('new'));
  expect(await store.load(sessionKey('s'))).toEqual(batchOf('new'));
});

test('an object of another tenant is `damaged`, and nobody gets what is in it', async () => {
  const { shared, store } = await place();
  await new S3SessionStore({ ...shared, tenant: 'bob' }).append(sessionKey('s'), batchOf('secret'));
  const name = 'p/main/s/s0000000000000001';
  const copy = { Bucket: shared.bucket, CopySource: `${shared.bucket}/claudewire/bob/${name}` };
  await shared.client.send(new CopyObjectCommand({ ...copy, Key: `claudewire/ada/${name}` }));
  await expect(store.load(sessionKey('s'))).rejects.toMatchObject({ code: 'damaged' });
});

test('an object whose number is the last that there can be does not make appends vanish', async () => {
  const { shared, store } = await place();
  const put = (number: string): Promise<unknown> => {
    const Key = `claudewire/ada/p/main/s/s${number}`;
    return shared.client.send(new PutObjectCommand({ Bucket: shared.bucket, Key, Body: 'x' }));
  };
  await put('9999999999999999');
  await store.append(sessionKey('s'), batchOf('a'));
  expect(await store.load(sessionKey('s'))).toEqual(batchOf('a'));
  await put('9007199254740991');
  const other = new S3SessionStore(shared);
  await expect(other.append(sessionKey('s'), batchOf('b'))).rejects.toMatchObject({ code: 'damaged' });
});
