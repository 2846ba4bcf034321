import { HostError, storeFailure } from '../errors.js';

/** A call that has not settled in time. It may still take effect. */
export class StoreTimeout extends HostError {}

/**
 * The same object, but a method that has not settled after `ms` rejects with `store_failed`, so that nothing waits for
 * it forever. Every other failure becomes `store_failed` too. What a late call brings is dropped.
 *
 * @param name - For the message of the error.
 * @param onLate - Hears what a late call brings: by then nobody else will end a thing that has to be ended.
 */
export function timeLimited<T extends object>(
  target: T,
  name: string,
  ms: number,
  onLate: (method: string, value: unknown) => void = () => {},
): T {
  return new Proxy(target, {
    get(_, property) {
      const value: unknown = Reflect.get(target, property, target);
      if (typeof value !== 'function') return value;
      return async (...args: unknown[]): Promise<unknown> => {
        const what = `${name}.${String(property)}()`;
        try {
          const late = (result: unknown): void => onLate(String(property), result);
          return await settled(ms, what, async () => value.apply(target, args), late);
        } catch (error) {
          throw storeFailure(what, error);
        }
      };
    },
  });
}

/** @throws what the task throws, or HostError `store_failed` when it has not settled after `ms`. */
export async function settled<T>(
  ms: number,
  what: string,
  task: () => Promise<T>,
  onLate: (value: T) => void = () => {},
): Promise<T> {
  return await new Promise<T>((resolve, reject) => {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      reject(
        new StoreTimeout(
          'store_failed',
          `${what} has not settled within ${ms} ms. Raise \`limits.storeMs\`, or look at it.`,
        ),
      );
    }, ms);
    task()
      .finally(() => clearTimeout(timer))
      .then((value) => (isLate ? onLate(value) : resolve(value)), reject);
  });
}
