import { summaryOf } from 'claudewire';
import { scriptedCli } from 'claudewire/testing';
import { expect, test } from 'vitest';
import { telemetry } from './helpers/telemetry.js';

test('metrics say how long things took, what they used and what they cost, without names that a model makes up', async () => {
  const { metrics, spans } = telemetry();
  await using cli = scriptedCli(
    ({ prompt, init, partialText, toolUse, toolResult, result }) => [
      prompt(),
      init(),
      ...partialText('Four.'),
      toolUse('made-up-name', {}),
      toolResult('x', { isError: true }),
      result('Done.'),
    ],
    { inProcess: true },
  );
  const { usage, costUsd } = await summaryOf(cli.query({ prompt: 'Go.', options: { includePartialMessages: true } }));
  await expect.poll(() => spans.named('invoke_agent').length).toBe(1);
  const all = await metrics();
  const durations = all.get('gen_ai.client.operation.duration')?.map(({ attributes }) => attributes);
  expect(durations).toContainEqual(
    expect.objectContaining({ 'gen_ai.operation.name': 'execute_tool', 'error.type': 'tool_error' }),
  );
  const operations = durations?.map((each) => Reflect.get(each, 'gen_ai.operation.name'));
  expect(new Set(operations)).toEqual(new Set(['invoke_agent', 'chat', 'execute_tool']));
  const tokens = all
    .get('gen_ai.client.token.usage')
    ?.map(({ attributes, value }) => [
      Reflect.get(attributes, 'gen_ai.token.type'),
      Reflect.get(value as object, 'sum'),
    ]);
  expect(tokens).toEqual([
    ['input', (usage.inputTokens ?? 0) + (usage.cachedTokens ?? 0)],
    ['output', usage.outputTokens],
  ]);
  expect(all.get('claudewire.cost')).toMatchObject([{ value: costUsd }]);
  expect(all.get('gen_ai.client.operation.time_to_first_chunk')).toHaveLength(1);
  expect(all.get('claudewire.queue.length')).toMatchObject([{ value: 0 }]);
  expect(all.get('claudewire.control.duration')?.map(({ attributes }) => attributes)).toContainEqual({
    'claudewire.request.from': 'host',
    'claudewire.request.subtype': 'initialize',
  });
  expect(JSON.stringify([...all.values()])).not.toMatch(/made-up-name|toolu_/);
});
