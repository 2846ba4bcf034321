/** Pieces of transcripts and of the folders they lie in. */
import type { Json } from '../harness/row.js';
import type { FileSpec, JsonRecord, PureCall, StoreSpec } from './program.js';

export const SESSION = 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa';
export const OTHER = 'bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb';

export const uuid = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

export const sessionId = (n: number): string => `10000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

function linked(type: string, n: number, parent: number | null, fields: JsonRecord): JsonRecord {
  return {
    type,
    uuid: uuid(n),
    parentUuid: parent === null ? null : uuid(parent),
    sessionId: SESSION,
    timestamp: `2026-01-01T00:00:${String(n % 60).padStart(2, '0')}.000Z`,
    isSidechain: false,
    ...fields,
  };
}

export const user = (n: number, parent: number | null, content: Json, fields: JsonRecord = {}) =>
  linked('user', n, parent, { message: { role: 'user', content }, cwd: '/w', ...fields });

export const assistant = (n: number, parent: number | null, text: string, fields: JsonRecord = {}) =>
  linked('assistant', n, parent, {
    message: { id: `msg_${n}`, role: 'assistant', content: [{ type: 'text', text }] },
    cwd: '/w',
    ...fields,
  });

export const other = (type: string, n: number, parent: number | null, fields: JsonRecord = {}) =>
  linked(type, n, parent, fields);

export const title = (customTitle: string): JsonRecord => ({ type: 'custom-title', customTitle, sessionId: SESSION });
export const tag = (text: string): JsonRecord => ({ type: 'tag', tag: text, sessionId: SESSION });

export const HI = user(1, null, 'hi');
export const TURN = [HI, assistant(2, 1, 'x'), user(3, 2, 'b'), assistant(4, 3, 'c')];

/** A transcript in the configuration folder. */
export function transcript(
  content: FileSpec['content'],
  {
    id = SESSION,
    project = '-w',
    ...file
  }: Partial<FileSpec> & { readonly id?: string; readonly project?: string } = {},
): FileSpec {
  return { path: `config/projects/${project}/${id}.jsonl`, ...(content === undefined ? {} : { content }), ...file };
}

export function call(name: string, args: JsonRecord = {}, store?: StoreSpec): PureCall {
  return { op: 'session', function: name, args, ...(store === undefined ? {} : { store }) };
}

export const info = (id: string = SESSION, args: JsonRecord = {}): PureCall =>
  call('getSessionInfo', { sessionId: id, ...args });
export const list = (args: JsonRecord = {}): PureCall => call('listSessions', args);
export const messages = (args: JsonRecord = {}): PureCall =>
  call('getSessionMessages', { sessionId: SESSION, ...args });
