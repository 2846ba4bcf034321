import { Hub } from './hub.js';

/** One for all tabs of this page in a browser. */
const hub = new Hub();
addEventListener('connect', (event) => {
  const [port] = /** @type {MessageEvent} */ (event).ports;
  if (port !== undefined) hub.connect(port);
});
