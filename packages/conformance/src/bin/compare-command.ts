import { InvalidOptionError } from 'claudewire';
import type { Command } from 'commander';
import { compare, outcomeOf } from '../compare/comparison.js';
import { readPlay } from '../compare/play-source.js';
import { findRunner, nameSides } from '../compare/program-runner.js';
import { comparisonJson, comparisonText } from '../compare/report.js';
import { findData } from '../data/find-data.js';
import { ExitCode, type ProgramHost } from './program.js';
import { parsePositive } from './run-arguments.js';

interface CompareArguments {
  readonly scenario?: string;
  readonly recording?: string;
  readonly python?: string;
  readonly timeout?: string;
  readonly data?: string;
  readonly json?: boolean;
}

const HELP = `
Runs two programs that use any SDK, such as FILE.py and FILE.ts, each beside the same scripted CLI. They run as they
are, in this folder; no key, account or model is used. Compared are the arguments, environment and input of the CLI, the
lines that the programs print, and how they end.

  claudewire-conformance compare ask.py ask.ts
  claudewire-conformance compare ask.py ask.ts --recording session.jsonl -- --verbose

Exit codes:
  0    the same, but for what differs between the SDKs by design
  1    different
  2    not compared: the arguments cannot be used, no program started the CLI, or the scenario was left`;

/** A program that hangs is ended then. */
const DEFAULT_TIMEOUT_S = 60;
/** What a timer can wait. */
const LONGEST_S = 2 ** 31 / 1000 - 1;

/** Adds `claudewire-conformance compare`. */
export function addCompareCommand(parent: Command, host: ProgramHost, onExit: (code: number) => void): void {
  parent
    .command('compare <FILE> <FILE> [args...]')
    .description('Runs two programs beside the same scripted CLI, and shows the first differences.')
    .option('--scenario <name|file>', 'a scenario of the suite, or a file (default: a prompt, a tool, a result)')
    .option('--recording <file>', 'plays what the CLI wrote in a recording')
    .option('--python <path>', 'the interpreter (default: the virtual environment, else python3)')
    .option('--timeout <seconds>', 'how long each program may run (default: 60)')
    .option('--data <dir>', 'another folder of conformance data')
    .option('--json', 'prints one JSON object, with all differences')
    .addHelpText('after', HELP)
    .action(async (left: string, right: string, rest: readonly string[], args: CompareArguments) => {
      onExit(await run([left, right], rest, { args, host }));
    });
}

async function run(
  files: readonly [string, string],
  rest: readonly string[],
  { args, host }: { readonly args: CompareArguments; readonly host: ProgramHost },
): Promise<number> {
  const seconds = parsePositive('timeout', args.timeout) ?? DEFAULT_TIMEOUT_S;
  if (seconds > LONGEST_S) throw new InvalidOptionError('timeout', `--timeout: expected at most ${LONGEST_S} seconds`);
  const data = findData({ data: args.data });
  const play = readPlay(args, data);
  const { signal } = host.abortController;
  const find = (file: string) => findRunner(file, { python: args.python, signal });
  const runners = nameSides(await find(files[0]), await find(files[1]));
  const comparison = await compare({ runners, play, args: rest, timeoutMs: seconds * 1000, data, signal });
  host.stdout.write(args.json === true ? comparisonJson(comparison) : comparisonText(comparison));
  return { same: ExitCode.ok, different: ExitCode.failed, incomplete: ExitCode.usage }[outcomeOf(comparison)];
}
