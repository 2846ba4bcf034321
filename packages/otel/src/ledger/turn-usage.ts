import { type FiguresByModel, figuresOfTable, isObject, since, withKnownCosts } from './usage.js';

/**
 * What each turn of one process added. `modelUsage` and `total_cost_usd` of a result are running totals of the
 * session, earlier runs included, so a resumed process needs what was there before it.
 */
export class TurnUsage {
  #before: FiguresByModel | undefined;
  #sessionId: string | undefined;

  /** @param before - The table at the start; `undefined` for a resumed session whose table is not known. */
  constructor(before: FiguresByModel | undefined) {
    this.#before = before;
  }

  /** The latest table; `undefined` while it is not known. */
  get table(): FiguresByModel | undefined {
    return this.#before;
  }

  /**
   * What the CLI's account at its exit has on top of the last result, by model; `undefined`: it does not say.
   * @param table - In the form of `modelUsage`.
   */
  onExit(table: unknown): FiguresByModel | undefined {
    const before = this.#before;
    const figures = figuresOfTable(table);
    if (figures === undefined || before === undefined) return undefined;
    this.#before = withKnownCosts(figures, before);
    return since(figures, before);
  }

  /** By model; `undefined`: the result does not say what this turn added. */
  onResult(result: unknown): FiguresByModel | undefined {
    if (!isObject(result)) return undefined;
    const table = figuresOfTable(result.modelUsage);
    const told = figuresOfTable(result.model_usage_since_last_result);
    // After `/clear` the session is another one, and its table begins at nothing.
    const sessionId = typeof result.session_id === 'string' ? result.session_id : this.#sessionId;
    if (this.#sessionId !== undefined && sessionId !== this.#sessionId) this.#before = new Map();
    this.#sessionId = sessionId;
    if (table === undefined) return told;
    const before = this.#before;
    this.#before = withKnownCosts(table, before);
    return before === undefined ? told : since(table, before);
  }
}
