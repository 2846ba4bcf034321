/** A promise with its settling functions outside. Settling twice does nothing, as with any promise. */
export interface Deferred<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T | PromiseLike<T>) => void;
  readonly reject: (reason: unknown) => void;
}

export function createDeferred<T>(): Deferred<T> {
  let resolve!: (value: T | PromiseLike<T>) => void;
  let reject!: (reason: unknown) => void;
  const promise = new Promise<T>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
}

/** Marks a promise as handled: an unhandled rejection would end the host process. */
export function ignoreRejection(promise: Promise<unknown>): void {
  promise.catch(() => {});
}

/** As {@link ignoreRejection}, with the promise itself as the value. */
export function handled<T>(promise: Promise<T>): Promise<T> {
  ignoreRejection(promise);
  return promise;
}

/** True for a promise, and for any other object with a `then` method. */
export function isThenable<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}
