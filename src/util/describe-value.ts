const MAY_HOLD_SECRET = /key|token|secret|pass|auth|bearer|cookie|credential|:\/\/[^\s/]*@/i;

/**
 * Names a value's type for an error message: `string "abc"`, `array of 3`, `null`, `function`. Long strings are cut.
 * Contents of objects, and texts that speak of secrets, are never shown.
 */
export function describeValue(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return `array of ${value.length}`;
  switch (typeof value) {
    case 'string':
      if (MAY_HOLD_SECRET.test(value)) return `string of ${value.length} characters`;
      return `string ${JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}...` : value)}`;
    case 'number':
    case 'boolean':
    case 'bigint':
      return `${typeof value} ${String(value)}`;
    case 'object': {
      const name = classNameOf(value);
      return name === '' || name === 'Object' ? 'object' : `object (${name})`;
    }
    default:
      return typeof value;
  }
}

function classNameOf(value: object): string {
  try {
    const name: unknown = value.constructor?.name;
    return typeof name === 'string' ? name : '';
  } catch {
    // A getter or a proxy that throws must not hide the error that is being written.
    return '';
  }
}
