/** The `code` of a system error, such as `ENOENT`. Never throws, whatever it is given. */
export function codeOf(error: unknown): string | undefined {
  try {
    const code: unknown = Reflect.get(Object(error), 'code');
    return typeof code === 'string' ? code : undefined;
  } catch {
    return undefined;
  }
}

const MISSING = ['ENOENT', 'ENOTDIR'];

/** True when a file, or a folder on the way to it, does not exist. */
export function isMissing(error: unknown): boolean {
  return MISSING.includes(codeOf(error) ?? '');
}

/** `undefined` when the work fails because a file, or a folder on the way to it, does not exist. */
export function unlessMissing<T>(work: Promise<T>): Promise<T | undefined> {
  return unlessCode(MISSING, work);
}

/** `undefined` when the work fails with one of these codes. Every other failure is thrown. */
export async function unlessCode<T>(codes: readonly string[], work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (codes.includes(codeOf(error) ?? '')) return undefined;
    throw error;
  }
}
