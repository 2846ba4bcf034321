import { mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join, posix, resolve, win32 } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import '../../helpers/property-seed.js';
import { hasOddNames, isBelow, readings } from '../../../src/adapter/hooks/containment.js';
import { judgePath, type PathScope } from '../../../src/adapter/hooks/path-check.js';
import { strictRealPath } from '../../../src/util/strict-real-path.js';
import { folderWith } from './folder.js';

const TREE = {
  top: {
    work: {
      a: { b: { f: 'inside' }, up: ['../../outside'] },
      out: ['../outside'],
      abs: ['/'],
      in: ['a/b'],
      back: ['a/../..'],
      file: ['../outside/f'],
      ghost: ['../outside/ghost'],
      chain: ['out'],
      'out ': { f: 'a folder with a space' },
    },
    'work-2': { f: 'look-alike' },
    outside: { f: 'secret', a: { f: 'secret' } },
    host: { a: { f: 'mounted' }, out: ['../outside'] },
  },
} as const;

const SEGMENTS = [
  ...['..', '..', '..', '.', '', ' ', '~', 'a', 'b', 'f', 'up', 'out', 'out ', 'abs', 'in', 'back'],
  ...['file', 'ghost', 'chain', 'chain ', 'new', 'work', 'work-2', 'work ', 'outside', 'host', 'A'],
  ...['\\', '..\\outside', 'a\\..\\..', '\u00e9', 'e\u0301', '...', '.. ', '\n', 'x'.repeat(255)],
];

const paths = fc
  .tuple(
    fc.constantFrom('', '', '', 'ROOT/', 'ROOT', 'TOP/', 'HOST/', '/', ' ', '~/', '\t'),
    fc.array(fc.constantFrom(...SEGMENTS), { maxLength: 7 }),
    fc.constantFrom('/', '/', '/', '//', '/./'),
    fc.constantFrom('', '', '', '/', ' ', '\n', '/.', '/ '),
  )
  .map(([start, segments, separator, end]) => start + segments.join(separator) + end);

/** Names and contents of everything below a folder; links are not followed. */
function everythingIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).map((entry) => {
    const path = join(entry.parentPath, entry.name);
    return entry.isFile() ? `${path}: ${readFileSync(path, 'utf8')}` : path;
  });
}

/** What the CLI may open when it is told a path: it cuts white space off, and takes `..` by name. */
function openedAs(path: string, base: string): readonly string[] {
  const once = resolve(base, path.trim());
  return [once, resolve(once.trim()), path.startsWith('/') ? path : `${base}/${path}`];
}

function setScene(overrides: Partial<PathScope> = {}) {
  const top = join(folderWith(TREE), 'top');
  const root = join(top, 'work');
  const scope: PathScope = {
    root,
    insideDirs: [],
    mounts: [{ hostPath: join(top, 'host'), copyPath: join(root, 'a') }],
    outside: 'deny',
    sessionFiles: undefined,
    access: 'write',
    ...overrides,
  };
  const outside = () => ['outside', 'work-2', 'host'].flatMap((name) => everythingIn(join(top, name)));
  const place = (path: string) => path.replace('ROOT', root).replace('TOP', top).replace('HOST', join(top, 'host'));
  return { top, root, scope, outside, place };
}

describe('whatever path is asked for', () => {
  for (const withRoot of [true, false]) {
    test(`${withRoot ? 'with' : 'without'} a workspace: what is let through is inside, whoever opens it`, async () => {
      const { root, scope, outside, place } = setScene(withRoot ? {} : { root: undefined, insideDirs: [] });
      const judged: PathScope = withRoot ? scope : { ...scope, insideDirs: [root] };
      const before = outside();
      let letThrough = 0;
      await fc.assert(
        fc.asyncProperty(paths, async (path) => {
          const asked = place(path);
          const verdict = await judgePath(asked, judged);
          if (verdict.kind === 'denied' || asked.trim() === '') return;
          letThrough += 1;
          const used = verdict.kind === 'rewritten' ? verdict.path : asked;
          for (const opened of openedAs(used, root)) {
            tryWrite(opened);
            expect(realOrUndefined(opened) ?? root).toSatisfy((real: string) => isBelow(realpathSync(root), real));
          }
          expect(outside()).toEqual(before);
        }),
        { numRuns: 600 },
      );
      // Else everything was denied, and the property says nothing.
      expect(letThrough).toBeGreaterThan(60);
    });
  }

  test('a path is told in the same words however often it is judged', async () => {
    const { scope, place } = setScene();
    await fc.assert(
      fc.asyncProperty(paths, async (path) => {
        const first = await judgePath(place(path), scope);
        if (first.kind !== 'rewritten') return;
        expect(await judgePath(first.path, scope)).toEqual({ kind: 'unchanged' });
      }),
      { numRuns: 300 },
    );
  });
});

describe('strictRealPath', () => {
  test('is what the file system says, for what exists', async () => {
    const { root, place } = setScene();
    await fc.assert(
      fc.asyncProperty(paths, async (path) => {
        const asked = `${root}/${place(path)}`;
        const real = realOrUndefined(asked);
        if (real !== undefined) expect(await strictRealPath(asked)).toBe(real);
      }),
      { numRuns: 300 },
    );
  });

  test('a link to nowhere leads where writing through it makes the file', async () => {
    const { root, top } = setScene();
    expect(await strictRealPath(join(root, 'ghost'))).toBe(join(top, 'outside', 'ghost'));
    expect(await strictRealPath(join(root, 'ghost', 'deeper'))).toBe(join(top, 'outside', 'ghost', 'deeper'));
  });
});

describe('by name alone', () => {
  const cases = [
    { path: posix, parent: '/w', child: '/w', below: true },
    { path: posix, parent: '/w', child: '/w/..a', below: true },
    { path: posix, parent: '/w', child: '/w2', below: false },
    { path: posix, parent: '/w/', child: '/w/a', below: true },
    { path: posix, parent: '/', child: '/w', below: true },
    { path: win32, parent: 'C:\\w', child: 'C:\\w\\a', below: true },
    { path: win32, parent: 'C:\\w', child: 'c:\\W\\a', below: true },
    { path: win32, parent: 'C:\\w', child: 'C:/w/a', below: true },
    { path: win32, parent: 'C:\\w', child: 'C:\\w\\..\\x', below: false },
    { path: win32, parent: 'C:\\w', child: 'C:\\w2', below: false },
    { path: win32, parent: 'C:\\w', child: 'D:\\w\\a', below: false },
    { path: win32, parent: 'C:\\w', child: '\\\\server\\share\\w', below: false },
  ];
  for (const { path, parent, child, below } of cases) {
    test(`${child} is ${below ? 'below' : 'not below'} ${parent}`, () => {
      expect(isBelow(parent, child, path)).toBe(below);
    });
  }

  const windows = [
    { path: '..\\outside', odd: false },
    { path: 'a\\.. \\b', odd: true },
    { path: 'a\\b.', odd: true },
    { path: 'C:\\w\\a b\\c', odd: false },
    { path: 'C:\\w\\file.txt:stream', odd: true },
    { path: 'C:\\w\\file.txt::$DATA', odd: true },
    { path: 'C:a', odd: false },
    { path: 'a/../b', odd: false },
  ];
  for (const { path, odd } of windows) {
    test(`Windows: ${path} ${odd ? 'is not what it seems' : 'is what it seems'}`, () => {
      expect(hasOddNames(path, win32)).toBe(odd);
      expect(hasOddNames(path, posix), 'elsewhere any name is fine').toBe(false);
    });
  }

  test('every reading of a path is absolute and without white space to cut', () => {
    fc.assert(
      fc.property(paths, (path) => {
        const found = readings(path, '/base');
        expect(found.every((each) => resolve(each) === each)).toBe(true);
        expect(found.at(-1)).toBe(resolve(found.at(-1)?.trim() ?? ''));
      }),
    );
  });
});

/** As Write does: makes the folders on the way. */
function tryWrite(path: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, 'written');
  } catch {
    // A folder, a name that is too long, a loop: nothing was written.
  }
}

function realOrUndefined(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}
