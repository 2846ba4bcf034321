import { existsSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { requireKnown, requireObject } from '../../errors/usage-errors.js';
import { InvalidOptionError } from '../../errors.js';
import { locateExecutable } from '../../query/locate-executable.js';
import { errorText } from '../../util/error-text.js';
import { findProgram, writeLauncher } from '../write-launcher.js';
import { checkWritable } from './check-writable.js';
import { type LauncherConfig, type RecorderConfig, versionOf } from './recorder-config.js';

export interface RecorderOptions {
  /** Where the recording goes. Must not exist yet. */
  readonly out: string;
  /** Path of the real CLI, or of the folder of the npm package that has it. */
  readonly cli: string;
  /** What the CLI says to `--version`. @defaultValue it is asked */
  readonly cliVersion?: string;
  /** `false`: record secrets, paths and account data as they are. @defaultValue true */
  readonly scrub?: boolean;
  /** Further texts to hide. */
  readonly scrubTexts?: readonly string[] | undefined;
}

export interface RecorderLauncherOptions extends RecorderOptions {
  /** Where the launcher is written; made when it is missing, never removed. */
  readonly dir: string;
  /** The built recorder. @defaultValue that of this package */
  readonly recorder?: string | URL;
}

/**
 * Checks what the user gave, and asks the CLI for its version.
 * @throws InvalidOptionError the recording exists already or cannot be written, or there is no such CLI.
 */
export function recorderConfig(options: RecorderOptions): RecorderConfig {
  const out = resolve(options.out);
  const cli = resolve(existsSync(options.cli) ? findCli(options.cli) : options.cli);
  if (existsSync(out)) throw new InvalidOptionError('out', `${out} exists already; name another file, or remove it`);
  if (!existsSync(cli) || !statSync(cli).isFile()) {
    throw new InvalidOptionError('cli', `${cli} is no file; give the path of the real CLI`);
  }
  mustBeWritable('out', out);
  return {
    out,
    cli,
    cliVersion: options.cliVersion ?? versionOf(cli),
    name: basename(out).replace(/\.jsonl?$/, ''),
    scrub: options.scrub ?? true,
    scrubTexts: options.scrubTexts,
  };
}

/**
 * Writes a small program that takes the CLI's place and records the real one behind it.
 * @returns what an SDK takes as the path of the CLI: ends in `.mjs` and is executable.
 * @throws InvalidOptionError as `recorderConfig`.
 */
export function createRecorderLauncher(options: RecorderLauncherOptions): { readonly path: string } {
  const takes = 'createRecorderLauncher() takes an object';
  const cure = 'Pass one such as `{ out, cli, dir }`.';
  requireObject('options', takes, options, cure, { out: 'path', cli: 'path', dir: 'path' });
  const known = ['out', 'cli', 'cliVersion', 'scrub', 'scrubTexts', 'dir', 'recorder'];
  requireKnown('createRecorderLauncher()', 'options', options, known);
  const { recorder = findProgram('recorder.mjs') } = options;
  requireObject('options', takes, { recorder }, cure, { recorder: 'path' });
  const config: LauncherConfig = { ...recorderConfig(options), spawns: join(resolve(options.dir), 'spawns') };
  const dir = resolve(options.dir);
  if (existsSync(config.spawns)) {
    throw new InvalidOptionError('dir', `${dir} holds a launcher that was used; name another folder`);
  }
  const path = join(dir, 'claude.mjs');
  mustBeWritable('dir', path);
  writeLauncher(path, recorder, 'runRecorder', config, /^\d[\d.]*/.exec(config.cliVersion)?.[0]);
  return { path };
}

function mustBeWritable(option: string, file: string): void {
  try {
    checkWritable(file);
  } catch (error) {
    throw new InvalidOptionError(option, `${file} cannot be written: ${errorText(error)}`);
  }
}

/**
 * The real CLI to record: the file that was named, else what `query()` would start.
 * @param given - A path, the folder of an npm package, or a name to look up in PATH. @defaultValue the CLI that is found
 * @param env - Where PATH and CLAUDE_CODE_EXECUTABLE are read. @defaultValue `process.env`
 * @throws InvalidOptionError there is none; the message says where it was looked for.
 */
export function findCli(given?: string, env: Readonly<Record<string, string | undefined>> = process.env): string {
  if (given !== undefined && existsSync(given) && statSync(given).isFile()) return given;
  const { path, error } = locateExecutable({ pathToClaudeCodeExecutable: given, env });
  if (path !== undefined) return path;
  const places = (error as { readonly searched?: readonly string[] }).searched ?? [];
  const looked = places.length === 0 ? errorText(error) : `Searched: ${places.join(', ')}.`;
  throw new InvalidOptionError(
    'cli',
    `There is no CLI to record${given === undefined ? '' : ` at ${given}`}. Give its path (\`cli\`, or --cli), or set CLAUDE_CODE_EXECUTABLE. ${looked}`,
  );
}
