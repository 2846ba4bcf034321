import { isJsonObject, parseJson, textAt } from '../model/json.js';
import type { Direction } from '../model/view-data.js';
import type { LineFormat, SourceLine } from './source-line.js';

/** As the recorder writes it: the frame is the rest of the line, and keeps its spelling. */
const WRITTEN = /^\{"t":(-?\d+(?:\.\d+)?),"dir":"(in|out|err|meta)"(?:,"proc":(\d{1,6}))?,"data":/;
const DIRECTIONS: ReadonlySet<unknown> = new Set(['in', 'out', 'err', 'meta']);

/** Recordings of `claudewire record`. */
export class RecordingFormat implements LineFormat {
  readonly kind = 'recording';
  about: string | undefined;
  cliVersion: string | undefined;

  read(line: string): readonly SourceLine[] {
    const parsed = parseJson(line);
    if (!isJsonObject(parsed) || !DIRECTIONS.has(parsed.dir)) return [torn(line)];
    const { t, dir, proc, data } = parsed;
    if (dir === 'meta' && this.about === undefined) {
      this.about = textAt(data, 'about') ?? textAt(data, 'scenario');
      this.cliVersion = textAt(data, 'cli_version');
    }
    const written = isJsonObject(data) && Object.keys(parsed).at(-1) === 'data' ? WRITTEN.exec(line) : null;
    const source =
      written === null ? (JSON.stringify(data) ?? '') : line.slice(written[0].length, line.lastIndexOf('}'));
    return [
      {
        t: typeof t === 'number' && Number.isFinite(t) ? t : 0,
        // Looked up just now.
        dir: dir as Direction,
        proc: typeof proc === 'number' && Number.isSafeInteger(proc) ? proc : 1,
        text: typeof data === 'string' ? data : source,
      },
    ];
  }
}

/** A line that is not whole, such as the last one of a recorder that was killed. */
export function torn(line: string): SourceLine {
  return { t: Number.NaN, dir: 'out', proc: 1, text: line };
}
