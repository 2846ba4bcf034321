import { types } from 'node:util';
import { describeValue } from '../util/describe-value.js';
import { isJsonObject, type JsonObject } from '../util/json.js';

/** Deeper data is not walked but given to JSON, which knows where to stop. */
const MAX_DEPTH = 32;

/** What the check of a callback's result found: the answer as it will be sent, or the end of a sentence about it. */
export type ResultCheck =
  | { readonly ok: true; readonly answer: JsonObject }
  | { readonly ok: false; readonly problem: string };

/** What one kind of result has to be. Each function returns a part of a sentence, `undefined` when all is well. */
interface ResultRules {
  readonly accepts: (result: unknown) => result is JsonObject;
  /** A part of the result that its wire form does not have. */
  readonly findUnsent: (result: JsonObject, sent: JsonObject) => string | undefined;
  /** What is wrong with a field. */
  readonly findWrong: (sent: JsonObject) => string | undefined;
}

/**
 * Checks what a callback returned, in the form in which it will be sent.
 * @throws what JSON, a getter or a `toJSON` of the result throws.
 */
export function checkResult(result: unknown, { accepts, findUnsent, findWrong }: ResultRules): ResultCheck {
  if (!accepts(result)) return { ok: false, problem: `it returned ${describeValue(result)}` };
  const answer = toWireForm(result);
  if (!isJsonObject(answer)) return { ok: false, problem: `its JSON form is ${describeValue(answer)}` };
  const unsent = answer === result ? undefined : findUnsent(result, answer);
  const problem = unsent === undefined ? findWrong(answer) : `JSON would not carry its ${unsent} over`;
  return problem === undefined ? { ok: true, answer } : { ok: false, problem };
}

/** The JSON form of a value from user code. Plain data is returned as it is, without a copy. */
function toWireForm(value: unknown): unknown {
  if (isPlainData(value, 0)) return value;
  const text: string | undefined = JSON.stringify(value);
  return text === undefined ? undefined : JSON.parse(text);
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
 * Where JSON would silently leave something out: in a map, a promise, a function, or behind a getter of a class. A
 * `toJSON` says itself what is to be sent.
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
  if (prototype !== (isArray ? Array.prototype : Object.prototype) && prototype !== null) return false;
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
