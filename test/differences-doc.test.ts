import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const text = readFileSync(`${root}docs/evidence/differences.md`, 'utf8');

/** The weaknesses of the official SDK that were observed: each has its line, and the line its test. */
const WEAKNESSES = 22;

const lines = [...text.matchAll(/^\| (W-\d\d) \|.*\| `(?<file>test\/[^`]+)`: (?<title>.+?) \|$/gm)].map(
  ([, id = '', file = '', title = '']) => ({ id, file, title }),
);

describe('docs/evidence/differences.md', () => {
  test('has a line for every weakness, in order', () => {
    const expected = Array.from({ length: WEAKNESSES }, (_, index) => `W-${String(index + 1).padStart(2, '0')}`);
    expect(lines.map(({ id }) => id)).toEqual(expected);
  });

  test.each(lines)('$id is shown by a test of that title, which runs', ({ file, title }) => {
    const named = readFileSync(`${root}${file}`, 'utf8')
      .split('\n')
      .filter((line) => line.includes(title));
    const titles = named.filter((line) => /^\s*(?:test(?:\.each\(.*\))?\(|name: )['"`]/.test(line));
    expect(titles).not.toEqual([]);
  });
});
