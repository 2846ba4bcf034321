/** The `code` of a system error, such as `ENOENT`. Never throws, whatever it is given. */
export function codeOf(error: unknown): string | undefined {
  try {
    const code: unknown = Reflect.get(Object(error), 'code');
    return typeof code === 'string' ? code : undefined;
  } catch {
    return undefined;
  }
}

/** True when a file, or a folder on the way to it, does not exist. */
export function isMissing(error: unknown): boolean {
  const code = codeOf(error);
  return code === 'ENOENT' || code === 'ENOTDIR';
}
