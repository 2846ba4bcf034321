import { join } from 'node:path';
import { isJsonObject, type JsonObject, parseJsonObject } from '../../util/json.js';
import { isSessionId } from '../transcript/entry.js';
import { readAt, readFrom } from './open-file.js';
import { folderNameOf, realDirectory } from './project-folder.js';
import type { TranscriptPlace } from './subagent-tail.js';

/** The state is among the last lines, which may be long. */
const TAIL_BYTES = 1_048_576;

/**
 * What the session had used when the CLI exited, by model, in the form of a result's `modelUsage`: also what came after
 * the last result. Synchronous. Never throws.
 * @param since - Milliseconds since 1970. A state of an earlier process does not count.
 * @returns `undefined` when the CLI wrote none: it was killed, is an older release, or keeps no transcript.
 */
export function finalUsageOf(
  { configFolder, cwd }: TranscriptPlace,
  sessionId: string,
  since: number,
): JsonObject | undefined {
  if (!isSessionId(sessionId)) return undefined;
  try {
    const path = join(configFolder, 'projects', folderNameOf(realDirectory(cwd)), `${sessionId}.jsonl`);
    const tail = readFrom(path, (descriptor, { size }) => {
      const length = Math.min(size, TAIL_BYTES);
      return readAt(descriptor, Buffer.allocUnsafeSlow(length), size - length).toString();
    });
    return tail === undefined ? undefined : finalUsageIn(tail, since);
  } catch {
    // The working directory does not exist any more.
    return undefined;
  }
}

function finalUsageIn(tail: string, since: number): JsonObject | undefined {
  let isOwn = false;
  let found: JsonObject | undefined;
  for (const line of tail.split('\n')) {
    if (line.startsWith('{"type":"cost-state"')) {
      const usage = parseJsonObject(line)?.modelUsage;
      if (isOwn && isJsonObject(usage)) found = usage;
      continue;
    }
    const [, at = ''] = /"timestamp":"([^"]{1,40})"/.exec(line) ?? [];
    if (Date.parse(at) >= since) isOwn = true;
  }
  return found;
}
