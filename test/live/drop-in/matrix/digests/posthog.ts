import type { Digest } from '../dependent.js';
import type { ReceivedRequest } from '../receiver.js';

interface PostHogEvent {
  readonly event: string;
  readonly distinct_id: string;
  readonly properties: Readonly<Record<string, unknown>>;
}

/** The events that were captured, in order. */
export function posthogEvents(received: readonly ReceivedRequest[]): Digest {
  const events = received
    .filter(({ path }) => path.startsWith('/batch'))
    // The client writes this form.
    .flatMap(({ body }) => (JSON.parse(body.toString()) as { batch: readonly PostHogEvent[] }).batch)
    .map(({ event, distinct_id, properties }) => ({ event, distinct_id, properties }));
  return { event: events };
}
