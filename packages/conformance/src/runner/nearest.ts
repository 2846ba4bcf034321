import { type Difference, Variables } from 'claudewire/testing';
import { isJsonObject } from '../util/json.js';

/** Something that came, and the first place where it is not what was expected. */
export interface Nearest<T> {
  readonly value: T;
  readonly difference: Difference;
}

/** A value of another kind is further away than one with any other content. */
const KIND_KEYS = new Set(['type', 'subtype', 'what', 'name']);
const KIND_WEIGHT = 1_000;

/**
 * Of what came, that which differs from the pattern in the fewest places; of equals the last. `undefined` when nothing
 * came, or when that one matches.
 */
export function nearestTo<T>(
  pattern: unknown,
  came: readonly T[],
  variables = new Variables(),
): Nearest<T> | undefined {
  let best: { value: T; distance: number } | undefined;
  for (const value of came) {
    const distance = distanceOf(pattern, value, variables);
    if (best === undefined || distance <= best.distance) best = { value, distance };
  }
  if (best === undefined) return undefined;
  const result = variables.match(pattern, best.value);
  return result.ok ? undefined : { value: best.value, difference: result.difference };
}

/** True when the two are of one kind: they differ in their content alone. */
export function isSameKind(pattern: unknown, value: unknown): boolean {
  return distanceOf(pattern, value, new Variables()) < KIND_WEIGHT;
}

function distanceOf(pattern: unknown, value: unknown, variables: Variables, weight = 1): number {
  if (isJsonObject(pattern) && !isOperator(pattern)) {
    return sum(
      Object.entries(pattern).map(([key, expected]) =>
        distanceOf(
          expected,
          isJsonObject(value) && Object.hasOwn(value, plainKey(key)) ? value[plainKey(key)] : undefined,
          variables,
          KIND_KEYS.has(key) ? KIND_WEIGHT : 1,
        ),
      ),
    );
  }
  if (Array.isArray(pattern) && Array.isArray(value) && pattern.length === value.length) {
    return sum(pattern.map((expected, index) => distanceOf(expected, value[index], variables)));
  }
  return variables.match(pattern, value).ok ? 0 : weight;
}

function isOperator(pattern: object): boolean {
  return Object.keys(pattern).some((key) => key.startsWith('$') && !key.startsWith('$$'));
}

function plainKey(key: string): string {
  return key.startsWith('$$') ? key.slice(1) : key;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
