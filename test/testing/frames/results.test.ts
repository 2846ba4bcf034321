import { expect, test } from 'vitest';
import { UsageCounter } from '../../../src/parser/usage-counter.js';
import { createFrames } from '../../../src/testing/index.js';

const frames = () => createFrames({ model: 'm' });
const { usage } = frames().result('x');
const large = {
  ...usage,
  input_tokens: 7_000,
  output_tokens: 900,
  cache_read_input_tokens: 60,
  cache_creation_input_tokens: 40,
};
const used = { inputTokens: 7_000, outputTokens: 900, cachedTokens: 100 };

test.each([
  ['result', () => frames().result('x', { usage: large, total_cost_usd: 2 })],
  ['errorResult', () => frames().errorResult('error_during_execution', undefined, { usage: large, total_cost_usd: 2 })],
])('%s: what is said of usage and cost is what counts', (_name, build) => {
  const counter = new UsageCounter();
  counter.onMessage(build());
  expect(counter.usage).toEqual(used);
  expect(counter.byModel).toEqual({ m: { ...used, costUsd: 2 } });
});

test('a table of models that is given stays', () => {
  const modelUsage = { other: { ...frames().result('x').modelUsage.m, inputTokens: 3 } };
  const frame = frames().result('x', { usage: large, modelUsage: modelUsage as never });
  expect(frame.modelUsage).toEqual(modelUsage);
});
