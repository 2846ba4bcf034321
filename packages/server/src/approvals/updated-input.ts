import { HostError } from '../errors.js';

/** More than any tool's schema nests. Deeper ones overflow stacks here, in stores and in Claude Code. */
const MAX_DEPTH = 100;

/** @throws HostError `invalid`: it would not arrive as it was given, such as `1e400`, which JSON cannot say. */
export function assertUpdatedInput(input: Record<string, unknown>): void {
  const isObject = typeof input === 'object' && input !== null && !Array.isArray(input);
  if (!isObject) throw invalid('must be an object');
  check(input, 0);
}

function check(value: unknown, depth: number): void {
  if (depth > MAX_DEPTH) throw invalid(`is nested deeper than ${MAX_DEPTH} levels`);
  if (typeof value === 'number' && !Number.isFinite(value)) throw invalid('has a number that JSON cannot say');
  if (typeof value !== 'object' || value === null) return;
  for (const each of Object.values(value)) check(each, depth + 1);
}

function invalid(what: string): HostError {
  return new HostError('invalid', `\`updatedInput\` ${what}.`);
}
