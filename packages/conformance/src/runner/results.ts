import type { Difference, Level } from 'claudewire/testing';
import type { DriverHello } from '../driver/driver-protocol.js';
import { invalidArgument, requireObject } from '../util/arguments.js';

/** What came of the suite with one driver. */
export interface SuiteResult {
  /** What the caller called it, else what it called itself. */
  readonly name: string;
  /** `undefined`: it never started. */
  readonly hello: DriverHello | undefined;
  /** In the order of the data; scenarios that were not run (`bail`, abort) are not in it. */
  readonly results: readonly ScenarioResult[];
  readonly ms: number;
  /** Why the driver could not be used at all: every scenario is a `driver_error` for this one reason. */
  readonly fault?: string;
  /** Scenarios that were asked for and not run. Absent: all were. */
  readonly notRun?: NotRun;
  /** When the run began. */
  readonly date?: string;
}

export interface NotRun {
  readonly scenarios: number;
  readonly reason: string;
}

/** `1 scenario was not run: why`. */
export function describeNotRun({ scenarios, reason }: NotRun): string {
  return `${scenarios} ${scenarios === 1 ? 'scenario was' : 'scenarios were'} not run: ${reason}`;
}

/** True for a result that counts against the SDK or its driver. */
export function isFailure(result: ScenarioResult): boolean {
  const cure = 'Pass one of the `results` of what runSuite() resolves to.';
  requireObject('result', 'isFailure() takes a ScenarioResult', result, cure);
  const { status } = result;
  return status === 'failed' || status === 'driver_error';
}

/** What went wrong, with the driver's own words. Several lines. */
export function failureText({ details, reason, stderr }: ScenarioResult): string {
  const what = details ?? reason ?? '';
  // It may be colours, or worse, for a terminal.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are looked for.
  const said = stderr?.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '\ufffd');
  return said === undefined ? what : `${what}\nwhat the driver wrote to stderr:\n  ${said.replaceAll('\n', '\n  ')}`;
}

/** @throws InvalidOptionError it is no result of a suite. */
export function requireSuite(call: string, suite: SuiteResult): void {
  const cure = 'Pass what runSuite() resolves to.';
  requireObject('suite', `${call}() takes a SuiteResult`, suite, cure, { results: 'list' });
}

/** @throws InvalidOptionError it is no list of results of suites. */
export function requireSuites(call: string, suites: readonly SuiteResult[]): void {
  if (!Array.isArray(suites)) {
    const cure = 'Pass `[await runSuite(options)]`.';
    throw invalidArgument('suites', `${call}() takes an array of SuiteResults`, suites, cure);
  }
  for (const suite of suites) requireSuite(call, suite);
}

/**
 * `passed`: everything came as the scenario says. `failed`: the SDK did something else. `unsupported`: the SDK or
 * its driver has no way to do it. `driver_error`: the driver broke the protocol; nothing is known about the SDK.
 */
export type ScenarioStatus = 'passed' | 'failed' | 'unsupported' | 'driver_error';

/** What came of one scenario with one driver. */
export interface ScenarioResult {
  readonly scenario: string;
  readonly level?: Level;
  readonly requirements: readonly string[];
  readonly status: ScenarioStatus;
  readonly ms: number;
  /** Of what is not `passed`: one line. */
  readonly reason?: string;
  /** Of what is `unsupported`: the features that the driver lacks, or what it answered. */
  readonly missing?: readonly string[];
  /** The first difference: expected, got, where, what came before. Several lines. */
  readonly details?: string;
  /** Of what is `failed`: the end of what the driver wrote to stderr meanwhile, where its own crash would be. */
  readonly stderr?: string;
  /** The folder of the run, where it was kept. */
  readonly kept?: string;
}

/** The scenario is not met: ends the run of it with this difference. */
export class ScenarioFailure extends Error {
  override name = 'ScenarioFailure';
  /** Further lines: what was expected, what came. */
  readonly lines: readonly string[];

  constructor(message: string, lines: readonly string[] = []) {
    super(message);
    this.lines = lines;
  }

  /** All of it, the further lines indented. */
  get details(): string {
    return [this.message, ...this.lines.map((line) => `  ${line}`)].join('\n');
  }
}

const MAX_SHOWN = 400;

/** A value on one line, its begin when it is long. */
export function compact(value: unknown): string {
  const text = String(JSON.stringify(value));
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN)}… (${text.length} characters)`;
}

export function describeDifference({ path, expected, found }: Difference): string {
  return `${path === '' ? 'the frame' : path}: expected ${expected}, found ${found}`;
}

/** The driver has no way to do a command. */
export class CommandUnsupported extends Error {
  override name = 'CommandUnsupported';
  /** What the driver answered. */
  readonly why: string;

  constructor(label: string, why: string) {
    super(`${label}: ${why}`);
    this.why = why;
  }
}
