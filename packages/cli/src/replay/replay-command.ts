import { existsSync, readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { InvalidOptionError } from 'claudewire';
import type { Scenario, Verdict } from 'claudewire/testing';
import type { Command } from 'commander';
import { omitUndefined } from '../../../../src/util/json.js';
import { attempt, readJson, readScenario } from '../files.js';
import { ExitCode, type ProgramHost } from '../program-host.js';
import { safeText } from '../safe-text.js';

const HELP = `
The scenario is played at once on stdin and stdout; arguments after -- are those of the CLI. Without
--, standard error says what the play waits for.

  claudewire replay hello.jsonl --write-launcher run/    prints a path to give to an SDK as its CLI
  claudewire replay hello.jsonl --report run/            says what came of it
  claudewire replay hello.jsonl -- --output-format stream-json

Exit codes of a play: those of the scenario, and
  0    it was played to its end, or SIGINT came
  3    an expectation was not met; stderr says which, the verdict too
  143  SIGTERM
Exit codes otherwise:
  0    the launcher was written; with --report: every process passed
  1    with --report: one failed or was never started
  2    the arguments or the scenario cannot be used; nothing was played`;

interface ReplayArguments {
  readonly writeLauncher?: string;
  readonly report?: string;
  readonly log?: string;
  readonly verdict?: string;
  readonly spawn?: string;
  readonly cwd?: string;
  readonly timeoutFactor?: string;
}

/** Adds `claudewire replay`. */
export function addReplayCommand(program: Command, host: ProgramHost, onExit: (code: number) => void): void {
  program
    .command('replay')
    .description('Stands where the CLI stands, and plays a scenario.')
    .argument('<file>', 'the scenario')
    .argument('[args...]', 'after --: arguments of the CLI')
    .option('--write-launcher <dir>', 'writes a program to give to an SDK, and prints its path')
    .option('--report <dir>', 'prints what came of the processes of a launcher')
    .option('--log <file>', 'appends what happens: arguments, lines of stdin, signals')
    .option('--verdict <file>', 'writes the verdict of a process that ends')
    .option('--spawn <n>', 'plays the section of the n-th process (default: 1)')
    .option('--cwd <dir>', 'what $cwd of a spawn step stands for')
    .option('--timeout-factor <n>', 'multiplies every time-out (default: 1)')
    .addHelpText('after', HELP)
    .action(async (file: string, args: readonly string[], options: ReplayArguments) => {
      onExit(await replay(file, args, options, host));
    });
}

async function replay(
  file: string,
  args: readonly string[],
  options: ReplayArguments,
  host: ProgramHost,
): Promise<number> {
  const scenario = await readScenario(file);
  const timeoutFactor = numberOf('timeout-factor', options.timeoutFactor, (n) => n >= 1);
  const spawn = numberOf('spawn', options.spawn, (n) => Number.isInteger(n) && n > 0);
  const { log, verdict, cwd } = options;
  const common = omitUndefined({ timeoutFactor, log, verdict, cwd });
  if (options.report !== undefined) {
    const { text, passed } = await reportOn(scenario, options.report);
    host.stdout.write(safeText(text));
    return passed ? ExitCode.ok : ExitCode.failed;
  }
  requireFile('log', options.log);
  requireFile('verdict', options.verdict);
  const player = join(host.assets, 'player.mjs');
  if (options.writeLauncher !== undefined) {
    const dir = options.writeLauncher;
    if (existsSync(dir) && !statSync(dir).isDirectory()) {
      throw new InvalidOptionError('write-launcher', `${dir} is a file; name a folder`);
    }
    refuseUsed(join(dir, 'spawns'), dir);
    const { createPlayerLauncher } = await import('claudewire/testing');
    const launched = { scenario: resolve(file), dir, player, ...common };
    const { path } = attempt('write-launcher', `write a launcher into ${dir}`, () => createPlayerLauncher(launched));
    host.stdout.write(`${path}\n`);
    return ExitCode.ok;
  }
  // The scenario says what a signal does; the program's own handlers would end a play that ignores one.
  for (const signal of ['SIGINT', 'SIGTERM']) process.removeAllListeners(signal);
  const { runPlayer: run } = (await import(pathToFileURL(player).href)) as typeof import('./main.js');
  // A person would see nothing until a time-out. What comes after `--` makes it a CLI, whose stderr an SDK reads.
  const onWait = host.argv.includes('--')
    ? undefined
    : (what: string) => void host.stderr.write(safeText(`claudewire replay: waits for ${what}\n`));
  run({ file, argv: args, spawn, onWait, ...common });
  // The player ends the process; `--version` alone comes back.
  return args.some((each) => each === '-v' || each === '--version') ? ExitCode.ok : new Promise<never>(() => {});
}

/** The player writes to it in the middle of a play. */
function requireFile(option: string, file: string | undefined): void {
  if (file === undefined || !existsSync(file) || !statSync(file).isDirectory()) return;
  throw new InvalidOptionError(option, `--${option} ${file} is a folder; name a file`);
}

/** Processes of an earlier play may still number themselves there, and wait for gates. */
function refuseUsed(spawns: string, dir: string): void {
  if (!existsSync(spawns) || readdirSync(spawns).length === 0) return;
  throw new InvalidOptionError(
    'write-launcher',
    `${dir} holds a launcher that was used; name another folder, or remove it`,
  );
}

function numberOf(name: string, text: string | undefined, isGood: (value: number) => boolean): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (text.trim() !== '' && Number.isFinite(value) && isGood(value)) return value;
  throw new InvalidOptionError(name, `--${name}: expected a number from 1, found "${text}"`);
}

/**
 * What came of the processes that a launcher started, one by one.
 * @throws InvalidOptionError the folder is none of a launcher.
 */
async function reportOn(scenario: Scenario, dir: string): Promise<{ readonly text: string; readonly passed: boolean }> {
  const spawns = join(dir, 'spawns');
  if (!existsSync(spawns)) throw new InvalidOptionError('report', `${dir} is no folder that --write-launcher has made`);
  const { cliSections, describeVerdict, PlayerFolder } = await import('claudewire/testing');
  const folder = new PlayerFolder(dir);
  const started = readdirSync(spawns).length;
  const expected = cliSections(scenario).length;
  const lines: string[] = [];
  let passed = started >= expected;
  for (let spawn = 1; spawn <= Math.max(started, expected); spawn += 1) {
    const verdict = spawn <= started ? readVerdict(folder.verdictFile(spawn)) : undefined;
    passed &&= verdict?.passed === true;
    const why = spawn <= started ? 'runs, or was killed in the middle' : 'was never started';
    const said = verdict === undefined ? why : describeVerdict(verdict);
    lines.push(`process ${spawn}: ${said}\n`);
  }
  return { text: lines.join(''), passed };
}

function readVerdict(file: string): Verdict | undefined {
  return existsSync(file) ? (readJson('report', file) as Verdict) : undefined;
}
