import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compileGlob, pathFilter } from '../../../src/adapter/workspace/glob.js';

const cases: readonly (readonly [glob: string, path: string, matches: boolean])[] = [
  ['*.py', 'a.py', true],
  ['*.py', 'a/b/c.py', true],
  ['*.py', '.py', true],
  ['*.py', 'a.PY', false],
  ['*.py', 'a.pyc', false],
  ['*.py', 'a.py/', false],
  ['.git/*', '.git/hooks/pre-commit', true],
  ['.git/*', 'a/.git/config', false],
  ['**/node_modules/*', 'node_modules/a', true],
  ['**/node_modules/*', 'x/y/node_modules/a/b', true],
  ['**/node_modules/*', 'my_node_modules/a', false],
  ['x/**/y', 'x/y', true],
  ['x/**/y', 'x/a/b/y', true],
  ['x/**/y', 'xy', false],
  ['**/**/b', 'b', true],
  ['a**/b', 'a/b', true],
  ['a**/b', 'ab', false],
  ['**', 'a/b', true],
  ['*', '', true],
  ['a?b', 'a/b', true],
  ['a?b', 'ab', false],
  ['a?b', 'a😀b', true],
  ['[abc]x', 'bx', true],
  ['[!abc]x', 'bx', false],
  ['[!abc]x', 'dx', true],
  ['[a-c]x', 'bx', true],
  ['[a-]x', '-x', true],
  ['[]a]x', ']x', true],
  ['[]a]x', 'ax', true],
  ['[!]a]x', ']x', false],
  ['[abc', '[abc', true],
  ['[*]', '*', true],
  ['[*]', 'a', false],
  ['*b', 'a\nb', true],
  ['./a', 'a', false],
  ['a\\b', 'a\\b', true],
  ['{a,b}', '{a,b}', true],
  ['!a', '!a', true],
  ['+(a).$', '+(a).$', true],
  ['', '', true],
  ['', 'a', false],
];

describe('globs', () => {
  test.each(cases)('%j and %j: %s', (glob, path, matches) => {
    expect(compileGlob(glob).matches(path)).toBe(matches);
  });

  test('a glob says what its regular expression says', () => {
    const part = fc.constantFrom('*', '**/', '/', 'a', 'b', '?', '[ab]', '[!a]', '.');
    const path = fc
      .array(fc.constantFrom('a', 'b', '/', '.', 'c'), { maxLength: 8 })
      .map((characters) => characters.join(''));
    fc.assert(
      fc.property(fc.array(part, { maxLength: 7 }), path, (parts, subject) => {
        const glob = parts.join('');
        expect([glob, compileGlob(glob).matches(subject)]).toEqual([glob, toRegExp(glob).test(subject)]);
      }),
      { numRuns: 3000 },
    );
  });

  test('"all below" is never said of a folder that holds something else', () => {
    const glob = fc.array(fc.constantFrom('*', '**/', '/', 'a', 'b', '?'), { maxLength: 6 });
    const name = fc.array(fc.constantFrom('a', 'b', '/'), { maxLength: 4 });
    fc.assert(
      fc.property(glob, name, name, (parts, folder, rest) => {
        const compiled = compileGlob(parts.join(''));
        const prefix = `${folder.join('')}/`;
        if (compiled.matchesAllBelow(prefix)) expect(compiled.matches(prefix + rest.join(''))).toBe(true);
      }),
      { numRuns: 3000 },
    );
  });

  test('many stars over a long path take no time', () => {
    const glob = compileGlob(`${'*a'.repeat(100)}b`);
    expect(glob.matches('a'.repeat(4000))).toBe(false);
  });
});

describe('what is taken of a mount', () => {
  const filters = [
    { include: [], exclude: [], path: 'a/b', takes: true },
    { include: ['*.py'], exclude: [], path: 'a.js', takes: false },
    { include: ['*.py'], exclude: ['test_*'], path: 'test_a.py', takes: false },
    { include: [], exclude: ['*'], path: 'a', takes: false },
  ];
  test.each(filters)('$include without $exclude, $path: $takes', ({ include, exclude, path, takes }) => {
    expect(pathFilter(include, exclude).takes(path)).toBe(takes);
  });

  const folders = [
    { exclude: ['.git/*'], folder: '.git', skips: true },
    { exclude: ['.git/*'], folder: '.github', skips: false },
    { exclude: ['**/node_modules/*'], folder: 'a/node_modules', skips: true },
    { exclude: ['.git'], folder: '.git', skips: true },
    { exclude: ['.git/?*'], folder: '.git', skips: false },
    { exclude: ['*.pyc'], folder: 'src', skips: false },
    { exclude: ['**'], folder: 'src', skips: true },
  ];
  test.each(folders)('without $exclude, folder $folder is left out: $skips', ({ exclude, folder, skips }) => {
    expect(pathFilter([], exclude).skipsFolder(folder)).toBe(skips);
  });
});

/** The rules as a regular expression; fine for short texts. */
function toRegExp(glob: string): RegExp {
  let source = '';
  for (let at = 0; at < glob.length; at += 1) {
    const rest = glob.slice(at);
    if (rest.startsWith('**/') && (at === 0 || glob[at - 1] === '/')) {
      source += '(?:.*/)?';
      at += 2;
    } else if (rest.startsWith('*')) source += '.*';
    else if (rest.startsWith('?')) source += '.';
    else if (rest.startsWith('[ab]')) {
      source += '[ab]';
      at += 3;
    } else if (rest.startsWith('[!a]')) {
      source += '[^a]';
      at += 3;
    } else source += rest[0] === '.' ? '\\.' : rest[0];
  }
  return new RegExp(`^(?:${source})$`, 's');
}
