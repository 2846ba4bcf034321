import { inNextTurn } from '../util/next-turn.js';

type Kind = 'message' | 'callback' | 'answer';

interface Held {
  /** `undefined`: none of them; it only keeps its place. */
  readonly kind: Kind | undefined;
  readonly run: () => void;
}

/** Frames of a peer that floods are passed on without turns in between, so that memory stays bounded. */
const MAX_HELD = 4096;

/**
 * Keeps messages, callbacks and answers to our requests in the order of the wire, and never waits for the consumer.
 *
 * A message reaches the consumer's loop through promise reactions, a callback is called directly, and the caller of a
 * request continues after a few more reactions. So if two of these arrive in one read, the second could come first. To
 * prevent that, the event loop takes a turn between two of different kinds, and what arrives meanwhile is held. By then all
 * promise reactions have run. A loop that awaits neither I/O nor a timer has seen the messages that came before a question
 * or an answer. No message is handed over before the callback of an earlier question has started, or before the caller of
 * an earlier request has continued. A loop that waits for I/O delays nothing. Only when more than {@link MAX_HELD} frames
 * are held does the order between kinds no longer hold.
 */
export class TurnOrder {
  /** What was passed on last. `undefined`: nothing since the last turn that was taken here. */
  #last: Kind | undefined;
  #held: Held[] = [];
  /** How many of {@link #held} were passed on. */
  #passed = 0;
  #isScheduled = false;
  #isStarting = false;
  #isOver = false;

  /** Whether a message has to be given to {@link hold}. Otherwise it counts as passed on. Hot path. */
  holdsMessage(): boolean {
    if (this.#isOver) return false;
    if (this.#mustWait('message')) return true;
    this.#last = 'message';
    return false;
  }

  /** Whether what is none of the three has to be given to {@link hold}. */
  get isHolding(): boolean {
    return !this.#isOver && this.#held.length > 0;
  }

  /** Calls `pass` when everything before it was passed on. */
  hold(kind: 'message' | undefined, pass: () => void): void {
    this.#add({ kind, run: pass });
  }

  /** Calls `start` at once when no other kind came since the last turn, otherwise in its order. */
  startCallback(start: () => void): void {
    if (this.#mustWait('callback')) {
      this.#add({ kind: 'callback', run: start });
      return;
    }
    this.#last = 'callback';
    this.#isStarting = true;
    start();
    this.#isStarting = false;
  }

  /** Calls `settle` at once when no other kind came since the last turn, otherwise in its order. */
  settleAnswer(settle: () => void): void {
    if (!this.#isOver && this.#mustWait('answer')) {
      this.#add({ kind: 'answer', run: settle });
      return;
    }
    this.#last = 'answer';
    // A question that comes later need not wait: it may be withdrawn in the same read.
    inNextTurn(() => {
      if (this.#last === 'answer' && this.#held.length === 0) this.#last = undefined;
    });
    settle();
  }

  #mustWait(kind: Kind): boolean {
    return (this.#last !== undefined && this.#last !== kind) || this.#held.length > 0;
  }

  /** Whether a callback is being called right now, from the middle of a read. */
  get isStarting(): boolean {
    return this.#isStarting;
  }

  /**
   * The run is being stopped: passes on what waits, without turns in between, and holds nothing from now on. Callbacks
   * are not started here; their turn comes when the session is over.
   */
  passOnAll(): void {
    this.#isOver = true;
    const callbacks: Held[] = [];
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      this.#passed += 1;
      if (next.kind === 'callback') callbacks.push(next);
      else next.run();
    }
    this.#held = callbacks;
    this.#passed = 0;
  }

  #add(held: Held): void {
    this.#held.push(held);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    inNextTurn(() => this.#passOn());
  }

  /** Passes on what waits, up to the next change of kind. */
  #passOn(): void {
    this.#last = undefined;
    // What a callback sets off may add to the end while this runs, or pass everything on.
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      const { kind, run } = next;
      if (kind !== undefined) {
        const isChange = this.#last !== undefined && this.#last !== kind;
        if (isChange && this.#held.length - this.#passed < MAX_HELD) break;
        this.#last = kind;
      }
      this.#passed += 1;
      run();
    }
    this.#held.splice(0, this.#passed);
    this.#passed = 0;
    this.#isScheduled = false;
    if (this.#held.length > 0) this.#schedule();
  }

  #next(): Held | undefined {
    return this.#held[this.#passed];
  }
}
