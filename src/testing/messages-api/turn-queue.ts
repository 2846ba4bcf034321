import { checkTurn } from './check-turn.js';
import type { MessagesRequest, TurnSource } from './requests.js';
import type { ScriptedTurn, Turn } from './turn.js';

export interface TurnScript {
  readonly turns: readonly Turn[];
  readonly side?: Turn;
  readonly fallback?: Turn;
}

/** Computed turns may compute further ones, but not for ever. */
const MAX_COMPUTED_DEPTH = 10;

const DEFAULT_TITLE = '{"title":"Scripted session"}';

/** The turns that are still to be served, in order. */
export class TurnQueue {
  readonly #waiting: { readonly turn: Turn; readonly name: string; left: number; asked: number }[];
  readonly #side: Turn | undefined;
  readonly #fallback: Turn;

  constructor(script: TurnScript) {
    this.#waiting = script.turns.map((turn, index) => ({
      ...{ turn, name: `turns[${index}]`, left: timesOf(turn), asked: 0 },
    }));
    this.#side = script.side;
    this.#fallback = script.fallback ?? 'Done.';
  }

  /** Turns nobody has asked for yet. A repeated one counts once. */
  get remaining(): number {
    return this.#waiting.length;
  }

  /** The names of those, as `turns[2]`. One that may be repeated for ever counts until it was asked for once. */
  get unasked(): readonly string[] {
    const lacking = this.#waiting.filter(({ asked, left }) => asked === 0 || left < Infinity);
    return lacking.map(({ name, asked, left }) => (asked === 0 ? name : `${name} (${left} of ${asked + left} times)`));
  }

  /** Takes the next turn for a request. Side calls never use up a turn that has no `when`. */
  async take(request: MessagesRequest): Promise<{ readonly turn: ScriptedTurn; readonly source: TurnSource }> {
    const index = this.#waiting.findIndex(({ turn }) => acceptsRequest(turn, request));
    const entry = this.#waiting[index];
    if (entry !== undefined) {
      entry.left -= 1;
      entry.asked += 1;
      if (entry.left <= 0) this.#waiting.splice(index, 1);
      return { turn: await compute(entry.turn, request, entry.name), source: 'script' };
    }
    if (request.kind === 'main') {
      return { turn: await compute(this.#fallback, request, 'fallback'), source: 'fallback' };
    }
    const side = this.#side ?? (request.kind === 'side:title' ? DEFAULT_TITLE : 'OK');
    return { turn: await compute(side, request, 'side'), source: 'side' };
  }
}

function timesOf(turn: Turn): number {
  return typeof turn === 'object' ? (turn.times ?? 1) : 1;
}

function acceptsRequest(turn: Turn, request: MessagesRequest): boolean {
  if (typeof turn === 'object' && turn.when !== undefined) return turn.when(request);
  return request.kind === 'main';
}

/** @throws what a function throws, or InvalidOptionError: it gave no turn. */
async function compute(turn: Turn, request: MessagesRequest, name: string): Promise<ScriptedTurn> {
  let current = turn;
  for (let depth = 0; typeof current === 'function'; depth += 1) {
    if (depth === MAX_COMPUTED_DEPTH) {
      throw new RangeError(`A computed turn returned functions ${MAX_COMPUTED_DEPTH} times`);
    }
    current = await current(request);
    checkTurn(current, `${name}()`);
  }
  return typeof current === 'string' ? { text: current } : current;
}
