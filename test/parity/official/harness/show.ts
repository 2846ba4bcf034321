import { inspect, isDeepStrictEqual } from 'node:util';

/** A value on one line, cut where nobody would read on. */
export function show(value: unknown): string {
  const text = inspect(value, { depth: 12, breakLength: Number.POSITIVE_INFINITY, maxArrayLength: 50 });
  return text.length > 2500 ? `${text.slice(0, 2500)}…` : text;
}

/** Where two values part, and what stands there on each side. */
export function firstDifference(left: unknown, right: unknown, path = ''): string {
  if (isBranch(left) && isBranch(right) && Array.isArray(left) === Array.isArray(right)) {
    const names = [...new Set([...Object.keys(left), ...Object.keys(right)])];
    const name = names.find((each) => !isDeepStrictEqual(Reflect.get(left, each), Reflect.get(right, each)));
    if (name !== undefined) {
      return firstDifference(Reflect.get(left, name), Reflect.get(right, name), `${path}.${name}`);
    }
  }
  if (typeof left === 'string' && typeof right === 'string') return parting(left, right, path);
  return `${path}: official ${show(left)}, ours ${show(right)}`;
}

/** Long texts are shown from a little before they part. */
function parting(left: string, right: string, path: string): string {
  let at = 0;
  while (at < left.length && left[at] === right[at]) at += 1;
  const from = at < 80 ? 0 : at - 60;
  const cut = (text: string): string => show(`${from > 0 ? '…' : ''}${text.slice(from, from + 600)}`);
  return `${path}: official ${cut(left)}, ours ${cut(right)}`;
}

function isBranch(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
