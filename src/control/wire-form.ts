import { types } from 'node:util';
import type { JsonObject } from '../util/json.js';

/** Deeper data is not walked but given to JSON, which knows where to stop. */
const MAX_DEPTH = 32;

/**
 * The JSON form of a value from user code, so that the checks see what is sent. Plain data is
 * returned as it is, without a copy.
 *
 * @throws what JSON, a getter or a `toJSON` of the value throws.
 */
export function toWireForm(value: unknown): unknown {
  if (isPlainData(value, 0)) return value;
  const text: string | undefined = JSON.stringify(value);
  return text === undefined ? undefined : JSON.parse(text);
}

/** What the check of a callback's result found: the answer as it will be sent, or the end of a sentence about it. */
export type ResultCheck =
  | { readonly ok: true; readonly answer: JsonObject }
  | { readonly ok: false; readonly problem: string };

export function badResult(problem: string): ResultCheck {
  return { ok: false, problem };
}

/** The first of `names` that the value has, wherever it comes from, and its wire form has not. */
export function findUnsentField(
  value: { readonly [key: string]: unknown },
  sent: { readonly [key: string]: unknown },
  names: Iterable<string>,
): string | undefined {
  for (const name of names) {
    if (value[name] !== undefined && sent[name] === undefined) return name;
  }
  return undefined;
}

/**
 * Where JSON would silently leave something out: in a map, a promise, a function, or behind a getter
 * of a class. A `toJSON` says itself what is to be sent.
 *
 * @returns the path, `undefined` when the value is carried over whole.
 */
export function findLoss(value: unknown, path: string): string | undefined {
  if (typeof value === 'function' || typeof value === 'symbol') return path;
  if (typeof value !== 'object' || value === null || hasToJson(value)) return undefined;
  if (!Array.isArray(value) && hidesData(value)) return path;
  return findLossWithin(value, path);
}

/** The same for the fields of an object that is itself known to be fine. */
export function findLossWithin(value: object, path: string): string | undefined {
  if (hasToJson(value)) return undefined;
  for (const [key, field] of Object.entries(value)) {
    const loss = findLoss(field, `${path}.${key}`);
    if (loss !== undefined) return loss;
  }
  return undefined;
}

/** Data that JSON carries over as it is: own values all the way down, nothing computed. */
function isPlainData(value: unknown, depth: number): boolean {
  switch (typeof value) {
    case 'string':
    case 'number':
    case 'boolean':
    case 'undefined':
      return true;
    case 'object':
      return value === null || (depth < MAX_DEPTH && isPlainContainer(value, depth));
    default:
      return false;
  }
}

function isPlainContainer(value: object, depth: number): boolean {
  if (types.isProxy(value)) return false;
  const isArray = Array.isArray(value);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== (isArray ? Array.prototype : Object.prototype) && prototype !== null) {
    return false;
  }
  return Object.getOwnPropertyNames(value).every((name) => {
    if (isArray && name === 'length') return true;
    const field = Object.getOwnPropertyDescriptor(value, name);
    return field?.enumerable === true && 'value' in field && isPlainData(field.value, depth + 1);
  });
}

function hasToJson(value: object): boolean {
  return 'toJSON' in value && typeof value.toJSON === 'function';
}

/** Whether the object has data that is not its own enumerable field. Methods are not data. */
function hidesData(value: object): boolean {
  if (Object.prototype.toString.call(value) !== '[object Object]') return true;
  if (Object.getOwnPropertyNames(value).length > Object.keys(value).length) return true;
  let prototype: object | null = Object.getPrototypeOf(value);
  while (prototype !== null) {
    for (const [name, field] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
      const isData = 'value' in field ? typeof field.value !== 'function' : field.get !== undefined;
      if (isData && name !== '__proto__') return true;
    }
    prototype = Object.getPrototypeOf(prototype);
  }
  return false;
}
