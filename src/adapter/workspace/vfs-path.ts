import { WorkspaceSecurityError } from '../errors/adapter-error.js';
import { wrongArgument } from '../options/read-fields.js';

/** A relative path as a list of names, without empty names, `.` and `..`. */
export interface VfsPath {
  readonly segments: readonly string[];
}

/**
 * Makes a path from a string such as `docs/guide.md`.
 * @throws {@link WorkspaceSecurityError} it is absolute, empty, or has an empty, `.` or `..` segment or a NUL.
 * @throws {@link AdapterConfigError} it is not a string.
 */
export function vfsPath(text: string): VfsPath {
  if (typeof text !== 'string') {
    throw wrongArgument('text', 'vfsPath() takes a string', text, 'Pass one such as "docs/guide.md".');
  }
  return { segments: checkedSegments(text, text.split('/'), 'linux') };
}

/** @throws {@link AdapterConfigError} it is not a path. */
export function formatVfsPath(path: VfsPath): string {
  if (!Array.isArray(path?.segments)) {
    const cure = 'Pass what `vfsPath("docs/guide.md")` gives.';
    throw wrongArgument('path', 'formatVfsPath() takes a VfsPath', path, cure);
  }
  return path.segments.join('/');
}

const DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?:[. ]|$)/i;

/**
 * The names of a relative path from a caller or a model, checked for one platform.
 *
 * On Windows a backslash is a separator too, and names with a special meaning are refused: drives, streams, devices,
 * and names with a dot or a space at the end.
 * @throws {@link WorkspaceSecurityError}
 */
export function relativeSegments(path: string | VfsPath, platform: NodeJS.Platform): readonly string[] {
  if (typeof path !== 'string') return checkedSegments(formatVfsPath(path), path.segments, platform);
  return checkedSegments(path, path.split(platform === 'win32' ? /[\\/]/ : '/'), platform);
}

function checkedSegments(shown: string, segments: readonly string[], platform: NodeJS.Platform): readonly string[] {
  for (const segment of segments) {
    const wrong = wrongWith(segment, platform);
    if (wrong === undefined) continue;
    throw new WorkspaceSecurityError(shown, `The path ${JSON.stringify(shown.slice(0, 200))} is refused: ${wrong}`, {
      hint: 'Give a relative path that stays below its root, such as "project/src".',
    });
  }
  return [...segments];
}

/** Why a name cannot be part of a relative path. `undefined` when it can. */
export function wrongWith(segment: string, platform: NodeJS.Platform): string | undefined {
  if (segment === '') return 'it is absolute, or has an empty segment';
  if (segment === '.' || segment === '..') return `it has the segment "${segment}"`;
  if (segment.includes('\0')) return 'it has a NUL';
  if (segment.includes('/')) return 'a segment holds a separator';
  if (platform !== 'win32') return undefined;
  if (/[\\<>:"|?*]/.test(segment) || hasControlCharacter(segment))
    return 'a segment has a character that Windows does not allow in names';
  if (/[. ]$/.test(segment)) return 'a segment ends with a dot or a space, which Windows drops';
  if (DEVICE.test(segment)) return 'a segment is the name of a Windows device';
  return undefined;
}

function hasControlCharacter(text: string): boolean {
  return [...text].some((character) => (character.codePointAt(0) ?? 0) < 0x20);
}

/** Whether a path is `root` or below it. Both are real and absolute, as `realpath` gives them. */
export function isWithin(root: string, path: string, platform: NodeJS.Platform): boolean {
  const separator = platform === 'win32' ? '\\' : '/';
  if (path === root) return true;
  return path.startsWith(root.endsWith(separator) ? root : root + separator);
}
