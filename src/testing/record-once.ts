import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { invalidArgument, isPath, requireKnown } from '../errors/usage-errors.js';
import { ClaudeClient, InvalidOptionError, type Options, query } from '../index.js';
import { isJsonObject, type JsonObject } from '../util/json.js';
import { ownDirectoryPrefix } from '../util/stale-directories.js';
import { type RecordingLine, readRecording } from './conversion/recording.js';
import { createRecorderLauncher, findCli } from './recorder/launcher.js';
import { requestsOf } from './script/compile-script.js';
import { ScriptError } from './script/script-error.js';
import { CLOSE_GRACE_MS, realPause, type ScriptedRun } from './scripted/play-host.js';
import { readSent, type Sent } from './scripted/sent.js';
import { SCRIPTED_CLI_OPTIONS, type ScriptedCli, type ScriptedCliOptions, scriptedCli } from './scripted-cli.js';

const POLL_MS = 20;
const OPTIONS = ['cli', 'scrubTexts', ...SCRIPTED_CLI_OPTIONS.filter((name) => !/^(sessionId|model|cwd)$/.test(name))];

export interface RecordOnceOptions extends Omit<ScriptedCliOptions, 'sessionId' | 'model' | 'cwd'> {
  /** Path of the real CLI, for the run that records. @defaultValue the CLI that `query()` would start */
  readonly cli?: string;
  /** Texts to hide in the recording, besides keys, tokens, paths and account data. */
  readonly scrubTexts?: readonly string[];
  /**
   * Every flag that the program gives must be in the recording: one that was added fails the replay. `false`: only
   * those of the recording are looked at. @defaultValue true
   */
  readonly strictArgv?: boolean;
}

/** A CLI that is recorded, or played from the recording. */
export interface RecordedCli
  extends Pick<ScriptedCli, 'options' | 'path' | 'query' | 'client' | 'runs' | 'sent' | 'close'>,
    AsyncDisposable {
  /** While it records, `runs` and `sent` are what the recording has: scrubbed, a few variables, no `cwd`, no `pid`. */
  readonly mode: 'record' | 'replay';
}

/**
 * Replays the file when it is there. Otherwise it records a real run into it, but only where that was asked for: with
 * `CLAUDEWIRE_RECORD=1` and outside of CI (`CI`). The recording is written when this is closed, scrubbed; look at it
 * before you commit it. To record anew, delete the file.
 * @param file - The recording; `.jsonl`.
 * @throws InvalidOptionError there is no recording and recording was not asked for, or there is no CLI to record.
 *   `close()`: ScriptError a process still ran when the recording was to be written; nothing is written then.
 * @example
 * await using cli = recordOnce(new URL('./greeting.jsonl', import.meta.url));
 * const answer = await myApp({ query: cli.query });
 */
export function recordOnce(file: string | URL, options: RecordOnceOptions = {}): RecordedCli {
  if (!isPath(file)) {
    const cure = "Pass one such as `new URL('./greeting.jsonl', import.meta.url)`.";
    throw invalidArgument('file', 'recordOnce() takes the path of a recording', file, cure);
  }
  requireKnown('recordOnce()', 'options', options, OPTIONS);
  const path = resolve(typeof file === 'string' ? file : fileURLToPath(file));
  if (!existsSync(path)) return recordingCli(path, options);
  const { cli: _, scrubTexts: __, strictArgv = true, ...played } = options;
  const replayed = scriptedCli(path, { ...played, strictArgv });
  return Object.assign(replayed, { mode: 'replay' as const });
}

function recordingCli(file: string, options: RecordOnceOptions): RecordedCli {
  assertRecordingAllowed(file);
  const cli = findCli(options.cli);
  const dir = mkdtempSync(join(tmpdir(), ownDirectoryPrefix()));
  const remove = (): void => rmSync(dir, { recursive: true, force: true, maxRetries: 3 });
  const out = join(dir, file.slice(dirname(file).length + 1));
  let path: string;
  try {
    path = createRecorderLauncher({ out, cli, dir, scrubTexts: options.scrubTexts }).path;
  } catch (error) {
    remove();
    throw error;
  }
  const host: Pick<Options, 'pathToClaudeCodeExecutable'> = { pathToClaudeCodeExecutable: path };
  let final: RecordedRuns | undefined;
  const close = async (): Promise<void> => {
    const late = await openProcesses(out, options.closeGraceMs ?? CLOSE_GRACE_MS);
    final ??= readRecordedRuns(out);
    if (late.length > 0) {
      remove();
      const cure = 'end every query before you close this, or give it more time (closeGraceMs)';
      throw new ScriptError([{ message: `nothing was recorded: process ${late.join(', ')} still ran; ${cure}` }]);
    }
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
    path,
    query: (params) => query({ ...params, options: { ...params.options, ...host } }),
    client: (more) => new ClaudeClient({ ...more, ...host }),
    get runs() {
      return (final ?? readRecordedRuns(out)).runs;
    },
    get sent() {
      return (final ?? readRecordedRuns(out)).sent;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Waits until every process of a recording has ended. @returns the numbers of those that have not in time. */
async function openProcesses(file: string, graceMs: number): Promise<readonly number[]> {
  const until = performance.now() + graceMs;
  for (;;) {
    const open = stillOpen(file);
    if (open.length === 0 || performance.now() >= until) return open;
    await realPause(POLL_MS);
  }
}

function stillOpen(file: string): readonly number[] {
  if (!existsSync(file)) return [];
  const open = new Set<number>();
  for (const { dir, proc, data } of readRecording(readFileSync(file, 'utf8')).lines) {
    const event = dir === 'meta' && isJsonObject(data) ? data.event : undefined;
    if (event === 'spawn') open.add(proc);
    // Its last line: it comes after `exit`.
    if (event === 'scrubbed') open.delete(proc);
  }
  return [...open];
}

function assertRecordingAllowed(file: string): void {
  const isCi = !['', '0', 'false', undefined].includes(process.env.CI);
  const missing = `There is no recording at ${file}`;
  const record = 'Run the test once with CLAUDEWIRE_RECORD=1 where the CLI is, and commit the file.';
  if (isCi) throw new InvalidOptionError('file', `${missing}, and CI does not record. ${record}`);
  if (process.env.CLAUDEWIRE_RECORD !== '1') throw new InvalidOptionError('file', `${missing}. ${record}`);
}

/** What the processes of a recording saw, so far: scrubbed, as the recording is. */
interface RecordedRuns {
  readonly runs: readonly ScriptedRun[];
  readonly sent: Sent;
}

/** Reads a recording that may still be written. `runs` is empty if nothing was started. */
function readRecordedRuns(file: string): RecordedRuns {
  const lines = existsSync(file) ? readRecording(readFileSync(file, 'utf8'), file).lines : [];
  const runs = [...new Set(lines.map(({ proc }) => proc))]
    .sort((a, b) => a - b)
    .map((proc) => runOf(lines.filter((line) => line.proc === proc)));
  const asked = lines.flatMap(({ dir, data }) => (dir === 'out' && isJsonObject(data) ? [data] : []));
  return { runs, sent: readSent(runs, requestsOf(asked)) };
}

function runOf(lines: readonly RecordingLine[]): ScriptedRun {
  const events = lines.flatMap(({ dir, data }) => (dir === 'meta' && isJsonObject(data) ? [data] : []));
  const first = (name: string): JsonObject => events.find(({ event }) => event === name) ?? {};
  const { argv, env_values: env } = first('spawn');
  const { code } = first('exit');
  return {
    spawn: lines[0]?.proc ?? 1,
    pid: undefined,
    // The first is the program's name.
    argv: Array.isArray(argv) ? argv.slice(1).map(String) : [],
    env: isJsonObject(env) ? (env as Record<string, string>) : {},
    cwd: '',
    frames: lines.flatMap(({ dir, data }) => (dir === 'in' && isJsonObject(data) ? [data] : [])),
    signals: events.flatMap(({ event, signal }) => (event === 'signal_received' ? [String(signal)] : [])),
    sawEndOfInput: events.some(({ event }) => event === 'stdin_closed'),
    exitCode: typeof code === 'number' ? code : undefined,
    verdict: undefined,
  };
}
