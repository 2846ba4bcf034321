import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { LEAST_NODE, nodeFindings } from '../../src/doctor/node-version.js';

test('a Node older than the package supports is a warning', () => {
  const { engines } = JSON.parse(readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8'));
  expect(`${engines.node}.0`).toBe(`>=${LEAST_NODE}`);
  expect(nodeFindings({ node: '18.20.4' })).toMatchObject([
    { name: 'node', status: 'warning', found: expect.stringContaining('Node 18.20.4 is older than 20.19.0') },
  ]);
  for (const node of [LEAST_NODE, '22.1.0', '100.0.0']) expect(nodeFindings({ node })).toEqual([]);
  expect(nodeFindings({ node: '18.0.0', bun: '1.3.0' })).toEqual([]);
  expect(nodeFindings()).toEqual([]);
});
