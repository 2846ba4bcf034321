import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createRecorderLauncher } from '../conformance/recorder/launcher.js';
import { ClaudeClient, InvalidOptionError, type Options, query } from '../index.js';
import { findProgram } from './scripted/find-program.js';
import { type ScriptedCli, type ScriptedCliOptions, scriptedCli } from './scripted-cli.js';

export interface RecordOnceOptions extends Omit<ScriptedCliOptions, 'sessionId' | 'model' | 'cwd'> {
  /** Path of the real CLI, for the run that records. @defaultValue the variable `CLAUDE_CODE_EXECUTABLE` */
  readonly cli?: string;
  /** Texts to hide in the recording, besides keys, tokens, paths and account data. */
  readonly scrubTexts?: readonly string[];
}

/** A CLI that is recorded, or played from the recording. */
export interface RecordedCli
  extends Pick<ScriptedCli, 'options' | 'query' | 'client' | 'close'>,
    AsyncDisposable {
  readonly mode: 'record' | 'replay';
}

/**
 * Replays the file when it is there. Otherwise it records a real run into it, but only where that was asked for:
 * with `CLAUDEWIRE_RECORD=1` and outside of CI (`CI`). The recording is written when this is closed, scrubbed; look
 * at it before you commit it. To record anew, delete the file.
 *
 * @param file - The recording; `.jsonl`.
 * @throws InvalidOptionError there is no recording and recording was not asked for, or there is no CLI to record.
 * @example
 * await using cli = recordOnce(new URL('./greeting.jsonl', import.meta.url));
 * const answer = await myApp({ query: cli.query });
 */
export function recordOnce(file: string | URL, options: RecordOnceOptions = {}): RecordedCli {
  const path = resolve(typeof file === 'string' ? file : fileURLToPath(file));
  if (!existsSync(path)) return recordingCli(path, options);
  const replayed = scriptedCli(path, options);
  return {
    mode: 'replay',
    options: replayed.options,
    query: replayed.query,
    client: replayed.client,
    close: replayed.close,
    [Symbol.asyncDispose]: replayed.close,
  };
}

function recordingCli(file: string, options: RecordOnceOptions): RecordedCli {
  const cli = mayRecord(file, options.cli ?? process.env['CLAUDE_CODE_EXECUTABLE']);
  const dir = mkdtempSync(join(tmpdir(), 'claudewire-record-'));
  const remove = (): void => rmSync(dir, { recursive: true, force: true, maxRetries: 3 });
  const out = join(dir, file.slice(dirname(file).length + 1));
  let path: string;
  try {
    path = createRecorderLauncher({
      out,
      cli,
      dir,
      recorder: findProgram('recorder.mjs'),
      ...(options.scrubTexts === undefined ? {} : { scrubTexts: options.scrubTexts }),
    }).path;
  } catch (error) {
    remove();
    throw error;
  }
  const host: Pick<Options, 'pathToClaudeCodeExecutable'> = { pathToClaudeCodeExecutable: path };
  const close = async (): Promise<void> => {
    if (existsSync(out)) {
      mkdirSync(dirname(file), { recursive: true });
      // Not a rename: the temporary folder may be on another disk.
      copyFileSync(out, file);
    }
    remove();
  };
  return {
    mode: 'record',
    options: host,
    query: (params) => query({ ...params, options: { ...params.options, ...host } }),
    client: (more) => new ClaudeClient({ ...more, ...host }),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** @returns the CLI to record. */
function mayRecord(file: string, cli: string | undefined): string {
  const isCi = !['', '0', 'false', undefined].includes(process.env['CI']);
  const missing = `There is no recording at ${file}`;
  const record =
    'Run the test once with CLAUDEWIRE_RECORD=1 where the CLI is, and commit the file.';
  if (isCi) {
    throw new InvalidOptionError('file', `${missing}, and CI does not record. ${record}`);
  }
  if (process.env['CLAUDEWIRE_RECORD'] !== '1') {
    throw new InvalidOptionError('file', `${missing}. ${record}`);
  }
  if (cli === undefined || cli === '') {
    throw new InvalidOptionError(
      'cli',
      `${missing}, and no CLI to record: give the option \`cli\`, or set CLAUDE_CODE_EXECUTABLE.`,
    );
  }
  return cli;
}
