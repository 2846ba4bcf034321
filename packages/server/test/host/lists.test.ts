import { expect, test } from 'vitest';
import { createHandler } from '../../src/http/handler.js';
import { InMemoryConversationStore } from '../../src/stores/memory-conversation-store.js';
import { described } from '../helpers/described.js';
import { cliFor, hostOn, NONE } from '../helpers/hosts.js';

const idOf = (index: number): string => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;

/** A host with conversations of `ada` that were changed at 0, 1, 2 and so on. */
async function hostWith(count: number) {
  const store = new InMemoryConversationStore();
  for (let index = 0; index < count; index += 1) {
    await store.create({ tenant: 'ada', id: idOf(index), createdAt: 0, updatedAt: index });
  }
  return hostOn(cliFor(NONE), { store });
}

test('the pages of a list have each conversation once, and the last one says that it is the last', async () => {
  const host = await hostWith(6);
  const first = await host.list({ tenant: 'ada', limit: 3 });
  expect(first.conversations.map(({ updatedAt }) => updatedAt)).toEqual([5, 4, 3]);
  const second = await host.list({ tenant: 'ada', limit: 3, after: first.next! });
  expect(second.conversations.map(({ updatedAt }) => updatedAt)).toEqual([2, 1, 0]);
  expect(second).not.toHaveProperty('next');
  expect(await host.list({ tenant: 'ada' })).not.toHaveProperty('next');
});

test('the route gives pages, and without `after` the first one', async () => {
  const host = await hostWith(5);
  const handler = described(createHandler({ host, authenticate: () => 'ada' }));
  const get = async (query: string) => {
    const response = await handler(new Request(`http://localhost/conversations${query}`));
    return (await response.json()) as { conversations: { id: string }[]; next?: string };
  };
  const ids: string[] = [];
  for (let next: string | undefined = ''; next !== undefined; ) {
    const page = await get(next === '' ? '?limit=2' : `?limit=2&after=${next}`);
    ids.push(...page.conversations.map(({ id }) => id));
    next = page.next;
  }
  expect(ids).toEqual([4, 3, 2, 1, 0].map(idOf));
  expect((await get('')).conversations).toHaveLength(5);
});

const cursorOf = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const HOSTILE: readonly unknown[] = [
  ...['', 'x', '\0', '__proto__', '\ud800', 'A'.repeat(100_000), 'bnVsbA', '..%2f', cursorOf(null), cursorOf({})],
  ...[
    cursorOf([1]),
    cursorOf([1, 'x']),
    cursorOf(['1', idOf(1)]),
    cursorOf([1e300, idOf(1)]),
    cursorOf([1.5, idOf(1)]),
  ],
  ...[`${cursorOf([1, idOf(1)])}=`, `${cursorOf([1, idOf(1)])} `, cursorOf([1, idOf(1), 2]), cursorOf([[1], idOf(1)])],
  ...[7, null, {}, [], true],
];

test.each(HOSTILE.map((after) => [after]))('a cursor that no page gave is refused: %j', async (after) => {
  const host = await hostWith(3);
  const failure = { code: 'invalid', message: expect.stringContaining('`next` of the page before') };
  await expect(host.list({ tenant: 'ada', after: after as string })).rejects.toMatchObject(failure);
  if (typeof after !== 'string') return;
  const handler = described(createHandler({ host, authenticate: () => 'ada' }));
  const url = new URL('http://localhost/conversations');
  url.searchParams.set('after', after);
  const response = await handler(new Request(url));
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ code: 'invalid' });
});
