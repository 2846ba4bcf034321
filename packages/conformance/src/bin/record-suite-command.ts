import { existsSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { InvalidOptionError } from 'claudewire';
import { messagesApi, type Turn } from 'claudewire/testing';
import type { Command } from 'commander';
import { findData } from '../data/find-data.js';
import { compareShapes, describeChange, type ExplainedChange, type ShapeComparison } from '../drift/compare-shapes.js';
import { readLiveScenarios } from '../drift/live-scenario.js';
import { recordSuite } from '../drift/record-suite.js';
import type { SuiteShape } from '../drift/shapes.js';
import { readJson } from './files.js';
import { ExitCode, type ProgramHost } from './program.js';
import { parsePositive } from './run-arguments.js';

interface RecordSuiteArguments {
  readonly cli: string;
  readonly data?: string;
  readonly baseline?: string;
  readonly out?: string;
  readonly only?: readonly string[];
  readonly write?: boolean;
  readonly json?: boolean;
  readonly timeoutFactor?: string;
}

const HELP = `
Needs no key and no network: the CLI talks to a scripted Messages API on the loopback interface, in folders that
are thrown away.

Exit codes:
  0    the shapes are those of the baseline, or every change is explained there (explained.json)
  1    something changed, or a scenario did not come to its end
  2    the arguments cannot be used; nothing was run`;

/** Adds `claudewire-conformance record-suite`. */
export function addRecordSuiteCommand(parent: Command, host: ProgramHost, onExit: (code: number) => void): void {
  parent
    .command('record-suite')
    .description('Records all live scenarios with a CLI, and says what changed in shape.')
    .requiredOption('--cli <path>', 'the CLI to look at')
    .option('--data <dir>', 'another folder of conformance data')
    .option('--baseline <dir>', 'folder with shapes.json to compare with (default: that of the data)')
    .option('--out <dir>', 'keeps the recordings there')
    .option('--only <name...>', 'only these scenarios')
    .option('--write', 'writes the shapes into the baseline instead of comparing')
    .option('--json', 'prints one JSON object')
    .option('--timeout-factor <n>', 'multiplies every time limit')
    .addHelpText('after', HELP)
    .action(async (args: RecordSuiteArguments) => onExit(await run(args, host)));
}

async function run(args: RecordSuiteArguments, host: ProgramHost): Promise<number> {
  const cli = resolve(args.cli);
  if (!existsSync(cli)) throw new InvalidOptionError('cli', `${cli} does not exist`);
  const data = findData({ data: args.data });
  const live = join(data, 'live');
  const all = readLiveScenarios(live);
  const unknown = args.only?.filter((name) => !all.some((each) => each.name === name)) ?? [];
  if (unknown.length > 0) {
    throw new InvalidOptionError('only', `no live scenario is named ${unknown.join(', ')}`);
  }
  const scenarios = all.filter(({ name }) => args.only?.includes(name) ?? true);
  const baseline = args.baseline === undefined ? live : resolve(args.baseline);
  const before = args.write === true ? undefined : readShapes(join(baseline, 'shapes.json'));
  const { shape, problems } = await recordSuite({
    scenarios,
    cli,
    out: args.out === undefined ? undefined : resolve(args.out),
    signal: host.abortController.signal,
    timeoutFactor: parsePositive('timeout-factor', args.timeoutFactor),
    // Scenarios are data: the API says so when a turn is none.
    startApi: (turns) => messagesApi(turns as readonly Turn[]),
    onRun: (name, problem) => host.stderr.write(problem === undefined ? `${name}\n` : `${name}: ${problem}\n`),
  });
  if (before === undefined) {
    writeFileSync(join(baseline, 'shapes.json'), `${JSON.stringify(shape, null, 2)}\n`);
    return problems.length === 0 ? ExitCode.ok : ExitCode.failed;
  }
  const comparison = compareShapes(before, shape, {
    explained: readExplained(join(baseline, 'explained.json')),
    unordered: scenarios.filter((each) => each.isUnordered === true).map(({ name }) => name),
  });
  host.stdout.write(
    args.json === true
      ? `${JSON.stringify({ before: before.cliVersion, now: shape.cliVersion, ...comparison, problems })}\n`
      : report(before, shape, comparison),
  );
  return comparison.changes.length === 0 && problems.length === 0 ? ExitCode.ok : ExitCode.failed;
}

function report(before: SuiteShape, now: SuiteShape, { changes, explained, unused }: ShapeComparison): string {
  const runs = Object.keys(now.scenarios).length;
  const lines = [
    ...changes.map(describeChange),
    ...explained.map((change) => `(${describeChange(change)}; ${change.reason})`),
    ...unused.map(({ change }) => `explained, and not there any more: ${change}`),
    `${runs} runs, ${now.cliVersion} after ${before.cliVersion}: ${changes.length} changed, ${explained.length} explained`,
  ];
  return `${lines.join('\n')}\n`;
}

function readShapes(file: string): SuiteShape {
  if (!existsSync(file)) {
    throw new InvalidOptionError('baseline', `${file} does not exist; --write makes it`);
  }
  // Written by this command.
  return readJson('baseline', file) as SuiteShape;
}

function readExplained(file: string): readonly ExplainedChange[] {
  return existsSync(file) ? (readJson('baseline', file) as ExplainedChange[]) : [];
}
