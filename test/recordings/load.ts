import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { ProcessExit } from '../../src/errors.js';
import type { SDKMessage } from '../../src/parser/message.js';
import type { JsonObject } from '../../src/util/json.js';
import { kindOfFrame } from './frame-kind.js';

/** The folder of the recordings, with a slash at its end. */
export const RECORDINGS = fileURLToPath(new URL('../fixtures/recordings/', import.meta.url));

export interface RecordedLine {
  /** Milliseconds since the recording began. */
  readonly t: number;
  readonly dir: 'in' | 'out' | 'err' | 'meta';
  /** Absent in recordings of one process. */
  readonly proc?: number;
  readonly data: JsonObject | string;
}

export interface ManifestEntry {
  readonly sha256: string;
  readonly cli_version: string;
  readonly lines: Readonly<Record<string, number>>;
  readonly out: Readonly<Record<string, number>>;
  readonly in: Readonly<Record<string, number>>;
  readonly exits: Readonly<Record<string, number | string>>;
}

/** One process of a recording, as the session would see it. */
export interface RecordedProcess {
  /** 1 is the first. */
  readonly proc: number;
  /** Its `out` frames, in order. */
  readonly frames: readonly JsonObject[];
  readonly exit: ProcessExit;
}

export const recordingNames: readonly string[] = readdirSync(RECORDINGS)
  .filter((file) => file.endsWith('.jsonl'))
  .sort()
  .map((file) => file.replace('.jsonl', ''));

export function readManifest(): Readonly<Record<string, ManifestEntry>> {
  return JSON.parse(readFileSync(`${RECORDINGS}manifest.json`, 'utf8')).recordings;
}

export function readRecording(name: string): RecordedLine[] {
  return readFileSync(`${RECORDINGS}${name}.jsonl`, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

/** The `out` frames of all processes, in order. */
export function outFrames(name: string): JsonObject[] {
  return readRecording(name)
    .filter(({ dir }) => dir === 'out')
    .map(({ data }) => data as JsonObject);
}

/** `type`, and after a slash whatever refines it: `system/init`, `control_request/can_use_tool`. */
export function frameName(frame: JsonObject): string {
  const inner = (frame.request ?? frame.response) as JsonObject | undefined;
  const subtype = frame.subtype ?? inner?.subtype;
  return subtype === undefined ? String(frame.type) : `${frame.type}/${subtype}`;
}

export function processesOf(name: string): RecordedProcess[] {
  const byProc = new Map<number, RecordedLine[]>();
  for (const line of readRecording(name).slice(1)) {
    const proc = line.proc ?? 1;
    byProc.set(proc, [...(byProc.get(proc) ?? []), line]);
  }
  return [...byProc].map(([proc, lines]) => ({
    proc,
    frames: lines.filter(({ dir }) => dir === 'out').map(({ data }) => data as JsonObject),
    exit: exitOf(lines),
  }));
}

function exitOf(lines: readonly RecordedLine[]): ProcessExit {
  const stderr = lines.filter(({ dir }) => dir === 'err').map(({ data }) => String(data));
  const exit = lines.map(({ data }) => data as JsonObject).find((data) => data.event === 'exit');
  if (exit === undefined) throw new Error('a recorded process without an exit line');
  return {
    exitCode: exit.code as number | null,
    signal: exit.signal as NodeJS.Signals | null,
    stderrTail: stderr.join('\n').trim().slice(-2048),
  };
}

/** What a consumer would be given: everything but control frames and heartbeats. */
export function messagesOf({ frames }: RecordedProcess): SDKMessage[] {
  return frames.filter((frame) => {
    const kind = kindOfFrame(frame);
    return !kind.startsWith('control_') && kind !== 'keep_alive';
  }) as unknown[] as SDKMessage[];
}
