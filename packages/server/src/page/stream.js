import { eventsPath } from './api.js';
import { recordOf } from './dom.js';

const TYPES = [
  ...['user_message', 'message', 'question', 'question_closed', 'approval', 'approval_decided', 'approval_closed'],
  ...['turn_ended', 'events_dropped'],
];
const AGAIN_MS = 2_000;

/**
 * @typedef {object} Viewer
 * @property {(event: Record<string, unknown>) => void} onEvent
 * @property {(isOpen: boolean) => void} onConnection
 * @property {() => void} onReset The server counts anew: what was shown is no longer what it has.
 */

/**
 * The events of a conversation, each once. The browser connects again by itself with `Last-Event-ID`; a stream that the
 * server refused or ended for good is opened again here.
 *
 * @param {string} id
 * @param {Viewer} viewer
 * @returns {() => void} leaves
 */
export function follow(id, { onEvent, onConnection, onReset }) {
  let lastId = 0;
  let refusals = 0;
  let timer = 0;
  /** @type {EventSource} */
  let source;
  const open = () => {
    source = new EventSource(eventsPath(id, lastId));
    source.onopen = () => {
      refusals = 0;
      onConnection(true);
    };
    source.onerror = () => {
      onConnection(false);
      if (source.readyState !== EventSource.CLOSED) return;
      refusals += 1;
      if (refusals > 1 && lastId > 0) {
        lastId = 0;
        onReset();
      }
      timer = window.setTimeout(open, AGAIN_MS);
    };
    for (const type of TYPES) source.addEventListener(type, take);
  };
  /** @param {MessageEvent<string>} message */
  const take = ({ lastEventId, data }) => {
    const eventId = Number(lastEventId);
    if (eventId <= lastId) return;
    lastId = eventId;
    onEvent(recordOf(JSON.parse(data)));
  };
  open();
  return () => {
    window.clearTimeout(timer);
    source.close();
  };
}
