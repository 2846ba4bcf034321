import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { getSessionMessages } from '../../src/transcripts/session-messages.js';
import '../helpers/property-seed.js';
import {
  assistant,
  type Entry,
  linked,
  numbers,
  SESSION,
  user,
  useSessionFolder,
  uuid,
} from './files/session-folder.js';

const folder = useSessionFolder();
const system = (n: number, parent: number | null, subtype: string, fields: Entry = {}) =>
  linked('system', n, parent, { subtype, ...fields });
const boundary = (n: number, fields: Entry = {}) =>
  system(n, null, 'compact_boundary', { compactMetadata: { trigger: 'auto', ...fields } });
const summary = (n: number, parent: number) => user(n, parent, 's', { isCompactSummary: true });
const call = (n: number, parent: number, message: string, id: string) =>
  linked('assistant', n, parent, {
    message: { id: message, content: [{ type: 'tool_use', id, name: 'Read', input: {} }] },
  });
const result = (n: number, parent: number, id: string) => user(n, parent, [{ type: 'tool_result', tool_use_id: id }]);
const TIME = '2026-01-01T00:59:00.000Z';
const kept = { headUuid: uuid(3), anchorUuid: uuid(6), tailUuid: uuid(4) };
const turns = [user(1, null, 'a'), assistant(2, 1, 'b'), user(3, 2, 'c'), assistant(4, 3, 'd')];

const conversations: readonly {
  readonly name: string;
  readonly lines: readonly (Entry | string)[];
  readonly chain: readonly number[];
}[] = [
  { name: 'a plain conversation', lines: turns, chain: [1, 2, 3, 4] },
  {
    name: 'of two branches the one that ends later in the file (PY-290)',
    lines: [user(1, null, 'a'), assistant(2, 1, 'old'), user(3, 1, 'new'), assistant(4, 3, 'c')],
    chain: [1, 3, 4],
  },
  {
    name: 'the branch that goes on, also when it began first (PY-290)',
    lines: [user(1, null, 'a'), user(2, 1, 'b'), user(3, 1, 'c'), assistant(4, 2, 'd')],
    chain: [1, 2, 4],
  },
  {
    name: 'meta, sidechain and teammate entries are left out (PY-291)',
    lines: [
      ...turns,
      user(5, 4, 'm', { isMeta: true }),
      assistant(6, 5, 's', { isSidechain: true }),
      assistant(7, 5, 't', { teamName: 't' }),
    ],
    chain: [1, 2, 3, 4],
  },
  {
    name: 'after a compaction it begins with the summary (PY-291)',
    lines: [...turns, boundary(5), summary(6, 5), user(7, 6, 'e')],
    chain: [6, 7],
  },
  {
    name: 'messages that a compaction kept stand behind its summary',
    lines: [...turns, boundary(5, { preservedSegment: kept }), summary(6, 5), user(7, 6, 'e')],
    chain: [6, 3, 4, 7],
  },
  {
    name: 'kept messages given as a list, of which the last goes on',
    lines: [
      ...turns,
      boundary(5, { preservedMessages: { anchorUuid: uuid(6), uuids: [uuid(3), uuid(4)] } }),
      summary(6, 5),
      user(7, 4, 'e'),
    ],
    chain: [6, 3, 4, 7],
  },
  {
    name: 'a compaction that names messages nobody wrote keeps nothing',
    lines: [
      ...turns,
      boundary(5, { preservedSegment: { ...kept, tailUuid: uuid(99) } }),
      summary(6, 5),
      user(7, 6, 'e'),
    ],
    chain: [6, 7],
  },
  { name: 'a cycle ends (PY-292)', lines: [user(1, 2, 'a'), assistant(2, 1, 'b'), user(3, 2, 'c')], chain: [1, 2, 3] },
  { name: 'a conversation that is nothing but a cycle', lines: [user(1, 2, 'a'), assistant(2, 1, 'b')], chain: [] },
  {
    name: 'broken lines and lines that are no entries are skipped (PY-293)',
    lines: [user(1, null, 'a'), '{"type":"user",', '[]', 'null', '7', assistant(2, 1, 'b')],
    chain: [1, 2],
  },
  {
    name: 'NULs in front of a line, as a machine without power leaves them, are passed over',
    lines: [user(1, null, 'a'), `\0\0\0${JSON.stringify(assistant(2, 1, 'b'))}`, '\0\0', user(3, 2, 'c')],
    chain: [1, 2, 3],
  },
  {
    name: 'parallel tool calls stand together, then their results',
    lines: [
      user(1, null, 'a'),
      call(2, 1, 'm', 'x'),
      call(3, 2, 'm', 'y'),
      result(4, 2, 'x'),
      result(5, 3, 'y'),
      assistant(6, 5, 'd'),
    ],
    chain: [1, 2, 3, 4, 5, 6],
  },
  {
    name: 'results that were written at one time come in the order of their calls',
    lines: [
      ...[user(1, null, 'a'), call(2, 1, 'm', 'x'), call(3, 2, 'm', 'y'), call(4, 3, 'm', 'z')],
      ...[result(5, 4, 'z'), result(6, 3, 'y'), result(7, 2, 'x')].map((line) => ({ ...line, timestamp: TIME })),
      assistant(8, 6, 'd'),
    ],
    // The one that the conversation goes on from is the last.
    chain: [1, 2, 3, 4, 7, 5, 6, 8],
  },
  {
    name: 'a call that was cut has no result of a call with its id on another branch',
    lines: [
      ...[user(1, null, 'a'), call(2, 1, 'm1', 'call_0'), result(3, 2, 'call_0'), assistant(4, 3, 'b')],
      ...[user(5, 1, 'c'), call(6, 5, 'm2', 'call_0')],
    ],
    chain: [1, 5, 6],
  },
  {
    name: 'behind a compaction a cut call has no result from before it',
    lines: [
      ...[user(1, null, 'a'), call(2, 1, 'm1', 'call_0'), result(3, 2, 'call_0'), assistant(4, 3, 'b')],
      ...[boundary(5), summary(6, 5), user(7, 6, 'c'), call(8, 7, 'm2', 'call_0')],
    ],
    chain: [6, 7, 8],
  },
  {
    name: 'parallel calls have their own results when another branch used their ids',
    lines: [
      ...[user(1, null, 'a'), call(2, 1, 'm1', 'call_0'), result(3, 2, 'call_0')],
      ...[user(4, 1, 'c'), call(5, 4, 'm2', 'call_0'), call(6, 5, 'm2', 'call_1')],
      ...[result(7, 5, 'call_0'), result(8, 6, 'call_1'), assistant(9, 8, 'd')],
    ],
    chain: [1, 4, 5, 6, 7, 8, 9],
  },
  {
    name: 'a result without its parent follows the only call with its id',
    lines: [
      ...[user(1, null, 'a'), call(2, 1, 'm', 'x'), call(3, 2, 'm', 'y')],
      ...[result(4, 99, 'x'), result(5, 3, 'y'), assistant(6, 5, 'd')],
    ],
    chain: [1, 2, 3, 4, 5, 6],
  },
  {
    name: 'of two results of one call the first one, also when it was written again later',
    lines: [result(1, 99, 'x'), result(2, 99, 'x'), result(1, 99, 'x'), user(3, null, 'a'), call(4, 3, 'm', 'x')],
    chain: [3, 4, 1],
  },
  {
    name: 'an entry that was written twice counts as it is the second time',
    lines: [user(1, null, 'a'), assistant(2, 1, 'b'), user(1, null, 'A')],
    chain: [1, 2],
  },
];

describe('getSessionMessages', () => {
  for (const { name, lines, chain } of conversations) {
    test(`${name} (TS-182)`, async () => {
      folder.put(lines);
      expect(numbers(await getSessionMessages(SESSION))).toEqual(chain);
    });
  }

  test('a message has the fields of the official one (TS-182)', async () => {
    folder.put([user(1, null, 'a', { isVisibleInTranscriptOnly: true, origin: { kind: 'human' } })]);
    expect(await getSessionMessages(SESSION)).toEqual([
      {
        type: 'user',
        uuid: uuid(1),
        session_id: SESSION,
        message: { role: 'user', content: 'a' },
        parent_tool_use_id: null,
        parent_agent_id: null,
        is_meta: true,
        timestamp: '2026-01-01T00:00:01.000Z',
        origin: { kind: 'human' },
      },
    ]);
  });

  test('system entries are shown on demand', async () => {
    folder.put([user(1, null, 'a'), system(2, 1, 'informational'), assistant(3, 2, 'b')]);
    expect(numbers(await getSessionMessages(SESSION))).toEqual([1, 3]);
    const all = await getSessionMessages(SESSION, { includeSystemMessages: true });
    expect(numbers(all)).toEqual([1, 2, 3]);
  });

  const pages: readonly [limit: number | undefined, offset: number | undefined, number[]][] = [
    [2, undefined, [1, 2]],
    [1, 2, [3]],
    [0, 1, [2, 3, 4]],
    [-1, undefined, [1, 2, 3, 4]],
    [undefined, 9, []],
    [2, -1, [1, 2]],
  ];
  test.each(pages)('limit %s and offset %s', async (limit, offset, chain) => {
    folder.put(turns);
    const options = { ...(limit === undefined ? {} : { limit }), ...(offset === undefined ? {} : { offset }) };
    expect(numbers(await getSessionMessages(SESSION, options))).toEqual(chain);
  });

  test.each(['../../x', 'not-a-uuid', '', `${SESSION}\n`, uuid(9)])(
    'the id %j has no messages (PY-289)',
    async (id) => {
      folder.put(turns);
      expect(await getSessionMessages(id)).toEqual([]);
    },
  );

  test('a long transcript is read a second time, line by line, with the same messages', async () => {
    const text = 'ü'.repeat(50_000);
    const entries = Array.from({ length: 200 }, (_, index) =>
      user(index + 1, index === 0 ? null : index, `${index} ${text}`),
    );
    folder.put([...entries.slice(0, 190), '{"broken', ...entries.slice(190)]);
    const messages = await getSessionMessages(SESSION);
    expect(numbers(messages)).toEqual(numbers(entries as { uuid: string }[]));
    expect(messages.map(({ message }) => message)).toEqual(entries.map(({ message }) => message));
    const page = await getSessionMessages(SESSION, { limit: 2, offset: 197 });
    expect(numbers(page)).toEqual([198, 199]);
  });

  test('any links: the chain follows the links, holds nothing twice, and ends', async () => {
    const links = fc.array(fc.option(fc.integer({ min: 1, max: 12 }), { freq: 6 }), { minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(links, async (parents) => {
        folder.put(parents.map((parent, index) => user(index + 1, parent, 'x')));
        const chain = numbers(await getSessionMessages(SESSION));
        expect(new Set(chain).size).toBe(chain.length);
        chain.slice(1).forEach((n, index) => {
          expect(parents[n - 1]).toBe(chain[index]);
        });
      }),
      { numRuns: 60 },
    );
  });
});
