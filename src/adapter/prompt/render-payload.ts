/**
 * What the model sees of a value: nothing for `null` and `undefined`, the answer of a `render()` method, strings as
 * they are, bytes as UTF-8, and JSON for everything else.
 */
export function renderToolPayload(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value;
  if (value instanceof Uint8Array) return new TextDecoder().decode(value);
  if (value instanceof ArrayBuffer) return new TextDecoder().decode(new Uint8Array(value));
  return rendered(value) ?? asJson(value);
}

function rendered(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  try {
    const { render } = value as { render?: unknown };
    if (typeof render !== 'function') return undefined;
    const text: unknown = render.call(value);
    return typeof text === 'string' ? text : undefined;
  } catch {
    // The JSON says more than the failure of a method that only makes it nicer.
    return undefined;
  }
}

function asJson(value: unknown): string {
  try {
    return JSON.stringify(value, withBigInts) ?? String(value);
  } catch {
    // A cycle, or a `toJSON` that throws: the handler's message is shown instead.
    return '';
  }
}

function withBigInts(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}
