import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { toUSVString } from 'node:util';
import { HostError } from '../errors.js';

/** Names one conversation. A store never looks one up by its id alone. */
export interface ConversationKey {
  /** Whose it is: what the caller's authentication says. */
  readonly tenant: string;
  /** A lower-case UUID. */
  readonly id: string;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const MAX_TENANT = 512;

export function isConversationId(value: unknown): value is string {
  return typeof value === 'string' && UUID.test(value);
}

/** @throws HostError `invalid`. */
export function assertTenant(tenant: unknown): asserts tenant is string {
  assertName(tenant);
  // UTF-8 cannot hold it, so two tenants that differ only there would share the folder of their digest.
  if (toUSVString(tenant) !== tenant) {
    throw new HostError('invalid', 'A tenant must be well-formed Unicode, and this one has half a surrogate pair.');
  }
}

/** For stores. The host has looked at the tenant with {@link assertTenant}. @throws HostError `invalid`. */
export function assertKey({ tenant, id }: ConversationKey): void {
  assertName(tenant);
  assertUuid(id, 'A conversation id');
}

/** @throws HostError `invalid`. */
export function assertUuid(value: unknown, what: string): void {
  if (!isConversationId(value)) throw new HostError('invalid', `${what} must be a lower-case UUID.`);
}

/** A key as one string. Different keys never have the same. */
export function keyText({ tenant, id }: ConversationKey): string {
  return JSON.stringify([tenant, id]);
}

/** For the name of a file, or a key of a store. */
export function keyDigest(key: ConversationKey): string {
  return createHash('sha256').update(keyText(key)).digest('hex');
}

/** A tenant may hold any character, so its folder is named by a digest. */
export function tenantFolder(root: string, tenant: string): string {
  assertTenant(tenant);
  return join(root, createHash('sha256').update(tenant).digest('hex'));
}

export function conversationFolder(root: string, key: ConversationKey): string {
  assertKey(key);
  return join(tenantFolder(root, key.tenant), key.id);
}

function assertName(tenant: unknown): asserts tenant is string {
  if (typeof tenant === 'string' && tenant !== '' && tenant.length <= MAX_TENANT) return;
  throw new HostError('invalid', `A tenant must be a non-empty string of at most ${MAX_TENANT} characters.`);
}
