/** The callbacks of one run, as its `start` command describes them: what each call returns, throws or waits for. */
export class Callbacks {
  #specs;
  #tell;
  #calls = new Map();
  #cues = new Map();

  /**
   * @param {Record<string, object>} specs - By name: `returns` (the n-th call's value; the last repeats), `throws` and `waitFor`
   *   (for every call, or a list with `null` for "not this one"), `ignoresAbort`.
   * @param {(what: string, fields: object) => void} tell
   */
  constructor(specs, tell) {
    this.#specs = specs;
    this.#tell = tell;
  }

  /** Lets the calls go on that wait for it, and those that will. */
  cue(name) {
    this.#cue(name).resolve();
  }

  /** The run is over: nothing waits any longer, and nothing is told any more. */
  end() {
    this.#tell = () => {};
    for (const { resolve } of this.#cues.values()) resolve();
  }

  /** Tells of the call, then does what its description says. */
  async call(name, input, signal, more = {}) {
    const spec = this.#specs[name] ?? {};
    const call = this.#calls.get(name) ?? 0;
    this.#calls.set(name, call + 1);
    this.#tell('callback', { name, call, input, ...more });
    const cue = nth(spec.waitFor, call);
    if (cue !== undefined) await this.#wait(cue, { name, call, spec, signal });
    const thrown = nth(spec.throws, call);
    if (thrown !== undefined) throw new Error(thrown);
    const value = spec.returns?.[Math.min(call, spec.returns.length - 1)];
    return value !== null && typeof value === 'object' && '$raw' in value ? value.$raw : value;
  }

  #wait(cue, { name, call, spec, signal }) {
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        this.#tell('cancelled', { name, call });
        if (spec.ignoresAbort !== true) reject(signal.reason ?? new Error('aborted'));
      };
      const done = () => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      };
      if (signal?.aborted) onAbort();
      else signal?.addEventListener('abort', onAbort, { once: true });
      this.#cue(cue).promise.then(done);
    });
  }

  #cue(name) {
    let cue = this.#cues.get(name);
    if (cue === undefined) {
      let resolve;
      const promise = new Promise((onResolve) => {
        resolve = onResolve;
      });
      cue = { promise, resolve };
      this.#cues.set(name, cue);
    }
    return cue;
  }
}

/** One value for every call, or a list with one for each; the last repeats. */
function nth(given, call) {
  const value = Array.isArray(given) ? given[Math.min(call, given.length - 1)] : given;
  return value ?? undefined;
}
