import { foldSessionSummary, type SessionStore, type SessionStoreEntry } from '../../../src/index.js';

export const DIR = '/somewhere/that is not';
export const PROJECT = '-somewhere-that-is-not';
export const id = (digit: number) => `${String(digit).repeat(8)}-1111-4111-8111-111111111111`;
export const S = id(1);
export const KEY = { projectKey: PROJECT, sessionId: S };
export const ALL: readonly (keyof SessionStore)[] = [
  'append',
  'load',
  'listSessions',
  'listSessionSummaries',
  'delete',
  'listSubkeys',
];
export const LISTING: readonly (keyof SessionStore)[] = ['append', 'load', 'listSessions'];

export function message(uuid: string, parentUuid: string | null, text: string): SessionStoreEntry {
  return {
    type: uuid.startsWith('u') ? 'user' : 'assistant',
    uuid,
    parentUuid,
    sessionId: S,
    timestamp: `2026-01-01T00:00:0${uuid.slice(1)}.000Z`,
    isSidechain: false,
    gitBranch: 'main',
    message: { role: uuid.startsWith('u') ? 'user' : 'assistant', content: text },
  };
}

export const ENTRIES = [
  message('u1', null, 'hello'),
  message('a2', 'u1', 'hi'),
  message('u3', 'a2', 'more'),
  message('a4', 'u3', 'done'),
];
export const SIDECHAIN = ENTRIES.map((entry) => ({ ...entry, isSidechain: true }));
export const listed = (...mtimes: number[]) => mtimes.map((mtime, index) => ({ sessionId: id(index + 1), mtime }));
export const summary = (digit: number, mtime: number, more: object = {}) => ({
  ...foldSessionSummary(undefined, KEY, ENTRIES, { mtime }),
  sessionId: id(digit),
  ...more,
});
export const loads = (...digits: number[]) =>
  digits.map((digit) => ['load', { projectKey: PROJECT, sessionId: id(digit) }]);
