import { describe, expect, test } from 'vitest';
import {
  amount,
  argumentString,
  array,
  arrayOf,
  boolean,
  count,
  countOrInfinity,
  custom,
  func,
  integerFrom,
  nonEmptyString,
  nullOr,
  number,
  numberFrom,
  object,
  oneOf,
  problemOf,
  problemText,
  recordOf,
  secretString,
  shape,
  string,
  type Validator,
  withMethods,
} from '../../src/util/validate.js';

const noop = () => {};
const hole: unknown[] = [];
hole.length = 1;

const person = shape({ name: string, age: count }, ['name']);
const store = withMethods(['load'], ['delete']);

const good: readonly (readonly [what: string, validator: Validator, value: unknown])[] = [
  ['a string', string, ''],
  ['a non-empty string', nonEmptyString, ' '],
  ['a string for argv', argumentString, 'a b'],
  ['a boolean', boolean, false],
  ['a function', func, noop],
  ['an array', array, []],
  ['an object', object, Object.create(null)],
  ['an amount', amount, 0.5],
  ['an endless amount', amount, Number.POSITIVE_INFINITY],
  ['a count', count, 0],
  ['no limit', countOrInfinity, Number.POSITIVE_INFINITY],
  ['an integer', integerFrom(1), 1],
  ['a number', number, Number.NaN],
  ['a number of a range', numberFrom(0, 1), 0.5],
  ['one of some', oneOf('a', 'b'), 'b'],
  ['null', nullOr(string), null],
  ['an array of strings', arrayOf(string), ['a']],
  ['a record', recordOf(boolean), { a: true }],
  ['a shape with other members', person, { name: 'A', age: null, more: 1 }],
  ['methods', store, { load: noop, delete: null }],
];

const bad: readonly (readonly [validator: Validator, value: unknown, text: string])[] = [
  [string, 7, 'Option `x` must be a string, got number 7'],
  [nonEmptyString, '', 'Option `x` must be a non-empty string, got string ""'],
  [argumentString, 7, 'Option `x` must be a string, got number 7'],
  [argumentString, 'a\0', 'Option `x` must be a string without NUL characters, got one that contains NUL'],
  [secretString, 7n, 'Option `x` must be a string, got bigint'],
  [secretString, 'a\0', 'Option `x` must be a string without NUL characters, got one that contains NUL'],
  [boolean, 'true', 'Option `x` must be true or false, got string "true"'],
  [func, {}, 'Option `x` must be a function, got object'],
  [array, { length: 1 }, 'Option `x` must be an array, got object'],
  [object, new Map(), 'Option `x` must be an object, got object (Map)'],
  [object, [], 'Option `x` must be an object, got array of 0'],
  [amount, Number.NaN, 'Option `x` must be a number, 0 or more, got number NaN'],
  [count, 1.5, 'Option `x` must be a whole number, 0 or more, got number 1.5'],
  [countOrInfinity, -1, 'Option `x` must be a whole number, 0 or more, got number -1'],
  [number, '7', 'Option `x` must be a number, got string "7"'],
  [integerFrom(1), 0, 'Option `x` must be a whole number, 1 or more, got number 0'],
  [numberFrom(0, 1), 2, 'Option `x` must be a number from 0 to 1, got number 2'],
  [oneOf('a'), 'b', 'Option `x` must be \'a\', got string "b"'],
  [oneOf('a', 'b', 'c'), null, "Option `x` must be 'a', 'b' or 'c', got null"],
  [nullOr(string), 7, 'Option `x` must be a string, got number 7'],
  [arrayOf(string), 'a', 'Option `x` must be an array, got string "a"'],
  [arrayOf(string), ['a', 7], 'Option `x[1]` must be a string, got number 7'],
  [arrayOf(string), hole, 'Option `x[0]` must be a string, got undefined'],
  [recordOf(boolean), null, 'Option `x` must be an object, got null'],
  [recordOf(boolean), { 'a b': 7 }, 'Option `x["a b"]` must be true or false, got number 7'],
  [person, undefined, 'Option `x` must be an object, got undefined'],
  [person, {}, 'Option `x.name` must be a string, got undefined'],
  [person, { name: 'A', age: 'old' }, 'Option `x.age` must be a whole number, 0 or more, got string "old"'],
  [arrayOf(person), [{ name: null }], 'Option `x[0].name` must be a string, got null'],
  [store, noop, 'Option `x` must be an object, got function'],
  [store, {}, 'Option `x.load` must be a function, got undefined'],
  [store, { load: noop, delete: 7 }, 'Option `x.delete` must be a function, got number 7'],
];

describe('validators', () => {
  test.each(good)('accepts %s', (_, validator, value) => {
    expect(validator(value, 'x')).toBeUndefined();
  });

  test.each(bad)('%o refuses %o: %s', (validator, value, text) => {
    const problem = validator(value, 'x');
    expect(problem && problemText(problem)).toBe(text);
  });

  test('a problem has a path and a hint for errors of any class', () => {
    const even = custom('even', (value) => Number(value) % 2 === 0, 'Add 1.');
    expect(shape({ n: even })({ n: 3 }, 'a')).toEqual({
      path: 'a.n',
      expected: 'even',
      got: 'number 3',
      hint: 'Add 1.',
    });
  });

  test('a text of its own replaces the sentence, and the subject can be another', () => {
    const problem = problemOf('x', 'a string', 7);
    expect(problemText(problem, '')).toBe('`x` must be a string, got number 7');
    expect(problemText({ ...problem, text: 'Unsupported x' })).toBe('Unsupported x');
  });
});
