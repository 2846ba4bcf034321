import { eventsPath } from './api.js';
import { recordOf } from './dom.js';
import { Hub } from './hub.js';

/**
 * @typedef {object} Viewer
 * @property {(events: Record<string, unknown>[]) => void} onEvents Those that came together.
 * @property {(isOpen: boolean) => void} onConnection
 * @property {() => void} onReset The server counts again from 1: what was shown is no longer what it has.
 */

const hub = connect();
/** @type {{ url: string, lastId: number, viewer: Viewer } | undefined} */
let followed;

hub.onmessage = (/** @type {MessageEvent<import('./hub.js').FromHub>} */ { data }) => {
  if (followed === undefined) return;
  const { viewer } = followed;
  if (data.type === 'connection') viewer.onConnection(data.isOpen);
  else if (data.type === 'reset') {
    followed.lastId = 0;
    viewer.onReset();
  } else {
    followed.lastId = data.events.at(-1)?.[0] ?? followed.lastId;
    viewer.onEvents(data.events.map(([, event]) => recordOf(JSON.parse(event))));
  }
};
document.addEventListener('visibilitychange', () => tell({ type: 'shown', isShown: !document.hidden }));
// A tab that is closed, or kept for the way back.
window.addEventListener('pagehide', () => tell({ type: 'leave' }));
window.addEventListener('pageshow', ({ persisted }) => {
  if (persisted && followed !== undefined) tell({ type: 'follow', url: followed.url, after: followed.lastId });
});

/**
 * The events of a conversation, each once, in place of those of the conversation before.
 *
 * @param {string} id
 * @param {Viewer} viewer
 */
export function follow(id, viewer) {
  const url = new URL(eventsPath(id), document.baseURI).href;
  followed = { url, lastId: 0, viewer };
  tell({ type: 'follow', url, after: 0 });
}

export function leave() {
  followed = undefined;
  tell({ type: 'leave' });
}

/** @param {import('./hub.js').ToHub} message */
function tell(message) {
  hub.postMessage(message);
}

/** A worker that all tabs share; where the browser has none, a hub of this tab's own. @returns {MessagePort} */
function connect() {
  try {
    return new SharedWorker(new URL('worker.js', import.meta.url), { type: 'module' }).port;
  } catch {
    // It is not there, or not allowed.
  }
  const { port1, port2 } = new MessageChannel();
  new Hub().connect(port2);
  return port1;
}
