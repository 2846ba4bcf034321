import { posix, win32 } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { WorkspaceSecurityError } from '../../../src/adapter/errors/adapter-error.js';
import { isWithin, relativeSegments, vfsPath } from '../../../src/adapter/workspace/vfs-path.js';

describe('relative paths', () => {
  const refused: readonly (readonly [path: string, platform: NodeJS.Platform])[] = [
    ['', 'linux'],
    ['/x', 'linux'],
    ['../x', 'linux'],
    ['a/../b', 'linux'],
    ['a/..', 'linux'],
    ['./a', 'linux'],
    ['a//b', 'linux'],
    ['a/', 'linux'],
    ['a\0', 'linux'],
    ['..', 'darwin'],
    ['C:\\x', 'win32'],
    ['C:x', 'win32'],
    ['\\\\server\\share', 'win32'],
    ['..\\x', 'win32'],
    ['a\\..\\b', 'win32'],
    ['a/..\\b', 'win32'],
    ['a:stream', 'win32'],
    ['NUL', 'win32'],
    ['nul.txt', 'win32'],
    ['com1', 'win32'],
    ['LPT9.log', 'win32'],
    ['.. ', 'win32'],
    ['a.', 'win32'],
    ['a?', 'win32'],
    ['a\u0001', 'win32'],
  ];
  test.each(refused)('%j is refused on %s', (path, platform) => {
    expect(() => relativeSegments(path, platform)).toThrow(WorkspaceSecurityError);
  });

  const taken: readonly (readonly [path: string, platform: NodeJS.Platform, string[]])[] = [
    ['a/b', 'linux', ['a', 'b']],
    ['...', 'linux', ['...']],
    ['..a/a..', 'linux', ['..a', 'a..']],
    ['..\\x', 'linux', ['..\\x']],
    ['C:', 'linux', ['C:']],
    ['nul', 'darwin', ['nul']],
    ['a\\b/c', 'win32', ['a', 'b', 'c']],
    ['console', 'win32', ['console']],
    ['.git', 'win32', ['.git']],
  ];
  test.each(taken)('%j is taken on %s', (path, platform, segments) => {
    expect(relativeSegments(path, platform)).toEqual(segments);
  });

  test('segments are checked one by one, so a separator cannot hide in one', () => {
    for (const segments of [['a/b'], ['..'], [''], ['a', '../b']]) {
      expect(() => relativeSegments({ segments }, 'linux')).toThrow(WorkspaceSecurityError);
    }
    expect(vfsPath('a/b')).toEqual({ segments: ['a', 'b'] });
  });

  test('what is taken stays below its root, whatever it is', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 12 }),
      fc
        .array(fc.constantFrom('..', '.', '/', '\\', 'a', ':', '\0', ' ', 'C'), { maxLength: 8 })
        .map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(text, fc.constantFrom('linux', 'win32', 'darwin'), (path, platform) => {
        let segments: readonly string[];
        try {
          segments = relativeSegments(path, platform);
        } catch (error) {
          expect(error).toBeInstanceOf(WorkspaceSecurityError);
          return;
        }
        const { resolve } = platform === 'win32' ? win32 : posix;
        const root = platform === 'win32' ? 'C:\\root' : '/root';
        const there = resolve(root, ...segments);
        expect(there).not.toBe(root);
        expect(isWithin(root, there, platform)).toBe(true);
      }),
      { numRuns: 3000 },
    );
  });
});

describe('a path is within a root', () => {
  const cases: readonly (readonly [string, string, NodeJS.Platform, boolean])[] = [
    ['/a/b', '/a/b', 'linux', true],
    ['/a/b', '/a/b/c', 'linux', true],
    ['/a/b', '/a/bc', 'linux', false],
    ['/a/b', '/a', 'linux', false],
    ['/a/b', '/A/b/c', 'linux', false],
    ['/', '/a', 'linux', true],
    ['/a/b', '/a/b\\c', 'linux', false],
    ['C:\\a', 'C:\\a\\b', 'win32', true],
    ['C:\\a', 'C:\\ab', 'win32', false],
    ['C:\\', 'C:\\a', 'win32', true],
    ['C:\\a', 'D:\\a\\b', 'win32', false],
    ['\\\\s\\x', '\\\\s\\x\\y', 'win32', true],
  ];
  test.each(cases)('%s, %s on %s: %s', (root, path, platform, within) => {
    expect(isWithin(root, path, platform)).toBe(within);
  });
});
