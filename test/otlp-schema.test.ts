import { ROOT_CONTEXT, SpanStatusCode, trace } from '@opentelemetry/api';
import { JsonTraceSerializer, ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import protobuf from 'protobufjs';
import { expect, test } from 'vitest';
import { OTLP_TRACE_SCHEMA } from './live/support/otlp-schema.js';

type Json = Readonly<Record<string, unknown>>;

/** A root and a child, with a value in every field of our schema. */
function spans(): ReadableSpan[] {
  const exporter = new InMemorySpanExporter();
  const tracer = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).getTracer('test');
  const root = tracer.startSpan('root', { startTime: 1_700_000_000_123, attributes: { text: 'b' } });
  const child = tracer.startSpan(
    'child',
    { startTime: 1_700_000_000_124, attributes: { text: 'a', yes: true, whole: -7, fraction: 0.5 } },
    trace.setSpan(ROOT_CONTEXT, root),
  );
  child.setStatus({ code: SpanStatusCode.ERROR, message: 'no' });
  root.setStatus({ code: SpanStatusCode.OK });
  child.end(1_700_000_000_125);
  root.end(1_700_000_000_126);
  return exporter.getFinishedSpans();
}

/** Only the fields that our schema names, from the published JSON. */
function ours(value: unknown, type: string): unknown {
  if (Array.isArray(value)) return value.map((each) => ours(each, type));
  const { fields } = OTLP_TRACE_SCHEMA.nested[type as keyof typeof OTLP_TRACE_SCHEMA.nested];
  const known = Object.entries<{ readonly type: string }>(fields);
  return Object.fromEntries(
    known.flatMap(([name, field]) => {
      const part = (value as Json)[name];
      if (part === undefined) return [];
      return [[name, field.type in OTLP_TRACE_SCHEMA.nested ? ours(part, field.type) : String(part)]];
    }),
  );
}

test('what the published encoder of OTLP writes is read by our schema as its JSON says', () => {
  const all = spans();
  const request = protobuf.Root.fromJSON(OTLP_TRACE_SCHEMA).lookupType('ExportTraceServiceRequest');
  const bytes = ProtobufTraceSerializer.serializeRequest(all);
  const json = JSON.parse(Buffer.from(JsonTraceSerializer.serializeRequest(all) ?? []).toString());
  const decoded = request.toObject(request.decode(Buffer.from(bytes ?? [])), { longs: String });
  const hex = JSON.parse(
    JSON.stringify(decoded, (_key, value) =>
      value?.type === 'Buffer' ? Buffer.from(value.data).toString('hex') : value,
    ),
  );
  const read = ours(hex, 'ExportTraceServiceRequest');
  expect(read).toEqual(ours(json, 'ExportTraceServiceRequest'));
  // Every field of the schema was there, so a wrong number cannot hide.
  const text = JSON.stringify(read);
  for (const { fields } of Object.values(OTLP_TRACE_SCHEMA.nested)) {
    for (const name of Object.keys(fields)) expect(text).toContain(`"${name}":`);
  }
});
