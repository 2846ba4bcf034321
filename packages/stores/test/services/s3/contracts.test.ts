import { sessionStoreContract, sharedSessionStoreContract } from 'claudewire/testing';
import { describe, test } from 'vitest';
import { S3SessionStore } from '../../../src/s3/index.js';
import { newBucket, s3Client, useS3 } from '../../helpers/s3-server.js';

const s3 = useS3();

async function options() {
  const client = s3Client(s3.server.port);
  return { client, bucket: await newBucket(client), tenant: 'ada' };
}

describe('S3SessionStore', () => {
  const make = async () => new S3SessionStore(await options());
  for (const { name, run } of sessionStoreContract(make, { timeoutMs: 60_000 })) test(name, run);
});

describe('S3SessionStore, with several writers', () => {
  const make = async () => {
    const shared = await options();
    return { store: new S3SessionStore(shared), again: () => new S3SessionStore(shared) };
  };
  for (const { name, run } of sharedSessionStoreContract(make, { timeoutMs: 60_000 })) test(name, run);
});
