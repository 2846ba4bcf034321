import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import {
  compareShapes,
  describeChange,
  type ExplainedChange,
} from '../../../packages/conformance/src/drift/compare-shapes.js';
import { readLiveScenarios } from '../../../packages/conformance/src/drift/live-scenario.js';
import { recordSuite } from '../../../packages/conformance/src/drift/record-suite.js';
import type { SuiteShape } from '../../../packages/conformance/src/drift/shapes.js';
import { startMessagesApi } from '../../../src/testing/messages-api/server.js';
import type { Turn } from '../../../src/testing/messages-api/turn.js';
import { CURRENT } from '../support/clis.js';
import { buildParts } from './support.js';

const LIVE = new URL('../../../packages/conformance/live/', import.meta.url);
const readJson = (name: string): unknown => JSON.parse(readFileSync(new URL(name, LIVE), 'utf8'));

/** The same as `claudewire-conformance record-suite --cli PATH`. */
test('the pinned CLI still has the shapes of the baseline', { timeout: 300_000 }, async () => {
  const { recorder } = await buildParts();
  const scenarios = readLiveScenarios(fileURLToPath(LIVE));
  expect(scenarios.length).toBeGreaterThanOrEqual(25);
  const { shape, problems } = await recordSuite({
    scenarios,
    cli: CURRENT.path,
    recorder,
    startApi: (turns) => startMessagesApi({ turns: turns as readonly Turn[] }),
  });
  expect(problems).toEqual([]);
  // Both files are written by hand or by the command in these shapes.
  const { changes, unused } = compareShapes(readJson('shapes.json') as SuiteShape, shape, {
    explained: readJson('explained.json') as ExplainedChange[],
    unordered: scenarios.filter(({ isUnordered }) => isUnordered === true).map(({ name }) => name),
  });
  expect(changes.map(describeChange)).toEqual([]);
  expect(unused).toEqual([]);
});
