import { describe, expect, test } from 'vitest';
import { getSessionMessages } from '../../src/transcripts/session-messages.js';
import { assistant, type Entry, linked, SESSION, user, useSessionFolder } from './files/session-folder.js';

const folder = useSessionFolder();
/** A conversation with a message between its first prompt and its answer: as an entry, and as a queued prompt. */
const places: readonly [name: string, put: (fields: Entry) => void][] = [
  ['an entry', (fields) => folder.put([user(1, null, 'a'), user(2, 1, 'b', fields), assistant(3, 2, 'c')])],
  [
    'a queued prompt',
    (fields) => {
      const attachment = { type: 'queued_command', prompt: 'b', commandMode: 'prompt', ...fields };
      folder.put([user(1, null, 'a'), linked('attachment', 2, 1, { attachment }), assistant(3, 2, 'c')]);
    },
  ],
];

/** Each reading is that of the official SDK 0.3.330. */
describe.each(places)('%s', (_, put) => {
  test.each(['peer', 'channel', 'observer', 'observer-activity'])('of a %s is shown as meta', async (kind) => {
    const origin = { kind, from: 'x' };
    put({ isMeta: true, origin });
    const messages = await getSessionMessages(SESSION);
    expect(messages).toHaveLength(3);
    expect(messages[1]).toMatchObject({ message: { content: 'b' }, is_meta: true, origin });
  });

  test.each(['human', 'coordinator', 'task-notification', 'auto-continuation', 'unclassified', 'unknown', 5])(
    'of kind %s is hidden when it is meta',
    async (kind) => {
      put({ isMeta: true, origin: { kind } });
      expect(await getSessionMessages(SESSION)).toHaveLength(2);
    },
  );

  test('of a task has the known fields of its origin', async () => {
    const known = { kind: 'task-notification', subkind: 's', fireReason: null, runId: 'r' };
    put({ origin: { ...known, other: 1 } });
    expect((await getSessionMessages(SESSION))[1]?.origin).toEqual(known);
    put({ origin: { ...known, runId: '' } });
    const { runId: _runId, ...rest } = known;
    expect((await getSessionMessages(SESSION))[1]?.origin).toEqual(rest);
  });
});
