import { join, relative, resolve } from 'node:path';
import { InvalidOptionError } from 'claudewire';
import type { Command } from 'commander';
import { findData } from '../data/find-data.js';
import { LANGUAGES, writeFirstDriver } from '../init/first-driver.js';
import { ExitCode, type ProgramHost } from './program.js';

interface InitArguments {
  readonly list?: boolean;
  readonly data?: string;
}

const HELP = `
The driver passes L0 as it is: a small host stands in for your SDK, and you replace it. No file is overwritten.

  claudewire-conformance init python conformance/

Exit codes:
  0    the driver was written
  2    the language has no kit, or a file is there already; nothing was written`;

/** Adds `claudewire-conformance init`. */
export function addInitCommand(parent: Command, host: ProgramHost, onExit: (code: number) => void): void {
  parent
    .command('init')
    .description('Writes a first driver, with its kit beside it.')
    .argument('[language]', Object.keys(LANGUAGES).join(', '))
    .argument('[dir]', 'the folder to write into', '.')
    .option('--list', 'prints the languages, and ends')
    .option('--data <dir>', 'another folder of conformance data')
    .addHelpText('after', HELP)
    .action((language: string | undefined, dir: string, args: InitArguments) =>
      onExit(init(language, dir, args, host)),
    );
}

function init(language: string | undefined, dir: string, { list, data }: InitArguments, host: ProgramHost): number {
  if (list === true) {
    for (const [name, { needs }] of Object.entries(LANGUAGES)) host.stdout.write(`${name.padEnd(12)}${needs}\n`);
    return ExitCode.ok;
  }
  if (language === undefined) throw new InvalidOptionError('language', 'name a language; --list prints them');
  const folder = resolve(dir);
  const { written, build, driver } = writeFirstDriver(language, folder, findData({ data }));
  const shown = relative(process.cwd(), folder);
  for (const file of written) host.stdout.write(`wrote ${join(shown, file)}\n`);
  host.stdout.write('\nNext:\n');
  const commands = [...build, `claudewire-conformance run --driver "${driver}" --level L0`];
  if (shown !== '') commands.unshift(`cd ${quoted(shown)}`);
  for (const command of commands) host.stdout.write(`  ${command}\n`);
  return ExitCode.ok;
}

function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}
