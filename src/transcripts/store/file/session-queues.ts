/** Runs tasks of one name one after another, in the order in which they were given, and tasks of other names beside them. */
export class SessionQueues {
  readonly #tails = new Map<string, Promise<void>>();

  /** Settles as `task` does; a task that fails does not stop the ones behind it. */
  run<Result>(name: string, task: () => Promise<Result>): Promise<Result> {
    const result = (this.#tails.get(name) ?? Promise.resolve()).then(task);
    const tail = result.then(
      () => {},
      () => {},
    );
    this.#tails.set(name, tail);
    void tail.then(() => {
      if (this.#tails.get(name) === tail) this.#tails.delete(name);
    });
    return result;
  }

  /** Resolves when what was given so far, under names that begin so, is done. */
  async settled(prefix: string): Promise<void> {
    const tails = [...this.#tails].flatMap(([name, tail]) => (name.startsWith(prefix) ? tail : []));
    await Promise.all(tails);
  }
}
