import type { ObservedPattern, Variables } from 'claudewire/testing';
import type { ObservedEvent } from '../driver/driver-protocol.js';
import { type Nearest, nearestTo } from './nearest.js';

interface Stream {
  readonly events: ObservedEvent[];
  /** For each event its number among those of all streams. */
  readonly numbers: number[];
  /** Where the next step begins to look. */
  next: number;
}

/** The events of one scenario, one stream for each run and kind, and how far each stream has been read. */
export class Observations {
  readonly #streams = new Map<string, Stream>();
  #latest: ObservedEvent[] = [];
  #count = 0;
  /** Number of the event that was matched last. */
  #matched = 0;
  #wake: () => void = () => {};

  add(event: ObservedEvent): void {
    this.#count += 1;
    this.#keep(event);
    if (event.what === 'end' || event.what === 'error') this.#keep({ ...event, what: 'over' });
    this.#latest.push(event);
    if (this.#latest.length > 64) this.#latest = this.#latest.slice(-16);
    this.#wake();
  }

  /** Resolves when the next event comes. For one waiter at a time. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  /** The last events of all kinds, oldest first. */
  get latest(): readonly ObservedEvent[] {
    return this.#latest.slice(-8);
  }

  /** How many events match, in all. */
  count(pattern: ObservedPattern, run: string, variables: Variables): number {
    return this.#stream(run, pattern.what).events.filter((event) => variables.match(pattern, event).ok).length;
  }

  /**
   * Looks for the first event, after the one taken last, that matches. Events passed over are gone for later steps.
   *
   * @param isNext - It has to come after the event that was matched last, whatever that one's kind and run.
   */
  search(pattern: ObservedPattern, run: string, variables: Variables, isNext = false): () => boolean {
    const stream = this.#stream(run, pattern.what);
    let at = stream.next;
    return () => {
      for (; at < stream.events.length; at += 1) {
        const result = variables.match(pattern, stream.events[at]);
        const number = stream.numbers[at] ?? 0;
        if (!result.ok || (isNext && number < this.#matched)) continue;
        this.#matched = number;
        for (const [name, value] of result.captured) variables.set(name, value);
        stream.next = at + 1;
        return true;
      }
      return false;
    };
  }

  /** Of the events that a search in vain has passed over, the one that differs least. */
  nearest(pattern: ObservedPattern, run: string, variables: Variables): Nearest<ObservedEvent> | undefined {
    const { events, next } = this.#stream(run, pattern.what);
    return nearestTo(pattern, events.slice(next), variables);
  }

  /** True when an SDK told its user of an error, in any run. */
  get hasError(): boolean {
    return [...this.#streams.values()].some(({ events }) => events.some(({ what }) => what === 'error'));
  }

  /** The event that ended the loop over the messages of a run. */
  endOf(run: string): ObservedEvent | undefined {
    return this.#stream(run, 'end').events[0] ?? this.#stream(run, 'error').events[0];
  }

  #keep(event: ObservedEvent): void {
    const { events, numbers } = this.#stream(event.run, event.what);
    events.push(event);
    numbers.push(this.#count);
  }

  #stream(run: string, what: string): Stream {
    const key = `${what} ${run}`;
    let stream = this.#streams.get(key);
    if (stream === undefined) {
      stream = { events: [], numbers: [], next: 0 };
      this.#streams.set(key, stream);
    }
    return stream;
  }
}
