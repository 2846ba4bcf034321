import type { Redis } from 'ioredis';
import { JobError } from '../errors.js';
import { TAKE_STATE, WRITE_STATE } from './scripts.js';
import { settled } from './time-limit.js';

/** A tool call that may have taken effect. Its input stays in the transcript. */
export interface UnknownCall {
  readonly id: string;
  readonly name: string;
}

/** How a tool call ended by itself. */
export type CallEnd = 'ran' | 'failed';

/** Fields of a job's record. All are texts, since Redis has no others. */
interface Fields {
  /** Of the job's data. */
  readonly digest?: string;
  /** Runs that were started and not handed back. */
  readonly attempts?: string;
  /** The run that works on the job. Left behind by a worker that was killed. */
  readonly running?: string;
  readonly sessionId?: string;
  /** Prompts that told the model to go on. */
  readonly prompts?: string;
  /** `uuid` of the newest entry that the store has taken. */
  readonly stored?: string;
  /** The store did not take an entry, so the transcript has a gap. */
  readonly gap?: string;
  /** JSON: the calls that somebody is asked about, and until when. */
  readonly ask?: string;
  /** JSON: what they said. */
  readonly answer?: string;
  /** JSON: what the job returned. */
  readonly result?: string;
}

const CALL = 'call:';
const END = 'end:';
const SETTLED = 'settled:';

/** What a job has come to, in a hash of its own: BullMQ's job has the data, the progress and the outcome. */
export class JobState {
  readonly #redis: Redis;
  readonly #key: string;
  readonly #keepMs: number;
  readonly #limitMs: number;
  #fields: Record<string, string> = {};
  /** Of this run, while it has the job. Empty before and after. */
  #owner = '';

  constructor(redis: Redis, key: string, limits: { readonly keepMs: number; readonly redisMs: number }) {
    this.#redis = redis;
    this.#key = key;
    this.#keepMs = limits.keepMs;
    this.#limitMs = limits.redisMs;
  }

  /** @throws JobError `redis_failed`. */
  async load(): Promise<void> {
    this.#fields = await this.#within('Reading the state of a job', () => this.#redis.hgetall(this.#key));
  }

  /**
   * Makes the job this run's own. From now on writes of an earlier run fail, which may have stood still for longer than its
   * lease, and what that run recorded before is read.
   */
  async take(owner: string, fields: Pick<Fields, 'digest' | 'attempts'>): Promise<void> {
    const list = Object.entries(fields).flat();
    const answer = await this.#within('Taking a job', () =>
      this.#redis.eval(TAKE_STATE, 1, this.#key, owner, this.#keepMs, ...list),
    );
    this.#fields = pairsOf(answer);
    this.#owner = owner;
  }

  get(name: keyof Fields): string | undefined {
    return this.#fields[name] === '' ? undefined : this.#fields[name];
  }

  get attempts(): number {
    return this.#count('attempts');
  }

  get prompts(): number {
    return this.#count('prompts');
  }

  /** Calls that were begun in this job. */
  get calls(): readonly UnknownCall[] {
    return Object.entries(this.#fields).flatMap(([field, name]) =>
      field.startsWith(CALL) ? [{ id: field.slice(CALL.length), name }] : [],
    );
  }

  /** How calls of this job ended, by id. Of a call that was cut there is nothing. */
  get ends(): ReadonlyMap<string, CallEnd> {
    return new Map(
      Object.entries(this.#fields).flatMap(([field, end]) =>
        field.startsWith(END) && (end === 'ran' || end === 'failed') ? [[field.slice(END.length), end] as const] : [],
      ),
    );
  }

  /** Somebody decided to go on although this call is unknown. */
  isSettled(callId: string): boolean {
    return Object.hasOwn(this.#fields, SETTLED + callId);
  }

  async set(fields: { readonly [Name in keyof Fields]: Fields[Name] }): Promise<void> {
    await this.#write(fields as Record<string, string>);
  }

  async noteCall({ id, name }: UnknownCall): Promise<void> {
    await this.#write({ [CALL + id]: name });
  }

  async noteEnd(id: string, end: CallEnd): Promise<void> {
    await this.#write({ [END + id]: end });
  }

  async settleCalls(calls: readonly UnknownCall[]): Promise<void> {
    if (calls.length === 0) return;
    await this.#write(Object.fromEntries(calls.map(({ id }) => [SETTLED + id, '1'])));
  }

  #count(name: 'attempts' | 'prompts'): number {
    const count = Number(this.#fields[name] ?? 0);
    return Number.isSafeInteger(count) && count > 0 ? Math.min(count, 10_000) : 0;
  }

  /** @throws JobError `taken`, `redis_failed`. */
  async #write(fields: Record<string, string>): Promise<void> {
    Object.assign(this.#fields, fields);
    const list = Object.entries(fields).flat();
    const isWritten = await this.#within('Writing the state of a job', () =>
      this.#redis.eval(WRITE_STATE, 1, this.#key, this.#owner, this.#keepMs, ...list),
    );
    if (isWritten !== 1) {
      throw new JobError('taken', 'Another worker has taken the job: this one stood still for too long.');
    }
    // The run has given the job back.
    if (fields.running === '') this.#owner = '';
  }

  #within<T>(what: string, task: () => Promise<T>): Promise<T> {
    return settled(this.#limitMs, 'redis_failed', what, task);
  }
}

/** A hash, as a script gives it. */
function pairsOf(list: unknown): Record<string, string> {
  const pairs: Record<string, string> = {};
  const texts: unknown[] = Array.isArray(list) ? list : [];
  for (let index = 0; index + 1 < texts.length; index += 2) pairs[String(texts[index])] = String(texts[index + 1]);
  return pairs;
}
