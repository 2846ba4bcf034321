/** Folders and files by which the CLI or Git of the host is told what to run. */
const FOLDERS = /^\.(?:claude|git)$/i;
const FILES = /^\.(?:git|mcp\.json|claude\.json)$/i;

/**
 * Whether a path is, or lies in, what would be configuration on the host. By any case, since some file systems do not
 * tell; with the blanks and dots that Windows drops at the end of a name.
 */
export function isConfiguration(segments: readonly string[]): boolean {
  const names = segments.map((name) => name.replace(/(?<![. ])[. ]+$/, ''));
  return names.slice(0, -1).some((name) => FOLDERS.test(name)) || FILES.test(names.at(-1) ?? '');
}
