import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../../util/json.js';

interface Entry {
  readonly toolName: string;
  readonly input: JsonObject;
  readonly toolUseId: string;
}

/** Tool use ids that PreToolUse saw, for bridged calls whose request carries none. One queue per run. */
export class CallIdQueue {
  #entries: readonly Entry[] = [];

  /** @param toolName - as the tool is called in its server, without the server's prefix */
  push(toolName: string, input: JsonObject, toolUseId: string): void {
    this.#entries = [...this.#entries, { toolName, input, toolUseId }];
  }

  /** The oldest id for the same tool and equal input (the order of keys is free), taken out. */
  take(toolName: string, input: JsonObject): string | undefined {
    const entry = this.#entries.find(
      (each) => each.toolName === toolName && isDeepStrictEqual(each.input, input),
    );
    if (entry !== undefined) this.#entries = this.#entries.filter((each) => each !== entry);
    return entry?.toolUseId;
  }

  /** Drops an id that was used, or whose call has ended, so that no later call is given it. */
  forget(toolUseId: string): void {
    this.#entries = this.#entries.filter((each) => each.toolUseId !== toolUseId);
  }
}
