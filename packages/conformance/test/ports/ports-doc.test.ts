import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { judge, type PortResults, portsPage } from '../../scripts/ports-doc.mjs';

const results: PortResults = {
  port: 'x',
  scenarios: {
    'l0-good': { level: 'L0', status: 'passed' },
    'l4-allow': { level: 'L4', status: 'failed', cause: 'not observed: callback' },
    'l7-crash': { level: 'L7', status: 'failed', cause: 'not observed: error' },
  },
};
const checked = { seen: { allow: ['the callback was called 0 times'] } };

describe('judge()', () => {
  test('gives each failed scenario to the first group that fits its name and its cause', () => {
    const groups = [
      { what: 'never called', checks: ['allow'], scenarios: '^l4-', cause: 'callback' },
      { what: 'the rest of L4', checks: ['allow'], scenarios: '^l4-' },
    ];
    const judged = judge(results, groups, checked);
    expect(judged.groups).toMatchObject([{ what: 'never called', scenarios: ['l4-allow'] }]);
    expect(judged.unjudged).toEqual([['l7-crash', 'not observed: error']]);
  });

  test('refuses a group to be published without a question on the real CLI', () => {
    expect(() => judge(results, [{ what: 'hangs', scenarios: '^l7-' }], checked)).toThrow('no check on the real CLI');
    expect(() => judge(results, [{ what: 'hangs', checks: ['killed'], scenarios: '^l7-' }], checked)).toThrow('killed');
  });

  test('takes a group that is not judged without one', () => {
    const judged = judge(results, [{ notJudged: 'nobody looked', scenarios: '.' }]);
    expect(judged.groups).toMatchObject([{ notJudged: 'nobody looked', scenarios: ['l4-allow', 'l7-crash'] }]);
  });
});

test('docs/evidence/ports.md is what the data says', () => {
  const read = (name: string): unknown => {
    const file = fileURLToPath(new URL(`../../ports/${name}`, import.meta.url));
    return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
  };
  const page = fileURLToPath(new URL('../../../../docs/evidence/ports.md', import.meta.url));
  expect(portsPage(read)).toBe(readFileSync(page, 'utf8'));
});
