const WINDOWS_ABSOLUTE = /^(?:[A-Za-z]:[\\/]|\\\\)/;

/** A path that begins with a drive or a share, whatever the platform this runs on. */
export function isWindowsPath(path: string): boolean {
  return WINDOWS_ABSOLUTE.test(path);
}
