/** A browser of stored sessions: list, read, rename, tag, fork, delete. */
import {
  deleteSession,
  forkSession,
  getSessionInfo,
  getSessionMessages,
  listSessions,
  query,
  renameSession,
  type SDKSessionInfo,
  type SessionMessage,
  tagSession,
} from '@anthropic-ai/claude-agent-sdk';
import { say } from './say.js';

const dir = process.cwd();
const rowOf = ({ summary, customTitle, tag }: SDKSessionInfo) => ({ summary, customTitle, tag });
const lineOf = ({ type, message }: SessionMessage): [string, unknown] => [
  type,
  (message as { content: unknown }).content,
];

for (const prompt of ['The first one.', 'The second one.']) {
  for await (const message of query({ prompt })) if (message.type === 'result') say('made', message.subtype);
}
const rows = await listSessions({ dir });
say(
  'rows',
  rows.map(rowOf).sort((a, b) => a.summary.localeCompare(b.summary)),
);
const first = rows.find(({ firstPrompt }) => firstPrompt?.includes('first'));
if (first === undefined) throw new Error('not listed');
await renameSession(first.sessionId, 'A title', { dir });
await tagSession(first.sessionId, 'kept', { dir });
const info = await getSessionInfo(first.sessionId, { dir });
say('info', info && rowOf(info));
say('lines', (await getSessionMessages(first.sessionId, { dir })).map(lineOf));
const { sessionId } = await forkSession(first.sessionId, { dir });
say('fork', (await getSessionMessages(sessionId, { dir })).length);
await deleteSession(sessionId, { dir });
say('left', (await listSessions({ dir })).length);
