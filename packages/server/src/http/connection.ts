import type { Socket } from 'node:net';

/** Requests of one connection that wait for the answer to the one before. Clients that need more do not exist. */
const MAX_WAITING = 32;

/**
 * One request of a connection at a time. Answers go out in order anyway, and Node never closes an answer that waits
 * behind another one: a stream that is asked for behind a stream would have a viewer that nobody can end.
 */
export class Connection {
  readonly #socket: Socket;
  readonly #waiting: (() => Promise<void>)[] = [];
  #current: AbortController | undefined;
  #isGone = false;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.once('close', () => {
      this.#isGone = true;
      this.#waiting.length = 0;
      this.#current?.abort();
    });
  }

  /** @param task - Answers one request, until the signal says that nobody listens. Never rejects. */
  take(task: (gone: AbortController) => Promise<void>): void {
    if (this.#isGone) return;
    if (this.#waiting.length >= MAX_WAITING) {
      this.#socket.destroy();
      return;
    }
    this.#waiting.push(async () => {
      const gone = new AbortController();
      this.#current = gone;
      await task(gone);
      this.#current = undefined;
    });
    if (this.#current === undefined) void this.#work();
  }

  async #work(): Promise<void> {
    for (let task = this.#waiting.shift(); task !== undefined; task = this.#waiting.shift()) await task();
  }
}
