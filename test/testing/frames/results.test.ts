import { expect, test } from 'vitest';
import { isResultMessage } from '../../../src/parser/guards.js';
import type { SDKResultMessage } from '../../../src/parser/message.js';
import { UsageCounter } from '../../../src/parser/usage-counter.js';
import { createFrames } from '../../../src/testing/index.js';
import { outFrames } from '../../recordings/load.js';

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

const countsOf = (result: SDKResultMessage) => {
  const { inputTokens, outputTokens, costUSD } = Object.values(result.modelUsage)[0] ?? {};
  const [since] = Object.values(result.model_usage_since_last_result ?? {});
  return { inputTokens, outputTokens, costUSD, total: result.total_cost_usd, since, own: result.usage.output_tokens };
};

/** What a recording's results are to each other: totals that grow by what each turn added. */
function expectToCountUp(results: readonly SDKResultMessage[]): void {
  let before = { inputTokens: 0, outputTokens: 0, total: 0, apiMs: 0 };
  for (const result of results) {
    const { inputTokens = 0, outputTokens = 0, costUSD, total, since, own } = countsOf(result);
    expect(since?.inputTokens).toBe(inputTokens - before.inputTokens);
    expect(since?.outputTokens).toBe(outputTokens - before.outputTokens);
    expect(own).toBe(since?.outputTokens);
    expect(since?.costUSD).toBeCloseTo(total - before.total, 10);
    expect(costUSD).toBeCloseTo(total, 10);
    expect(result.duration_api_ms).toBeGreaterThan(before.apiMs);
    expect(result.num_turns).toBe(1);
    before = { inputTokens, outputTokens, total, apiMs: result.duration_api_ms };
  }
}

test.each(['multi-turn', 'resume'])('results count up, as those of the recording %s do', (name) => {
  const recorded = outFrames(name).filter(isResultMessage);
  const { result } = frames();
  expect(recorded.length).toBeGreaterThan(1);
  expectToCountUp(recorded);
  expectToCountUp(recorded.map(() => result('x')));
});

test.each(['api_error', 'prompt_too_long'] as const)(
  'a turn that ends with %s costs nothing, as recorded',
  (reason) => {
    const { result } = frames();
    const failed = result('Not answered', { is_error: true, terminal_reason: reason });
    expect(failed).toMatchObject({ total_cost_usd: 0, duration_api_ms: 0, modelUsage: {} });
    expect(failed.model_usage_since_last_result).toEqual({});
    expect(failed.usage).toMatchObject({ input_tokens: 0, output_tokens: 0 });
    const next = result('Answered');
    expect(next.total_cost_usd).toBe(0.001);
    const again = result('Not answered', { is_error: true, terminal_reason: reason });
    expect([again.total_cost_usd, again.modelUsage]).toEqual([0.001, next.modelUsage]);
  },
);

test('a failed call shows words of the CLI itself, as recorded: no model, no tokens', () => {
  const items = frames().outcome.overloaded();
  const shown = JSON.stringify(items);
  expect(shown).toContain('"model":"<synthetic>"');
  expect(shown).not.toMatch(/"input_tokens":[1-9]/);
});

test('every turn of one process costs something', () => {
  const { result, errorResult } = frames();
  const counter = new UsageCounter();
  for (const each of [result('x'), errorResult('error_max_turns'), result('y')]) counter.onMessage(each);
  expect(counter.usage).toMatchObject({ inputTokens: 30, outputTokens: 15 });
  expect(counter.exactCostUsd).toBeCloseTo(0.003, 10);
});

test('a total that is given stays, and the next one goes on from it', () => {
  const { result } = frames();
  const given = result('x', { total_cost_usd: 2 });
  const next = result('y');
  expect([given.total_cost_usd, next.total_cost_usd]).toEqual([2, 2.001]);
  expect(next.model_usage_since_last_result?.m?.costUSD).toBe(0.001);
  const table = { m: { ...next.modelUsage.m, outputTokens: 40 } } as never;
  expect(result('z', { modelUsage: table }).model_usage_since_last_result?.m?.outputTokens).toBe(30);
  expect(result('z').modelUsage.m?.outputTokens).toBe(45);
});

test('a process counts from nothing, unless it resumes', () => {
  const { process, result } = frames();
  const first = result('x');
  process({ argv: { '--resume': '$session' } });
  const resumed = result('x');
  expect([first.total_cost_usd, resumed.total_cost_usd]).toEqual([0.001, 0.002]);
  process({ argv: { '--resume': '$absent' } });
  expect(result('x').total_cost_usd).toBe(0.001);

  const counter = new UsageCounter({ resumed: true });
  counter.onMessage(resumed);
  expect(counter.exactCostUsd).toBe(0.001);
});
