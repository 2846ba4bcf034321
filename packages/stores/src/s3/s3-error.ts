import { StoreError } from '../errors.js';

interface Facts {
  readonly name: string;
  readonly status: number | undefined;
}

const AWAY =
  /^(?:E(?:CONNREFUSED|CONNRESET|PIPE|HOSTUNREACH|NETUNREACH|TIMEDOUT|NOTFOUND|AI_AGAIN)|SlowDown|ServiceUnavailable|InternalError|RequestTimeout|TimeoutError|NetworkingError|ThrottlingException|IncompleteBody)$|socket hang up|aborted|Premature close/i;
const FULL = /^(?:QuotaExceeded|XMinioStorageFull|InsufficientStorage|EntityTooLarge)$/;

export function s3Error(error: unknown, what: string): StoreError | undefined {
  if (!(error instanceof Error)) return undefined;
  const { name, status } = factsOf(error);
  const code = 'code' in error ? String(error.code) : '';
  const reason = `${name}${status === undefined ? '' : `, HTTP ${status}`}`;
  const fail = (kind: ConstructorParameters<typeof StoreError>[0], problem: string, hint: string): StoreError =>
    new StoreError(kind, `${what} failed: ${problem} (${reason}).`, { cause: error, hint });
  if (name === 'AbortError') {
    return fail('timeout', 'S3 did not answer in time', 'It may still be done. Repeat the call, or raise `timeoutMs`.');
  }
  if (status === 412 || status === 409) return fail('conflict', 'another writer was faster', 'Repeat the call.');
  if (FULL.test(name) || status === 507) return fail('full', 'there is no room left', 'Raise the quota of the bucket.');
  if (status === 401 || status === 403) {
    return fail('denied', 'S3 refused it', 'Look at the credentials of the client, and at what they may do.');
  }
  if (name === 'NoSuchBucket') return fail('not_ready', 'there is no such bucket', 'Make the bucket first.');
  const isAway = status === 429 || (status !== undefined && status >= 500);
  if (isAway || AWAY.test(code) || AWAY.test(name) || AWAY.test(error.message)) {
    return fail('unavailable', 'S3 cannot be reached', 'Look whether it runs, and at the endpoint of the client.');
  }
  if (status !== undefined) return fail('failed', 'S3 refused it', 'Look at `cause`.');
  return undefined;
}

export function isMissing(error: unknown): boolean {
  return error instanceof Error && ['NoSuchKey', 'NotFound'].includes(error.name);
}

function factsOf(error: Error): Facts {
  const metadata: unknown = '$metadata' in error ? error.$metadata : undefined;
  const status: unknown =
    typeof metadata === 'object' && metadata !== null ? Reflect.get(metadata, 'httpStatusCode') : undefined;
  return { name: error.name, status: typeof status === 'number' ? status : undefined };
}
