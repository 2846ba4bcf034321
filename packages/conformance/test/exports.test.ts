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
