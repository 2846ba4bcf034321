import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { aboutVersion, versionBeside } from '../../src/util/cli-versions.js';

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

test('the version is that of the npm package around the executable, behind links too', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cli-versions-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const place = join(folder, 'claude-code');
  mkdirSync(place);
  const cli = join(place, 'cli.js');
  writeFileSync(cli, '');
  expect(versionBeside(cli)).toBeUndefined();
  writeFileSync(join(place, 'package.json'), JSON.stringify({ name: 'something-else', version: '3.0.0' }));
  expect(versionBeside(cli)).toBeUndefined();
  writeFileSync(join(place, 'package.json'), JSON.stringify({ name: '@anthropic-ai/claude-code', version: '2.1.9' }));
  symlinkSync(cli, join(folder, 'claude'));
  expect([versionBeside(cli), versionBeside(join(folder, 'claude'))]).toEqual(['2.1.9', '2.1.9']);
  expect(versionBeside(join(folder, 'missing'))).toBeUndefined();
});
