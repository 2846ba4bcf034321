import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import * as conformance from '../src/index.js';

test('the package exports these names at run time and no others', () => {
  expect(Object.keys(conformance).sort()).toEqual([
    'ConformanceDataError',
    'DriverFault',
    'DriverProcess',
    'LineChecker',
    'baselineNotes',
    'baselineProblems',
    'convertForSuite',
    'coverageProblems',
    'driverReport',
    'findData',
    'htmlReport',
    'isFailure',
    'jsonReport',
    'junitReport',
    'loadData',
    'madeWith',
    'matrix',
    'readBaseline',
    'requirementStatus',
    'runProblems',
    'runScenario',
    'runSuite',
    'selectScenarios',
  ]);
});

test('what knows no `exports`, such as `moduleResolution: node10`, finds the same files', () => {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  const manifest = JSON.parse(text) as { main?: string; types?: string; exports: Record<string, unknown> };
  expect({ types: manifest.types, default: manifest.main }).toEqual(manifest.exports['.']);
});
