import { isJsonObject, parseJson } from '../model/json.js';
import { PlayLogFormat, ScenarioFormat, SessionLogFormat, TranscriptFormat } from './log-formats.js';
import { RecordingFormat } from './recording-format.js';
import type { LineFormat } from './source-line.js';

/** The format of a file by a line of it; `undefined` when this line does not tell. */
export function detectFormat(line: string): LineFormat | undefined {
  const value = parseJson(line);
  if (!isJsonObject(value)) return undefined;
  if (typeof value.dir === 'string' && 'data' in value) return new RecordingFormat();
  if (typeof value.pid === 'number' && typeof value.spawn === 'number' && 'event' in value) return new PlayLogFormat();
  if (typeof value.scenario === 'string' && value.passed === undefined) return new ScenarioFormat();
  if (typeof value.run === 'string' && ('msg' in value || 'message' in value || 'frame' in value)) {
    return new SessionLogFormat();
  }
  if (typeof value.type === 'string') return new TranscriptFormat();
  return undefined;
}

/** After so many lines without a format there is none. */
export const LOOKED_AT = 20;
