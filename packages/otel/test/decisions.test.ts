import { SpanStatusCode } from '@opentelemetry/api';
import { summaryOf } from 'claudewire';
import { type Frames, type ScriptItem, scriptedCli } from 'claudewire/testing';
import { expect, test } from 'vitest';
import { telemetry } from './helpers/telemetry.js';

/** The result of a turn that was cut; releases without `terminal_reason` do not say so. */
const failed = (reason?: string): ScriptItem => ({
  ...{ type: 'result', subtype: 'error_during_execution', is_error: true, num_turns: 1, errors: [] },
  ...{ duration_ms: 1, session_id: '5e551000-0000-4000-8000-000000000001', uuid: 'u' },
  ...(reason === undefined ? {} : { terminal_reason: reason }),
});

type Run = ReturnType<ReturnType<typeof scriptedCli>['query']>;

/** In mid-turn, with a call that runs. The CLI is told, and ends the call and the turn with errors. */
const cut = ({ prompt, init, toolUse, toolResult, expectRequest }: Frames): ScriptItem[] => [
  prompt(),
  init(),
  toolUse('Bash', { command: 'sleep 9' }),
  expectRequest('interrupt'),
  toolResult('The user does not want to proceed', { isError: true }),
  failed(),
];

const interrupted = (frames: Frames): ScriptItem[] => [...cut(frames).slice(0, -1), failed('aborted_tools')];

/** T-1. `error`: of the turn, the call and the run. */
test.each([
  { how: 'leaving the loop', script: cut, end: () => 'break', outcome: 'abandoned', error: undefined },
  { how: 'close()', script: cut, end: (run: Run) => run.close(), outcome: 'closed', error: undefined },
  {
    how: 'interrupt()',
    script: interrupted,
    end: (run: Run) => run.interrupt(),
    outcome: 'interrupted',
    error: undefined,
  },
  {
    how: 'an abort',
    script: cut,
    end: (_: Run, controller: AbortController) => controller.abort(),
    outcome: 'interrupted',
    error: 'interrupted',
  },
])('$how in mid-turn is $outcome', async ({ script, end, outcome, error }) => {
  const { spans, metrics } = telemetry();
  const cli = scriptedCli(script, { inProcess: true });
  const abortController = new AbortController();
  const run = cli.query({ prompt: 'Go.', options: { abortController } });
  try {
    for await (const message of run) {
      const ended: unknown = message.type === 'assistant' && (await end(run, abortController));
      if (ended === 'break') break;
    }
  } catch {
    // The summary has it.
  }
  const summary = await summaryOf(run);
  await cli.close().catch(() => {});
  expect(summary.outcome.kind).toBe('interrupted');
  await expect.poll(() => spans.named('invoke_agent').length).toBe(1);
  for (const name of ['turn', 'execute_tool', 'invoke_agent']) {
    const [span] = spans.named(name);
    expect([name, span?.attributes['error.type']]).toEqual([name, error]);
    expect(span?.status.code).toBe(error === undefined ? SpanStatusCode.UNSET : SpanStatusCode.ERROR);
    if (name !== 'execute_tool' || error === undefined) expect(span?.attributes['claudewire.outcome']).toBe(outcome);
  }
  const types = JSON.stringify([...(await metrics())]).match(/"error.type":"[a-z_]+"/g) ?? [];
  expect(new Set(types)).toEqual(new Set(error === undefined ? [] : [`"error.type":"${error}"`]));
});

test('a call that failed by itself before the interrupt is an error, and the run that goes on is none', async () => {
  const { spans } = telemetry();
  await using cli = scriptedCli(
    ({ prompt, init, toolUse, toolResult, expectRequest, turn }) => [
      prompt(),
      init(),
      toolUse('Bash', { command: 'false' }),
      toolResult('Exit code 1', { isError: true }),
      toolUse('Bash', { command: 'sleep 9' }, { toolUseId: 'toolu_cut' }),
      expectRequest('interrupt'),
      toolResult('The user does not want to proceed', { toolUseId: 'toolu_cut', isError: true }),
      failed('aborted_tools'),
      turn('Four.'),
    ],
    { inProcess: true },
  );
  const client = cli.client();
  await client.connect('Go.');
  for await (const message of client.receiveResponse()) {
    if (message.type === 'assistant' && JSON.stringify(message).includes('toolu_cut')) await client.interrupt();
  }
  await client.query('And now?');
  for await (const _message of client.receiveResponse());
  await client.disconnect();
  await expect.poll(() => spans.named('invoke_agent').length).toBe(1);
  const ends = (name: string) =>
    spans.named(name).map(({ attributes }) => attributes['error.type'] ?? attributes['claudewire.outcome']);
  expect(ends('execute_tool')).toEqual(['tool_error', 'interrupted']);
  expect(ends('turn')).toEqual(['interrupted', 'completed']);
  expect(ends('invoke_agent')).toEqual(['completed']);
});

test('a session of 1,000 turns exports 1,000, whatever the limits of events and spans are (T-2)', async () => {
  const { spans } = telemetry({ maxSpansPerRun: 100 });
  await using cli = scriptedCli(({ turn }) => Array.from({ length: 1_000 }, (_, index) => turn(`Answer ${index}.`)), {
    inProcess: true,
  });
  async function* prompts() {
    for (let index = 0; index < 1_000; index += 1) {
      yield { type: 'user', message: { role: 'user', content: 'Go.' }, parent_tool_use_id: null } as const;
    }
  }
  const { numTurns, costUsd } = await summaryOf(cli.query({ prompt: prompts() }));
  expect(numTurns).toBe(1_000);
  await expect.poll(() => spans.named('invoke_agent').length).toBe(1);
  const turns = spans.named('turn');
  expect(turns.map(({ attributes }) => attributes['claudewire.turn'])).toEqual(
    Array.from({ length: 1_000 }, (_, index) => index + 1),
  );
  expect(spans.unbalanced()).toEqual([]);
  const cost = turns.reduce((sum, { attributes }) => sum + Number(attributes['claudewire.cost_usd']), 0);
  expect(cost).toBeCloseTo(costUsd ?? Number.NaN, 9);
  expect(spans.named('invoke_agent')[0]?.droppedEventsCount).toBe(0);
});
