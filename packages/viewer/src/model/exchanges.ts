import { objectAt, textAt } from './json.js';
import type { Direction, Exchange, ExchangeState } from './view-data.js';

/** What a frame does to the control requests. */
export type ExchangeEvent =
  | { readonly what: 'asked'; readonly exchange: Exchange }
  | { readonly what: 'settled'; readonly exchange: Exchange }
  | { readonly what: 'unexpected'; readonly id: string };

/**
 * Joins control requests to their answers by process, direction and id. Where an id is used twice, the oldest open
 * request gets the answer.
 */
export class Exchanges {
  readonly #all: Exchange[] = [];
  /** Indices of open exchanges, oldest first. */
  readonly #open = new Map<string, number[]>();
  readonly #since: number[] = [];

  get all(): readonly Exchange[] {
    return this.#all;
  }

  /** @param clock - milliseconds that never go back. */
  add(
    at: { readonly frame: number; readonly dir: Direction; readonly proc: number; readonly clock: number },
    frame: object,
  ): ExchangeEvent | undefined {
    const { dir, proc } = at;
    if (dir !== 'in' && dir !== 'out') return undefined;
    const type = textAt(frame, 'type');
    if (type === 'control_request') return this.#ask(at, frame);
    if (type === 'control_response') {
      const response = objectAt(frame, 'response');
      const id = String(response.request_id);
      const state = response.subtype === 'error' ? 'error' : 'answered';
      // The other side has asked.
      return this.#settle(keyOf(proc, dir === 'in' ? 'cli' : 'host', id), id, state, at);
    }
    if (type !== 'control_cancel_request') return undefined;
    const id = String(textAt(frame, 'request_id'));
    return this.#settle(keyOf(proc, dir === 'in' ? 'host' : 'cli', id), id, 'cancelled', at);
  }

  /** The process has gone: nobody will answer. */
  endProcess(proc: number): readonly Exchange[] {
    return this.#giveUp((exchange) => exchange.proc === proc);
  }

  /** The source has ended. */
  end(): readonly Exchange[] {
    return this.#giveUp(() => true);
  }

  #ask(
    { frame, dir, proc, clock }: { frame: number; dir: Direction; proc: number; clock: number },
    data: object,
  ): ExchangeEvent {
    const id = String(textAt(data, 'request_id'));
    const from = dir === 'in' ? 'host' : 'cli';
    const subtype = textAt(objectAt(data, 'request'), 'subtype') ?? '';
    const exchange: Exchange = { id, proc, subtype, from, request: frame, state: 'open' };
    const index = this.#all.push(exchange) - 1;
    this.#since[index] = clock;
    const key = keyOf(proc, from, id);
    const open = this.#open.get(key);
    if (open === undefined) this.#open.set(key, [index]);
    else open.push(index);
    return { what: 'asked', exchange };
  }

  #settle(
    key: string,
    id: string,
    state: ExchangeState,
    { frame, clock }: { readonly frame: number; readonly clock: number },
  ): ExchangeEvent {
    const open = this.#open.get(key);
    const index = open?.shift();
    const asked = index === undefined ? undefined : this.#all[index];
    if (index === undefined || asked === undefined) return { what: 'unexpected', id };
    if (open?.length === 0) this.#open.delete(key);
    const exchange = { ...asked, answer: frame, latencyMs: round(clock - (this.#since[index] ?? clock)), state };
    this.#all[index] = exchange;
    return { what: 'settled', exchange };
  }

  #giveUp(isMeant: (exchange: Exchange) => boolean): readonly Exchange[] {
    const given: Exchange[] = [];
    for (const [key, indices] of this.#open) {
      for (const index of indices) {
        const exchange = this.#all[index];
        if (exchange === undefined || !isMeant(exchange)) continue;
        const lost: Exchange = { ...exchange, state: 'unanswered' };
        this.#all[index] = lost;
        given.push(lost);
      }
      const left = indices.filter((index) => this.#all[index]?.state === 'open');
      if (left.length === 0) this.#open.delete(key);
      else this.#open.set(key, left);
    }
    return given;
  }
}

function keyOf(proc: number, from: 'host' | 'cli', id: string): string {
  return `${proc} ${from} ${id}`;
}

function round(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
