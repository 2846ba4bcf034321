import { isJsonObject } from '../../../../../src/util/json.js';
import type { Digest } from '../dependent.js';
import type { ReceivedRequest } from '../receiver.js';
import { type Span, spanTree } from './span-tree.js';

export interface OtlpAttribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

export interface OtlpSpan {
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano?: string;
  readonly name: string;
  readonly kind: number;
  readonly attributes: readonly OtlpAttribute[];
  readonly status: unknown;
  readonly events: readonly { readonly name: string; readonly attributes: readonly OtlpAttribute[] }[];
}

interface OtlpBody {
  readonly resourceSpans: readonly {
    readonly scopeSpans: readonly { readonly scope: unknown; readonly spans: readonly OtlpSpan[] }[];
  }[];
}

/** The spans that were exported as OTLP in JSON, as a tree. */
export function otlpSpans(received: readonly ReceivedRequest[]): Digest {
  const spans = received
    .filter(({ path }) => path === '/v1/traces')
    // The exporter writes this form: https://opentelemetry.io/docs/specs/otlp/
    .map(({ body }) => JSON.parse(body.toString()) as OtlpBody)
    .flatMap(({ resourceSpans }) => resourceSpans)
    .flatMap(({ scopeSpans }) => scopeSpans)
    .flatMap((scoped) => scoped.spans.map((span) => toSpan(span, scoped.scope)));
  return { span: spanTree(spans) };
}

/** What a tree shows of a span. */
export function toSpan(span: OtlpSpan, scope: unknown): Span {
  const { spanId, parentSpanId, startTimeUnixNano, endTimeUnixNano, name, kind, attributes, status, events } = span;
  return {
    id: spanId,
    parent: parentSpanId,
    start: startTimeUnixNano,
    shown: {
      name,
      kind,
      scope,
      status,
      attributes: toRecord(attributes),
      events: events.map((event) => ({ name: event.name, attributes: withoutFrames(toRecord(event.attributes)) })),
      isOver: endTimeUnixNano !== undefined,
    },
  };
}

/** The first line of a stack is the error; the frames below are each package's own. */
function withoutFrames(attributes: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const stack = attributes['exception.stacktrace'];
  if (typeof stack !== 'string') return attributes;
  return { ...attributes, 'exception.stacktrace': stack.split('\n', 1)[0] };
}

/** JSON in a text is opened, so that ids and durations in it are found by their names. */
function toRecord(attributes: readonly OtlpAttribute[]): Record<string, unknown> {
  return Object.fromEntries(
    attributes
      .map(({ key, value }) => [key, opened(Object.values(value)[0])] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

function opened(value: unknown): unknown {
  if (typeof value !== 'string' || !/^[{[]/.test(value)) return value;
  try {
    const parsed: unknown = JSON.parse(value);
    return isJsonObject(parsed) || Array.isArray(parsed) ? { json: parsed } : value;
  } catch {
    return value;
  }
}
