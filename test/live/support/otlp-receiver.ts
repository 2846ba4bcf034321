import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import protobuf from 'protobufjs';
import { onTestFinished } from 'vitest';
import { OTLP_TRACE_SCHEMA } from './otlp-schema.js';

export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for a root. */
  readonly parentSpanId: string;
  readonly name: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

export interface OtlpReceiver {
  readonly url: string;
  readonly spans: readonly ReceivedSpan[];
  /** Content types that came. */
  readonly types: ReadonlySet<string>;
}

const REQUEST = protobuf.Root.fromJSON(OTLP_TRACE_SCHEMA).lookupType('ExportTraceServiceRequest');

/** An OTLP receiver on loopback, for JSON and protobuf, until the test ends. */
export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const types = new Set<string>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const type = String(request.headers['content-type']);
      types.add(type);
      const body = Buffer.concat(chunks);
      if (request.url === '/v1/traces')
        spans.push(...spansOf(type === 'application/json' ? fromJson(body) : fromProtobuf(body)));
      response.writeHead(200, { 'content-type': type }).end(type === 'application/json' ? '{}' : undefined);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, spans, types };
}

interface RawRequest {
  readonly resourceSpans?: readonly { readonly scopeSpans?: readonly { readonly spans?: readonly RawSpan[] }[] }[];
}

interface RawSpan extends Omit<ReceivedSpan, 'attributes' | 'parentSpanId'> {
  readonly parentSpanId?: string;
  readonly attributes?: readonly { readonly key: string; readonly value?: Readonly<Record<string, unknown>> }[];
}

function fromJson(body: Buffer): RawRequest {
  return JSON.parse(body.toString());
}

/** In the shape of the JSON: ids are hexadecimal there. */
function fromProtobuf(body: Buffer): RawRequest {
  const decoded = REQUEST.toObject(REQUEST.decode(body), { longs: String });
  return JSON.parse(
    JSON.stringify(decoded, (_key, value) =>
      value?.type === 'Buffer' ? Buffer.from(value.data).toString('hex') : value,
    ),
  );
}

function spansOf({ resourceSpans = [] }: RawRequest): ReceivedSpan[] {
  const raw = resourceSpans.flatMap(({ scopeSpans = [] }) => scopeSpans.flatMap(({ spans = [] }) => spans));
  return raw.map(({ traceId, spanId, parentSpanId = '', name, attributes = [] }) => ({
    traceId,
    spanId,
    parentSpanId,
    name,
    attributes: Object.fromEntries(attributes.map(({ key, value = {} }) => [key, Object.values(value)[0]])),
  }));
}
