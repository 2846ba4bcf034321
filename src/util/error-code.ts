/** The `code` of a system error, such as `ENOENT`. Never throws, whatever it is given. */
export function codeOf(error: unknown): string | undefined {
  try {
    const code: unknown = Reflect.get(Object(error), 'code');
    return typeof code === 'string' ? code : undefined;
  } catch {
    return undefined;
  }
}
