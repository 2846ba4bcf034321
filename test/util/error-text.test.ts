import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { errorText } from '../../src/util/error-text.js';
import { ODD_VALUES } from '../transport/odd-values.js';

class StoreFault {
  readonly status = 503;
}

test.each([
  { name: 'an error', thrown: new TypeError('no such file'), text: 'no such file' },
  { name: 'an error without a message', thrown: new AggregateError([]), text: 'AggregateError' },
  { name: 'an error of another realm', thrown: runInNewContext('new Error("far away")'), text: 'far away' },
  { name: 'a plain object with a message', thrown: { message: 'denied', code: '42501' }, text: 'denied' },
  { name: 'a message that is not text', thrown: { message: { secret: 1 } }, text: 'object' },
  { name: 'an empty message', thrown: { message: '' }, text: 'object' },
  { name: 'a plain object', thrown: { code: '42501' }, text: 'object' },
  { name: 'an object of a class', thrown: new StoreFault(), text: 'object (StoreFault)' },
  { name: 'an array', thrown: [1, 2], text: 'array of 2' },
  { name: 'a function', thrown: () => 'secret', text: 'function' },
  { name: 'a string', thrown: 'denied', text: 'denied' },
  { name: 'an empty string', thrown: '', text: 'an empty string' },
  { name: 'a number', thrown: 5, text: '5' },
  { name: 'null', thrown: null, text: 'null' },
])('$name: $text', ({ thrown, text }) => {
  expect(errorText(thrown)).toBe(text);
});

test('values that break String() or the reading of a field have a text too', () => {
  expect(Object.fromEntries(ODD_VALUES.map(({ name, value }) => [name, errorText(value)]))).toEqual({
    'an object without prototype': 'object',
    'an object whose code cannot be read': 'object',
    'an error whose message cannot be read': 'unknown error',
    nothing: 'undefined',
    'a symbol': 'Symbol(odd)',
  });
});
