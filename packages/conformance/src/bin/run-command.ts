import { basename, resolve } from 'node:path';
import { InvalidOptionError } from 'claudewire';
import type { Level } from 'claudewire/testing';
import type { Command } from 'commander';
import type { ConformanceData, ScenarioEntry } from '../data/conformance-data.js';
import { findData } from '../data/find-data.js';
import { coverageProblems, loadData } from '../data/load-data.js';
import { type Baseline, baselineNotes, readBaseline } from '../report/baseline.js';
import { htmlReport } from '../report/html-report.js';
import { jsonReport } from '../report/json-report.js';
import { junitReport } from '../report/junit-report.js';
import { runProblems } from '../report/run-problems.js';
import { driverReport, matrix } from '../report/text-report.js';
import type { SuiteResult } from '../runner/results.js';
import { runSuite, selectScenarios } from '../runner/run-suite.js';
import { writeText } from './files.js';
import { ExitCode, type ProgramHost } from './program.js';
import { Progress } from './progress.js';
import {
  checkLevels,
  checkNames,
  checkReports,
  type NamedDriver,
  parseCount,
  parseDriver,
  parsePositive,
  parseRequired,
  type RunArguments,
} from './run-arguments.js';

/** Lines at the end of a run. */
const MAX_PROBLEMS = 40;

const HELP = `
A driver is a small program around one SDK: docs/conformance.md in the repository. No shell takes part in starting it.

  claudewire-conformance run --driver "node driver.mjs" --filter l3-set-model --keep
  claudewire-conformance run --driver mine="python driver.py" --driver 'other=["./driver"]' --html out.html
  claudewire-conformance run --driver mine=./driver --baseline expected-failures.json

Exit codes:
  0    every scenario passed, was unsupported, or failed as its baseline says
  1    something else came of one, a required level is not whole, or nothing was judged; the last lines say what
  2    the arguments or the data cannot be used; nothing was run
  130  Ctrl-C
  143  SIGTERM`;

/** Adds `claudewire-conformance run`. */
export function addRunCommand(parent: Command, host: ProgramHost, onExit: (code: number) => void): void {
  const collect = (value: string, before: readonly string[] = []): readonly string[] => [...before, value];
  parent
    .command('run')
    .description('Plays the scenarios through a driver, and says which requirements its SDK meets.')
    .option('--driver <[name=]command>', 'the driver; may be repeated, for a matrix', collect)
    .option('--data <dir>', 'another folder of conformance data')
    .option('--filter <text>', 'scenarios with this in their name, or of this requirement; may be repeated', collect)
    .option('--level <level>', 'L0 to L8; may be repeated', collect)
    .option('--require <levels>', 'levels in which nothing may be unsupported, such as L0,L1; may be repeated', collect)
    .option('--jobs <n>', 'scenarios at the same time (default: 2)')
    .option('--timeout-factor <n>', 'multiplies every time-out (default: 1)')
    .option('--baseline <file>', 'expected failures of a driver; one that passes fails. May be repeated', collect)
    .option('--bail', 'stops at the first failure')
    .option('--fresh', 'a new driver process for every scenario')
    .option('--keep', 'keeps the folder of every scenario that is not passed')
    .option('--list', 'prints the scenarios, and ends')
    .option('--verbose', 'prints a line as each scenario ends')
    .option('--json <file>', 'writes all results as JSON')
    .option('--junit <file>', 'writes them as JUnit XML')
    .option('--html <file>', 'writes them as one page')
    .addHelpText('after', HELP)
    .action(async (args: RunArguments) => onExit(await run(args, host)));
}

async function run(args: RunArguments, host: ProgramHost): Promise<number> {
  const drivers = (args.driver ?? []).map(parseDriver);
  const levels = checkLevels('level', args.level ?? []);
  const required = parseRequired(args.require);
  const baselines = (args.baseline ?? []).map(readBaseline);
  checkNames(drivers, baselines);
  checkReports(args);
  const data = loadData(findData({ data: args.data }));
  const scenarios = selectScenarios(data.scenarios, { filters: args.filter ?? [], levels });
  if (args.list === true) {
    for (const each of scenarios) host.stdout.write(listed(each));
    return ExitCode.ok;
  }
  if (drivers.length === 0) throw new InvalidOptionError('driver', 'name a driver: --driver COMMAND');
  if (scenarios.length === 0) throw new InvalidOptionError('filter', 'no scenario fits --filter and --level');
  for (const problem of coverageProblems(data)) host.stderr.write(`data: ${problem}\n`);
  const suites: SuiteResult[] = [];
  for (const driver of drivers) {
    if (host.abortController.signal.aborted) break;
    const suite = distinct(await runOne(driver, { args, host, data, scenarios }), suites);
    host.stdout.write(`${driverReport(suite, data, baselineOf(suite, baselines))}\n\n`);
    suites.push(suite);
  }
  if (suites.length > 1) host.stdout.write(`${matrix(suites, data)}\n\n`);
  writeReports(suites, data, args);
  if (host.abortController.signal.aborted) {
    host.stdout.write('stopped before the end: what is above, and in the reports, is not all\n');
    return ExitCode.failed;
  }
  for (const suite of suites) {
    for (const note of baselineNotes(suite, baselineOf(suite, baselines), data)) {
      host.stdout.write(`note: ${suite.name}: ${note}\n`);
    }
  }
  const problems = judge(suites, baselines, { data, scenarios, required, bail: args.bail === true });
  host.stdout.write(problems.length === 0 ? 'as expected\n' : `not as expected:\n${listOf(problems)}`);
  return problems.length === 0 ? ExitCode.ok : ExitCode.failed;
}

/** Drivers without a name on the command line may call themselves the same. */
function distinct(suite: SuiteResult, before: readonly SuiteResult[]): SuiteResult {
  const isTaken = before.some(({ name }) => name === suite.name);
  return isTaken ? { ...suite, name: `${suite.name} (${before.length + 1})` } : suite;
}

interface RunContext {
  readonly args: RunArguments;
  readonly host: ProgramHost;
  readonly data: ConformanceData;
  readonly scenarios: readonly ScenarioEntry[];
}

interface Judgement extends Pick<RunContext, 'data' | 'scenarios'> {
  readonly required: readonly Level[];
  readonly bail: boolean;
}

function runOne({ name, command }: NamedDriver, { args, host, data, scenarios }: RunContext): Promise<SuiteResult> {
  const { bail = false, fresh = false, keep = false, verbose = false } = args;
  const jobs = parseCount('jobs', args.jobs);
  const timeoutFactor = parsePositive('timeout-factor', args.timeoutFactor);
  // Beside the report, which may go to a file.
  const progress = new Progress(host.stderr, name ?? basename(command.at(-1) ?? ''), scenarios.length);
  return runSuite({
    data,
    scenarios,
    name,
    command,
    bail,
    fresh,
    keep,
    signal: host.abortController.signal,
    ...(jobs === undefined ? {} : { jobs }),
    ...(timeoutFactor === undefined ? {} : { timeoutFactor }),
    onResult: (result) => {
      if (!verbose) {
        progress.add(result);
        return;
      }
      const { status, scenario, ms, reason } = result;
      host.stdout.write(`${status.padEnd(12)} ${scenario} ${ms} ms${reason === undefined ? '' : `: ${reason}`}\n`);
    },
  }).finally(() => progress.end());
}

function writeReports(
  suites: readonly SuiteResult[],
  data: ConformanceData,
  { json, junit, html }: RunArguments,
): void {
  if (json !== undefined) writeText('json', resolve(json), jsonReport(suites, data));
  if (junit !== undefined) writeText('junit', resolve(junit), junitReport(suites));
  if (html !== undefined) writeText('html', resolve(html), htmlReport(suites, data));
}

function judge(
  suites: readonly SuiteResult[],
  baselines: readonly Baseline[],
  { data, scenarios, required, bail }: Judgement,
): readonly string[] {
  return suites.flatMap((suite) => {
    const done = new Set(suite.results.map(({ scenario }) => scenario));
    const problems = runProblems(suite, {
      baseline: baselineOf(suite, baselines),
      required,
      // A run that was cut short on purpose says nothing about what it did not come to.
      asked: bail ? scenarios.filter(({ name }) => done.has(name)) : scenarios,
      known: data.scenarios,
    });
    return problems.map((problem) => `${suite.name}: ${problem}`);
  });
}

function baselineOf({ name }: SuiteResult, baselines: readonly Baseline[]): Baseline | undefined {
  return baselines.find(({ driver }) => driver === name);
}

/** A port in the making has hundreds: the causes are above. */
function listOf(problems: readonly string[]): string {
  const more = problems.length - MAX_PROBLEMS;
  const lines = problems.slice(0, MAX_PROBLEMS).map((each) => `  ${each}\n`);
  return `${lines.join('')}${more > 0 ? `  and ${more} more\n` : ''}`;
}

function listed({ name, level, requirements, about }: ScenarioEntry): string {
  return `${level}  ${name}  (${requirements.join(', ')})  ${about}\n`;
}
