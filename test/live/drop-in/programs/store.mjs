/** Sessions kept in a store: mirrored while they run, listed, read and resumed from it. */
import {
  deleteSession,
  forkSession,
  getSessionInfo,
  getSessionMessages,
  InMemorySessionStore,
  importSessionToStore,
  listSessions,
  query,
  renameSession,
  tagSession,
} from '@anthropic-ai/claude-agent-sdk';
import { say } from './say.mjs';

const dir = process.cwd();
const sessionStore = new InMemorySessionStore();
const first = await ask('My name is Ada.', {});
say('again', (await ask('What is my name?', { resume: first })) === first);
const latest = await ask('Go on.', { continue: true });
say('latest', latest === first);

await renameSession(first, 'Ada talks', { dir, sessionStore });
await tagSession(first, 'names', { dir, sessionStore });
say('rows', (await listSessions({ dir, sessionStore })).map(given));
say('info', given(await getSessionInfo(first, { dir, sessionStore })));
say('messages', await getSessionMessages(first, { dir, sessionStore }));
const fork = await forkSession(first, { dir, sessionStore });
say('forked', await getSessionMessages(fork.sessionId, { dir, sessionStore }));
await deleteSession(fork.sessionId, { dir, sessionStore });
say('left', (await listSessions({ dir, sessionStore })).length);

const other = new InMemorySessionStore();
const plain = await ask('In a file only.', { sessionStore: undefined });
await importSessionToStore(plain, other, { dir });
say('imported', await getSessionMessages(plain, { dir, sessionStore: other }));

async function ask(prompt, options) {
  let id;
  for await (const message of query({ prompt, options: { sessionStore, ...options } })) {
    say('message', message);
    if (message.type === 'result') id = message.session_id;
  }
  return id;
}

/** A field that is `undefined` is no field. */
function given(row) {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== undefined));
}
