import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { InvalidOptionError } from 'claudewire';
import { type Command, Option } from 'commander';
import { attempt, readText } from '../files.js';
import type { ProgramHost } from '../program-host.js';
import { safeText } from '../safe-text.js';
import { describeScrubbed, scrubbedIn } from './scrubbed-list.js';

interface RecordArguments {
  readonly out?: string;
  readonly cli?: string;
  readonly writeLauncher?: string;
  readonly scrub: boolean;
  readonly scrubText?: readonly string[];
  readonly scrubbed?: string;
}

/** Adds `claudewire record`. */
export function addRecordCommand(program: Command, host: ProgramHost): void {
  program
    .command('record')
    .description('Stands where the CLI stands, runs the real one, and records what passes.')
    .option('--out <file>', 'the recording to write')
    .option('--cli <path>', 'the real CLI (default: looked for, as a run does)')
    .option('--write-launcher <dir>', 'writes a program to give to an SDK, and prints its path')
    .addOption(new Option('--no-scrub', 'records secrets, paths and account data as they are').conflicts('scrubText'))
    .option('--scrub-text <text...>', 'also hides these texts')
    .addOption(
      new Option('--scrubbed <file>', 'prints what was scrubbed from a recording, and ends').conflicts([
        ...['out', 'cli', 'writeLauncher', 'scrub', 'scrubText'],
      ]),
    )
    .argument('[args...]', 'after --: runs the CLI now, with these arguments, on stdin and stdout')
    .action((args: readonly string[], options: RecordArguments) => recordNow(args, options, host));
}

async function recordNow(
  args: readonly string[],
  { out, cli, writeLauncher, scrub, scrubText = [], scrubbed }: RecordArguments,
  host: ProgramHost,
): Promise<void> {
  if (scrubbed !== undefined) {
    const { readRecording } = await import('claudewire/testing');
    const { lines } = readRecording(readText('scrubbed', scrubbed), scrubbed);
    host.stdout.write(safeText(describeScrubbed(scrubbedIn(lines))));
    return;
  }
  if (out === undefined) throw new InvalidOptionError('out', 'name the file: --out FILE');
  const { createRecorderLauncher, findCli, recorderConfig } = await import(
    '../../../../src/testing/recorder/launcher.js'
  );
  const options = { out, cli: findCli(cli, host.env), scrub, scrubTexts: scrubText };
  const recorder = join(host.assets, 'recorder.mjs');
  if (writeLauncher !== undefined) {
    const { path } = attempt('write-launcher', `write a launcher into ${writeLauncher}`, () =>
      createRecorderLauncher({ ...options, dir: writeLauncher, recorder }),
    );
    host.stdout.write(`${path}\n`);
    return;
  }
  const config = recorderConfig(options);
  const { endAs, record } = (await import(pathToFileURL(recorder).href)) as typeof import('./main.js');
  // The process ends as the CLI does: nothing comes after this.
  await new Promise<never>(() => {
    record(config, {
      args,
      proc: 1,
      onDone: (end, items) => {
        const text = config.scrub ? describeScrubbed(items) : 'scrubbed: nothing, as asked\n';
        process.stderr.write(text, () => endAs(end));
      },
    });
  });
}
