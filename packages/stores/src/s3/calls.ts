import {
  DeleteObjectsCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { StoreError } from '../errors.js';
import { attempt, type CallOptions } from '../shared/attempt.js';
import { isUnicode } from '../shared/names.js';
import { type Known, requireClient, requireOption, requireText, timeoutOf } from '../shared/options.js';
import { isMissing, s3Error } from './s3-error.js';

export interface S3Options extends CallOptions {
  /** A client of `@aws-sdk/client-s3`. It stays yours: a store does not end it. */
  readonly client: S3Client;
  readonly bucket: string;
  /** Begins every key. @defaultValue `claudewire/` */
  readonly prefix?: string;
}

export const S3_OPTIONS: Known<S3Options> = { client: true, bucket: true, prefix: true, timeoutMs: true };

export interface Listed {
  readonly key: string;
  /** Epoch milliseconds by the clock of the server. */
  readonly changedAt: number;
  readonly bytes: number;
}

/** The requests that a store makes, with their time limits and errors. */
export class S3Calls {
  readonly prefix: string;
  readonly timeoutMs: number;
  readonly #client: S3Client;
  readonly #bucket: string;

  constructor({ client, bucket, prefix = 'claudewire/', timeoutMs }: S3Options) {
    requireClient(client, 'send', 'an S3Client of @aws-sdk/client-s3');
    requireText(bucket, 'bucket');
    const isText = typeof prefix === 'string' && isUnicode(prefix);
    requireOption(isText && Buffer.byteLength(prefix) <= 200, 'prefix', 'text of at most 200 bytes', prefix);
    this.#client = client;
    this.#bucket = bucket;
    this.prefix = prefix;
    this.timeoutMs = timeoutOf(timeoutMs);
  }

  /** Runs a task that may be repeated. Its requests end with its time, which is that of
   * `performance.now()`. @throws StoreError. */
  async attempt<T>(what: string, task: (end: number) => Promise<T>): Promise<T> {
    return await attempt({ what, timeoutMs: this.timeoutMs, translate: s3Error }, (leftMs) =>
      task(performance.now() + leftMs),
    );
  }

  /** @throws StoreError `conflict`: there is an object with this key. */
  async create(key: string, body: string, end: number): Promise<void> {
    const input = { Bucket: this.#bucket, Key: key, Body: body, ContentType: 'application/jsonl', IfNoneMatch: '*' };
    await this.#client.send(new PutObjectCommand(input), endingAt(end));
  }

  /** `undefined`: there is no such object. */
  async read(key: string, end: number): Promise<string | undefined> {
    try {
      const { Body } = await this.#client.send(new GetObjectCommand({ Bucket: this.#bucket, Key: key }), endingAt(end));
      return await Body?.transformToString();
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  /** Objects whose keys begin with a text, sorted by key. @param after - Keys up to this one are left out. */
  async *list(prefix: string, end: number, after?: string, most = 1_000): AsyncGenerator<Listed, void> {
    let next = after;
    do {
      const page = await this.page(prefix, end, next, most);
      yield* page.objects;
      next = page.next;
    } while (next !== undefined);
  }

  /** Some of these objects. `next` is the last key of the page; `undefined` when there are no more. */
  async page(prefix: string, end: number, after?: string, most = 1_000) {
    const input = { Bucket: this.#bucket, Prefix: prefix, MaxKeys: most, StartAfter: after };
    const { Contents = [], IsTruncated } = await this.#client.send(new ListObjectsV2Command(input), endingAt(end));
    const objects = Contents.map(
      ({ Key = '', LastModified, Size = 0 }): Listed => ({
        key: Key,
        changedAt: LastModified?.getTime() ?? 0,
        bytes: Size,
      }),
    );
    return { objects, next: IsTruncated === true ? objects.at(-1)?.key : undefined };
  }

  /** Unknown keys are no error. */
  async delete(keys: readonly string[], end: number): Promise<void> {
    for (let from = 0; from < keys.length; from += 1_000) {
      const Objects = keys.slice(from, from + 1_000).map((Key) => ({ Key }));
      const command = new DeleteObjectsCommand({ Bucket: this.#bucket, Delete: { Objects, Quiet: true } });
      const { Errors = [] } = await this.#client.send(command, endingAt(end));
      const [first] = Errors;
      if (first !== undefined) {
        throw new StoreError(
          'failed',
          `S3 did not delete ${Errors.length} object(s): ${first.Code} (${first.Message}).`,
        );
      }
    }
  }
}

/** A signal for each request: the client's listeners stay on it. */
function endingAt(end: number): { readonly abortSignal: AbortSignal } {
  return { abortSignal: AbortSignal.timeout(Math.max(1, Math.ceil(end - performance.now()))) };
}
