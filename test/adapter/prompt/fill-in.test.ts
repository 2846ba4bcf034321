// biome-ignore-all lint/suspicious/noTemplateCurlyInString: templates are what is tested

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PromptRenderError } from '../../../src/adapter/errors/prompt-errors.js';
import { fillIn } from '../../../src/adapter/prompt/fill-in.js';
import { defineParams } from '../../../src/adapter/prompt/params.js';
import { thrownBy } from '../support/thrown-by.js';
import { promptOf, section } from './support.js';

describe('the text of a section', () => {
  test('is dedented, and its placeholders are replaced (AD-017)', () => {
    const params = defineParams<{ name: string }>('who');
    const template = `
        Hello \${name},
          and $name again:
        $$5 for \${name}s.
    `;
    const prompt = promptOf(section('a', { params, template })).bind(params, { name: 'x' });
    expect(prompt.render().text).toBe('## 1. a (a)\n\nHello x,\n  and x again:\n$5 for xs.');
  });

  const texts: readonly [string, string, string][] = [
    ['tabs and blanks that differ stay', '\ta\n  b', '\ta\n  b'.trim()],
    ['blank lines do not count', '    a\n \n    b', 'a\n\nb'],
    ['lines that end with CR LF', '  a\r\n    b\r\n', 'a\r\n  b'],
    ['nothing', '  \n ', ''],
    ['$$ before a name', '$$name', '$name'],
    ['three and a name', '$$$name', '$N'],
    ['a name up to what is no letter', '$name-$name.', 'N-N.'],
    ['an underscore belongs to a name', '$_a1', 'under'],
  ];
  test.each(texts)('%s', (_, template, text) => {
    expect(fillIn(template, { name: 'N', _a1: 'under' })).toBe(text);
  });

  test('a placeholder without a value is an error that names it and its section (AD-018)', () => {
    const params = defineParams<{ name?: string }>('who');
    const inner = section('inner', { params, template: 'Hello $name' });
    for (const prompt of [
      promptOf(section('outer', { children: [inner] })),
      promptOf(section('outer', { children: [inner] })).bind(params, {}),
      promptOf(section('outer', { children: [section('inner', { template: '$name' })] })),
    ]) {
      const error = thrownBy(() => prompt.render());
      expect(error).toBeInstanceOf(PromptRenderError);
      expect(error).toMatchObject({ placeholder: 'name', sectionPath: 'outer.inner' });
    }
  });

  test('but not one whose value is empty, zero, false or null (AD-018)', () => {
    const values = { a: '', b: 0, c: false, d: null };
    expect(fillIn('[$a|$b|$c|$d]', values)).toBe('[|0|false|null]');
  });

  test('a dollar sign that starts no placeholder is an error with its place (AD-019)', () => {
    const prompt = promptOf(section('a', { template: 'It costs\nonly $5.' }));
    const error = thrownBy(() => prompt.render());
    expect(error).toBeInstanceOf(PromptRenderError);
    expect(error).toMatchObject({ sectionPath: 'a', placeholder: undefined });
    expect(String(error)).toContain('line 2, column 6');
    expect(String(error)).toContain('$$');
  });

  test.each(['a $', '${', '${}', '${a b}', '${a', '$-', '$ä'])('`%s` is such an error too', (template) => {
    expect(thrownBy(() => fillIn(template, { a: 1 }))).toBeInstanceOf(PromptRenderError);
  });

  test('what a value holds is not expanded (AD-020)', () => {
    const params = defineParams<{ v: string; b: string; c: string }>('p');
    const bound = { v: 'a $b ${c} $$ $& $1', b: 'B', c: 'C' };
    const prompt = promptOf(section('a', { params, template: '<$v>' })).bind(params, bound);
    expect(prompt.render().text).toContain('<a $b ${c} $$ $& $1>');
  });

  test('no value is ever expanded, whatever it holds', () => {
    const parts = fc.array(fc.oneof(fc.string(), fc.constantFrom('$a', '${b}', '$$', '$&', "$'", '$')));
    const text = parts.map((each) => each.join(''));
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(fillIn('[$a|${b}|$$a|$a]', { a, b })).toBe(`[${a}|${b}|$a|${a}]`);
      }),
    );
  });

  class Money {
    readonly #amount: number;
    constructor(amount: number) {
      this.#amount = amount;
    }
    get twice(): number {
      return this.#amount * 2;
    }
    toString(): string {
      return `${this.#amount} EUR`;
    }
  }
  const values: readonly [string, unknown, string][] = [
    ['a number', 0, '0'],
    ['a boolean', false, 'false'],
    ['null', null, 'null'],
    ['a big integer', 10n ** 20n, '100000000000000000000'],
    ['an empty text', '', ''],
    ['a plain object', { a: [1] }, '{"a":[1]}'],
    ['an array', ['a', 'b'], '["a","b"]'],
    ['a date, as everywhere', new Date(0), '"1970-01-01T00:00:00.000Z"'],
    ['an object with a text of its own', new Money(5), '5 EUR'],
  ];
  test.each(values)('%s as text', (_, value, text) => {
    expect(fillIn('$v', { v: value })).toBe(text);
  });

  test('parameters may come from a class', () => {
    expect(fillIn('$twice', new Money(5))).toBe('10');
  });

  const round: { self?: unknown } = {};
  round.self = round;
  const bad: readonly [string, unknown][] = [
    ['undefined', { v: undefined }],
    ['a function', { v: () => 'x' }],
    ['a symbol', { v: Symbol('x') }],
    ['a cycle', { v: round }],
    [
      'a text that throws',
      {
        v: {
          toString: () => {
            throw new Error('no');
          },
        },
      },
    ],
    [
      'a getter that throws',
      {
        get v() {
          throw new Error('no');
        },
      },
    ],
    ['no parameters', undefined],
  ];
  test.each(bad)('%s is an error that names the placeholder', (_, params) => {
    const error = thrownBy(() => fillIn('$v', params));
    expect(error).toBeInstanceOf(PromptRenderError);
    expect(error).toMatchObject({ placeholder: 'v' });
  });

  test.each(['constructor', 'toString', '__proto__', 'hasOwnProperty'])(
    'what every object has is no parameter: %s',
    (name) => {
      expect(thrownBy(() => fillIn(`$${name}`, {}))).toMatchObject({ placeholder: name });
      expect(fillIn(`$${name}`, JSON.parse(`{"${name}":"own"}`))).toBe('own');
    },
  );
});
