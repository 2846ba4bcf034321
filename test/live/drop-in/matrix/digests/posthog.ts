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
    .map(({ event, distinct_id, properties }) => ({ event, distinct_id, properties: withShortError(properties) }));
  return { event: events };
}

/** An error is sent as JSON with all its fields, the stack too. */
function withShortError({ $ai_error, ...properties }: PostHogEvent['properties']): PostHogEvent['properties'] {
  if (typeof $ai_error !== 'string' || !$ai_error.startsWith('{')) return { ...properties, $ai_error };
  const { name, message, errorClass } = JSON.parse($ai_error) as Readonly<Record<string, unknown>>;
  return { ...properties, $ai_error: { name, message, errorClass } };
}
