import { digest, tenantDigest } from '../job/job-id.js';

/** Where the queue is in Redis. */
export interface QueuePlace {
  readonly queueName: string;
  /** As the `prefix` of BullMQ. */
  readonly prefix: string;
}

/** What this package keeps in Redis beside BullMQ's own keys, below the same prefix. Ids and tenants are digests. */
export class Keys {
  readonly #base: string;

  constructor({ queueName, prefix }: QueuePlace) {
    this.#base = `${prefix}:${queueName}:claudewire`;
  }

  job(jobId: string): string {
    return `${this.#base}:job:${jobId}`;
  }

  cancel(jobId: string): string {
    return `${this.#base}:cancel:${jobId}`;
  }

  lease(tenant: string, kind: 'session' | 'conversation', id: string): string {
    return `${this.#base}:lease:${tenantDigest(tenant)}:${digest([kind, id]).slice(0, 32)}`;
  }

  rate(tenant: string): string {
    return `${this.#base}:rate:${tenantDigest(tenant)}`;
  }

  /** A pub/sub channel. */
  get cancels(): string {
    return `${this.#base}:cancels`;
  }
}
