import { createHash } from 'node:crypto';
import { Problem } from './problem.js';

/** A client that repeats does so within seconds; after so long it may send the same key for something else. */
const KEPT_MS = 10 * 60_000;
/** Answers that are kept, of one tenant: more keys than these within ten minutes push the oldest out. */
const MAX_KEPT = 1_000;
const MAX_TENANTS = 10_000;
const KEY = /^[\x21-\x7e]{1,255}$/;

interface Kept {
  /** What was asked. */
  readonly digest: string;
  readonly at: number;
  readonly answer: Promise<Response>;
}

/**
 * The answers to requests with an `Idempotency-Key`, so that a client that did not get one can repeat its request. On this
 * host alone, and while it lives. A refusal is not kept: the same key may try again.
 */
export class Repeats {
  /** By tenant, then by key, the oldest first. */
  readonly #tenants = new Map<string, Map<string, Kept>>();

  /**
   * The answer to the first request with this key, or that of `run`. One that still runs is waited for.
   * @throws Problem `invalid`: no key. `conflict`: the key was used for something else.
   */
  async answer(request: Request, tenant: string, body: unknown, run: () => Promise<Response>): Promise<Response> {
    const key = request.headers.get('idempotency-key');
    if (key === null) return await run();
    if (!KEY.test(key)) {
      throw new Problem('invalid', '`Idempotency-Key` must be 1 to 255 visible ASCII characters.');
    }
    const asked = [request.method, new URL(request.url).pathname, body];
    const digest = createHash('sha256').update(JSON.stringify(asked)).digest('base64');
    const kept = this.#keptOf(tenant);
    const known = kept.get(key);
    if (known !== undefined && known.digest !== digest) {
      throw new Problem('conflict', 'This `Idempotency-Key` was used for another request. Take a new key.');
    }
    if (known !== undefined) return (await known.answer).clone();
    const answer = run();
    const entry = { digest, at: Date.now(), answer };
    const [oldest] = kept.keys();
    if (kept.size >= MAX_KEPT && oldest !== undefined) kept.delete(oldest);
    kept.set(key, entry);
    try {
      return (await answer).clone();
    } catch (error) {
      if (kept.get(key) === entry) kept.delete(key);
      throw error;
    }
  }

  #keptOf(tenant: string): Map<string, Kept> {
    const kept = this.#tenants.get(tenant) ?? new Map<string, Kept>();
    // The tenants that asked last are at the end.
    this.#tenants.delete(tenant);
    this.#tenants.set(tenant, kept);
    const [oldest] = this.#tenants.keys();
    if (this.#tenants.size > MAX_TENANTS && oldest !== undefined) this.#tenants.delete(oldest);
    for (const [key, { at }] of kept) {
      if (Date.now() - at < KEPT_MS) break;
      kept.delete(key);
    }
    return kept;
  }
}
