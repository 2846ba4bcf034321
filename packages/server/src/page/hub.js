/**
 * Over HTTP/1.1 browsers allow six connections to a server, for all tabs together. So many are streams at most, and the
 * others are left for requests.
 */
const STREAMS = 2;
/** How long each stream is open while more conversations are to be seen, in windows side by side. */
const TURN_MS = 1_000;
const AGAIN_MS = 2_000;
const TYPES = [
  ...['user_message', 'message', 'question', 'question_closed', 'approval', 'approval_decided', 'approval_closed'],
  ...['turn_ended', 'wake_up', 'background', 'background_ended', 'events_dropped'],
];

/**
 * What a tab says. `shown`: whether somebody can see it.
 *
 * @typedef {{ type: 'follow', url: string, after: number } | { type: 'leave' } | { type: 'shown', isShown: boolean }} ToHub
 */

/**
 * What a tab hears. `reset`: the server counts again from 1, so what was shown is no longer what it has.
 *
 * @typedef {{ type: 'events', events: [number, string][] } | { type: 'connection', isOpen: boolean }
 *   | { type: 'reset' }} FromHub
 */

/** A tab and the id of the last event that it has. */
class Tab {
  url = '';
  lastId = 0;
  isShown = true;
  /** @type {[number, string][]} */
  #batch = [];
  #port;

  /** @param {MessagePort} port */
  constructor(port) {
    this.#port = port;
  }

  /** @param {FromHub} message */
  tell(message) {
    this.#port.postMessage(message);
  }

  /** One message for all events that came together. @param {number} id @param {string} data */
  take(id, data) {
    if (id <= this.lastId) return;
    this.lastId = id;
    this.#batch.push([id, data]);
    if (this.#batch.length === 1) setTimeout(() => this.#flush());
  }

  reset() {
    this.#flush();
    this.lastId = 0;
    this.tell({ type: 'reset' });
  }

  forget() {
    this.#batch = [];
  }

  #flush() {
    const events = this.#batch;
    this.#batch = [];
    if (events.length > 0) this.tell({ type: 'events', events });
  }
}

/**
 * The events of one conversation for all tabs that show it. The browser connects again by itself with `Last-Event-ID`; a
 * stream that the server refused or ended for good is opened again here.
 */
class Stream {
  /** @type {Set<Tab>} */
  tabs = new Set();
  #url;
  #lastId = 0;
  #refusals = 0;
  #timer = 0;
  /** @type {EventSource | undefined} */
  #source;

  /** @param {string} url */
  constructor(url) {
    this.#url = url;
  }

  get isShown() {
    return [...this.tabs].some(({ isShown }) => isShown);
  }

  /** @param {Tab} tab */
  add(tab) {
    const isBehind = this.tabs.size === 0 || tab.lastId < this.#lastId;
    this.tabs.add(tab);
    if (!isBehind) {
      if (this.#source?.readyState === EventSource.OPEN) tab.tell({ type: 'connection', isOpen: true });
      return;
    }
    // The others pass over what they have.
    this.#lastId = tab.lastId;
    this.close();
  }

  open() {
    if (this.#source !== undefined || this.#timer !== 0) return;
    const source = new EventSource(`${this.#url}&after=${this.#lastId}`);
    this.#source = source;
    source.onopen = () => {
      this.#refusals = 0;
      this.#tell({ type: 'connection', isOpen: true });
    };
    source.onerror = () => this.#failed();
    for (const type of TYPES) source.addEventListener(type, (message) => this.#take(message));
  }

  close() {
    clearTimeout(this.#timer);
    this.#timer = 0;
    this.#source?.close();
    this.#source = undefined;
  }

  /** @param {MessageEvent<string>} message */
  #take({ lastEventId, data }) {
    this.#lastId = Number(lastEventId);
    for (const tab of this.tabs) tab.take(this.#lastId, data);
  }

  #failed() {
    this.#tell({ type: 'connection', isOpen: false });
    if (this.#source?.readyState !== EventSource.CLOSED) return;
    this.close();
    this.#refusals += 1;
    if (this.#refusals > 1 && this.#lastId > 0) {
      this.#lastId = 0;
      for (const tab of this.tabs) tab.reset();
    }
    this.#timer = setTimeout(() => {
      this.#timer = 0;
      this.open();
    }, AGAIN_MS);
  }

  /** @param {FromHub} message */
  #tell(message) {
    for (const tab of this.tabs) tab.tell(message);
  }
}

/** Follows conversations for all tabs of a browser. */
export class Hub {
  /** Those that were shown last are in front. @type {Map<string, Stream>} */
  #streams = new Map();
  #turns = 0;

  /** @param {MessagePort} port */
  connect(port) {
    const tab = new Tab(port);
    port.onmessage = (/** @type {MessageEvent<ToHub>} */ { data }) => {
      if (data.type === 'shown') tab.isShown = data.isShown;
      else this.#leave(tab);
      if (data.type === 'follow') this.#follow(tab, data);
      this.#arrange();
    };
  }

  /** @param {Tab} tab @param {{ url: string, after: number }} what */
  #follow(tab, { url, after }) {
    tab.url = url;
    tab.lastId = after;
    const stream = this.#streams.get(url) ?? new Stream(url);
    this.#streams.set(url, stream);
    stream.add(tab);
  }

  /** @param {Tab} tab */
  #leave(tab) {
    const stream = this.#streams.get(tab.url);
    tab.url = '';
    tab.forget();
    if (stream === undefined) return;
    stream.tabs.delete(tab);
    if (stream.tabs.size > 0) return;
    stream.close();
    for (const [url, each] of this.#streams) if (each === stream) this.#streams.delete(url);
  }

  #arrange() {
    const all = [...this.#streams.values()];
    const shown = all.filter(({ isShown }) => isShown);
    const ordered = [...shown, ...all.filter(({ isShown }) => !isShown).reverse()];
    for (const stream of ordered.slice(STREAMS)) stream.close();
    for (const stream of ordered.slice(0, STREAMS)) stream.open();
    clearTimeout(this.#turns);
    if (shown.length > STREAMS) this.#turns = setTimeout(() => this.#next(shown[0]), TURN_MS);
  }

  /** The first one waits until all others have had their turn. @param {Stream | undefined} first */
  #next(first) {
    for (const [url, stream] of this.#streams) {
      if (stream !== first) continue;
      this.#streams.delete(url);
      this.#streams.set(url, stream);
      break;
    }
    this.#arrange();
  }
}
