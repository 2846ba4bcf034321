/**
 * A session store that keeps everything in memory, and shows it. Made from `{"$store": NAME, "seed"?, "before"?}`:
 * `seed` is a list of `{key, entries}` (a key without `projectKey` fits every project); `before` names a callback
 * for a method, run before it, so that a scenario can let it fail or wait.
 */
export class MemoryStore {
  #logs = [];
  #before;

  /** @param {(method: string, input: object) => unknown} before */
  constructor(seed = [], before = () => {}) {
    this.#before = before;
    for (const { key, entries } of seed) this.#logs.push({ key, entries: [...entries] });
  }

  /** What it holds, in the order of the first append of each key. */
  held() {
    return this.#logs.map(({ key, entries }) => ({ key, entries }));
  }

  append = async (key, entries) => {
    await this.#before('append', { key, entries });
    const log = this.#find(key);
    if (log === undefined) this.#logs.push({ key, entries: [...entries], mtime: Date.now() });
    else {
      log.entries.push(...entries);
      log.mtime = Date.now();
    }
  };

  load = async (key) => {
    await this.#before('load', { key });
    return this.#find(key)?.entries.slice() ?? null;
  };

  listSessions = async (projectKey) => {
    await this.#before('listSessions', { projectKey });
    return this.#logs
      .filter(({ key }) => key.subpath === undefined && fits(key, { projectKey }))
      .map(({ key, mtime }) => ({ sessionId: key.sessionId, mtime: mtime ?? 0 }));
  };

  listSubkeys = async (key) => {
    await this.#before('listSubkeys', { key });
    return this.#logs
      .filter((log) => log.key.subpath !== undefined && fits(log.key, key) && log.key.sessionId === key.sessionId)
      .map((log) => log.key.subpath);
  };

  delete = async (key) => {
    await this.#before('delete', { key });
    this.#logs = this.#logs.filter(
      (log) =>
        log.key.sessionId !== key.sessionId ||
        !fits(log.key, key) ||
        (key.subpath !== undefined && log.key.subpath !== key.subpath),
    );
  };

  #find(key) {
    return this.#logs.find(
      (log) => log.key.sessionId === key.sessionId && log.key.subpath === key.subpath && fits(log.key, key),
    );
  }
}

function fits(held, asked) {
  return held.projectKey === undefined || held.projectKey === asked.projectKey;
}
