import { isSpanContextValid, type SpanContext } from '@opentelemetry/api';

/** The W3C trace context of a span; `undefined` for one that nobody records. Baggage is never part of it. */
export function traceparentOf(
  span: SpanContext,
): { readonly traceparent: string; readonly tracestate: string | undefined } | undefined {
  if (!isSpanContextValid(span)) return undefined;
  const flags = span.traceFlags.toString(16).padStart(2, '0');
  return { traceparent: `00-${span.traceId}-${span.spanId}-${flags}`, tracestate: span.traceState?.serialize() };
}
