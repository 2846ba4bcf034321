import { InvalidOptionError } from 'claudewire';
import type { Command } from 'commander';
import { readScenario, readText, writeScenario } from './files.js';
import { ExitCode, type ProgramHost } from './program-host.js';
import { harmlessJson, safeText } from './safe-text.js';

interface FromArguments {
  readonly out?: string;
  readonly strictArgv?: boolean;
  readonly exact: boolean;
  readonly trim?: boolean;
}

const CHECK_HELP = `
Exit codes:
  0    every file can be played
  1    one cannot; standard error says where and why
  2    the arguments cannot be used, or a file is not there; the others were checked`;

/** Adds `claudewire scenario`. */
export function addScenarioCommand(program: Command, host: ProgramHost, onExit: (code: number) => void): void {
  const scenario = program.command('scenario').description('Works with scenario files.');
  scenario
    .command('check')
    .description('Says whether scenario files can be played: the line and the field where not.')
    .argument('<files...>', 'the scenarios')
    .addHelpText('after', CHECK_HELP)
    .action(async (files: readonly string[]) => {
      let worst: number = ExitCode.ok;
      // A file that is not there says nothing about the others.
      for (const file of files) worst = Math.max(worst, await check(file, host));
      onExit(worst);
    });
  scenario
    .command('from')
    .description('Makes a scenario of a recording, and says what it leaves out.')
    .argument('<recording>', 'a file of claudewire record')
    .option('--out <file>', 'where it goes; replaces a scenario, and no other file (default: standard output)')
    .option('--strict-argv', 'flags that the recording does not have must be absent')
    .option('--no-exact', 'lets frames have further keys, and other requests come')
    .option('--trim', 'shortens the lists of tools, commands and models')
    .action(async (file: string, { out, strictArgv, exact, trim }: FromArguments) => {
      const { convertRecording, formatScenario, readRecording } = await import('claudewire/testing');
      const recording = readRecording(readText('recording', file), file);
      const conversion = convertRecording(recording, {
        ...{ strictArgv: strictArgv === true, exact, trim: trim === true },
      });
      const text = formatScenario(conversion);
      // Both are the same scenario.
      if (out === undefined) host.stdout.write(harmlessJson(text));
      else await writeScenario('out', out, text);
      for (const { what, why } of conversion.notConverted)
        host.stderr.write(safeText(`not converted: ${what}: ${why}\n`));
    });
}

/** @returns the exit code for this file. */
async function check(file: string, host: ProgramHost): Promise<number> {
  const { cliSections, driverSteps, ScenarioError } = await import('claudewire/testing');
  try {
    const scenario = await readScenario(file);
    const processes = cliSections(scenario).length;
    const counts = [
      `${scenario.steps.length} steps`,
      `${processes} ${processes === 1 ? 'process' : 'processes'}`,
      ...(driverSteps(scenario).length > 0 ? ['a driver'] : []),
    ];
    host.stdout.write(safeText(`${file}: good: "${scenario.header.scenario}", ${counts.join(', ')}\n`));
    return ExitCode.ok;
  } catch (error) {
    if (!(error instanceof InvalidOptionError)) throw error;
    if (error instanceof ScenarioError) {
      host.stderr.write(safeText(`${error.message}\n`));
      return ExitCode.failed;
    }
    host.stderr.write(`error: ${safeText(error.message)}\n`);
    return ExitCode.usage;
  }
}
