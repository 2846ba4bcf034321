import { invalidArgument } from '../../errors/usage-errors.js';
import { InvalidOptionError } from '../../errors.js';
import { isJsonObject, type JsonObject, parseJsonObject } from '../../util/json.js';

/** One line of a recording. */
export interface RecordingLine {
  /** Milliseconds since the start. */
  readonly t: number;
  readonly dir: 'in' | 'out' | 'err' | 'meta';
  /** From 1. */
  readonly proc: number;
  /** A frame, or the text of a line that is none. */
  readonly data: unknown;
}

export interface Recording {
  /** The first line: what was recorded, and how. */
  readonly provenance: JsonObject;
  readonly lines: readonly RecordingLine[];
  /** Lines that cannot be read, such as the last one of a recorder that was killed. */
  readonly dropped: number;
}

/** What one process of a recording saw. */
export interface ProcessLines {
  readonly proc: number;
  readonly lines: readonly RecordingLine[];
  readonly isByHand: boolean;
}

const DIRECTIONS = ['in', 'out', 'err', 'meta'];

/**
 * Reads a recording. Lines that are not whole are dropped and counted.
 * @throws InvalidOptionError the first line is no provenance: it is no recording.
 */
export function readRecording(text: string, file = 'the recording'): Recording {
  if (typeof text !== 'string') {
    const cure = 'Pass the text of a file, such as `readFileSync(file, "utf8")`.';
    throw invalidArgument('text', 'readRecording() takes a string', text, cure);
  }
  const [first, ...rest] = text
    .replace(/^\uFEFF/, '')
    .split('\n')
    .filter((line) => line !== '');
  const provenance = parseJsonObject(first ?? '')?.data;
  if (!isJsonObject(provenance) || typeof provenance.scenario !== 'string') {
    throw new InvalidOptionError(
      'recording',
      `${typeof file === 'string' ? file : 'the recording'} does not start with {"dir":"meta","data":{"scenario":...}}: no recording`,
    );
  }
  const lines = rest.map(lineOf).filter((line) => line !== undefined);
  return { provenance, lines, dropped: rest.length - lines.length };
}

function lineOf(text: string): RecordingLine | undefined {
  const line = parseJsonObject(text);
  if (line === undefined || !DIRECTIONS.includes(String(line.dir))) return undefined;
  const { t, dir, proc, data } = line;
  // `dir` was checked just now.
  return {
    t: typeof t === 'number' ? t : 0,
    dir: dir as RecordingLine['dir'],
    proc: typeof proc === 'number' ? proc : 1,
    data,
  };
}
