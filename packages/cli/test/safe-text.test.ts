import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cellsOf, jsonLine, oneLine, SafeStream, safeText } from '../src/safe-text.js';

/** What a terminal obeys or what hides text, but for line feeds, tabs and the joiners of emoji. */
const STEERS = /[^\P{Cc}\n\t]|[^\P{Cf}\u200c\u200d]|[\p{Zl}\p{Zp}\p{Cs}]/u;

const CASES: readonly (readonly [what: string, text: string, shown: string])[] = [
  ['colours', '\u001b[31mred\u001b[0m', '␛[31mred␛[0m'],
  ['the clipboard (OSC 52)', '\u001b]52;c;aGk=\u0007', '␛]52;c;aGk=␇'],
  ['a link (OSC 8)', '\u001b]8;;http://x\u001b\\here\u001b]8;;\u001b\\', '␛]8;;http://x␛\\here␛]8;;␛\\'],
  ['a title (OSC 0)', '\u001b]0;title\u0007', '␛]0;title␇'],
  ['a device control string', '\u001bP1$r0m\u001b\\', '␛P1$r0m␛\\'],
  ['C1 controls', '\u009b2J\u009d52;c;aGk=\u009c', '<U+009B>2J<U+009D>52;c;aGk=<U+009C>'],
  ['a line written over', 'safe\rrm -rf /', 'safe␍rm -rf /'],
  ['backspaces', 'no\b\byes', 'no␈␈yes'],
  ['the end of a line of Windows', 'a\r\nb', 'a\nb'],
  ['delete', 'a\u007fb', 'a␡b'],
  ['text that runs backwards', 'a\u202etxt.exe\u202cb', 'a<U+202E>txt.exe<U+202C>b'],
  ['isolates and marks', '\u2066\u2069\u200e\u200f\u061c', '<U+2066><U+2069><U+200E><U+200F><U+061C>'],
  ['invisible tags', 'a\u{e0041}b', 'a<U+E0041>b'],
  ['other invisible characters', 'a\u200bb\u2060c\ufeffd\u00ade', 'a<U+200B>b<U+2060>c<U+FEFF>d<U+00AD>e'],
  ['separators of lines', 'a\u2028b\u2029c', 'a<U+2028>b<U+2029>c'],
  ['half a character', 'a\ud83db\ude00c', 'a\ufffdb\ufffdc'],
  ['what is harmless', 'a\tb\nc é 漢字 👩‍💻 \u0627\u0644', 'a\tb\nc é 漢字 👩‍💻 \u0627\u0644'],
];

describe('text of others never steers the terminal', () => {
  test.each(CASES)('%s', (_what, text, shown) => {
    expect(safeText(text)).toBe(shown);
  });

  const hostile = fc
    .array(fc.oneof(fc.constantFrom(...CASES.map(([, text]) => text)), fc.string({ unit: 'binary', maxLength: 8 })))
    .map((parts) => parts.join(''));
  const cuts = fc.array(fc.nat({ max: 200 }), { maxLength: 12 });

  test('nothing of it is left, wherever the text is cut', () => {
    fc.assert(
      fc.property(hostile, cuts, (text, at) => {
        const places = [0, ...at.filter((place) => place < text.length).sort((a, b) => a - b), text.length];
        const stream = new SafeStream();
        const shown = places.map((place, index) => stream.push(text.slice(places[index - 1] ?? 0, place)));
        const all = shown.join('') + stream.end();
        expect(all).toBe(safeText(text));
        expect(all).not.toMatch(STEERS);
      }),
    );
  });

  test('a line of JSON has none of it either, and has the same value', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const line = jsonLine({ text });
        expect(line.slice(0, -1)).not.toMatch(STEERS);
        expect(line.indexOf('\n')).toBe(line.length - 1);
        expect(JSON.parse(line)).toEqual({ text });
      }),
    );
  });

  test('one line takes no more cells than it may', () => {
    fc.assert(
      fc.property(hostile, fc.integer({ min: 1, max: 60 }), (text, columns) => {
        const line = oneLine(text, columns);
        expect(cellsOf(line)).toBeLessThanOrEqual(columns);
        expect(line).not.toMatch(/[\n\t]/);
        expect(line).not.toMatch(STEERS);
      }),
    );
  });
});

test.each([
  ['abc', 3, 'abc'],
  ['abcd', 3, 'ab…'],
  ['  a \n\t b  ', 10, 'a b'],
  ['漢字漢字', 8, '漢字漢字'],
  ['漢字漢字', 7, '漢字漢…'],
  ['漢字漢字', 6, '漢字…'],
  ['x'.repeat(5_000_000), 5, 'xxxx…'],
  ['', 5, ''],
])('%.20j in %d columns is %j', (text, columns, shown) => {
  expect(oneLine(text, columns)).toBe(shown);
});
