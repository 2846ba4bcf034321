import { isStreamEvent } from 'claudewire';
import { Exchanges } from './exchanges.js';
import { type FoundFault, faultsOf } from './faults.js';
import { kindOf } from './frame-kind.js';
import { titleOf } from './frame-title.js';
import { isJsonObject, type JsonObject, parseJson } from './json.js';
import { PlotReader } from './plots.js';
import { RunSpans } from './run-spans.js';
import { Texts } from './texts.js';
import type { Direction, Exchange, Fault, Frame, ViewData } from './view-data.js';

type Growing<T> = { -readonly [Field in keyof T]: T[Field] };

/** A line that was scrubbed. */
export interface BuilderLine {
  readonly t: number;
  readonly dir: Direction;
  readonly proc: number;
  /** Line of the source, from 1. */
  readonly line: number;
  /** Of the frame in the source. */
  readonly bytes: number;
  /** The frame as JSON text: an object, or a string for what is none. */
  readonly json: string;
}

/** What is said of the source besides its lines. */
export type SourceFacts = Pick<ViewData, 'source' | 'notes'>;

/** What a source leaves out must not be missed in it. */
export interface SourceTraits {
  /** False for a transcript, which has no end of a turn. */
  readonly hasResults: boolean;
  /** False for the log of a play, which has one side, and for a scenario. */
  readonly hasAnswers: boolean;
}

/** Turns lines into what the page shows, one line at a time. */
export class ViewBuilder {
  readonly #frames: Growing<Frame>[] = [];
  readonly #faults: Fault[] = [];
  readonly #exchanges = new Exchanges();
  readonly #texts = new Texts();
  readonly #plots: PlotReader;
  readonly #spans: RunSpans;
  /** Frames that have changed since the last `takeChanged()`. */
  readonly #changed = new Set<number>();
  #clock = Number.NEGATIVE_INFINITY;

  readonly #hasAnswers: boolean;

  constructor({ hasResults, hasAnswers }: SourceTraits) {
    this.#hasAnswers = hasAnswers;
    this.#plots = new PlotReader(!hasResults);
    this.#spans = new RunSpans(!hasResults);
  }

  get frames(): readonly Frame[] {
    return this.#frames;
  }

  add({ t, dir, proc, line, bytes, json }: BuilderLine): void {
    const data = parseJson(json);
    const index = this.#frames.length;
    const frame: Growing<Frame> = { t, dir, proc, kind: kindOf(dir, data), title: titleOf(dir, data), bytes, line };
    this.#frames.push(frame);
    if (t < this.#clock)
      this.#fault(index, { kind: 'clock', severity: 'warning', text: `the clock went back to ${t} ms` });
    this.#clock = Math.max(this.#clock, t);
    for (const found of faultsOf(dir, data)) this.#fault(index, found);
    const place = { frame: index, dir, proc, clock: this.#clock };
    if (isJsonObject(data)) this.#control(place, data);
    this.#spans.add(place, data);
    if (dir === 'out') {
      this.#plots.add(this.#clock, proc, data);
      if (isStreamEvent(data)) this.#addText(index, proc, data);
    }
    const isExit = dir === 'meta' && isJsonObject(data) && data.event === 'exit';
    if (isExit && this.#hasAnswers) this.#lost(this.#exchanges.endProcess(proc));
  }

  /** The source has ended: what is open stays unanswered. */
  end(): void {
    if (this.#hasAnswers) this.#lost(this.#exchanges.end());
  }

  /** Indices of frames that are not new and not as they were. */
  takeChanged(): readonly number[] {
    const changed = [...this.#changed];
    this.#changed.clear();
    return changed;
  }

  view({ source, notes }: SourceFacts): ViewData {
    const now = Math.max(0, this.#clock);
    return {
      ...{ format: 1, source, notes, durationMs: now, frames: this.#frames },
      exchanges: this.#exchanges.all,
      spans: this.#spans.view(now),
      texts: this.#texts.all,
      plots: this.#plots.plots,
      faults: [...this.#faults].sort((a, b) => a.frame - b.frame),
    };
  }

  #addText(index: number, proc: number, data: object): void {
    const text = this.#texts.add(index, proc, data);
    const frame = this.#frames[index];
    if (text !== undefined && frame !== undefined) frame.text = text;
  }

  #control(place: { frame: number; dir: Direction; proc: number; clock: number }, data: JsonObject): void {
    const event = this.#exchanges.add(place, data);
    const own = this.#frames[place.frame];
    if (event === undefined || own === undefined) return;
    if (event.what === 'unexpected') {
      // The other side may have answered already: a cancel that comes late is normal.
      if (own.kind === 'control_cancel_request') return;
      const text = `an answer to "${event.id.slice(0, 80)}", which nobody waits for`;
      this.#fault(place.frame, { kind: 'unexpected-answer', severity: 'warning', text });
      return;
    }
    const { exchange } = event;
    if (event.what === 'settled' || this.#hasAnswers) own.state = exchange.state;
    if (event.what === 'asked') {
      this.#spans.asked(exchange, place, data);
      return;
    }
    this.#spans.settled(exchange, place, data);
    this.#join(exchange, own, place.frame);
  }

  #join({ request, latencyMs, state, subtype }: Exchange, own: Growing<Frame>, answer: number): void {
    const asked = this.#frames[request];
    if (asked === undefined) return;
    own.peer = request;
    asked.peer = answer;
    asked.state = state;
    if (latencyMs !== undefined) {
      asked.latencyMs = latencyMs;
      own.latencyMs = latencyMs;
    }
    own.title = own.title === '' ? subtype : `${subtype}: ${own.title}`;
    this.#changed.add(request);
    if (state === 'error') {
      const isTimeOut = /\btime[ds]?[ -]?out\b/i.test(own.title);
      this.#fault(answer, { kind: isTimeOut ? 'time-out' : 'control-error', severity: 'error', text: own.title });
    } else if (state === 'cancelled') {
      this.#fault(answer, { kind: 'cancelled', severity: 'warning', text: `${subtype} was cancelled` });
    }
  }

  #lost(exchanges: readonly Exchange[]): void {
    for (const { request, subtype, from } of exchanges) {
      const frame = this.#frames[request];
      if (frame === undefined) continue;
      frame.state = 'unanswered';
      this.#changed.add(request);
      const by = from === 'host' ? 'the CLI' : 'the host';
      this.#fault(request, { kind: 'unanswered', severity: 'error', text: `${subtype}: ${by} never answered` });
    }
  }

  #fault(index: number, { kind, severity, text }: FoundFault): void {
    this.#faults.push({ kind, severity, frame: index, text });
    const frame = this.#frames[index];
    if (frame === undefined) return;
    if (frame.severity !== 'error') frame.severity = severity;
  }
}
