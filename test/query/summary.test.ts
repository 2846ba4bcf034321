import { describe, expect, test, vi } from 'vitest';
import {
  AbortError,
  CLINotFoundError,
  isAssistantMessage,
  query,
  ResultError,
  type RunSummary,
  type SDKMessage,
  summaryOf,
  textOf,
} from '../../src/index.js';
import type { Options } from '../../src/query/options.js';
import { SessionQuery } from '../../src/query/query.js';
import type { JsonObject } from '../../src/util/json.js';
import { assistantFrame, initFrame, resultFrame } from '../helpers/cli-frames.js';
import type { MemoryPeer } from '../helpers/memory-pair.js';
import { messagesOf, processesOf, recordingNames } from '../recordings/load.js';
import { answerTo, CLOCKS, memorySession, settled, subtypeOf } from './memory-session.js';

const model = (inputTokens: number, costUSD: number): JsonObject => ({ m: { inputTokens, outputTokens: 1, costUSD } });
/** A turn that used 10 tokens for 0.25 dollars, in a session that had used 90 for 2. */
const BILLED = {
  usage: { input_tokens: 10, output_tokens: 1 },
  total_cost_usd: 2.25,
  modelUsage: model(100, 2.25),
  model_usage_since_last_result: model(10, 0.25),
};
const event = (over: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: 'stream_event',
  event: over,
  parent_tool_use_id: null,
  ...more,
});
const start = (id: string) => event({ type: 'message_start', message: { id } });
const delta = (text: string, more: JsonObject = {}) =>
  event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }, more);

function openRun(options: Options = {}, over: Parameters<typeof memorySession>[0] = {}) {
  const { session, peer } = memorySession({ options, exitsOnEndOfInput: false, ...over });
  return { run: new SessionQuery(session), session, peer };
}

async function read(pieces: AsyncIterable<string>): Promise<readonly string[]> {
  const all: string[] = [];
  for await (const piece of pieces) all.push(piece);
  return all;
}

async function play(peer: MemoryPeer, frames: readonly JsonObject[]): Promise<void> {
  await settled();
  for (const frame of frames) peer.emit(frame);
  await settled();
}

async function* iterate(messages: readonly object[]): AsyncGenerator<SDKMessage, void> {
  for (const message of messages) yield message as SDKMessage;
}

describe('textOf (U-2)', () => {
  const STREAMED = [
    initFrame(),
    start('msg_1'),
    event({ type: 'content_block_delta', delta: { type: 'thinking_delta', thinking: 'Hm' } }),
    delta('Hel'),
    delta('of an agent', { parent_tool_use_id: 'toolu_1' }),
    delta('lo.'),
    assistantFrame('Hello.'),
    resultFrame(),
  ];

  test('deltas of the main thread, and not their complete message again', async () => {
    expect(await read(textOf(iterate(STREAMED)))).toEqual(['Hel', 'lo.']);
  });

  test('deltas whose message nothing names are not doubled either', async () => {
    const unnamed = [delta('Hel'), delta('lo.'), assistantFrame('Hello.'), resultFrame()];
    expect(await read(textOf(iterate(unnamed)))).toEqual(['Hel', 'lo.']);
  });

  const whole = (id: string, ...texts: string[]) =>
    assistantFrame('', { message: { id, content: texts.map((text) => ({ type: 'text', text })) } });
  const part = (index: number, text: string) =>
    event({ type: 'content_block_delta', index, delta: { type: 'text_delta', text } });

  const begin = (text: string) =>
    event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text } });

  test.each([
    ['the end of a block', [start('m'), part(0, 'Hel'), whole('m', 'Hello.')], ['Hel', 'lo.']],
    ['a later block', [start('m'), part(0, 'A'), whole('m', 'A'), whole('m', 'B')], ['A', 'B']],
    ['an earlier block', [start('m'), part(1, 'B'), whole('m', 'A', 'B')], ['B', 'A']],
    ['none', [start('m'), part(0, 'A'), whole('m', 'A'), part(1, 'B'), whole('m', 'B')], ['A', 'B']],
    ['none of two that are alike', [start('m'), part(0, 'A'), part(1, 'A'), whole('m', 'A', 'A')], ['A', 'A']],
    ['none of an interrupted block', [start('m'), part(0, 'Hello'), whole('m', 'Hel')], ['Hello']],
    ['none, and the whole message came first', [whole('m', 'A'), start('m'), part(0, 'A')], ['A']],
    ['none of a block that begins with text', [start('m'), begin('A'), part(0, 'B'), whole('m', 'AB')], ['A', 'B']],
    ['the end of a block behind an empty one', [start('m'), part(0, 'Hel'), whole('m', '', 'Hello.')], ['Hel', 'lo.']],
    ['the end of a block without a start', [part(0, 'Hel'), whole('m', 'Hello.')], ['Hel', 'lo.']],
  ])('what no delta had comes with its complete block: %s', async (_, messages, texts) => {
    expect(await read(textOf(iterate(messages)))).toEqual(texts);
    expect((await summaryOf(iterate(messages))).text).toBe(texts.join(''));
  });

  test('whole blocks where nothing is streamed; not those of agents and failed calls', async () => {
    const messages = [
      initFrame(),
      assistantFrame('One.'),
      assistantFrame('Agent.', { parent_tool_use_id: 'toolu_1' }),
      assistantFrame('API Error', { error: 'server_error' }),
      assistantFrame('Two.'),
      resultFrame(),
    ];
    expect(await read(textOf(iterate(messages)))).toEqual(['One.', 'Two.']);
  });

  test('of a query: the same, and it throws what the run ends with', async () => {
    const abortController = new AbortController();
    const { run, peer } = openRun({ abortController });
    const pieces: string[] = [];
    const loop = (async () => {
      for await (const piece of textOf(run)) pieces.push(piece);
    })();
    await play(peer, STREAMED.slice(0, -2));
    abortController.abort();
    peer.exit();
    await expect(loop).rejects.toBeInstanceOf(AbortError);
    expect(pieces).toEqual(['Hel', 'lo.']);
  });

  test('odd messages have no text', async () => {
    const odd = [
      { type: 'assistant' },
      { type: 'assistant', message: { content: [null, 1, { type: 'text' }] } },
      { type: 'stream_event' },
      { type: 'stream_event', event: { type: 'content_block_delta', delta: null } },
      {},
    ];
    expect(await read(textOf(iterate(odd)))).toEqual([]);
  });

  test('a value without messages is refused by name', async () => {
    expect(() => textOf('x' as never)).toThrow(
      'textOf() takes a Query or another async iterable of messages, got string "x".',
    );
    await expect(summaryOf(null as never)).rejects.toThrow('summaryOf() takes');
  });
});

describe('summaryOf a query (U-2)', () => {
  const TURN = [initFrame(), assistantFrame('Hello.'), resultFrame(BILLED)];

  test.each(['before', 'after', 'without'])('asked %s the messages are read', async (when) => {
    const { run, peer } = openRun();
    const early = when === 'before' ? summaryOf(run) : undefined;
    const texts = when === 'without' ? undefined : read(textOf(run));
    const lone = when === 'without' ? summaryOf(run) : undefined;
    await play(peer, TURN);
    peer.exit();
    expect(await texts).toEqual(when === 'without' ? undefined : ['Hello.']);
    expect(await (early ?? lone ?? summaryOf(run))).toMatchObject({
      outcome: { kind: 'completed' },
      text: 'Hello.',
      numTurns: 1,
      error: undefined,
    });
  });

  test('takes no message: a loop that begins after it sees them all', async () => {
    const { run, peer } = openRun();
    const summary = summaryOf(run);
    await play(peer, TURN);
    peer.exit();
    await summary;
    const types: string[] = [];
    for await (const message of run) types.push(message.type);
    expect(types).toEqual(['system', 'assistant', 'result']);
  });

  test.each([
    ['a fresh session', {}, 2.25],
    ['a resumed one', { resume: '5f0c7d1e-0000-4000-8000-000000000001' }, 0.25],
    ['one that continues', { continue: true }, 0.25],
  ])('cost is of this run: %s', async (_name, options, costUsd) => {
    const { run, peer } = openRun(options);
    await play(peer, TURN);
    peer.exit();
    expect((await summaryOf(run)).costUsd).toBe(costUsd);
  });

  test('cost of a resumed session is not guessed', async () => {
    const { run, peer } = openRun({ resume: '5f0c7d1e-0000-4000-8000-000000000001' });
    const { model_usage_since_last_result: _, ...older } = BILLED;
    await play(peer, [initFrame(), resultFrame(older)]);
    peer.exit();
    expect(await summaryOf(run)).toMatchObject({ costUsd: undefined, usage: { inputTokens: 10, outputTokens: 1 } });
  });

  const STOPPED = resultFrame({
    subtype: 'error_during_execution',
    is_error: true,
    terminal_reason: 'aborted_streaming',
    permission_denials: [{ tool_name: 'Bash', tool_use_id: 'a', tool_input: {} }],
    ...BILLED,
  });
  const waysOut: Record<string, (run: SessionQuery, abort: AbortController) => unknown> = {
    abort: (_run, abort) => abort.abort(),
    'close()': (run) => run.close(),
    break: (run) => run.return(),
  };

  test.each(Object.entries(waysOut))('by %s: what the CLI says on its way out is in it', async (name, leave) => {
    const abortController = new AbortController();
    const { run, peer } = openRun(
      { abortController },
      {
        onFrame: (frame) => {
          if (subtypeOf(frame) !== 'interrupt') return;
          peer.emit(answerTo(frame));
          peer.emit(assistantFrame('What it had wri'));
          peer.emit(STOPPED);
          peer.exit({ exitCode: 1 });
        },
      },
    );
    const summary = summaryOf(run);
    await play(peer, [initFrame()]);
    void leave(run, abortController);
    const said = await summary;
    expect(said).toMatchObject({
      outcome: { kind: 'interrupted' },
      text: 'What it had wri',
      costUsd: 2.25,
      usage: { inputTokens: 100 },
      permissionDenials: [{ tool_use_id: 'a' }],
    });
    expect(said.error instanceof AbortError).toBe(name === 'abort');
  });

  test('closed in the middle by a CLI that says nothing: interrupted, and its cost is not known', async () => {
    const { run, peer } = openRun();
    await play(peer, [initFrame(), assistantFrame('Half')]);
    run.close();
    peer.exit({ exitCode: 143 });
    expect(await summaryOf(run)).toMatchObject({
      outcome: { kind: 'interrupted' },
      text: 'Half',
      costUsd: undefined,
      usage: { inputTokens: 10, outputTokens: 1 },
    });
  });

  test('left at its result: completed', async () => {
    const { run, peer } = openRun();
    await play(peer, TURN);
    run.close();
    peer.exit();
    expect((await summaryOf(run)).outcome.kind).toBe('completed');
  });

  test('a crash in a later turn: the error, what is known of the usage, and no cost', async () => {
    const { run, peer } = openRun();
    await play(peer, [
      ...TURN,
      initFrame(),
      assistantFrame('More', { message: { id: 'msg_2', content: [], usage: { input_tokens: 7 } } }),
    ]);
    peer.exit({ exitCode: 3 });
    const summary = await summaryOf(run);
    expect(summary).toMatchObject({
      outcome: { kind: 'crashed', exitCode: 3 },
      usage: { inputTokens: 107 },
      costUsd: undefined,
    });
    await expect(read(textOf(run))).rejects.toBe(summary.error);
  });

  test('a CLI that never began: nothing was used, and nothing is owed', async () => {
    const { run, peer } = openRun();
    peer.exit({ exitCode: 1 });
    expect(await summaryOf(run)).toMatchObject({
      outcome: { kind: 'not_started' },
      text: '',
      usage: {},
      costUsd: 0,
      numTurns: 0,
      sessionId: undefined,
    });
  });
});

test('a process that cannot be started is in the summary, with what the loop throws (U-2)', async () => {
  const run = query({ prompt: 'Hi', options: { pathToClaudeCodeExecutable: '/nope/claude' } });
  const summary = await summaryOf(run);
  expect(summary).toMatchObject({ outcome: { kind: 'not_started' }, costUsd: 0 });
  expect(summary.error).toBeInstanceOf(CLINotFoundError);
  await expect(read(textOf(run))).rejects.toBe(summary.error);
});

test('a process that no signal ends does not hold the summary (U-2)', async () => {
  vi.useFakeTimers({ toFake: [...CLOCKS] });
  try {
    const { run, peer } = openRun({}, { ignoredSignals: ['SIGTERM', 'SIGKILL'] });
    const summary = summaryOf(run);
    await play(peer, [initFrame()]);
    run.close();
    await settled();
    await vi.advanceTimersByTimeAsync(10_000);
    expect((await summary).outcome.kind).toBe('interrupted');
  } finally {
    vi.useRealTimers();
  }
});

describe('summaryOf other iterables (U-2)', () => {
  const TURN = [initFrame(), assistantFrame('One.'), assistantFrame('Two.'), resultFrame(BILLED)];

  test.each(['before', 'after', 'at once', 'long before'])(
    'asked %s the text is read: one reading, nothing lost or doubled',
    async (when) => {
      const messages = iterate(TURN);
      let summary: Promise<RunSummary> | undefined;
      if (when !== 'after') summary = summaryOf(messages);
      if (when === 'long before') await summary;
      expect(await read(textOf(messages))).toEqual(['One.', 'Two.']);
      summary ??= summaryOf(messages);
      expect(await summary).toMatchObject({ outcome: { kind: 'completed' }, costUsd: 0.25 });
    },
  );

  test('an error of the iterable is thrown by the text, and is in the summary', async () => {
    const failure = new Error('mine');
    async function* broken(): AsyncGenerator<SDKMessage, void> {
      yield* iterate(TURN.slice(0, 2));
      throw failure;
    }
    const messages = broken();
    const summary = summaryOf(messages);
    await expect(read(textOf(messages))).rejects.toBe(failure);
    expect(await summary).toMatchObject({ error: failure, outcome: { kind: 'failed' } });
  });

  test('leaving the text returns the iterable and settles the summary', async () => {
    let isReturned = false;
    async function* endless(): AsyncGenerator<SDKMessage, void> {
      try {
        for (;;) yield* iterate([assistantFrame('Again.')]);
      } finally {
        isReturned = true;
      }
    }
    const messages = endless();
    for await (const _ of textOf(messages)) break;
    expect(isReturned).toBe(true);
    expect((await summaryOf(messages)).outcome.kind).toBe('interrupted');
  });
});

describe('what an earlier turn gave', () => {
  const GOOD = resultFrame({ result: 'An answer.', structured_output: { a: 1 } });
  const BAD = { subtype: 'error_during_execution', is_error: true, result: undefined, errors: ['Why.'] };
  const ofTask = { origin: { kind: 'task-notification' } };
  const ofApi = { is_error: true, terminal_reason: 'api_error', api_error_status: 529, result: 'API Error' };

  test.each<[string, readonly JsonObject[], string, string]>([
    ['an error result', [resultFrame(BAD)], 'failed', 'An answer.'],
    ['an error result with a turn of its own', [initFrame(), resultFrame(BAD)], 'failed', 'An answer.'],
    [
      'a turn that failed after it wrote',
      [initFrame(), assistantFrame('Part'), resultFrame(ofApi)],
      'overloaded',
      'Part',
    ],
    [
      'an unasked turn that failed after it wrote',
      [initFrame(), assistantFrame('Part'), resultFrame({ ...ofApi, ...ofTask })],
      'overloaded',
      'An answer.',
    ],
    ['two errors', [resultFrame(BAD), resultFrame(ofApi)], 'overloaded', 'An answer.'],
  ])('is kept through %s', async (_, frames, kind, text) => {
    const summary = await summaryOf(iterate([initFrame(), GOOD, ...frames]));
    expect(summary).toMatchObject({ outcome: { kind }, text, structuredOutput: { a: 1 } });
  });

  test('is kept when the process then exits with 1', async () => {
    const { run, peer } = openRun();
    await play(peer, [initFrame(), { ...GOOD, ...BILLED }, initFrame(), resultFrame({ ...BAD, ...BILLED })]);
    peer.exit({ exitCode: 1 });
    const summary = await summaryOf(run);
    expect(summary.error).toBeInstanceOf(ResultError);
    expect(summary).toMatchObject({
      outcome: { kind: 'failed', message: 'Why.' },
      text: 'An answer.',
      structuredOutput: { a: 1 },
      numTurns: 2,
      costUsd: 2.25,
    });
  });

  test('is kept where an unasked turn has no value, and replaced where it has one', async () => {
    const schema = initFrame({ tools: ['StructuredOutput'] });
    const unasked = resultFrame({ result: 'The agent is done.', ...ofTask });
    const first = await summaryOf(iterate([schema, GOOD, schema, unasked]));
    expect(first).toMatchObject({ outcome: { kind: 'completed' }, text: 'An answer.', structuredOutput: { a: 1 } });
    const again = { ...unasked, structured_output: { a: 2 } };
    const second = await summaryOf(iterate([schema, GOOD, schema, again]));
    expect(second).toMatchObject({ text: 'The agent is done.', structuredOutput: { a: 2 } });
  });

  test('is not the value of a turn that was asked for one and gave none', async () => {
    const schema = initFrame({ tools: ['StructuredOutput'] });
    const summary = await summaryOf(iterate([schema, GOOD, schema, resultFrame({ result: 'Words.' })]));
    expect(summary).toMatchObject({ outcome: { kind: 'structured_output_failed' }, structuredOutput: undefined });
  });
});

/** The text blocks of the model on the main thread. */
const completeTexts = (messages: readonly SDKMessage[]): string =>
  messages
    .filter(isAssistantMessage)
    .filter(({ parent_tool_use_id: parent, error }) => parent === null && error === undefined)
    .flatMap(({ message }) => message.content.map((block) => (block.type === 'text' ? block.text : '')))
    .join('');

test('every recording has a summary whose text was streamed (U-2)', async () => {
  for (const name of recordingNames) {
    for (const process of processesOf(name)) {
      if (!messagesOf(process).some(isAssistantMessage)) continue;
      const messages = iterate(messagesOf(process));
      const texts = await read(textOf(messages));
      expect([name, texts.join('')]).toEqual([name, completeTexts(messagesOf(process))]);
      const { text, outcome, usage, structuredOutput } = await summaryOf(messages);
      for (const count of Object.values(usage)) expect(count).toBeGreaterThanOrEqual(0);
      if (outcome.kind !== 'completed' || outcome.result?.num_turns === 0) continue;
      // Its text is the value, which is no text of the model.
      if (structuredOutput !== undefined) continue;
      expect([name, texts.join('')]).toEqual([name, expect.stringContaining(text)]);
    }
  }
});
