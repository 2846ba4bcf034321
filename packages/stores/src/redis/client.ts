import { createHash } from 'node:crypto';
import type { Cluster, Redis } from 'ioredis';
import { StoreError } from '../errors.js';
import { attempt, type Call, type CallOptions } from '../shared/attempt.js';
import { isUnicode, keyPart } from '../shared/names.js';
import { type Known, requireClient, requireOption, timeoutOf } from '../shared/options.js';

/** A client of `ioredis`. It stays yours: a store neither opens nor ends it. */
export type RedisClient = Redis | Cluster;

export interface RedisOptions extends CallOptions {
  readonly client: RedisClient;
  /** Begins every key. May have one `{hash tag}`, which then decides the slot of all keys. @defaultValue `claudewire:` */
  readonly prefix?: string;
}

export const REDIS_OPTIONS: Known<RedisOptions> = { client: true, prefix: true, timeoutMs: true };

type Answer = string | number | null | readonly Answer[];

/** A Lua script. Redis runs it in one step. */
export class Script {
  readonly text: string;
  readonly sha: string;

  constructor(text: string) {
    this.text = text;
    this.sha = createHash('sha1').update(text).digest('hex');
  }
}

/** KEYS  any, so that a cluster knows where to run it. */
const TIME = new Script(`
local time = redis.call('TIME')
return time[1] * 1000 + math.floor(time[2] / 1000)
`);

/** What the stores for Redis share: keys, scripts, time limits and errors. */
export class RedisCalls {
  readonly client: RedisClient;
  readonly prefix: string;
  readonly timeoutMs: number;

  constructor({ client, prefix = 'claudewire:', timeoutMs }: RedisOptions) {
    requireClient(client, 'evalsha', 'a client of ioredis');
    const { keyPrefix } = client.options;
    requireOption(!keyPrefix, 'client', 'without `keyPrefix` (use `prefix` of the store)', keyPrefix);
    const isText = typeof prefix === 'string';
    requireOption(isText && hasUsableBraces(prefix), 'prefix', 'text with at most one `{hash tag}`', prefix);
    this.client = client;
    this.prefix = prefix;
    this.timeoutMs = timeoutOf(timeoutMs);
  }

  /**
   * A key. All keys with the same `group` are in one slot of a cluster, so a script may use them together.
   *
   * @param group - What it belongs to, such as tenant and project. Always begins with the tenant.
   */
  key(group: readonly string[], ...names: readonly string[]): string {
    return `${this.prefix}{${group.map(keyPart).join(':')}}:${names.join(':')}`;
  }

  /** Runs a task that may be repeated. @throws StoreError. */
  async attempt<T>(what: string, task: (leftMs: number) => Promise<T>): Promise<T> {
    const call: Call = { what, timeoutMs: this.timeoutMs, translate: redisError };
    return await attempt(call, task);
  }

  /** Epoch milliseconds by the clock of Redis. */
  async now(): Promise<number> {
    return Number(await this.attempt('Asking for the time', () => this.run(TIME, [this.key(['time'], 'now')], [])));
  }

  async run(script: Script, keys: readonly string[], args: readonly (string | number)[]): Promise<Answer> {
    // Not spread: a call takes some 100,000 arguments, and an append may have more.
    const words = [keys.length, ...keys].concat(args);
    try {
      return (await this.client.call('EVALSHA', [script.sha].concat(words as string[]))) as Answer;
    } catch (error) {
      if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
      return (await this.client.call('EVAL', [script.text].concat(words as string[]))) as Answer;
    }
  }
}

/** The first braces of a key decide its slot: empty ones would put the keys of one script into different slots. */
function hasUsableBraces(prefix: string): boolean {
  return isUnicode(prefix) && (!/[{}]/.test(prefix) || /^[^{}]*\{[^{}]+\}[^{}]*$/.test(prefix));
}

/** In a script, Redis 6 says where it was before it says what it was. */
const IN_SCRIPT = /^ERR Error running script.*?@user_script: ?\d+: (?:@user_script: ?\d+: )?-?(?=[A-Z]+ )/;
const AWAY = /^(?:LOADING|CLUSTERDOWN|TRYAGAIN|MASTERDOWN|READONLY|BUSY|NOREPLICAS|UNBLOCKED|MOVED|ASK)\b/;
const FULL = /^(?:OOM|MISCONF)\b/;
const DENIED = /^(?:NOAUTH|WRONGPASS|NOPERM)\b/;
const CONNECTION =
  /^(?:E(?:CONNREFUSED|CONNRESET|PIPE|HOSTUNREACH|NETUNREACH|TIMEDOUT|NOTFOUND|AI_AGAIN))$|Connection is closed|max retries per request|Stream isn't writeable|Command timed out|Failed to refresh slots|ClusterAllFailed/i;

export function redisError(error: unknown, what: string): StoreError | undefined {
  if (!(error instanceof Error)) return undefined;
  const message = error.message.replace(IN_SCRIPT, '');
  const reason = firstLine(message);
  if (FULL.test(message)) {
    return new StoreError('full', `${what} failed: Redis has no room left (${reason}).`, {
      ...{ cause: error, hint: 'Raise `maxmemory`, free its disk, or delete old sessions.' },
    });
  }
  if (DENIED.test(message)) {
    return new StoreError('denied', `${what} failed: Redis refused it (${reason}).`, {
      ...{ cause: error, hint: 'Look at the user and password of the client, and at the ACL of the user.' },
    });
  }
  if (message.startsWith('WRONGTYPE')) {
    return new StoreError('damaged', `${what} failed: a key holds something else (${reason}).`, {
      ...{ cause: error, hint: 'Something else writes to keys of this prefix: give the stores another one.' },
    });
  }
  const code = 'code' in error ? String(error.code) : '';
  if (AWAY.test(message) || CONNECTION.test(code) || CONNECTION.test(message)) {
    return new StoreError('unavailable', `${what} failed: Redis cannot be reached (${reason}).`, {
      ...{ cause: error, hint: 'Look whether it runs, and where the client connects to.' },
    });
  }
  if (error.name !== 'ReplyError' && !('command' in error)) return undefined;
  return new StoreError('failed', `${what} failed: ${reason}`, { cause: error });
}

function firstLine(text: string): string {
  return (text.split('\n', 1)[0] ?? '').slice(0, 200);
}
