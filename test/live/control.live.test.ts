import { describe, expect, test } from 'vitest';
import { ClaudeClient, outcomeOf, query } from '../../src/index.js';
import { createDeferred } from '../../src/util/deferred.js';
import { BOTH, CURRENT } from './support/clis.js';
import { collect, results, resultTexts } from './support/collect.js';
import { firstTurn, recordedShape, shapeOf } from './support/recorded.js';
import { expectVersion, setStage } from './support/stage.js';
import { UserTurns } from './support/user-turns.js';

/** Would take minutes; only an interrupt ends it in time. */
const ENDLESS = { text: 'word '.repeat(10_000), chunkSize: 5, chunkMs: 20 };

describe.each(BOTH)('control requests, CLI $version', (cli) => {
  test('an interrupt ends the turn while text streams, and the next one runs', async () => {
    const left = createDeferred<void>();
    const stage = await setStage(cli, {
      turns: [ENDLESS, 'After.'],
      onEvent: ({ event }) => {
        if (event === 'api_client_closed') left.resolve();
      },
    });
    const prompt = new UserTurns('Talk.', 'Still there?');
    const run = query({ prompt, options: stage.options({ includePartialMessages: true }) });
    let interrupted: Promise<unknown> | undefined;
    const { messages, error } = await collect(run, (message) => {
      if (message.type === 'result') prompt.next();
      if (message.type === 'stream_event' && message.event.type === 'content_block_delta') {
        interrupted ??= run.interrupt();
      }
    });
    expect(error).toBeUndefined();
    await interrupted;
    await left.promise;
    expectVersion(stage, messages);
    expect(results(messages).map((result) => result.subtype)).toEqual(['error_during_execution', 'success']);
    const [outcome] = results(messages).map((result) => outcomeOf(result).kind);
    expect(outcome).not.toBe('completed');
    expect(resultTexts(messages).at(-1)).toBe('After.');
    expect(stage.mainCalls()).toHaveLength(2);
    if (cli === CURRENT) {
      // The oldest release gives no reason: its result says `is_error: false` and little else.
      expect(outcome).toBe('interrupted');
      const recorded = firstTurn(recordedShape('interrupt-streaming-partial'));
      expect(firstTurn(shapeOf(messages))).toEqual(recorded);
    }
  });

  test('set_model changes the model of the next turn', async () => {
    const stage = await setStage(cli, { turns: ['One.', 'Two.'] });
    await using client = new ClaudeClient(stage.options());
    await client.connect('A.');
    const first = await collect(client.receiveResponse());
    expectVersion(stage, first.messages);
    await client.setModel('sonnet-test-model');
    await client.query('B.');
    const second = await collect(client.receiveResponse());
    expect(resultTexts(second.messages)).toEqual(['Two.']);
    const [before, after, ...more] = stage.mainCalls();
    expect(before).not.toBe('sonnet-test-model');
    expect([after, ...more]).toEqual(['sonnet-test-model']);
  });

  test('set_permission_mode is in force from the next turn', async () => {
    const stage = await setStage(cli, { turns: ['One.', 'Two.'] });
    await using client = new ClaudeClient(stage.options());
    await client.connect('A.');
    const first = await collect(client.receiveResponse());
    expect(modes(first.messages)).toEqual(['default']);
    await client.setPermissionMode('acceptEdits');
    await client.query('B.');
    const second = await collect(client.receiveResponse());
    expect(modes(second.messages)).toEqual(['acceptEdits']);
    expect(stage.mainCalls()).toHaveLength(2);
  });
});

function modes(messages: Awaited<ReturnType<typeof collect>>['messages']): readonly unknown[] {
  return messages.flatMap((message) =>
    message.type === 'system' && message.subtype === 'init' ? [message.permissionMode] : [],
  );
}
