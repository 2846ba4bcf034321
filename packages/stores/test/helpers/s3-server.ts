import { randomUUID } from 'node:crypto';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { haveS3, type S3Server, startS3 } from '../../../../scripts/servers/s3.mjs';

// The client warns of the end of Node 20, and a test fails on warnings.
process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = 'true';

/** The stand-in for S3, for the tests of a file. */
export function useS3(): { readonly server: S3Server } {
  let server: S3Server | undefined;
  beforeAll(async () => {
    if (!(await haveS3())) throw new Error('there is no moto_server');
    server = await startS3();
  });
  afterAll(async () => {
    await server?.stop();
  });
  return {
    get server() {
      if (server === undefined) throw new Error('only in a test');
      return server;
    },
  };
}

/** A bucket that nothing else has: the stand-in looks at every object of a bucket to list some of them. */
export async function newBucket(client: S3Client): Promise<string> {
  const Bucket = `b-${randomUUID()}`;
  await client.send(new CreateBucketCommand({ Bucket }));
  return Bucket;
}

function clientOf(port: number, maxAttempts = 1): S3Client {
  return new S3Client({
    ...{ endpoint: `http://127.0.0.1:${port}`, region: 'us-east-1', forcePathStyle: true, maxAttempts },
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  });
}

/** A client that ends with the test. */
export function s3Client(port: number): S3Client {
  const client = clientOf(port);
  onTestFinished(() => client.destroy());
  return client;
}
