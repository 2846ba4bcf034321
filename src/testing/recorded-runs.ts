import { existsSync, readFileSync } from 'node:fs';
import { isJsonObject, type JsonObject } from '../util/json.js';
import { type RecordingLine, readRecording } from './conversion/recording.js';
import { requestsOf } from './script/compile-script.js';
import type { ScriptedRun } from './scripted/scripted-run.js';
import { readSent, type Sent } from './scripted/sent.js';

/** What the processes of a recording saw, so far: scrubbed, as the recording is. */
export interface RecordedRuns {
  readonly runs: readonly ScriptedRun[];
  readonly sent: Sent;
}

/** Reads a recording that may still be written. None: nothing was started. */
export function readRecordedRuns(file: string): RecordedRuns {
  const lines = existsSync(file) ? readRecording(readFileSync(file, 'utf8'), file).lines : [];
  const runs = [...new Set(lines.map(({ proc }) => proc))]
    .sort((a, b) => a - b)
    .map((proc) => runOf(lines.filter((line) => line.proc === proc)));
  const asked = lines.flatMap(({ dir, data }) =>
    dir === 'out' && isJsonObject(data) ? [data] : [],
  );
  return { runs, sent: readSent(runs, requestsOf(asked)) };
}

function runOf(lines: readonly RecordingLine[]): ScriptedRun {
  const events = lines.flatMap(({ dir, data }) =>
    dir === 'meta' && isJsonObject(data) ? [data] : [],
  );
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
    signals: events.flatMap(({ event, signal }) =>
      event === 'signal_received' ? [String(signal)] : [],
    ),
    sawEndOfInput: events.some(({ event }) => event === 'stdin_closed'),
    exitCode: typeof code === 'number' ? code : undefined,
    verdict: undefined,
  };
}
