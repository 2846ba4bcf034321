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

  test.each([
    ['subkind', 's', null],
    ['fireReason', 'f', null],
    ['producer', 'session-task', null, 5, ''],
    ['runId', 'r', 'a_.:-Z9', 'r'.repeat(128)],
    ['taskKind', 'mcp-task'],
  ])('of a task shows the %s of its origin', async (field, ...values) => {
    for (const value of values) {
      const origin = { kind: 'task-notification', [field as string]: value };
      put({ origin: { ...origin, other: 1 } });
      expect((await getSessionMessages(SESSION))[1]?.origin).toStrictEqual(origin);
    }
  });

  test.each([
    ['runId', '', 'a b', 'a/b', 'a\n', '\u00e9', 'r'.repeat(129), 5, null],
    ['taskKind', 'other', null],
  ])('of a task leaves out a %s that is not of its form', async (field, ...values) => {
    for (const value of values) {
      put({ origin: { kind: 'task-notification', [field as string]: value } });
      expect((await getSessionMessages(SESSION))[1]?.origin).toStrictEqual({ kind: 'task-notification' });
    }
  });
});

describe('a queued note of a task', () => {
  const kind = 'task-notification';
  const [, put] = places[1] ?? [];

  test.each([
    ['that its attachment names', undefined, 'b', 'b'],
    ['of its origin', 'a', 'b', 'a'],
    ['of its attachment, when that of its origin has another form', 'a b', 'b', 'b'],
    ['not at all, when neither has its form', 'a b', 5, undefined],
  ])('has the run %s', async (_, own, runId, shown) => {
    for (const more of [{ origin: { kind, runId: own } }, ...(own === undefined ? [{ commandMode: kind }] : [])]) {
      put?.({ ...more, runId });
      const origin = shown === undefined ? { kind } : { kind, runId: shown };
      expect((await getSessionMessages(SESSION))[1]?.origin).toStrictEqual(origin);
    }
  });
});
