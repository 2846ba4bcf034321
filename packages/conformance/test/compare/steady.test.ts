import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { steadyTexts } from '../../src/compare/steady.js';

const steady = steadyTexts('/run/left');
const temp = tmpdir();

test.for<[value: unknown, expected: unknown]>([
  [{ a: ['/run/left/config'] }, { a: ['<compare>/config'] }],
  [`--settings ${temp}/claude-settings-aB3xYz/s.json`, `--settings ${temp}/claude-settings-*/s.json`],
  [`${temp}/tmpk3_x9abc`, `${temp}/tmp*`],
  [`${temp}/report.json`, `${temp}/report.json`],
  ['id 5b1f0a52-6f0e-4c33-9d0c-3a1f2b7c9e10.', 'id <uuid>.'],
  [12, 12],
])('%j', ([value, expected]) => {
  expect(steady(value)).toEqual(expected);
});
