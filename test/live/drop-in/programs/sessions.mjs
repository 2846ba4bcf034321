/** A session browser: it makes conversations, lists, reads, names, forks, resumes and deletes them. */
import {
  archiveSession,
  deleteSession,
  forkSession,
  getSessionInfo,
  getSessionMessages,
  listSessions,
  listSubagents,
  query,
  renameSession,
  tagSession,
  unarchiveSession,
} from '@anthropic-ai/claude-agent-sdk';
import { outcome, say } from './say.mjs';

const dir = process.cwd();
const first = await ask('My name is Ada.');
await ask('What is my name?', { resume: first });
const second = await ask('Something else.', { title: 'Another talk' });

await show('made');
const messages = await getSessionMessages(first, { dir });
say('page', await getSessionMessages(first, { dir, limit: 2, offset: 1 }));
say('system', await getSessionMessages(first, { dir, includeSystemMessages: true }));
say('info', given(await getSessionInfo(first, { dir })));

await renameSession(first, '  Ada talks  ', { dir });
await tagSession(first, 'names', { dir });
await archiveSession(second, { dir });
await show('named');
await tagSession(first, null, { dir });
await unarchiveSession(second, { dir });

const fork = await forkSession(first, { dir, upToMessageId: messages[1].uuid, title: 'Ada forks' });
say('fork', fork);
say('forked messages', await getSessionMessages(fork.sessionId, { dir }));
await ask('And now?', { resume: fork.sessionId });
const branch = await ask('Another way.', { resume: first, forkSession: true });
await ask('From the middle.', { resume: first, resumeSessionAt: messages[1].uuid });
await show('branched');

say('subagents', await listSubagents(first, { dir }));
await deleteSession(branch, { dir });
await show('deleted');
const nobody = '00000000-0000-4000-8000-000000000000';
say('errors', [
  await outcome(() => getSessionInfo(nobody, { dir })),
  await outcome(() => getSessionMessages(nobody, { dir })),
  await outcome(() => renameSession(nobody, 'x', { dir })),
  await outcome(() => renameSession(first, '  ', { dir })),
  await outcome(() => deleteSession('../etc', { dir })),
  await outcome(() => forkSession(nobody, { dir })),
]);
say('gone', await outcome(() => ask('Hello?', { resume: nobody })));

async function ask(prompt, options = {}) {
  let id;
  for await (const message of query({ prompt, options })) {
    say('message', message);
    if (message.type === 'result') id = message.session_id;
  }
  return id;
}

/** In order of creation: the times of the files are those of one second. */
async function show(when) {
  const rows = await listSessions({ dir });
  const sorted = rows.toSorted((one, other) => one.createdAt - other.createdAt);
  say(`rows, ${when}`, sorted.map(given));
  for (const { sessionId } of sorted) {
    say(`messages, ${when}`, await getSessionMessages(sessionId, { dir }));
  }
}

/** A field that is `undefined` is no field. */
function given(row) {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== undefined));
}
