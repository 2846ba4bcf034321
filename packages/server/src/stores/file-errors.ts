/** Whether an error of the file system has one of these codes. */
export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}

/** `undefined` in place of a file or folder that does not exist. */
export async function unlessMissing<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/** Open files at once. */
const MOST_OPEN = 32;

/** Results in the order of the items, some at a time. */
export async function inParallel<T, R>(items: readonly T[], task: (item: T) => Promise<R>): Promise<readonly R[]> {
  const results: R[] = [];
  const rest = items.entries();
  const work = async (): Promise<void> => {
    for (const [index, item] of rest) results[index] = await task(item);
  };
  await Promise.all(Array.from({ length: Math.min(MOST_OPEN, items.length) }, work));
  return results;
}
