import { expect, test } from 'vitest';
import { isAssistantMessage, type SDKMessage, summaryOf, textOf } from '../../../src/index.js';
import { createFrames, scriptedCli } from '../../../src/testing/index.js';

async function* each<T>(items: readonly T[]): AsyncGenerator<T, void> {
  yield* items;
}

async function textsOf(messages: readonly SDKMessage[]): Promise<string[]> {
  const texts: string[] = [];
  for await (const text of textOf(each(messages))) texts.push(text);
  return texts;
}

const idsOf = (messages: readonly SDKMessage[]) => [
  ...new Set(
    messages.flatMap((message) => {
      if (isAssistantMessage(message)) return [message.message.id];
      return message.type === 'stream_event' && message.event.type === 'message_start'
        ? [message.event.message.id]
        : [];
    }),
  ),
];

test('partialText() and assistantText() of the same text are one answer', async () => {
  const { partialText, assistantText } = createFrames();
  const answer = [...partialText(['Fo', 'ur.']), assistantText('Four.')];
  expect(idsOf(answer)).toHaveLength(1);
  expect(await textsOf(answer)).toEqual(['Fo', 'ur.']);
  expect(await textsOf([...answer, assistantText('Four.')])).toEqual(['Fo', 'ur.', 'Four.']);
});

test('a text that was not streamed, or with a message of its own, is an answer of its own', () => {
  const { partialText, assistantText } = createFrames();
  expect(idsOf([...partialText('Four.'), assistantText('Five.')])).toHaveLength(2);
  expect(idsOf([...partialText('Four.'), assistantText('x'), assistantText('Four.')])).toHaveLength(3);
});

test('streamed() gives each text once, in one answer, and a result repeats the text', async () => {
  const { streamed, assistantThinking, toolUse, result } = createFrames();
  const answer = streamed(assistantThinking('Hm.'), ['I will ', 'look.'], 'Now.', toolUse('Bash', { command: 'ls' }));
  expect(idsOf(answer)).toHaveLength(1);
  expect(new Set(answer.filter(isAssistantMessage).map(({ request_id }) => request_id)).size).toBe(1);
  expect(await textsOf(answer)).toEqual(['I will ', 'look.', 'Now.']);
  expect(result().result).toBe('Now.');
});

test('the call of a streamed answer is the one that its permission and result are about', async () => {
  await using cli = scriptedCli(
    ({ prompt, init, streamed, toolUse, permission, toolResult, result }) => [
      ...[prompt(), init(), streamed('I will look.', toolUse('Bash', { command: 'ls' })), permission()],
      ...[toolResult('a.txt'), streamed('One file.'), result()],
    ],
    { inProcess: true },
  );
  const asked: unknown[] = [];
  const run = cli.query({
    prompt: 'Look.',
    options: {
      includePartialMessages: true,
      canUseTool: async (_tool, input, { toolUseID }) => {
        asked.push({ input, toolUseID });
        return { behavior: 'allow' };
      },
    },
  });
  expect((await summaryOf(run)).text).toBe('One file.');
  expect(asked).toEqual([{ input: { command: 'ls' }, toolUseID: 'toolu_1' }]);
});
