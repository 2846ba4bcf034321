/** Where a fork that is cut at a message ends, and what it leaves out. */
import { expect, test } from 'vitest';
import { forkSession } from '../../src/transcripts/fork-session.js';
import { assistant, type Entry, linked, SESSION, user, useSessionFolder, uuid } from './files/session-folder.js';

const folder = useSessionFolder();
const boundary = (n: number, logicalParent: number, fields: Entry = {}) =>
  linked('system', n, null, { subtype: 'compact_boundary', logicalParentUuid: uuid(logicalParent), ...fields });
const summary = (n: number, parent: number) => user(n, parent, 's', { isCompactSummary: true });
const queued = (n: number, parent: number) =>
  linked('attachment', n, parent, {
    attachment: { type: 'queued_command', prompt: 'q', commandMode: 'prompt', source_uuid: uuid(109) },
  });

/** The entries that a fork at `upTo` has, by their numbers in `entries`. */
async function copied(entries: readonly Entry[], upTo: number): Promise<number[]> {
  folder.put(entries);
  const { sessionId } = await forkSession(SESSION, { upToMessageId: uuid(upTo) });
  return folder.lines(folder.path(sessionId)).flatMap(({ forkedFrom }) => {
    const from = forkedFrom as { messageUuid: string } | undefined;
    return from === undefined ? [] : [Number(from.messageUuid.slice(-12))];
  });
}

test('at a boundary it ends at the message before it, not on a branch that was left', async () => {
  const entries = [user(1, null, 'a'), assistant(2, 1, 'b'), user(3, 1, 'left'), boundary(4, 2)];
  expect(await copied(entries, 4)).toEqual([1, 2]);
});

const turn = [user(1, null, 'a'), assistant(2, 1, 'b'), user(3, 2, 'c')];

test.each<[name: string, entries: Entry[], copied: number[]]>([
  ['seen both times', [queued(4, 3), assistant(5, 4, 'x'), queued(6, 5), assistant(7, 6, 'y')], [1, 2, 3, 4]],
  ['on a branch that was left', [queued(4, 1), queued(5, 3), assistant(6, 5, 'x')], [1, 2, 3, 4, 5]],
  ['then dropped and seen', [queued(4, 3), user(5, 4, 'b'), queued(6, 5), assistant(7, 6, 'y')], [1, 2, 3, 4, 5, 6]],
  ['and sent on a branch that was left', [queued(4, 3), user(109, 1, 'left'), assistant(5, 4, 'x')], [1, 2, 3, 4]],
])('at a prompt that was queued, %s, it ends at the copy that is shown', async (_, entries, numbers) => {
  expect(await copied([...turn, ...entries], 109)).toEqual(numbers);
});

const compacted = [...turn, boundary(4, 3), summary(5, 4), user(6, 5, 'd')];
const keeps = (headUuid: string) => ({
  compactMetadata: { preservedSegment: { headUuid, anchorUuid: uuid(5), tailUuid: uuid(3) } },
});

/** Each is what the official SDK 0.3.330 copies. */
test.each<[name: string, entries: Entry[], upTo: number, copied: number[]]>([
  ['that is in its conversation is kept', compacted, 6, [1, 2, 3, 4, 5, 6]],
  ['that it was rewound behind is left out', [...compacted, user(7, 2, 'e')], 7, [1, 2, 3, 7]],
  [
    'that it was rewound behind is left out with all that follows, and nothing else',
    [...compacted, linked('progress', 8, 6, {}), user(9, 8, 'f'), user(10, 1, 'left'), user(7, 2, 'e')],
    7,
    [1, 2, 3, 10, 7],
  ],
  [
    'that a later one of its conversation makes void is kept',
    [...compacted, user(7, 2, 'e'), boundary(8, 7), summary(9, 8), user(10, 9, 'f')],
    10,
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
  ],
  [
    'after the one of its conversation is left out',
    [...compacted, boundary(7, 6), summary(8, 7), user(9, 6, 'e')],
    9,
    [1, 2, 3, 4, 5, 6, 9],
  ],
  [
    'that kept the message it was rewound to is kept',
    [...turn, boundary(4, 3, keeps(uuid(2))), summary(5, 4), user(6, 5, 'd'), user(7, 3, 'e')],
    7,
    [1, 2, 3, 4, 5, 6, 7],
  ],
  [
    'of the branch that it is cut on is kept',
    [...compacted, user(7, 2, 'e'), user(8, 6, 'f')],
    8,
    [1, 2, 3, 4, 5, 6, 7, 8],
  ],
])('a compaction %s', async (_, entries, upTo, numbers) => {
  expect(await copied(entries, upTo)).toEqual(numbers);
});

test('a fork that ends at the summary does not tell the size with the messages that were kept', async () => {
  const metadata = { ...keeps(uuid(2)).compactMetadata, preTokens: 9, postTokens: 5 };
  const entries = [...turn, boundary(4, 3, { compactMetadata: metadata }), summary(5, 4), user(6, 5, 'd')];
  folder.put(entries);
  const metadataOf = async (upTo: number) => {
    const { sessionId } = await forkSession(SESSION, { upToMessageId: uuid(upTo) });
    return folder.lines(folder.path(sessionId)).find(({ subtype }) => subtype === 'compact_boundary')?.compactMetadata;
  };
  expect(await metadataOf(5)).toEqual({ preTokens: 9 });
  expect(await metadataOf(6)).toMatchObject({ preTokens: 9, postTokens: 5, preservedSegment: {} });
});
