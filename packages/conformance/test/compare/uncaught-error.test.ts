import { describe, expect, test } from 'vitest';
import { uncaughtError } from '../../src/compare/uncaught-error.js';

const node = (head: string): string => `${head}\n    at main (file:///x.mjs:3:7)\n    at next\n\nNode.js v20.20.2\n`;

describe('the error that ended a program', () => {
  test.for<[name: string, stderr: string, expected: object]>([
    ['thrown', node('file:///x.mjs:3\nthrow new Odd("x");\n      ^\n\nOdd: a: b'), { class: 'Odd', text: 'a: b' }],
    ['with a code', node('node:fs:1\n  x\n  ^\n\nTypeError [ERR_X]: bad'), { class: 'TypeError', text: 'bad' }],
    ['of several lines', node('x:1\n\n^\n\nError: one\ntwo: three'), { class: 'Error', text: 'one' }],
    [
      'below a mark that is missing',
      node('file:///x.mjs:1\nk(`[A] `)\n\n\nError: no CLI'),
      { class: 'Error', text: 'no CLI' },
    ],
    ['without its source', node('RangeError: far'), { class: 'RangeError', text: 'far' }],
    ['without a text', node('\nOdd'), { class: 'Odd', text: '' }],
    ['none, but a last line', 'usage: a b\n\n', { 'last line of stderr': 'usage: a b' }],
    ['none at all', '\n', {}],
  ])('in Node: %s', ([, stderr, expected]) => {
    expect(uncaughtError(stderr, 'javascript')).toEqual(expected);
  });

  const traceback = 'Traceback (most recent call last):\n  File "a.py", line 1, in <module>\n    main()\n';
  test.for<[name: string, stderr: string, expected: object]>([
    ['raised', `${traceback}a.b.ProcessError: failed: 1\n`, { class: 'ProcessError', text: 'failed: 1' }],
    ['without a text', `${traceback}KeyboardInterrupt\n`, { class: 'KeyboardInterrupt', text: '' }],
    ['of several lines', `${traceback}Odd: one\ntwo\n`, { class: 'Odd', text: 'one' }],
    [
      'while another was handled',
      `${traceback}A: 1\n\nDuring handling:\n\n${traceback}B: 2\n`,
      { class: 'B', text: '2' },
    ],
    ['none', 'a line\n', { 'last line of stderr': 'a line' }],
  ])('in Python: %s', ([, stderr, expected]) => {
    expect(uncaughtError(stderr, 'python')).toEqual(expected);
  });
});
