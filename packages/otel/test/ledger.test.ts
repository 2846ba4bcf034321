import { AsyncLocalStorage } from 'node:async_hooks';
import { readFileSync } from 'node:fs';
import { ClaudeClient, InvalidOptionError, type QueryContext, summaryOf } from 'claudewire';
import { scriptedCli } from 'claudewire/testing';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { CostLedger, type LedgerEntry, type PriceTable, recordRuns } from '../src/ledger/index.js';

/** What the recordings show: their releases reckon with 4 dollars in and 20 out. */
const PRICES: PriceTable = { 'claude-opus-5-5': { input: 4, output: 20, cacheRead: 0.4, cacheWrite: 5 } };

type Message = Readonly<Record<string, unknown>>;

/** What each process of a recording wrote. */
function processesOf(name: string): Message[][] {
  const url = new URL(`../../../test/fixtures/recordings/${name}.jsonl`, import.meta.url);
  const processes: Message[][] = [];
  for (const line of readFileSync(url, 'utf8').split('\n').filter(Boolean)) {
    const { dir, data } = JSON.parse(line);
    if (dir === 'meta' && data.event === 'spawn') processes.push([]);
    else if (dir === 'out' && typeof data === 'object') processes.at(-1)?.push(data);
  }
  return processes;
}

function bookOf(name: string, prices = PRICES): CostLedger {
  const ledger = new CostLedger({ prices });
  for (const [index, messages] of processesOf(name).entries()) {
    const run = ledger.run({ tenant: 'acme', isResumed: index > 0 });
    for (const message of messages) run.add(message);
    run.end();
  }
  return ledger;
}

const lastResult = (name: string): Message | undefined =>
  processesOf(name)
    .flat()
    .filter(({ type }) => type === 'result')
    .at(-1);

const cents = (value: number | undefined): number => Math.round((value ?? Number.NaN) * 1e8);

test('a turn after /clear counts whole, also when it cost more than all before it', () => {
  const ledger = new CostLedger({ prices: PRICES });
  const run = ledger.run();
  const result = (session_id: string, costUSD: number) => ({
    type: 'result',
    session_id,
    modelUsage: { m: { inputTokens: costUSD * 10, costUSD } },
  });
  for (const each of [result('one', 1), result('one', 3), result('two', 7), result('two', 8)]) run.add(each);
  expect(ledger.entries.map(({ sessionId, reportedUsd }) => [sessionId, reportedUsd])).toEqual([
    ['one', 1],
    ['one', 2],
    ['two', 7],
    ['two', 1],
  ]);
});

test('a result without a cost does not make the next one count what was counted', () => {
  const ledger = new CostLedger({ prices: PRICES });
  const run = ledger.run();
  for (const [inputTokens, costUSD] of [[10, 1], [20], [30, 3]]) {
    run.add({ type: 'result', session_id: 's', modelUsage: { m: { inputTokens, costUSD } } });
  }
  expect(ledger.entries.map(({ reportedUsd }) => reportedUsd)).toEqual([1, undefined, 2]);
});

test('answers of a sub-agent that stream between those of the run are booked to their own', () => {
  const ledger = new CostLedger({ prices: PRICES });
  const run = ledger.run();
  const stream = (parent: string | null, event: object) =>
    run.add({ type: 'stream_event', parent_tool_use_id: parent, event });
  const begin = (id: string, model: string) => ({ type: 'message_start', message: { id, model, usage: {} } });
  const delta = (input_tokens: number, output_tokens: number) => ({
    ...{ type: 'message_delta', usage: { input_tokens, output_tokens } },
  });
  stream(null, begin('msg_1', 'big'));
  stream('toolu_1', begin('msg_2', 'small'));
  stream(null, delta(100, 50));
  stream('toolu_1', delta(7, 3));
  run.end();
  const figures = ledger.entries.map(({ kind, model, tokens: { input, output } }) => [kind, model, input, output]);
  expect(figures).toEqual([
    ['turn', 'big', 100, 50],
    ['turn', 'small', 7, 3],
    ['subagent', 'small', 7, 3],
  ]);
});

test('a ledger is written once, and without runs whose start was not seen', async () => {
  const early = new CostLedger({ prices: PRICES });
  const stopEarly = recordRuns(early);
  expect(() => recordRuns(early)).toThrow('Runs are written into this ledger already');
  await using cli = scriptedCli(({ turn }) => turn('One.'), { inProcess: true });
  const run = cli.query({ prompt: 'Go' });
  const late = new CostLedger({ prices: PRICES });
  const stopLate = recordRuns(late);
  await summaryOf(run);
  stopEarly();
  stopLate();
  expect([early.entries.length, late.entries.length]).toEqual([1, 0]);
  recordRuns(early)();
});

test('two tenants at once: each run has the one of the call that started it', async () => {
  const tenants = new AsyncLocalStorage<string>();
  const ledger = new CostLedger();
  const stop = recordRuns(ledger, { tenantOf: () => tenants.getStore() });
  const serve = (tenant: string) =>
    tenants.run(tenant, async () => {
      await using cli = scriptedCli(({ turn }) => turn('Four.'), { inProcess: true });
      return (await summaryOf(cli.query({ prompt: 'Go.' }))).outcome.kind;
    });
  const converse = (tenant: string) =>
    tenants.run(tenant, async () => {
      await using cli = scriptedCli(({ turn }) => turn('Five.'), { inProcess: true });
      await using client = new ClaudeClient(cli.options);
      await client.connect();
      await client.query('Go.');
      for await (const message of client.receiveResponse()) if (message.type === 'result') return message.subtype;
      return undefined;
    });
  expect(await Promise.all([serve('acme'), serve('umbrella'), converse('initech')])).toEqual([
    ...['completed', 'completed', 'success'],
  ]);
  stop();
  expect(ledger.entries.map(({ tenant }) => tenant).sort()).toEqual(['acme', 'initech', 'umbrella']);
});

test('a tenant that is not known when the run starts is asked for with the first figures', async () => {
  const ledger = new CostLedger();
  const asked: (string | undefined)[] = [];
  const tenantOf = ({ sessionId }: QueryContext): string | undefined => {
    asked.push(sessionId);
    return sessionId === undefined ? undefined : `tenant of ${sessionId}`;
  };
  const stop = recordRuns(ledger, { tenantOf });
  await using cli = scriptedCli(({ turn }) => turn('Four.'), { inProcess: true });
  const { sessionId } = await summaryOf(cli.query({ prompt: 'Go.' }));
  stop();
  expect(asked).toEqual([undefined, sessionId]);
  expect(ledger.entries.map(({ tenant }) => tenant)).toEqual([`tenant of ${sessionId}`]);
});

test.each([
  {
    about: 'a name',
    call: (ledger: CostLedger) => recordRuns(ledger, { tenantOf: 'acme' as never }),
    says: /`tenantOf` of recordRuns.*function, got string/,
  },
  {
    about: 'a typo',
    call: (ledger: CostLedger) => recordRuns(ledger, { tenant: () => 'a' } as never),
    says: /Unknown option `tenant` of recordRuns/,
  },
  {
    about: 'no options',
    call: (ledger: CostLedger) => recordRuns(ledger, null as never),
    says: /`options` of recordRuns.*object, got null/,
  },
  {
    about: 'no ledger',
    call: () => recordRuns(undefined as never),
    says: /`ledger` of recordRuns.*CostLedger.*got undefined/,
  },
  {
    about: 'a price',
    call: () => new CostLedger({ price: {} } as never),
    says: /Unknown option `price` of new CostLedger/,
  },
  {
    about: 'a number of a tenant',
    call: (ledger: CostLedger) => ledger.run({ tenant: 7 as never }),
    says: /`tenant` of CostLedger.run.*string, got number/,
  },
  {
    about: 'another total',
    call: (ledger: CostLedger) => ledger.totals('bogus' as never),
    says: /`by` of CostLedger.totals.*'tenant', .* or 'subagent', got "bogus"/,
  },
])('refuses $about where it does not belong', ({ call, says }) => {
  const ledger = new CostLedger();
  // What plain JavaScript may pass.
  expect(() => call(ledger)).toThrow(InvalidOptionError);
  expect(() => call(ledger)).toThrow(says);
  recordRuns(ledger)();
});

test.each([
  {
    tenantOf: () => {
      throw new Error('no request');
    },
    says: 'threw Error: no request',
  },
  { tenantOf: () => 7, says: 'returned a number' },
  { tenantOf: () => null, says: 'returned null' },
  { tenantOf: () => Promise.reject(new Error('late')), says: 'returned a promise' },
])('a tenant that cannot be had is said once, and the runs are in the ledger: $says', async ({ tenantOf, says }) => {
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  onTestFinished(() => warned.mockRestore());
  const ledger = new CostLedger();
  const stop = recordRuns(ledger, { tenantOf: tenantOf as never });
  onTestFinished(stop);
  await using cli = scriptedCli(({ turn }) => turn('Four.'), { inProcess: true, reuse: true });
  for (let run = 0; run < 2; run += 1)
    expect((await summaryOf(cli.query({ prompt: 'Go.' }))).outcome.kind).toBe('completed');
  await expect.poll(() => ledger.entries.length).toBe(2);
  expect([...ledger.totals('tenant').keys()]).toEqual(['']);
  expect(warned.mock.calls).toEqual([
    [expect.stringContaining(`\`tenantOf\` of recordRuns() ${says}. `), { code: 'CLAUDE_SDK_LEDGER_TENANT' }],
  ]);
});

test('a total without a price is not a cost of nothing', () => {
  const ledger = new CostLedger({ prices: PRICES });
  const run = ledger.run();
  run.add({ type: 'result', modelUsage: { other: { inputTokens: 10, outputTokens: 1, costUSD: 1 } } });
  expect(ledger.totals('run').get('run-1')).toMatchObject({ reportedUsd: 1, computedUsd: undefined, isComplete: true });
  run.add({
    type: 'result',
    modelUsage: {
      other: { inputTokens: 20, outputTokens: 2, costUSD: 2 },
      'claude-opus-5-5': { inputTokens: 1_000_000, outputTokens: 0, costUSD: 4 },
    },
  });
  expect(ledger.totals('model').get('other')?.computedUsd).toBeUndefined();
  expect(ledger.totals('run').get('run-1')).toMatchObject({ reportedUsd: 6, computedUsd: 4 });
});

test('nobody gets money back from a figure that no counter has', () => {
  const ledger = new CostLedger({ prices: PRICES });
  const run = ledger.run({ tenant: '__proto__' });
  for (const costUSD of [-5, Number.NaN, Number.POSITIVE_INFINITY, 1e300, '7']) {
    run.add({ type: 'result', modelUsage: { odd: { inputTokens: 1e300, outputTokens: -1, costUSD } } });
  }
  run.add({ type: 'result', modelUsage: { 'claude-opus-5-5': { inputTokens: 1, outputTokens: 2, costUSD: 3 } } });
  run.end();
  const total = ledger.totals('tenant').get('__proto__');
  expect(total).toMatchObject({ reportedUsd: 3, tokens: { input: 1, output: 2 } });
  expect([...ledger.totals('tenant').keys()]).toEqual(['__proto__']);
});

describe('the ledger', () => {
  test.each([
    'multi-turn',
    'resume',
    'hello',
    'subagent-foreground',
    'subagent-background',
    'partial-messages',
    'continue',
    'error-then-next-turn',
  ])('adds the turns of %s up to what the CLI says of the whole session', (name) => {
    const ledger = bookOf(name);
    const turns = ledger.entries.filter(({ kind }) => kind === 'turn');
    const reported = turns.reduce((sum, { reportedUsd = 0 }) => sum + reportedUsd, 0);
    expect(cents(reported)).toBe(cents(lastResult(name)?.total_cost_usd as number));
    expect(turns.map(({ difference }) => difference)).toEqual(turns.map(() => 'equal'));
    expect(turns.every(({ isEstimate }) => !isEstimate)).toBe(true);
  });

  test.each(['api-401', 'api-529-exhausted', 'api-connection-refused'])('has nothing of a failed call: %s', (name) => {
    expect(lastResult(name)).toMatchObject({ is_error: true, total_cost_usd: 0 });
    expect(bookOf(name).entries).toEqual([]);
  });

  test('says what each turn of one process added, not the running total', () => {
    const ledger = bookOf('multi-turn');
    expect(ledger.entries.map(({ turn, reportedUsd, tokens }) => [turn, cents(reportedUsd), tokens.output])).toEqual([
      [1, 24_000, 10],
      [2, 26_000, 11],
      [3, 24_000, 10],
    ]);
  });

  test('says what a resumed run added, also when the table of the CLI runs on', () => {
    const ledger = bookOf('resume');
    expect(ledger.entries.map(({ run, reportedUsd }) => [run, cents(reportedUsd)])).toEqual([
      ['run-1', 26_000],
      ['run-2', 20_000],
    ]);
    expect([...ledger.totals('session').values()].map(({ reportedUsd }) => cents(reportedUsd))).toEqual([46_000]);
  });

  test('without a known start of a resumed session, an old release leaves an estimate and not the whole session', () => {
    const ledger = new CostLedger({ prices: PRICES });
    const run = ledger.run({ isResumed: true });
    const usage = { input_tokens: 10, output_tokens: 2 };
    run.add({ type: 'assistant', session_id: 's', message: { id: 'msg_1', model: 'claude-opus-5-5', usage } });
    const modelUsage = { 'claude-opus-5-5': { inputTokens: 9_000, outputTokens: 900, costUSD: 5 } };
    run.add({ type: 'result', session_id: 's', total_cost_usd: 5, modelUsage });
    expect(ledger.entries).toMatchObject([
      { isEstimate: true, reportedUsd: undefined, difference: 'unfinished', tokens: { input: 10, output: 2 } },
    ]);
    expect(ledger.totals('session').get('s')).toMatchObject({ reportedUsd: 0, isComplete: false });
  });

  test('counts each sub-agent as a part of its turn', () => {
    const ledger = bookOf('subagent-foreground');
    const parts = ledger.entries.filter(({ kind }) => kind === 'subagent');
    expect(parts).toMatchObject([{ toolUseId: 'toolu_fake_0001', isEstimate: true, difference: 'part' }]);
    const whole = ledger.totals('model').get('claude-opus-5-5');
    expect(ledger.totals('subagent').get('toolu_fake_0001')?.tokens.input).toBeLessThan(whole?.tokens.input ?? 0);
  });

  test('keeps an estimate of a turn that was cancelled', () => {
    const ledger = new CostLedger({ prices: PRICES });
    const run = ledger.run();
    const told = { id: 'msg_1', model: 'claude-opus-5-5', usage: { input_tokens: 100, output_tokens: 1 } };
    run.add({ type: 'assistant', session_id: 's', message: told });
    // The next block of the same answer.
    run.add({ type: 'assistant', session_id: 's', message: told });
    run.end();
    run.end();
    run.add({ type: 'assistant', session_id: 's', message: { ...told, id: 'msg_2' } });
    expect(ledger.entries).toHaveLength(1);
    expect(ledger.entries[0]).toMatchObject({
      isEstimate: true,
      difference: 'unfinished',
      tokens: { input: 100, output: 1 },
    });
  });

  test('names why the two costs differ', () => {
    const named = (prices: PriceTable): unknown => bookOf('hello', prices).entries.map(({ difference }) => difference);
    expect(named({})).toEqual(['no_price']);
    expect(named({ 'claude-opus-5-5': { input: 5, output: 20, cacheRead: 0, cacheWrite: 0 } })).toEqual(['price']);
    expect(named(PRICES)).toEqual(['equal']);
  });

  test('takes a table that fell for a new beginning', () => {
    const ledger = new CostLedger();
    const run = ledger.run();
    const result = (inputTokens: number, costUSD: number) => ({
      type: 'result',
      modelUsage: { m: { inputTokens, outputTokens: 1, costUSD } },
    });
    run.add(result(100, 1));
    run.add(result(10, 0.1));
    expect(ledger.entries.map(({ reportedUsd }) => reportedUsd)).toEqual([1, 0.1]);
  });

  test('takes any message without an error', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            fc.anything(),
            fc.record({
              type: fc.constantFrom('result', 'assistant', 'stream_event'),
              message: fc.anything(),
              event: fc.anything(),
              modelUsage: fc.anything(),
              usage: fc.anything(),
            }),
          ),
        ),
        (messages) => {
          const ledger = new CostLedger();
          const run = ledger.run();
          for (const message of messages) run.add(message);
          run.end();
          ledger.toCsv();
        },
      ),
    );
  });

  test('writes CSV that a spreadsheet reads as text', () => {
    const ledger = new CostLedger();
    const run = ledger.run({ tenant: '=HYPERLINK("http://x")', run: 'a,"b"\r\nc' });
    run.add({
      type: 'result',
      session_id: '@sum',
      modelUsage: { '-1+1': { inputTokens: 1, outputTokens: 1, costUSD: 0.000_000_3 } },
    });
    const [head, ...rows] = ledger.toCsv().split(/(?<!\r\nc"?)\r\n(?!c)/);
    expect(head).toMatch(/^kind,tenant,run,session_id/);
    expect(rows[0]).toBe(
      `turn,"'=HYPERLINK(""http://x"")","a,""b""\r\nc",'@sum,1,'-1+1,,1,1,0,0,false,0.0000003,,,no_price`,
    );
    expect(JSON.parse(JSON.stringify(ledger)).entries[0].model).toBe('-1+1');
  });

  test('is written by itself from the channels, with a tenant for each run', async () => {
    const ledger = new CostLedger();
    const stop = recordRuns(ledger, { tenantOf: ({ front }) => `tenant of ${front}` });
    await using cli = scriptedCli(({ turn }) => turn('Four.'), { inProcess: true, reuse: true });
    const { usage, costUsd, sessionId } = await summaryOf(cli.query({ prompt: 'Go.' }));
    await expect.poll(() => ledger.entries.length).toBe(1);
    const entry = ledger.entries[0] as LedgerEntry;
    expect(entry).toMatchObject({ tenant: 'tenant of query', sessionId, reportedUsd: costUsd });
    expect(entry.tokens).toMatchObject({ input: usage.inputTokens, output: usage.outputTokens });
    stop();
    await summaryOf(cli.query({ prompt: 'Go.' }));
    expect(ledger.entries).toHaveLength(1);
  });

  test.each([
    [{ m: { input: -1, output: 1, cacheRead: 0, cacheWrite: 0 } }, /prices\["m"\]\.input.*number/],
    [{ m: { input: '1' } }, /prices\["m"\]\.input.*string/],
    [{ m: null }, /prices\["m"\].*null/],
    [7, /prices.*number/],
  ])('refuses prices that are none: %j', (prices, message) => {
    // What plain JavaScript may pass.
    expect(() => new CostLedger({ prices: prices as never })).toThrow(message);
  });
});
