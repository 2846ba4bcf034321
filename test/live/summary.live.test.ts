import { describe, expect, test } from 'vitest';
import { AbortError, ClaudeClient, type Options, query, type RunSummary, summaryOf, textOf } from '../../src/index.js';
import type { BlocksTurn } from '../../src/testing/messages-api/turn.js';
import { CURRENT, OLDEST } from './support/clis.js';
import { setStage } from './support/stage.js';
import { bash, call, TOUCH } from './support/turns.js';

const LONG: BlocksTurn = { blocks: [{ type: 'text', text: 'word '.repeat(200) }], chunkSize: 20, chunkMs: 60 };
const PARTIAL: Options = { includePartialMessages: true };
const AGENT: BlocksTurn = {
  blocks: [
    {
      type: 'tool_use',
      name: 'Agent',
      input: {
        description: 'Look',
        prompt: 'Subagent task: look.',
        subagent_type: 'general-purpose',
        run_in_background: false,
      },
    },
  ],
};
const OF_AGENT = ({ body }: { readonly body: unknown }) =>
  JSON.stringify(body).includes('Subagent task: look.') && !JSON.stringify(body).includes('"name":"Agent","input"');

async function textIn(run: Parameters<typeof textOf>[0]): Promise<string> {
  let all = '';
  for await (const text of textOf(run)) all += text;
  return all;
}

/** What the tables of a run come to must be what its results say in all. */
function expectCost(summary: RunSummary, total: number): void {
  expect(summary.costUsd).toBeGreaterThan(0);
  expect(summary.costUsd).toBeCloseTo(total, 9);
}

describe(`summaryOf and textOf, CLI ${CURRENT.version} (U-2)`, () => {
  test('a completed run: its text once, its usage and its cost', async () => {
    const stage = await setStage(CURRENT, { turns: [{ ...bash('echo hi') }, 'All done here.'] });
    const run = query({ prompt: 'Go.', options: stage.options({ ...PARTIAL, allowedTools: ['Bash'] }) });
    const text = await textIn(run);
    const summary = await summaryOf(run);
    expect(text).toBe('All done here.');
    expect(summary).toMatchObject({
      outcome: { kind: 'completed' },
      error: undefined,
      text: 'All done here.',
      permissionDenials: [],
    });
    expect(summary.usage.inputTokens).toBe(20);
    expectCost(summary, summary.outcome.result?.total_cost_usd ?? 0);
  });

  test.each(['abort', 'break', 'close'] as const)(
    'a run that ends in the middle of its text by %s: usage and cost of what was used',
    async (way) => {
      const stage = await setStage(CURRENT, { turns: [LONG] });
      const abortController = new AbortController();
      const run = query({ prompt: 'Go.', options: stage.options({ ...PARTIAL, abortController }) });
      const summary = summaryOf(run);
      let chunks = 0;
      try {
        for await (const _ of textOf(run)) {
          chunks += 1;
          if (chunks < 4) continue;
          if (way === 'break') break;
          if (way === 'abort') abortController.abort();
          else run.close();
        }
      } catch (error) {
        expect(error).toBeInstanceOf(AbortError);
      }
      const { outcome, text, usage, costUsd, error } = await summary;
      expect(outcome.kind).toBe('interrupted');
      expect(error instanceof AbortError).toBe(way === 'abort');
      expect(text).toMatch(/^word word /);
      expect(usage.inputTokens).toBe(10);
      expect(usage.outputTokens).toBeGreaterThan(0);
      expect(costUsd).toBeGreaterThan(0);
      expect(costUsd).toBe(outcome.result?.total_cost_usd);
    },
  );

  test('a run that resumes, and one that forks, count what they used themselves', async () => {
    const stage = await setStage(CURRENT, { turns: ['Your name is Ada.', 'Ada.', 'Still Ada.'] });
    const first = await summaryOf(query({ prompt: 'I am Ada.', options: stage.options() }));
    const resume = first.sessionId ?? '';
    const second = await summaryOf(query({ prompt: 'Who am I?', options: stage.options({ resume }) }));
    const third = await summaryOf(query({ prompt: 'And now?', options: stage.options({ resume, forkSession: true }) }));
    const totals = [first, second, third].map(({ outcome }) => outcome.result?.total_cost_usd ?? 0);
    expectCost(first, totals[0] ?? 0);
    expectCost(second, (totals[1] ?? 0) - (totals[0] ?? 0));
    expectCost(third, (totals[2] ?? 0) - (totals[1] ?? 0));
    expect([first, second, third].map(({ usage }) => usage.inputTokens)).toEqual([10, 10, 10]);
    expect(third.sessionId).not.toBe(resume);
  });

  test('sub-agents are in usage and cost, and not in the text', async () => {
    const stage = await setStage(CURRENT, { turns: [{ text: 'Agent text.', when: OF_AGENT }, AGENT, 'Main text.'] });
    const run = query({ prompt: 'Go.', options: stage.options(PARTIAL) });
    const text = await textIn(run);
    const summary = await summaryOf(run);
    expect(text).toBe('Main text.');
    expect(summary.outcome.kind).toBe('completed');
    expect(summary.usage.inputTokens).toBe(10 * stage.api.requests.length);
    expect(stage.api.requests.length).toBeGreaterThanOrEqual(3);
    expectCost(summary, summary.outcome.result?.total_cost_usd ?? 0);
  });

  test('structured output', async () => {
    const stage = await setStage(CURRENT, { turns: [call('StructuredOutput', { age: 36 })] });
    const schema = { type: 'object', properties: { age: { type: 'integer' } }, required: ['age'] };
    const run = query({
      prompt: 'How old?',
      options: stage.options({ outputFormat: { type: 'json_schema', schema } }),
    });
    const { structuredOutput, outcome } = await summaryOf<{ age: number }>(run);
    expect(outcome.kind).toBe('completed');
    expect(structuredOutput?.age).toBe(36);
  });

  test('a call that was denied', async () => {
    const stage = await setStage(CURRENT, { turns: [TOUCH, 'I may not.'] });
    const { permissionDenials, text, numTurns } = await summaryOf(
      query({
        prompt: 'Go.',
        options: stage.options({ canUseTool: async () => ({ behavior: 'deny', message: 'No.' }) }),
      }),
    );
    expect(permissionDenials.map(({ tool_name }) => tool_name)).toEqual(['Bash']);
    expect([text, numTurns]).toEqual(['I may not.', 2]);
  });

  test('each response of a client by itself', async () => {
    const stage = await setStage(CURRENT, { turns: ['One.', 'Two.'] });
    await using client = new ClaudeClient(stage.options());
    await client.connect();
    const costs: (number | undefined)[] = [];
    let total = 0;
    for (const text of ['One.', 'Two.']) {
      await client.query('Go.');
      const summary = await summaryOf(client.receiveResponse());
      expect(summary).toMatchObject({ text, outcome: { kind: 'completed' } });
      expect(summary.usage.inputTokens).toBe(10);
      costs.push(summary.costUsd);
      total = summary.outcome.result?.total_cost_usd ?? 0;
    }
    expect((costs[0] ?? 0) + (costs[1] ?? 0)).toBeCloseTo(total, 9);
  });
});

describe(`summaryOf, CLI ${OLDEST.version} (U-2)`, () => {
  test('usage of a resumed session is told, and its cost is not guessed', async () => {
    const stage = await setStage(OLDEST, { turns: ['One.', 'Two.'] });
    const first = await summaryOf(query({ prompt: 'Go.', options: stage.options() }));
    expectCost(first, first.outcome.result?.total_cost_usd ?? 0);
    const second = await summaryOf(
      query({ prompt: 'Go on.', options: stage.options({ resume: first.sessionId ?? '' }) }),
    );
    expect(second).toMatchObject({ text: 'Two.', usage: { inputTokens: 10 }, costUsd: undefined });
  });
});
