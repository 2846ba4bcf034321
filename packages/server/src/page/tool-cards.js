import { toolCard } from './cards.js';
import { textOf } from './dom.js';

/** The cards of tool calls, by the id of the call. Outputs and decisions may come before the call. */
export class ToolCards {
  /** @type {Map<string, ReturnType<typeof toolCard>>} */
  #cards = new Map();
  /** Without an output yet. @type {Set<ReturnType<typeof toolCard>>} */
  #unfinished = new Set();
  /** Outputs whose calls are not shown yet. @type {Map<string, Record<string, unknown>>} */
  #outputs = new Map();
  /** Calls that somebody has to decide about. @type {Set<string>} */
  #waiting = new Set();

  /** What is shown anew. What waits for a decision still does. */
  forgetShown() {
    this.#cards.clear();
    this.#unfinished.clear();
  }

  clear() {
    this.forgetShown();
    this.#outputs.clear();
    this.#waiting.clear();
  }

  /** @param {string} id @param {string} name @param {Record<string, unknown>} input */
  begin(id, name, input) {
    const made = toolCard(name, input);
    this.#cards.set(id, made);
    this.#unfinished.add(made);
    if (this.#waiting.has(id)) made.wait();
    const output = this.#outputs.get(id);
    if (output !== undefined) this.finish(output);
    return made.card;
  }

  /** @param {Record<string, unknown>} output */
  finish(output) {
    const id = textOf(output.tool_use_id);
    const tool = this.#cards.get(id);
    this.#outputs.delete(id);
    if (tool === undefined) this.#outputs.set(id, output);
    else {
      tool.finish(output.content, output.is_error === true);
      this.#unfinished.delete(tool);
    }
  }

  /** @param {string} id */
  wait(id) {
    this.#waiting.add(id);
    this.#cards.get(id)?.wait();
  }

  /** @param {string} id @param {string} how */
  decided(id, how) {
    this.#waiting.delete(id);
    this.#cards.get(id)?.decided(how);
  }

  /** A call that waited for nobody here, and is over. @param {string} id @param {string} how */
  lost(id, how) {
    this.#cards.get(id)?.wait();
    this.#cards.get(id)?.decided(how);
  }

  /** The turn is over. */
  leave() {
    for (const tool of this.#unfinished) if (tool.leave()) this.#unfinished.delete(tool);
  }
}
