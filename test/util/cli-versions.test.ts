import { expect, test } from 'vitest';
import { aboutVersion } from '../../src/util/cli-versions.js';

test('a release that is newer than the newest one tested is named as that, with what is known', () => {
  expect(aboutVersion('2.3.1')).toMatch(/^CLI 2\.3\.1 is newer than what was tested \(2\.1\.\d+\)\. Nothing is known/);
});

test('a release before the oldest one tested gets what is known of the oldest', () => {
  expect(aboutVersion('1.0.9')).toMatch(/^CLI 1\.0\.9 is older than what was tested \(2\.0\.0\)\. Known to differ: /);
});

test('a release between two gets what is known of the one before it', () => {
  const [, known] = /Known to differ: (.*)$/.exec(aboutVersion('2.0.0')) ?? [];
  expect(known).toContain('get_context_usage');
  expect(aboutVersion('2.0.1')).toContain(`CLI 2.0.1 is older than 2.1.`);
  expect(aboutVersion('2.0.1')).toContain(known);
});

test('nothing is said of the newest release that was tested', () => {
  const [, newest = ''] = /tested \(([^)]+)\)/.exec(aboutVersion('9.0.0')) ?? [];
  expect(aboutVersion(newest)).toBe('');
});
