import { describe, expect, test } from 'vitest';
import { UsageCounter } from '../../src/parser/usage-counter.js';
import type { JsonObject } from '../../src/util/json.js';
import { messagesOf, processesOf } from '../recordings/load.js';

/** A count over one process of a recording, as it stood after each result. */
function countOf(recording: string, proc = 1, resumed = false) {
  const counter = new UsageCounter({ resumed });
  const process = processesOf(recording).find((each) => each.proc === proc);
  const afterResults: { usage: object; turn: object }[] = [];
  for (const message of messagesOf(process!)) {
    counter.onMessage(message);
    if (message.type === 'result') {
      afterResults.push({ usage: counter.usage, turn: counter.turnUsage });
    }
  }
  return { counter, afterResults };
}

const tokens = (inputTokens: number, outputTokens: number) => ({ inputTokens, outputTokens, cachedTokens: 0 });

const assistant = (id: string, usage: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: 'assistant',
  message: { id, model: 'm', usage },
  parent_tool_use_id: null,
  ...more,
});

describe('recorded runs', () => {
  test('each turn of a process counts what it used, though the table is a running total', () => {
    expect(countOf('multi-turn').afterResults).toEqual([
      { usage: tokens(10, 10), turn: tokens(10, 10) },
      { usage: tokens(20, 21), turn: tokens(10, 11) },
      { usage: tokens(30, 31), turn: tokens(10, 10) },
    ]);
  });

  for (const recording of ['resume', 'fork']) {
    test(`a run that resumes does not count what the session used before: ${recording}`, () => {
      expect(countOf(recording, 2, true).afterResults).toEqual([{ usage: tokens(10, 8), turn: tokens(10, 8) }]);
      expect(countOf(recording, 2, false).counter.usage, 'the table includes it').toEqual(tokens(20, 19));
    });
  }

  const unanswered = ['api-401', 'api-404-model', 'api-429-no-header', 'api-529-exhausted', 'api-connection-refused'];
  for (const recording of [...unanswered, 'api-prompt-too-long']) {
    test(`a turn that the model never answered is known to cost nothing: ${recording}`, () => {
      const { counter, afterResults } = countOf(recording);
      expect(afterResults).toHaveLength(1);
      expect([counter.exactCostUsd, counter.byModel]).toEqual([0, {}]);
    });
  }

  test('sub-agents count, and are told apart from the main thread', () => {
    const { counter } = countOf('subagent-foreground');
    expect(counter.usage).toEqual(tokens(40, 102));
    expect(counter.subagents).toEqual(tokens(20, 40));
    expect([...counter.bySubagent]).toEqual([['toolu_fake_0001', tokens(10, 1)]]);
  });

  test('a table that was begun anew counts whole', () => {
    const { counter } = countOf('slash-commands');
    expect(counter.usage).toEqual(tokens(30, 27));
  });

  test('what an interrupted turn used counts', () => {
    expect(countOf('interrupt-streaming').afterResults).toEqual([
      { usage: tokens(10, 53), turn: tokens(10, 53) },
      { usage: tokens(20, 62), turn: tokens(10, 9) },
    ]);
  });

  test('costs are by model', () => {
    expect(countOf('hello').counter.byModel).toEqual({ 'claude-opus-5-5': { ...tokens(10, 13), costUsd: 0.0003 } });
  });
});

describe('while a turn runs', () => {
  test('frames of one model message count once, with the largest value of each kind', () => {
    const counter = new UsageCounter();
    counter.onMessage(assistant('a', { input_tokens: 10, output_tokens: 1 }));
    counter.onMessage(assistant('a', { input_tokens: 10, output_tokens: 7 }));
    counter.onMessage(assistant('a', { input_tokens: 9, output_tokens: 5 }));
    counter.onMessage(assistant('b', { input_tokens: 1, output_tokens: 1 }));
    expect(counter.usage).toEqual({ inputTokens: 11, outputTokens: 8 });
    expect(counter.turnUsage).toEqual({});
    expect(counter.byModel).toEqual({ m: { inputTokens: 11, outputTokens: 8 } });
  });

  test('counts that no counter has do not make the sum infinite', () => {
    const counter = new UsageCounter();
    for (const id of ['a', 'b']) counter.onMessage(assistant(id, { input_tokens: 1.7e308, output_tokens: 2 }));
    expect(counter.usage).toEqual({ outputTokens: 4 });
  });

  test('sub-agents are in the sum, and cache reads and writes are one number', () => {
    const counter = new UsageCounter();
    counter.onMessage(assistant('a', { input_tokens: 1, cache_read_input_tokens: 5, cache_creation_input_tokens: 6 }));
    counter.onMessage(assistant('b', { input_tokens: 2 }, { parent_tool_use_id: 't' }));
    expect(counter.usage).toEqual({ inputTokens: 3, cachedTokens: 11 });
    expect([...counter.bySubagent]).toEqual([['t', { inputTokens: 2 }]]);
  });

  test('a message that goes on after the result of its turn is not counted again', () => {
    const counter = new UsageCounter();
    counter.onMessage(assistant('a', { input_tokens: 10, output_tokens: 1 }));
    counter.onMessage({ type: 'result', usage: { input_tokens: 10, output_tokens: 9 } });
    counter.onMessage(assistant('a', { input_tokens: 10, output_tokens: 1 }));
    expect(counter.usage).toEqual({ inputTokens: 10, outputTokens: 9 });
    counter.onMessage(assistant('b', { input_tokens: 5, output_tokens: 1 }));
    expect(counter.usage).toEqual({ inputTokens: 15, outputTokens: 10 });
  });
});

describe('what a result says', () => {
  const model = (inputTokens: unknown, outputTokens: unknown): JsonObject => ({
    inputTokens,
    outputTokens,
    cacheReadInputTokens: 1,
    cacheCreationInputTokens: 2,
  });
  const USAGE = { input_tokens: 1, output_tokens: 1 };

  test('the table counts before `usage`', () => {
    const counter = new UsageCounter();
    counter.onMessage({ type: 'result', usage: USAGE, modelUsage: { a: model(5, 6), b: model(7, 8) } });
    expect(counter.turnUsage).toEqual({ inputTokens: 12, outputTokens: 14, cachedTokens: 6 });
    expect(counter.usage).toEqual(counter.turnUsage);
  });

  const broken: readonly unknown[] = [
    undefined,
    null,
    {},
    [],
    'x',
    { a: null },
    { a: model('5', 6) },
    { a: model(-5, 6) },
    { a: { inputTokens: 5 } },
    { a: { ...model(5, 6), cacheReadInputTokens: 'x' } },
    { a: model(5, 6), b: {} },
  ];
  for (const modelUsage of broken) {
    test(`a table that is not well formed does not: ${JSON.stringify(modelUsage)}`, () => {
      const counter = new UsageCounter();
      counter.onMessage(assistant('x', { input_tokens: 9 }));
      counter.onMessage({ type: 'result', usage: USAGE, modelUsage });
      expect(counter.usage).toEqual({ inputTokens: 1, outputTokens: 1 });
    });
  }

  test('`usage` is the main thread’s: what sub-agents said is added', () => {
    const counter = new UsageCounter();
    counter.onMessage(assistant('x', { input_tokens: 9 }));
    counter.onMessage(assistant('y', { input_tokens: 5 }, { parent_tool_use_id: 't' }));
    counter.onMessage({ type: 'result', usage: USAGE });
    expect(counter.usage).toEqual({ inputTokens: 6, outputTokens: 1 });
  });

  for (const usage of [undefined, null, {}, { input_tokens: 'x' }, 'x']) {
    test(`nothing: the sum of the messages stays (${JSON.stringify(usage)})`, () => {
      const counter = new UsageCounter();
      counter.onMessage(assistant('x', { input_tokens: 9 }));
      counter.onMessage({ type: 'result', usage });
      expect(counter.turnUsage).toEqual({});
      expect(counter.usage).toEqual({ inputTokens: 9 });
    });
  }

  for (const odd of [{}, { type: 'assistant' }, { type: 'assistant', message: 'x' }, { type: 'x' }]) {
    test(`odd messages count nothing: ${JSON.stringify(odd)}`, () => {
      const counter = new UsageCounter();
      counter.onMessage(odd);
      expect(counter.usage).toEqual({});
    });
  }
});

describe('what the main thread did not use', () => {
  const row = (inputTokens: number, outputTokens: number) => ({ inputTokens, outputTokens });
  /** Usage of the main thread is 10 and 5; the table has more. */
  const turn = (table: object) => ({
    type: 'result',
    usage: { input_tokens: 10, output_tokens: 5 },
    modelUsage: table,
  });

  test('is the CLI’s own where no sub-agent was seen, such as its call for a title', () => {
    const counter = new UsageCounter();
    counter.onMessage(turn({ main: row(10, 5), small: row(7, 2) }));
    expect(counter.other).toEqual(tokens(7, 2));
    expect(counter.subagents).toEqual(tokens(0, 0));
    expect(counter.usage).toEqual(tokens(17, 7));
  });

  test.each([
    ['a message of its own', assistant('b', { input_tokens: 1 }, { parent_tool_use_id: 't' })],
    ['its start', { type: 'system', subtype: 'task_started', task_type: 'local_agent' }],
  ])('is the sub-agents’ from the turn on that has one, told by %s', (_, sign) => {
    const counter = new UsageCounter();
    counter.onMessage(turn({ main: row(10, 5), small: row(7, 2) }));
    counter.onMessage(sign);
    counter.onMessage(turn({ main: row(20, 10), small: row(7, 2), agent: row(30, 3) }));
    expect([counter.other, counter.subagents]).toEqual([tokens(7, 2), tokens(30, 3)]);
    // It may go on in the background.
    counter.onMessage(turn({ main: row(30, 15), small: row(7, 2), agent: row(34, 4) }));
    expect([counter.other, counter.subagents]).toEqual([tokens(7, 2), tokens(34, 4)]);
  });
});

describe('a total in US dollars that the table does not explain', () => {
  const zeros = { usage: { input_tokens: 0, output_tokens: 0 }, modelUsage: {} };
  const paid = { total_cost_usd: 0.5, usage: {}, modelUsage: { m: { inputTokens: 1, outputTokens: 1, costUSD: 0.5 } } };

  test.each<[string, boolean, readonly JsonObject[], number | undefined]>([
    ['and no usage', false, [{ total_cost_usd: 0.5 }], undefined],
    ['and zeros', false, [{ total_cost_usd: 0.5, ...zeros }], undefined],
    ['and zeros, in a resumed session', true, [{ total_cost_usd: 0.5, ...zeros }], undefined],
    ['in a later turn', false, [paid, { ...paid, total_cost_usd: 0.75 }], undefined],
    ['of earlier turns only', false, [paid, { ...zeros, total_cost_usd: 0.5 }], 0.5],
    ['of earlier turns only, after a result without one', false, [paid, zeros, { ...paid, ...zeros }], 0.5],
    ['of earlier runs only', true, [{ ...paid, model_usage_since_last_result: {} }], 0],
    ['of 0', false, [{ total_cost_usd: 0, ...zeros }], 0],
  ])('%s', (_, resumed, results, costUsd) => {
    const counter = new UsageCounter({ resumed });
    for (const result of results) counter.onMessage({ type: 'result', ...result });
    expect(counter.exactCostUsd).toBe(costUsd);
  });
});

describe('a table that the CLI was asked for', () => {
  const table = (inputTokens: number, outputTokens: number, costUSD = 0) => ({
    m: { inputTokens, outputTokens, costUSD },
  });
  const result = (inputTokens: number, outputTokens: number): JsonObject => ({
    type: 'result',
    usage: {},
    modelUsage: table(inputTokens, outputTokens, 1),
  });

  test('counts where messages say less, and is replaced by the result (I-2)', () => {
    const counter = new UsageCounter();
    counter.onMessage(assistant('one', { input_tokens: 200, output_tokens: 1 }));
    counter.onTable(table(200, 300, 0.5));
    expect(counter.usage).toEqual(tokens(200, 300));
    expect(counter.costUsd).toBe(0.5);
    counter.onMessage(result(210, 310));
    expect(counter.usage).toEqual(tokens(210, 310));
    expect(counter.costUsd).toBe(1);
  });

  test('one from before the last result changes nothing (I-2)', () => {
    const counter = new UsageCounter();
    counter.onMessage(result(200, 300));
    counter.onTable(table(100, 100));
    expect(counter.usage).toEqual(tokens(200, 300));
  });

  test('the first one of a resumed session is what came before it (I-2)', () => {
    const counter = new UsageCounter({ resumed: true });
    counter.onTable(table(1_000, 1_000, 3));
    expect(counter.usage).toEqual({});
    counter.onTable(table(1_200, 1_300, 4));
    expect(counter.usage).toEqual(tokens(200, 300));
    expect(counter.costUsd).toBe(1);
  });

  test.each([undefined, {}, { m: 'x' }])('%j changes nothing', (odd) => {
    const counter = new UsageCounter();
    counter.onMessage(assistant('one', { input_tokens: 2, output_tokens: 1 }));
    counter.onTable(odd);
    expect(counter.usage).toEqual({ inputTokens: 2, outputTokens: 1 });
  });
});

test('the end of a streamed message has its final count (I-2)', () => {
  const counter = new UsageCounter();
  const event = (fields: JsonObject): JsonObject => ({ type: 'stream_event', event: fields, parent_tool_use_id: null });
  counter.onMessage(event({ type: 'message_start', message: { id: 'one', usage: {} } }));
  counter.onMessage(assistant('one', { input_tokens: 200, output_tokens: 1 }));
  counter.onMessage(event({ type: 'message_delta', usage: { output_tokens: 300 } }));
  expect(counter.usage).toEqual({ inputTokens: 200, outputTokens: 300 });
});
