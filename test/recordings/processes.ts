import { isJsonObject, type JsonObject } from '../../src/util/json.js';
import { type RecordedLine, readRecording, recordingNames } from './load.js';

/** One process of one recording. */
export interface Process {
  readonly name: string;
  readonly lines: readonly RecordedLine[];
  readonly out: readonly JsonObject[];
  readonly exit: { readonly code: number | null; readonly signal: string | null };
}

export const processes: readonly Process[] = recordingNames.flatMap((name) => {
  const byProc = new Map<number, RecordedLine[]>();
  for (const line of readRecording(name).slice(1)) {
    const proc = line.proc ?? 1;
    byProc.set(proc, [...(byProc.get(proc) ?? []), line]);
  }
  return [...byProc.values()].map((lines) => {
    const end = lines.map(({ data }) => data as JsonObject).find(({ event }) => event === 'exit');
    return {
      name,
      lines,
      out: lines.filter(({ dir }) => dir === 'out').map(({ data }) => data as JsonObject),
      exit: { code: end?.code as number | null, signal: end?.signal as string | null },
    };
  });
});

/** The object under a key, `{}` when there is none. */
export function inner(value: unknown, key: string): JsonObject {
  const found = isJsonObject(value) ? value[key] : undefined;
  return isJsonObject(found) ? found : {};
}

/** The processes of one recording. */
export function processesNamed(name: string): readonly Process[] {
  const found = processes.filter((process) => process.name === name);
  if (found.length === 0) throw new Error(`no recording ${name}`);
  return found;
}
