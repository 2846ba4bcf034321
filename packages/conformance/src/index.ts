/** The suite as functions. The executable `claudewire-conformance` is made of them. */

export { convertForSuite, type SuiteConversion } from './conversion/suite-conversion.js';
export {
  type ConformanceData,
  ConformanceDataError,
  type Requirement,
  type ScenarioEntry,
} from './data/conformance-data.js';
export { type FindDataOptions, findData } from './data/find-data.js';
export { coverageProblems, loadData } from './data/load-data.js';
export { LineChecker, type LineKind } from './driver/check-line.js';
export { type DriverOptions, DriverProcess } from './driver/driver-process.js';
export {
  DriverFault,
  type DriverHello,
  type DriverReply,
  type ErrorKind,
  type NormalError,
  type ObservedEvent,
} from './driver/driver-protocol.js';
export {
  type Baseline,
  baselineNotes,
  baselineProblems,
  type MadeWith,
  madeWith,
  readBaseline,
} from './report/baseline.js';
export { htmlReport } from './report/html-report.js';
export { jsonReport } from './report/json-report.js';
export { junitReport } from './report/junit-report.js';
export { type RequirementStatus, requirementStatus } from './report/requirement-status.js';
export { type Expectations, runProblems } from './report/run-problems.js';
export { driverReport, matrix } from './report/text-report.js';
export {
  isFailure,
  type NotRun,
  type ScenarioResult,
  type ScenarioStatus,
  type SuiteResult,
} from './runner/results.js';
export { type RunScenarioOptions, runScenario } from './runner/run-scenario.js';
export {
  type RunSuiteOptions,
  runSuite,
  type Selection,
  selectScenarios,
} from './runner/run-suite.js';
