import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { instrumentClaudewire } from 'claudewire-otel';
import { CostLedger, type LedgerEntry, recordRuns } from 'claudewire-otel/ledger';
import { expect, onTestFinished, test } from 'vitest';
import { InMemorySessionStore, type Options, query, type SDKMessage } from '../../src/index.js';
import type { MessagesRequest } from '../../src/testing/messages-api/requests.js';
import type { BlocksTurn, Turn } from '../../src/testing/messages-api/turn.js';
import { createDeferred } from '../../src/util/deferred.js';
import { CURRENT, type LiveCli, OLDEST } from './support/clis.js';
import { collect, results } from './support/collect.js';
import { type Stage, setStage } from './support/stage.js';
import { bash } from './support/turns.js';

/*
 * T-3: what sub-agents used, in spans and ledger, against what the CLI reports of each model, exactly. Every reply has
 * its own count of tokens, so that one that is missing or there twice shows.
 */

const KINDS = ['input', 'output', 'cacheRead', 'cacheWrite'] as const;
type Counts = Record<(typeof KINDS)[number], number>;

/** What the API answered, by the sub-agent's prompt; `MAIN` for the main thread. */
type Bill = Map<string, Counts>;

let reply = 0;

/** A reply to a conversation, with a count of its own that goes into the bill. */
function replyTo(bill: Bill, who: string, turn: string | BlocksTurn, more: object = {}): Turn {
  reply += 1;
  const counts = { input: 100 + reply, output: 1_000 + 7 * reply, cacheRead: 10 * reply, cacheWrite: 3 * reply };
  const before = bill.get(who) ?? { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  bill.set(who, Object.fromEntries(KINDS.map((kind) => [kind, before[kind] + counts[kind]])) as Counts);
  const usage = {
    ...{ input_tokens: counts.input, output_tokens: counts.output },
    ...{ cache_read_input_tokens: counts.cacheRead, cache_creation_input_tokens: counts.cacheWrite },
  };
  return { ...(typeof turn === 'string' ? { text: turn } : turn), usage, when: isOf(who), ...more };
}

const isOf =
  (who: string) =>
  ({ kind, body }: MessagesRequest) => {
    const { messages = [] } = body as { messages?: { content: unknown }[] };
    const first = JSON.stringify(messages[0]?.content);
    return kind === 'main' && (who === 'MAIN' ? !first.includes('AGENT-') : first.includes(who));
  };

const agent = (prompt: string, isBackground = false, type = 'general-purpose', tool = 'Agent'): BlocksTurn => ({
  blocks: [
    { type: 'text', text: 'Starting.' },
    {
      type: 'tool_use',
      name: tool,
      input: { description: prompt, prompt, subagent_type: type, run_in_background: isBackground },
    },
  ],
});

/** Spans and ledger of the runs of one test. */
function observe() {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const instrumentation = instrumentClaudewire({ tracerProvider: provider });
  const ledger = new CostLedger();
  const stop = recordRuns(ledger);
  onTestFinished(() => {
    stop();
    instrumentation.dispose();
  });
  return { ledger, spans: () => exporter.getFinishedSpans() };
}

const allow = { allowedTools: ['Bash', 'Agent', 'Task'] };

async function play(stage: Stage, options: Options = {}, onMessage?: (message: SDKMessage) => void) {
  const { messages, error } = await collect(
    query({ prompt: 'Go.', options: stage.options({ ...allow, ...options }) }),
    onMessage,
  );
  expect(error).toBeUndefined();
  return { messages, calls: callsOf(messages) };
}

/** Prompts of the sub-agents, by the call that started them. */
function callsOf(messages: readonly SDKMessage[]): Map<string, string> {
  const calls = messages.flatMap((message) =>
    message.type === 'assistant'
      ? message.message.content.flatMap((block) =>
          block.type === 'tool_use' && /^(?:Agent|Task)$/.test(block.name)
            ? [[block.id, String((block.input as { prompt: unknown }).prompt)] as const]
            : [],
        )
      : [],
  );
  return new Map(calls);
}

const sumOf = (entries: readonly LedgerEntry[]): Counts =>
  Object.fromEntries(KINDS.map((kind) => [kind, entries.reduce((sum, { tokens }) => sum + tokens[kind], 0)])) as Counts;

/** What the ledger says of each sub-agent. */
function partsOf({ entries }: CostLedger, calls: ReadonlyMap<string, string>): Bill {
  const parts = entries.filter(({ kind }) => kind === 'subagent');
  return new Map([...calls].map(([id, prompt]) => [prompt, sumOf(parts.filter(({ toolUseId }) => toolUseId === id))]));
}

/** The bill of the sub-agents. */
const agentsOf = (bill: Bill): Bill => new Map([...bill].filter(([who]) => who !== 'MAIN'));
const plus = (bill: Bill): Counts =>
  Object.fromEntries(
    KINDS.map((kind) => [kind, [...bill.values()].reduce((sum, each) => sum + each[kind], 0)]),
  ) as Counts;

interface Row {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadInputTokens: number;
  readonly cacheCreationInputTokens: number;
  readonly costUSD: number;
}

/** The ledger's turns are what the CLI says, model by model, and the parts fit in. */
function expectReconciled({ entries }: CostLedger, messages: readonly SDKMessage[]): void {
  const { modelUsage } = results(messages).at(-1) as unknown as { modelUsage: Record<string, Row> };
  for (const [model, row] of Object.entries(modelUsage)) {
    const own = entries.filter((entry) => entry.kind === 'turn' && entry.model === model);
    expect(sumOf(own)).toEqual({
      ...{ input: row.inputTokens, output: row.outputTokens },
      ...{ cacheRead: row.cacheReadInputTokens, cacheWrite: row.cacheCreationInputTokens },
    });
    expect(usd(own)).toBeCloseTo(row.costUSD, 9);
  }
}

const usd = (entries: readonly LedgerEntry[]): number =>
  entries.reduce((sum, { reportedUsd = Number.NaN }) => sum + reportedUsd, 0);

/** What CLI 2.1.330 reckons with, in dollars for a million tokens of input, and for a cache read. */
const LIST = { 'claude-opus-5-5': [4, 0.2], 'claude-haiku-5-5': [0.1, 0.01] } as const;

function priced({ input, output, cacheRead, cacheWrite }: Counts, model: keyof typeof LIST): number {
  const [price, read] = LIST[model];
  return ((input + 5 * output + 1.25 * cacheWrite) * price + cacheRead * read) / 1e6;
}

test('sub-agents, nested and of two models, are billed as the CLI reports, in ledger and spans', async () => {
  const seen = observe();
  const bill: Bill = new Map();
  const stage = await setStage(CURRENT, {
    turns: [
      replyTo(bill, 'MAIN', agent('AGENT-A')),
      replyTo(bill, 'AGENT-A', agent('AGENT-B')),
      replyTo(bill, 'AGENT-B', bash('echo b')),
      replyTo(bill, 'AGENT-B', 'B done.'),
      replyTo(bill, 'AGENT-A', bash('echo a')),
      replyTo(bill, 'AGENT-A', 'A done.'),
      replyTo(bill, 'MAIN', agent('AGENT-C', false, 'small')),
      replyTo(bill, 'AGENT-C', bash('echo c')),
      replyTo(bill, 'AGENT-C', 'C done.'),
      replyTo(bill, 'MAIN', 'Done.'),
    ],
  });
  const small = { description: 'Small', prompt: 'You are small.', model: 'haiku' };
  const { messages, calls } = await play(stage, { agents: { small } });
  expectReconciled(seen.ledger, messages);
  expect(partsOf(seen.ledger, calls)).toEqual(agentsOf(bill));
  const parts = seen.ledger.entries.filter(({ kind }) => kind === 'subagent');
  expect(parts.every(({ isEstimate }) => !isEstimate)).toBe(true);
  for (const part of parts) {
    const counts = bill.get(calls.get(part.toolUseId ?? '') ?? '') as Counts;
    expect(part.reportedUsd).toBeCloseTo(priced(counts, part.model as keyof typeof LIST), 9);
  }

  // The spans: each answer once, with its counts; each sub-agent with its sum and cost.
  const spans = seen.spans();
  const chats = spans.filter(({ name }) => name.startsWith('chat'));
  expect(chats).toHaveLength(10);
  const agents = spans.filter(({ attributes }) => attributes['gen_ai.agent.id'] !== undefined);
  expect(agents).toHaveLength(3);
  for (const { attributes, spanContext } of agents.map((each) => ({
    ...each,
    attributes: each.attributes,
    spanContext: each.spanContext(),
  }))) {
    const who = calls.get(String(attributes['gen_ai.tool.call.id'])) ?? '';
    const { input, output, cacheRead, cacheWrite } = bill.get(who) as Counts;
    expect(attributes).toMatchObject({
      'gen_ai.usage.input_tokens': input + cacheRead + cacheWrite,
      'gen_ai.usage.output_tokens': output,
      'gen_ai.usage.cache_read.input_tokens': cacheRead,
      'gen_ai.usage.cache_creation.input_tokens': cacheWrite,
    });
    const model = who === 'AGENT-C' ? 'claude-haiku-5-5' : 'claude-opus-5-5';
    expect(attributes['claudewire.cost_usd']).toBeCloseTo(priced(bill.get(who) as Counts, model), 9);
    const own = chats.filter(({ parentSpanContext }) => parentSpanContext?.spanId === spanContext.spanId);
    expect(own).toHaveLength(attributes['claudewire.answers'] as number);
    const outputs = own.map((chat) => Number(chat.attributes['gen_ai.usage.output_tokens']));
    expect(outputs.reduce((sum, each) => sum + each, 0)).toBe(output);
  }
  const [turn] = spans.filter(({ name }) => name === 'turn');
  const { total_cost_usd: total } = results(messages)[0] ?? {};
  expect(turn?.attributes['claudewire.cost_usd']).toBeCloseTo(total ?? Number.NaN, 9);
});

test('a sub-agent that ends behind the result is billed once, over both turns', async () => {
  const seen = observe();
  const bill: Bill = new Map();
  const stage = await setStage(CURRENT, {
    turns: [
      replyTo(bill, 'MAIN', agent('AGENT-A', true)),
      replyTo(bill, 'MAIN', 'Started.'),
      replyTo(bill, 'AGENT-A', bash('echo a'), { delayMs: 500 }),
      replyTo(bill, 'AGENT-A', agent('AGENT-B')),
      replyTo(bill, 'AGENT-B', 'B done.'),
      replyTo(bill, 'AGENT-A', 'A done.'),
      replyTo(bill, 'MAIN', 'Done.'),
    ],
  });
  const { messages, calls } = await play(stage);
  expect(results(messages)).toHaveLength(2);
  expectReconciled(seen.ledger, messages);
  expect(partsOf(seen.ledger, calls)).toEqual(agentsOf(bill));
  expect(seen.spans().filter(({ name }) => name.startsWith('chat'))).toHaveLength(7);
});

test("what is cut after the last result is in the ledger to the cent, by the CLI's account at its exit", async () => {
  const seen = observe();
  const bill: Bill = new Map();
  const stage = await setStage(CURRENT, {
    turns: [
      replyTo(bill, 'MAIN', agent('AGENT-A', true)),
      replyTo(bill, 'MAIN', 'Started.'),
      replyTo(bill, 'AGENT-A', bash('sleep 1')),
      replyTo(bill, 'AGENT-A', bash('sleep 60')),
    ],
    // The turn about the sub-agent that was stopped, where the CLI gets to it.
    fallback: { text: 'OK', usage: { input_tokens: 0, output_tokens: 0 } },
  });
  const run = query({ prompt: 'Go.', options: stage.options(allow) });
  const messages: SDKMessage[] = [];
  for await (const message of run) {
    messages.push(message);
    if (JSON.stringify(message).includes('sleep 60')) break;
  }
  await expect.poll(() => seen.spans().some(({ name }) => name === 'invoke_agent claude-code')).toBe(true);
  const turns = seen.ledger.entries.filter(({ kind }) => kind === 'turn');
  expect(sumOf(turns)).toEqual(plus(bill));
  expect(usd(turns)).toBeCloseTo(priced(plus(bill), 'claude-opus-5-5'), 9);
  expect(partsOf(seen.ledger, callsOf(messages))).toEqual(agentsOf(bill));
});

test('an answer of a sub-agent that an interrupt cuts is in the turn, not in the part: no transcript has it', async () => {
  const seen = observe();
  const bill: Bill = new Map();
  const cut: Bill = new Map();
  const stage = await setStage(CURRENT, {
    turns: [
      replyTo(bill, 'MAIN', agent('AGENT-A')),
      replyTo(bill, 'AGENT-A', bash('echo a')),
      replyTo(cut, 'AGENT-A', 'A long answer. '.repeat(200), { chunkMs: 100 }),
      replyTo(bill, 'MAIN', 'Second.'),
    ],
  });
  const ended = createDeferred<void>();
  async function* prompts() {
    yield { type: 'user', message: { role: 'user', content: 'Go.' }, parent_tool_use_id: null } as const;
    await ended.promise;
    yield { type: 'user', message: { role: 'user', content: 'Go on.' }, parent_tool_use_id: null } as const;
  }
  const run = query({ prompt: prompts(), options: stage.options(allow) });
  const messages: SDKMessage[] = [];
  for await (const message of run) {
    messages.push(message);
    const isInner = message.type === 'user' && message.parent_tool_use_id !== null;
    if (isInner && JSON.stringify(message).includes('tool_result')) {
      await expect.poll(() => stage.api.requests.length).toBe(3);
      await run.interrupt();
    } else if (message.type === 'result') ended.resolve();
  }
  await expect.poll(() => seen.spans().some(({ name }) => name === 'invoke_agent claude-code')).toBe(true);
  expectReconciled(seen.ledger, messages);
  expect(partsOf(seen.ledger, callsOf(messages))).toEqual(agentsOf(bill));
  const rest = sumOf(seen.ledger.entries.filter(({ kind }) => kind === 'turn'));
  // The CLI bills the whole input of what it cut and estimates the output, once the stream had begun.
  expect([0, (cut.get('AGENT-A') as Counts).input]).toContain(rest.input - plus(bill).input);
});

test('a resumed session counts nothing twice', async () => {
  const seen = observe();
  const first: Bill = new Map();
  const second: Bill = new Map();
  const stage = await setStage(CURRENT, {
    turns: [
      replyTo(first, 'MAIN', agent('AGENT-A')),
      replyTo(first, 'AGENT-A', 'A done.'),
      replyTo(first, 'MAIN', 'First.'),
      replyTo(second, 'MAIN', agent('AGENT-B')),
      replyTo(second, 'AGENT-B', 'B done.'),
      replyTo(second, 'MAIN', 'Second.'),
    ],
  });
  const one = await play(stage);
  const resume = results(one.messages)[0]?.session_id as string;
  const two = await play(stage, { resume });
  expectReconciled(seen.ledger, two.messages);
  const parts = partsOf(seen.ledger, new Map([...one.calls, ...two.calls]));
  expect(parts).toEqual(new Map([...agentsOf(first), ...agentsOf(second)]));
  expect(sumOf(seen.ledger.entries.filter(({ kind }) => kind === 'turn'))).toEqual(
    plus(
      new Map([
        ['1', plus(first)],
        ['2', plus(second)],
      ]),
    ),
  );
});

test('with a session store the mirrored transcripts count, and a long session does not wait for its end', async () => {
  const seen = observe();
  const bill: Bill = new Map();
  const stage = await setStage(CURRENT, {
    turns: [
      replyTo(bill, 'MAIN', agent('AGENT-A')),
      replyTo(bill, 'AGENT-A', bash('echo a')),
      replyTo(bill, 'AGENT-A', 'A done.'),
      replyTo(bill, 'MAIN', 'Done.'),
    ],
  });
  const over = createDeferred<void>();
  async function* prompts() {
    yield { type: 'user', message: { role: 'user', content: 'Go.' }, parent_tool_use_id: null } as const;
    await over.promise;
  }
  const options = stage.options({ ...allow, sessionStore: new InMemorySessionStore() });
  const messages: SDKMessage[] = [];
  for await (const message of query({ prompt: prompts(), options })) {
    messages.push(message);
    if (message.type !== 'result') continue;
    await expect.poll(() => seen.ledger.entries.some(({ kind }) => kind === 'subagent'), { timeout: 8_000 }).toBe(true);
    expect(seen.spans().some(({ name }) => name === 'invoke_agent general-purpose')).toBe(true);
    over.resolve();
  }
  expect(partsOf(seen.ledger, callsOf(messages))).toEqual(agentsOf(bill));
});

test('without a transcript the part is an estimate and says so; the turn is exact', async () => {
  const seen = observe();
  const bill: Bill = new Map();
  const stage = await setStage(CURRENT, {
    turns: [
      replyTo(bill, 'MAIN', agent('AGENT-A')),
      replyTo(bill, 'AGENT-A', bash('echo a')),
      replyTo(bill, 'AGENT-A', 'A done.'),
      replyTo(bill, 'MAIN', 'Done.'),
    ],
  });
  const { messages } = await play(stage, { persistSession: false });
  expectReconciled(seen.ledger, messages);
  expect(seen.ledger.entries.filter(({ kind }) => kind === 'subagent')).toMatchObject([
    { isEstimate: true, reportedUsd: undefined },
  ]);
  const [span] = seen.spans().filter(({ name }) => name === 'invoke_agent general-purpose');
  expect(span?.attributes['gen_ai.usage.output_tokens']).toBeUndefined();
});

test('an answer that broke off and was asked for again is in no part, and in the turn only if the CLI reports it', async () => {
  const seen = observe();
  const bill: Bill = new Map();
  const lost: Bill = new Map();
  const stage = await setStage(CURRENT, {
    turns: [
      replyTo(bill, 'MAIN', agent('AGENT-A')),
      replyTo(lost, 'AGENT-A', 'This text breaks off in the middle of it.', { truncate: true }),
      replyTo(bill, 'AGENT-A', 'A done.'),
      replyTo(bill, 'MAIN', 'Done.'),
    ],
  });
  const { messages, calls } = await play(stage);
  expectReconciled(seen.ledger, messages);
  expect(partsOf(seen.ledger, calls)).toEqual(agentsOf(bill));
  // Whether the CLI counts the input of what broke off depends on how far the stream had come.
  const whole = sumOf(seen.ledger.entries.filter(({ kind }) => kind === 'turn'));
  expect([0, plus(lost).input]).toContain(whole.input - plus(bill).input);
});

test(`CLI ${OLDEST.version} keeps transcripts elsewhere and announces no tasks: the same bill`, async () => {
  const seen = observe();
  const bill: Bill = new Map();
  const cli: LiveCli = OLDEST;
  const stage = await setStage(cli, {
    turns: [
      replyTo(bill, 'MAIN', agent('AGENT-A', false, 'general-purpose', 'Task')),
      replyTo(bill, 'AGENT-A', bash('echo a')),
      replyTo(bill, 'AGENT-A', 'A done.'),
      replyTo(bill, 'MAIN', 'Done.'),
    ],
  });
  const { messages, calls } = await play(stage);
  expectReconciled(seen.ledger, messages);
  expect(partsOf(seen.ledger, calls)).toEqual(agentsOf(bill));
});
