import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { ClaudeClient, query, type SDKUserMessage } from '../../src/index.js';
import { BOTH, CURRENT } from './support/clis.js';
import { collect, resultTexts, toolResults } from './support/collect.js';
import { recordedShape, shapeOf } from './support/recorded.js';
import { expectNoProcess, expectVersion, setStage } from './support/stage.js';
import { bash } from './support/turns.js';
import { UserTurns } from './support/user-turns.js';

const WORDS = ['First answer.', 'Second answer.', 'Third answer.'];

describe.each(BOTH)('turns, CLI $version', (cli) => {
  const isCurrent = cli === CURRENT;

  test('a string prompt gets one answer, and the process ends by itself', async () => {
    const stage = await setStage(cli, { turns: ['Hello.'] });
    const { messages, error } = await collect(query({ prompt: 'Say hello.', options: stage.options() }));
    expect(error).toBeUndefined();
    expectVersion(stage, messages);
    expect(resultTexts(messages)).toEqual(['Hello.']);
    expect(stage.mainCalls()).toHaveLength(1);
    expect(stage.api.requests[0]?.headers['x-api-key']).toBe('<redacted>');
    if (isCurrent) expect(shapeOf(messages)).toEqual(recordedShape('hello'));
    await expectNoProcess(stage);
  });

  test('streaming input carries three turns through one process', async () => {
    const stage = await setStage(cli, { turns: WORDS });
    const prompt = new UserTurns('One.', 'Two.', 'Three.');
    const { messages, error } = await collect(query({ prompt, options: stage.options() }), (message) => {
      if (message.type === 'result') prompt.next();
    });
    expect(error).toBeUndefined();
    expectVersion(stage, messages);
    expect(resultTexts(messages)).toEqual(WORDS);
    expect(stage.mainCalls()).toHaveLength(3);
    expect(new Set(messages.map((message) => message.session_id)).size).toBe(1);
    if (isCurrent) expect(shapeOf(messages)).toEqual(recordedShape('multi-turn'));
  });

  test('a message that is sent twice with one uuid holds nothing, with callbacks too (C-3)', async () => {
    const stage = await setStage(cli, { turns: WORDS });
    const uuid = randomUUID();
    const message: SDKUserMessage = {
      type: 'user',
      message: { role: 'user', content: 'One.' },
      parent_tool_use_id: null,
      uuid,
    };
    let answered = (): void => {};
    const answer = new Promise<void>((resolve) => {
      answered = resolve;
    });
    async function* twice() {
      yield message;
      await answer;
      yield message;
    }
    const canUseTool = async () => ({ behavior: 'allow' as const });
    const { messages, error } = await collect(
      query({ prompt: twice(), options: stage.options({ canUseTool }) }),
      ({ type }) => {
        if (type === 'result') answered();
      },
    );
    expect(error).toBeUndefined();
    expect(resultTexts(messages)[0]).toBe(WORDS[0]);
    await expectNoProcess(stage);
  });

  test('a client asks three times and is asked what the server told it', async () => {
    const stage = await setStage(cli, { turns: WORDS });
    await using client = new ClaudeClient(stage.options());
    await client.connect();
    expect(await client.getServerInfo()).toHaveProperty('commands');
    const answers: unknown[] = [];
    for (const question of ['One.', 'Two.', 'Three.']) {
      await client.query(question);
      const { messages } = await collect(client.receiveResponse());
      expectVersion(stage, messages);
      answers.push(...resultTexts(messages));
    }
    expect(answers).toEqual(WORDS);
    await client.disconnect();
    await expectNoProcess(stage);
  });

  test('partial messages show every block as it grows', async () => {
    const stage = await setStage(cli, {
      turns: [
        { blocks: [{ type: 'text', text: 'I will print a word. ' }, ...bash('echo one', 'Print one').blocks] },
        'It printed the word one.',
      ],
    });
    const { messages, error } = await collect(
      query({
        prompt: 'Print.',
        options: stage.options({ includePartialMessages: true, allowedTools: ['Bash(echo:*)'] }),
      }),
    );
    expect(error).toBeUndefined();
    expectVersion(stage, messages);
    expect(toolResults(messages)).toEqual([{ text: 'one', isError: false }]);
    expect(stage.mainCalls()).toHaveLength(2);
    const streamed = messages
      .flatMap((message) => (message.type === 'stream_event' ? [message.event] : []))
      .map((event) =>
        event.type === 'content_block_delta' && event.delta.type === 'text_delta' ? event.delta.text : '',
      )
      .join('');
    expect(streamed).toBe('I will print a word. It printed the word one.');
    if (isCurrent) expect(shapeOf(messages)).toEqual(recordedShape('partial-messages'));
  });
});
