/** The door `claudewire/conformance`: the suite as functions. `claudewire conformance run` is made of them. */

export { convertRecording, formatScenario } from '../testing/conversion/convert-recording.js';
export { type Recording, readRecording } from '../testing/conversion/recording.js';
export {
  createPlayerLauncher,
  type PlayerLauncher,
  type PlayerLauncherOptions,
} from '../testing/player/launcher.js';
export {
  createRecorderLauncher,
  type RecorderLauncherOptions,
} from '../testing/recorder/launcher.js';
export { parseScenario, ScenarioError, scenarioOf } from '../testing/scenario/parse-scenario.js';
export type * from '../testing/scenario/scenario-types.js';
export { coverageProblems } from './data/coverage.js';
export { ConformanceDataError } from './data/data-error.js';
export type { ConformanceData, Requirement, ScenarioEntry } from './data/data-types.js';
export { type FindDataOptions, findData } from './data/find-data.js';
export { loadData } from './data/load-data.js';
export { LineChecker, type LineKind } from './driver/check-line.js';
export { DriverFault } from './driver/driver-fault.js';
export { type DriverOptions, DriverProcess } from './driver/driver-process.js';
export type {
  DriverHello,
  DriverReply,
  ErrorKind,
  NormalError,
  ObservedEvent,
} from './driver/driver-protocol.js';
export { type Baseline, baselineProblems, readBaseline } from './report/baseline.js';
export { htmlReport } from './report/html-report.js';
export { jsonReport } from './report/json-report.js';
export { junitReport } from './report/junit-report.js';
export { type RequirementStatus, requirementStatus } from './report/requirement-status.js';
export { driverReport, matrix } from './report/text-report.js';
export { type RunScenarioOptions, runScenario } from './runner/run-scenario.js';
export { type RunSuiteOptions, runSuite } from './runner/run-suite.js';
export type { ScenarioResult, ScenarioStatus } from './runner/scenario-result.js';
export { type Selection, selectScenarios } from './runner/select-scenarios.js';
export { isFailure, type SuiteResult } from './runner/suite-result.js';

/** Where the player lies in this package: for `runSuite`, `runScenario` and `createPlayerLauncher`. */
export const PLAYER = new URL('../player.mjs', import.meta.url);
/** Where the recorder lies: for `createRecorderLauncher`. */
export const RECORDER = new URL('../recorder.mjs', import.meta.url);
