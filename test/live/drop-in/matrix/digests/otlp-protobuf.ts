import type { Digest } from '../dependent.js';
import { type Field, numberOf, readFields, valuesOf } from '../protobuf.js';
import type { ReceivedRequest } from '../receiver.js';
import { type OtlpAttribute, type OtlpSpan, toSpan } from './otlp.js';
import { spanTree } from './span-tree.js';

/**
 * The spans that were exported as OTLP in protobuf, as a tree. Field numbers are those of
 * https://github.com/open-telemetry/opentelemetry-proto, `trace/v1/trace.proto` and `common/v1/common.proto`.
 */
export function otlpProtobufSpans(received: readonly ReceivedRequest[]): Digest {
  const spans = received
    .filter(({ path }) => path === '/v1/traces')
    .flatMap(({ body }) => valuesOf(readFields(body), 1))
    .flatMap((resource) => valuesOf(readFields(resource), 2))
    .flatMap((scoped) => {
      const fields = readFields(scoped);
      const scope = valuesOf(fields, 1).map((data) => textOf(readFields(data), 1))[0];
      return valuesOf(fields, 2).map((data) => toSpan(readSpan(data), { name: scope }));
    });
  return { span: spanTree(spans) };
}

function readSpan(data: Buffer): OtlpSpan {
  const fields = readFields(data);
  const parent = hexOf(fields, 4);
  const status = valuesOf(fields, 15).map((part) => readFields(part))[0];
  return {
    spanId: hexOf(fields, 2),
    ...(parent !== '' && { parentSpanId: parent }),
    name: textOf(fields, 5),
    kind: Number(numberOf(fields, 6)),
    startTimeUnixNano: String(numberOf(fields, 7)),
    endTimeUnixNano: String(numberOf(fields, 8)),
    attributes: attributesOf(fields, 9),
    events: valuesOf(fields, 11).map((part) => {
      const event = readFields(part);
      return { name: textOf(event, 2), attributes: attributesOf(event, 3) };
    }),
    status: status === undefined ? {} : { message: textOf(status, 2), code: Number(numberOf(status, 3)) },
  };
}

function attributesOf(fields: readonly Field[], number: number): readonly OtlpAttribute[] {
  return valuesOf(fields, number).map((data) => {
    const pair = readFields(data);
    return { key: textOf(pair, 1), value: { any: valuesOf(pair, 2).map(readAny)[0] } };
  });
}

function readAny(data: Buffer): unknown {
  const fields = readFields(data);
  const [field] = fields;
  if (field === undefined) return null;
  const { number, value } = field;
  if (typeof value === 'bigint') return number === 2 ? value !== 0n : number === 4 ? asDouble(value) : Number(value);
  if (number === 1) return value.toString();
  if (number === 5) return valuesOf(readFields(value), 1).map(readAny);
  if (number !== 6) return value.toString('hex');
  return Object.fromEntries(attributesOf(readFields(value), 1).map(({ key, value: { any } }) => [key, any]));
}

function asDouble(bits: bigint): number {
  const data = Buffer.alloc(8);
  data.writeBigUInt64LE(bits);
  return data.readDoubleLE();
}

function textOf(fields: readonly Field[], number: number): string {
  return valuesOf(fields, number)[0]?.toString() ?? '';
}

function hexOf(fields: readonly Field[], number: number): string {
  return valuesOf(fields, number)[0]?.toString('hex') ?? '';
}
