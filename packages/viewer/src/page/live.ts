import type { LiveUpdate } from '../render/packed.js';
import { byId } from './dom.js';

/** Gets what the followed file grows by. @param known - how many frames the page has. */
export function followServer(known: number, onUpdate: (update: LiveUpdate) => void): void {
  const status = byId('live');
  const events = new EventSource(`events?from=${known}`);
  events.addEventListener('open', () => {
    status.textContent = 'live';
  });
  events.addEventListener('error', () => {
    status.textContent = events.readyState === EventSource.CLOSED ? 'not connected' : 'connects again…';
  });
  events.addEventListener('message', ({ data }: MessageEvent<string>) => {
    // Our server has written it.
    const update = JSON.parse(data) as LiveUpdate;
    onUpdate(update);
    if (!update.isOver) return;
    events.close();
    status.textContent = 'ended';
  });
}
