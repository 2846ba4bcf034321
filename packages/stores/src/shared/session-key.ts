import type { SessionKey } from 'claudewire';
import { StoreError } from '../errors.js';

/** @throws StoreError `invalid`. */
export function checkSessionKey(key: SessionKey): void {
  if (typeof key !== 'object' || key === null) throw invalid('key', 'an object', key);
  checkName(key.projectKey, 'key.projectKey');
  checkName(key.sessionId, 'key.sessionId');
  if (key.subpath !== undefined) checkName(key.subpath, 'key.subpath');
}

/** @throws StoreError `invalid`. */
export function checkName(value: unknown, name: string): void {
  if (typeof value !== 'string' || value === '') throw invalid(name, 'a non-empty string', value);
}

/** For errors. */
export function keyText({ projectKey, sessionId, subpath }: SessionKey): string {
  const name = `session ${short(sessionId)} of project ${short(projectKey)}`;
  return subpath === undefined ? name : `${short(subpath)} of ${name}`;
}

function invalid(name: string, expected: string, value: unknown): StoreError {
  return new StoreError(
    'invalid',
    `\`${name}\` must be ${expected}, got ${value === '' ? 'an empty one' : value === null ? 'null' : typeof value}.`,
  );
}

function short(name: string): string {
  return JSON.stringify(name.length > 80 ? `${name.slice(0, 80)}…` : name);
}
