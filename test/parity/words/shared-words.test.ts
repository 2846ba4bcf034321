import { describe, expect, test } from 'vitest';
import { proseIn, wordsOf } from './prose-in.mjs';
import { sharedRuns } from './shared-words.mjs';

const OFFICIAL = '/** One two three four five six seven eight nine ten eleven. */\nexport type A = string;';
const shared = (source: string, official = OFFICIAL) => sharedRuns([{ file: 'src/a.ts', source }], [official]);

describe('prose of a source', () => {
  test('comments and texts, each with its line; code is none', () => {
    const source = [
      '// one',
      '// two',
      "const a = 'three' + 'four'; /* five */",
      "const pattern = /it's no text/; // six",
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is source text
      'const b = `seven ${a} eight`;',
    ].join('\n');
    expect(proseIn(source).map(({ line, text }) => [line, wordsOf(text).join(' ')])).toEqual([
      [1, 'one two'],
      [3, 'three four'],
      [3, 'five'],
      [4, 'six'],
      [5, 'seven eight'],
    ]);
  });
});

describe('runs of nine words of the official declarations', () => {
  test('are found in comments and in texts, however they are broken into lines', () => {
    const words = 'two three four five six seven eight nine ten';
    expect(shared('\n/**\n * Zero, two three four\n * five six `seven` eight nine ten. Twelve.\n */')).toEqual([
      { file: 'src/a.ts', line: 2, words },
    ]);
    expect(shared("f('two three four five six ' +\n  'seven eight nine ten')")).toEqual([
      { file: 'src/a.ts', line: 1, words },
    ]);
  });

  test('eight words are a coincidence, and so are names in code', () => {
    expect(shared('// one two three four five six seven eight, and other words')).toEqual([]);
    expect(shared('f(one, two, three, four, five, six, seven, eight, nine, ten)')).toEqual([]);
  });

  test('a run does not go from one comment into the next', () => {
    expect(shared('// one two three four five\nf();\n// six seven eight nine ten eleven')).toEqual([]);
  });
});
