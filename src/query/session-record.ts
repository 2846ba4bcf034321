import type { TransportEnd } from '../transport/transport.js';
import type { JsonObject } from '../util/json.js';
import type { SlashCommand } from './control-answers.js';
import { ResultMemory } from './stream-end.js';

/** What a session has to remember of the messages that went by. */
export class SessionRecord {
  readonly #results = new ResultMemory();
  #latestCommands: SlashCommand[] | undefined;

  get hasResult(): boolean {
    return this.#results.last !== undefined;
  }

  get lastResult(): JsonObject | undefined {
    return this.#results.last;
  }

  /** The commands of the last `system/commands_changed`; `undefined` while there was none. */
  get latestCommands(): SlashCommand[] | undefined {
    return this.#latestCommands;
  }

  /** What describes the session is newer. */
  forgetCommands(): void {
    this.#latestCommands = undefined;
  }

  /** Takes in one shown frame. On the hot path: two comparisons for most. */
  note(type: unknown, frame: JsonObject): void {
    if (type === 'result') this.#results.note(frame);
    else if (type === 'system') this.#noteSystem(frame);
  }

  /** The error that the end of the transport means for the loop; see {@link ResultMemory}. */
  toError(end: TransportEnd): Error | undefined {
    return this.#results.toError(end);
  }

  #noteSystem(frame: JsonObject): void {
    if (frame.subtype !== 'commands_changed') return;
    if (Array.isArray(frame.commands)) this.#latestCommands = frame.commands;
  }
}
