import { createHash, randomUUID } from 'node:crypto';
import type { ClaudeJob } from './job-data.js';

const ID = /^cw-[0-9a-f]{24}-[0-9a-f]{32}$/;

/**
 * Tenants and idempotency keys may hold any character, such as `:`, which BullMQ refuses in ids. So ids are digests.
 * The tenant's part makes the id of another tenant recognizable without a lookup.
 */
export function jobIdOf({ tenant, idempotencyKey }: ClaudeJob): string {
  const name = idempotencyKey === undefined ? randomUUID() : `key ${idempotencyKey}`;
  return `cw-${tenantDigest(tenant)}-${digest([tenant, name]).slice(0, 32)}`;
}

export function isIdOfTenant(jobId: string, tenant: string): boolean {
  return ID.test(jobId) && jobId.startsWith(`cw-${tenantDigest(tenant)}-`);
}

export function tenantDigest(tenant: string): string {
  return digest([tenant]).slice(0, 24);
}

/** The same for the same data, whatever the order of its fields. */
export function dataDigest(job: ClaudeJob): string {
  const labels = Object.entries(job.labels ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  const { profile, tenant, prompt, sessionId, conversationId, idempotencyKey } = job;
  return digest([profile, tenant, prompt, sessionId, conversationId, idempotencyKey, labels]);
}

/** The conversation of a job that names none. */
export function conversationIdOf(job: ClaudeJob, jobId: string): string {
  return job.conversationId ?? derivedUuid(jobId, 'conversation');
}

/** The same id for the same words, in the form of a UUID of version 8. */
export function derivedUuid(...words: readonly string[]): UUID {
  const hex = digest(words);
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 3) | 8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

export type UUID = `${string}-${string}-${string}-${string}-${string}`;

export function digest(parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
