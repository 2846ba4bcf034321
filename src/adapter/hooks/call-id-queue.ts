import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../../util/json.js';

interface Entry {
  readonly toolName: string;
  readonly input: JsonObject;
  readonly toolUseId: string;
}

/** Tool use ids that PreToolUse saw, for bridged calls whose request carries none. One queue per run. */
export class CallIdQueue {
  #entries: Entry[] = [];

  /** @param toolName - the tool's name without the prefix of its server */
  push(toolName: string, input: JsonObject, toolUseId: string): void {
    this.#entries.push({ toolName, input, toolUseId });
  }

  /** Takes out the oldest id for the same tool and equal input. The order of keys does not matter. */
  take(toolName: string, input: JsonObject): string | undefined {
    const index = this.#entries.findIndex((each) => each.toolName === toolName && isDeepStrictEqual(each.input, input));
    return index === -1 ? undefined : this.#entries.splice(index, 1)[0]?.toolUseId;
  }

  /** Drops an id that was used, or whose call has ended, so that no later call gets it. */
  forget(toolUseId: string): void {
    this.#entries = this.#entries.filter((each) => each.toolUseId !== toolUseId);
  }
}
