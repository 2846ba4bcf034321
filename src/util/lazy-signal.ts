/** Something that has a signal and makes it when it is first read. */
interface SignalSource {
  readonly signal: AbortSignal;
}

/**
 * An object with an own, enumerable `signal` that is made when it is first read: making one costs more than all else in
 * a call, and few callbacks look. Own, so that spreading the object keeps it. One descriptor serves all objects. A
 * getter in an object literal would give each of them a shape of its own, which V8 keeps until the next full
 * collection.
 */
export class LazySignal {
  declare readonly signal: AbortSignal;
  readonly #source: SignalSource;

  static readonly #descriptor = {
    enumerable: true,
    configurable: true,
    get(this: LazySignal): AbortSignal {
      return this.#source.signal;
    },
  };

  constructor(source: SignalSource) {
    this.#source = source;
    Object.defineProperty(this, 'signal', LazySignal.#descriptor);
  }
}
