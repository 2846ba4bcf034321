/** A field of a protobuf message: varints and fixed numbers as bigint, the rest as bytes. */
export interface Field {
  readonly number: number;
  readonly value: bigint | Buffer;
}

/**
 * Reads one level of a message: https://protobuf.dev/programming-guides/encoding/
 *
 * @throws RangeError it is cut, or uses a wire type that protobuf 3 has not.
 */
export function readFields(data: Buffer): readonly Field[] {
  const fields: Field[] = [];
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = data.readUInt8(at);
      at += 1;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const bytes = (length: number): Buffer => {
    if (at + length > data.length) throw new RangeError(`a field of ${length} bytes at ${at} of ${data.length}`);
    at += length;
    return data.subarray(at - length, at);
  };
  const read: Readonly<Record<number, () => bigint | Buffer>> = {
    0: varint,
    1: () => bytes(8).readBigUInt64LE(),
    2: () => bytes(Number(varint())),
    5: () => BigInt(bytes(4).readUInt32LE()),
  };
  while (at < data.length) {
    const tag = Number(varint());
    const reader = read[tag & 7];
    if (reader === undefined) throw new RangeError(`wire type ${tag & 7}`);
    fields.push({ number: tag >> 3, value: reader() });
  }
  return fields;
}

/** The values of one field, which may be repeated. */
export function valuesOf(fields: readonly Field[], number: number): readonly Buffer[] {
  return fields.flatMap((field) => (field.number === number && Buffer.isBuffer(field.value) ? [field.value] : []));
}

/** A number of a message; 0 where it was left out. */
export function numberOf(fields: readonly Field[], number: number): bigint {
  const value = fields.find((field) => field.number === number)?.value;
  return typeof value === 'bigint' ? value : 0n;
}
