import { types } from 'node:util';
import { describeValue } from '../../util/describe-value.js';
import { memberPath } from '../../util/member-path.js';

/**
 * Names the first member that a JSON text would lose or change: a Map and a Set become `{}`, a Date a string, a function
 * goes. Members that are `undefined` count as left out. For values that can be written as JSON.
 * @returns such as `message.input is object (Map)`.
 */
export function jsonLoss(value: unknown): string | undefined {
  const left: { readonly path: string; readonly value: unknown }[] = [{ path: '', value }];
  for (let at = left.pop(); at !== undefined; at = left.pop()) {
    const { path, value } = at;
    if (isLost(value)) return `${path === '' ? 'it' : path} is ${describeValue(value)}`;
    if (typeof value !== 'object' || value === null || hasToJson(value)) continue;
    const members = Object.entries(value).reverse();
    for (const [key, member] of members) {
      left.push({ path: memberPath(path, Array.isArray(value) ? Number(key) : key), value: member });
    }
  }
  return undefined;
}

function isLost(value: unknown): boolean {
  if (typeof value === 'number') return !Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return typeof value === 'function' || typeof value === 'symbol';
  const { isMap, isSet, isDate, isRegExp, isPromise, isNativeError, isAnyArrayBuffer, isWeakMap, isWeakSet } = types;
  const kinds = [isMap, isSet, isDate, isRegExp, isPromise, isNativeError, isAnyArrayBuffer, isWeakMap, isWeakSet];
  return ArrayBuffer.isView(value) || kinds.some((isKind) => isKind(value));
}

function hasToJson(value: object): boolean {
  return 'toJSON' in value && typeof value.toJSON === 'function';
}
