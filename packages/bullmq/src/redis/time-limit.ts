import { JobError, type JobErrorCode } from '../errors.js';

/**
 * Waits no longer than `ms`. What comes later is dropped.
 * @throws what the task throws, or JobError with `code` when it has not settled.
 */
export async function settled<T>(ms: number, code: JobErrorCode, what: string, task: () => Promise<T>): Promise<T> {
  return await new Promise<T>((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new JobError(code, `${what} has not settled within ${ms} ms.`));
    }, ms);
    // A function of plain JavaScript may throw, or return what is no promise.
    Promise.resolve()
      .then(task)
      .finally(() => clearTimeout(timer))
      .then(resolve, reject);
  });
}
