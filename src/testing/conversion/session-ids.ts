import { isJsonObject } from '../../util/json.js';
import type { ProcessLines } from './cli-lane.js';
import { textsIn } from './templates.js';

const UUID = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i;
const isUuid = (text: unknown): text is string => typeof text === 'string' && UUID.test(text);

/** UUIDs that the client made up, by process: another run has others there. */
export class MadeUpIds {
  readonly #ids = new Set<string>();

  /** Of this process: those given with `--session-id`, and those of user messages, unless the CLI knew them before. */
  constructor(processes: readonly ProcessLines[]) {
    const said = new Set<string>();
    for (const { lines, isByHand } of processes) {
      if (isByHand) continue;
      for (const { dir, data } of lines) {
        if (dir === 'out') for (const text of textsIn(data)) said.add(text);
        const made = dir === 'out' ? [] : [...sessionIds(data), isJsonObject(data) ? data.uuid : 0];
        for (const id of made) if (isUuid(id) && !said.has(id)) this.#ids.add(id);
      }
    }
  }

  has(text: string): boolean {
    return this.#ids.has(text);
  }
}

/** What a `spawn` event gives as `--session-id`. */
function sessionIds(event: unknown): readonly unknown[] {
  const argv = isJsonObject(event) && Array.isArray(event.argv) ? event.argv : [];
  return argv.flatMap((each, index) => {
    const text = String(each);
    if (text.startsWith('--session-id=')) return [text.slice(text.indexOf('=') + 1)];
    return argv[index - 1] === '--session-id' ? [text] : [];
  });
}
