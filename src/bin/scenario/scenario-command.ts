import { readFileSync, writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import {
  convertRecording,
  formatScenario,
} from '../../conformance/conversion/convert-recording.js';
import { readRecording } from '../../conformance/conversion/recording.js';

interface FromArguments {
  readonly out?: string;
  readonly strictArgv?: boolean;
  readonly trim?: boolean;
}

interface ScenarioHost {
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
}

/** Adds `claudewire scenario`. */
export function addScenarioCommand(program: Command, host: ScenarioHost): void {
  program
    .command('scenario')
    .description('Works with scenario files.')
    .command('from')
    .description('Makes a scenario of a recording, and says what it leaves out.')
    .argument('<recording>', 'a file of claudewire record')
    .option('--out <file>', 'where it goes (default: standard output)')
    .option('--strict-argv', 'flags that the recording does not have must be absent')
    .option('--trim', 'shortens the lists of tools, commands and models')
    .action((file: string, { out, strictArgv, trim }: FromArguments) => {
      const recording = readRecording(readFileSync(file, 'utf8'), file);
      const conversion = convertRecording(recording, {
        strictArgv: strictArgv === true,
        trim: trim === true,
      });
      const text = formatScenario(conversion);
      if (out === undefined) host.stdout.write(text);
      else writeFileSync(out, text);
      for (const { what, why } of conversion.notConverted) {
        host.stderr.write(`not converted: ${what}: ${why}\n`);
      }
    });
}
