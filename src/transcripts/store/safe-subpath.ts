/**
 * Whether a store's `subpath` can be a file below the session's folder, on every platform: segments between `/`, none of
 * them empty, `.` or `..`, no backslash, no NUL, no drive. Whoever fills the store must not choose
 * where on this machine is written, so it is asked before the subpath is loaded or made a path.
 */
export function isSafeSubpath(subpath: string): boolean {
  return (
    !/[\\\0]/.test(subpath) &&
    !/^[A-Za-z]:/.test(subpath) &&
    !(process.platform === 'win32' && subpath.includes(':')) &&
    subpath.split('/').every((segment) => segment !== '' && segment !== '.' && segment !== '..')
  );
}

/** The same for a key's `projectKey` or `sessionId`, which are one name each. */
export function isSafeName(name: string | undefined): name is string {
  return name !== undefined && isSafeSubpath(name) && !name.includes('/');
}
