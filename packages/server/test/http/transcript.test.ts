/** The newest part of a transcript (V-16). */
import { expect, test } from 'vitest';
import { createHandler } from '../../src/http/handler.js';
import { described } from '../helpers/described.js';
import { history } from '../helpers/history.js';
import { cliFor, hostOn, NONE } from '../helpers/hosts.js';

test.each([
  ['limit=3&fromEnd=0', [7, 10]],
  ['limit=3&fromEnd=3', [4, 7]],
  ['limit=3&fromEnd=9', [0, 1]],
  ['limit=3&fromEnd=10', [0, 0]],
  ['limit=3&fromEnd=99', [0, 0]],
  ['limit=3', [0, 3]],
  ['limit=3&offset=2', [2, 5]],
] as const)('%s', async (query, [start, end]) => {
  const { key, cwd, said, options } = await history({ turns: 5 });
  const host = hostOn(cliFor(NONE), options, cwd);
  const handler = described(createHandler({ host }));
  const url = `http://localhost/conversations/${key.id}/transcript?${query}`;
  const answer = await handler(new Request(url), { remoteAddress: '127.0.0.1' });
  const { messages } = (await answer.json()) as { messages: { message: { content: string | { text: string }[] } }[] };
  const texts = messages.map(({ message: { content } }) => (typeof content === 'string' ? content : content[0]?.text));
  expect(texts).toEqual(said.slice(start, end));
});
