import { expect, test } from 'vitest';
import { type CheckItem, failed, passed } from '../../../src/adapter/doctor/check-report.js';
import { inShort, judgeRuns } from '../src/doctor-command.js';

const report = (...items: CheckItem[]) => ({
  version: 1 as const,
  passed: items.every(({ status }) => status !== 'failed'),
  items,
});
const cli = passed('executable', 'Here.');
const asRoot = failed('bypass', 'Not as root.', 'Be another user.');
const starting = ({ runs }: ReturnType<typeof judgeRuns>) => runs.filter(({ starts }) => starts).map(({ run }) => run);

test('root may not bypass permissions: everything else starts, and the doctor passes (U-6)', () => {
  const judged = judgeRuns(report(cli, asRoot), undefined, undefined);
  expect(starting(judged)).toEqual(['query()', 'adapter, other permission modes']);
  expect(judged.passed).toBe(true);
  expect(judged.items).toMatchObject([{ status: 'passed' }, { name: 'bypass', status: 'warning' }]);
});

test('bypass mode that was asked for by name fails the doctor', () => {
  const judged = judgeRuns(report(cli, asRoot), undefined, 'bypassPermissions');
  expect(starting(judged)).toEqual(['query()']);
  expect(judged.passed).toBe(false);
  expect(judged.items[1]).toEqual(asRoot);
});

test('a missing sandbox is a matter of isolated runs, which fail the doctor when they were asked for', () => {
  const sandbox = failed('sandbox', 'No socat.', 'Install it.');
  const judged = judgeRuns(report(cli, passed('bypass', 'Yes.')), report(cli, sandbox), undefined);
  expect(starting(judged)).toEqual([
    'query()',
    'adapter, bypassPermissions (the default)',
    'adapter, other permission modes',
  ]);
  expect(judged.passed).toBe(false);
});

test('without a CLI nothing starts', () => {
  const judged = judgeRuns(report(failed('executable', 'None.', 'Install it.'), asRoot), undefined, undefined);
  expect(starting(judged)).toEqual([]);
  expect(judged.runs[0]?.reasons).toEqual(['None.']);
});

test('the line of a run says why in short: where it looked for the CLI is said once, above', () => {
  const reasons = ['Claude Code was not found. It was looked for in /a.b/claude, /c/claude.', 'No key in /d.e/f.'];
  expect(inShort(reasons)).toBe('Claude Code was not found. No key in /d.e/f.');
});
