/** How a connection was asked for. */
export type ProxyForm = 'http' | 'connect' | 'socks';

/** What the proxy did not let through. Equal ones are counted. */
export interface RefusedConnection {
  readonly form: ProxyForm;
  /** As asked for; `''` when it could not be read. */
  readonly host: string;
  /** `0` when it could not be read. */
  readonly port: number;
  readonly reason: string;
  readonly count: number;
}

/** The refusals of one run, in the order in which each was first seen. Bounded: further kinds are counted as one. */
export class Refusals {
  readonly #maxKinds: number;
  readonly #kinds = new Map<
    string,
    { -readonly [K in keyof RefusedConnection]: RefusedConnection[K] }
  >();

  constructor(maxKinds: number) {
    this.#maxKinds = maxKinds;
  }

  add(refusal: Omit<RefusedConnection, 'count'>): void {
    const isNew = !this.#kinds.has(keyOf(refusal));
    const seen =
      isNew && this.#kinds.size >= this.#maxKinds
        ? { form: refusal.form, host: '', port: 0, reason: 'More than can be listed' }
        : refusal;
    const known = this.#kinds.get(keyOf(seen));
    if (known === undefined) this.#kinds.set(keyOf(seen), { ...seen, count: 1 });
    else known.count += 1;
  }

  list(): readonly RefusedConnection[] {
    return [...this.#kinds.values()].map((each) => ({ ...each }));
  }
}

function keyOf({ form, host, port, reason }: Omit<RefusedConnection, 'count'>): string {
  return JSON.stringify([form, host, port, reason]);
}
