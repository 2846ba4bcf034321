import { HostError } from '../errors.js';
import { assertTenant, isConversationId } from './conversation-key.js';

/** A place in the list of a tenant: that of a conversation which is there, or was. */
export interface ListPlace {
  /** Epoch milliseconds. */
  readonly updatedAt: number;
  readonly id: string;
}

export interface ListOptions {
  /** At most so many. */
  readonly limit: number;
  /** Only what comes after this place. @defaultValue the beginning of the list */
  readonly after?: ListPlace | undefined;
}

/** @throws HostError `invalid`. */
export function assertListOptions(tenant: unknown, options: unknown): asserts options is ListOptions {
  assertTenant(tenant);
  const { limit, after } = fieldsOf(options);
  if (!Number.isSafeInteger(limit) || Number(limit) < 1) {
    throw new HostError('invalid', '`limit` of a list must be an integer from 1 on.');
  }
  if (after !== undefined && !isPlace(after)) {
    throw new HostError('invalid', '`after` of a list must have the `updatedAt` and the `id` of a conversation.');
  }
}

export function isPlace(value: unknown): value is ListPlace {
  const { updatedAt, id } = fieldsOf(value);
  return Number.isSafeInteger(updatedAt) && isConversationId(id);
}

/** The order of a list: the last changed first. Of those that were changed at the same time, the greater id. */
export function newestFirst(a: ListPlace, b: ListPlace): number {
  return b.updatedAt - a.updatedAt || (a.id === b.id ? 0 : a.id < b.id ? 1 : -1);
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
