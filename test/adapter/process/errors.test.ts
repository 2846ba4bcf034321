import { describe, expect, test } from 'vitest';
import {
  BudgetExhaustedError,
  PromptEvaluationError,
  StructuredOutputRetriesError,
  ThrottleError,
} from '../../../src/adapter/errors/evaluation-errors.js';
import { ClaudeAgentAdapter } from '../../../src/adapter/evaluate/claude-agent-adapter.js';
import type { EvaluateOptions } from '../../../src/adapter/evaluate/run-request.js';
import type { Prompt } from '../../../src/adapter/prompt/prompt.js';
import type { TypeSpec } from '../../../src/adapter/schema/type-spec.js';
import { Session } from '../../../src/adapter/state/session.js';
import type { Script } from '../../../src/testing/index.js';
import type { JsonObject } from '../../../src/util/json.js';
import { checkReport } from '../report/check-report.js';
import { askPrompt, typesOf } from '../support/make-prompt.js';
import { play, type Stage } from '../support/play.js';
import { promptWith } from './prompt-with.js';
import { recordedTurn } from './recorded-turn.js';

/** The error of an evaluation on the stage, and what the session saw. */
async function failing(stage: Stage, options: Partial<EvaluateOptions> = {}, prompt: Prompt<unknown> = askPrompt()) {
  const session = new Session();
  const error: unknown = await new ClaudeAgentAdapter({ ...stage.machine })
    .evaluate(prompt, { session, ...options })
    .then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
  if (!(error instanceof PromptEvaluationError)) throw error ?? new Error('it ended well');
  return { error, session };
}

/** The error that a recorded turn becomes. */
async function failingAs(recording: string) {
  await using stage = play(recordedTurn(recording), { recordings: [recording] });
  const failed = await failing(stage);
  expect(typesOf(failed.session), 'a run that failed is not executed').toEqual(['promptRendered']);
  return failed.error;
}

test('a result message without optional fields is a response, and what it lacks is undefined (AD-306)', async () => {
  await using stage = play(({ prompt, init }) => [prompt(), init(), { type: 'result', subtype: 'success' }], {
    recordings: 'none',
    why: 'every recorded result has its fields',
  });
  const session = new Session();
  const response = await new ClaudeAgentAdapter({ ...stage.machine }).evaluate(askPrompt(), { session });
  expect(response).toMatchObject({ text: null, output: null, usage: {}, isolation: undefined });
  expect(Object.values(response.usage).filter((count) => count !== undefined)).toEqual([]);
  const executed = session.events().at(-1);
  expect(executed).toMatchObject({ type: 'promptExecuted' });
  for (const field of ['totalCostUsd', 'numTurns', 'durationApiMs']) {
    expect((executed as unknown as JsonObject)[field], field).toBeUndefined();
  }
});

test('a CLI that writes no JSON is a response that could not be parsed (AD-295)', async () => {
  await using stage = play(
    ({ prompt, init, faults }) => [prompt(), init(), faults.garbage('{"type":"assistant", oops'), faults.stall()],
    { recordings: ['hello'] },
  );
  const { error } = await failing(stage);
  expect(error).toMatchObject({ phase: 'response', retryAdvice: { retry: 'after_change' } });
  expect(error.message).toMatch(/^Failed to parse SDK response: .*oops/);
});

test('max turns (AD-296)', async () => {
  const error = await failingAs('max-turns');
  expect(error.constructor).toBe(PromptEvaluationError);
  expect(error).toMatchObject({ code: 'max_turns', phase: 'response' });
});

test('the cost limit exhausts the budget, in dollars (AD-297)', async () => {
  const error = await failingAs('max-budget');
  expect(error).toBeInstanceOf(BudgetExhaustedError);
  expect(error).toMatchObject({
    dimension: 'usd',
    phase: 'budget',
    consumed: { inputTokens: 100_000, outputTokens: 5_000 },
  });
});

test('a success that is an error with status 429 is a rate limit (AD-298)', async () => {
  const error = await failingAs('api-429-no-header');
  expect(error).toBeInstanceOf(ThrottleError);
  expect(error).toMatchObject({
    details: { kind: 'rate_limit', attempts: 3, retrySafe: true },
    retryAdvice: { retry: 'safe' },
  });
});

test('lack of credit is an exhausted quota, and not safe to retry (AD-299)', async () => {
  const error = await failingAs('api-400-credit');
  expect(error).toBeInstanceOf(ThrottleError);
  expect(error).toMatchObject({ details: { kind: 'quota_exhausted', retrySafe: false } });
});

test('an error during the execution has the CLI’s own texts (AD-300)', async () => {
  const error = await failingAs('resume-missing');
  expect(error.constructor).toBe(PromptEvaluationError);
  const text = 'No conversation found with session ID: 99999999-9999-4999-8999-999999999999';
  expect(error.message).toContain(text);
  expect(error.providerPayload).toMatchObject({ errors: [text] });
});

const others: readonly (readonly [string, JsonObject])[] = [
  ['api-529-exhausted', { details: { kind: 'rate_limit' }, retryAdvice: { retry: 'safe' } }],
  ['api-401', { code: 'authentication_failed', retryAdvice: { retry: 'after_change' } }],
  ['api-403', { code: 'authentication_failed', providerPayload: { status: 403 } }],
  ['api-404-model', { code: 'model_not_found', retryAdvice: { retry: 'after_change' } }],
  ['api-prompt-too-long', { retryAdvice: { retry: 'after_change' } }],
  ['api-500-exhausted', { code: 'server_error', retryAdvice: { retry: 'safe' } }],
  ['api-connection-refused', { providerPayload: { apiError: 'connection_failed' } }],
  ['api-timeout', { code: 'server_error' }],
  ['sandbox-required-no-bwrap', { code: 'sandbox_required_unavailable', phase: 'request' }],
];
test.each(others)('a recorded failure of the API or the start: %s', async (recording, fields) => {
  expect(await failingAs(recording)).toMatchObject(fields);
});

test('a schema that the model never met', async () => {
  const error = await failingAs('structured-output-failure');
  expect(error).toBeInstanceOf(StructuredOutputRetriesError);
  const refused = (error as StructuredOutputRetriesError).report?.refusedOutputs ?? [];
  expect(refused.length).toBeGreaterThan(1);
  expect((error as Error).message).toMatch(/ Claude Code refused \d outputs, the last for: \S/);
  expect((error as Error).message).toContain(refused.at(-1));
});

test('every failure has a report, advice, and what had been produced', async () => {
  await using stage = play(
    ({ prompt, init, assistantText, errorResult }) => [
      prompt(),
      init(),
      assistantText('So far.'),
      errorResult('error_max_turns', ['Reached'], { terminal_reason: 'max_turns' }),
    ],
    { recordings: ['max-turns', 'hello'], sessionId: '5e551000-0000-4000-8000-0000000000aa' },
  );
  const { error } = await failing(stage);
  expect(error.partial).toMatchObject({
    text: 'So far.',
    output: null,
    cliSessionId: '5e551000-0000-4000-8000-0000000000aa',
  });
  expect(checkReport(error.report)).toMatchObject({
    outcome: {
      status: 'failed',
      error: {
        name: 'PromptEvaluationError',
        code: 'max_turns',
        phase: 'response',
        retryAdvice: { retry: 'after_change' },
      },
    },
    cli: { sessionId: '5e551000-0000-4000-8000-0000000000aa' },
  });
});

describe('a run that fails after rendering, in any way but a passed budget, is not executed (AD-064)', () => {
  const stop = new AbortController();
  const number = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
  const ways: readonly (readonly [
    name: string,
    script: Script,
    options?: Partial<EvaluateOptions>,
    output?: TypeSpec<unknown>,
  ])[] = [
    ['an error result', ({ prompt, outcome }) => [prompt(), outcome.maxTurns()]],
    ['an API error', ({ prompt, outcome }) => [prompt(), outcome.auth()]],
    ['a crash', ({ prompt, init, faults }) => [prompt(), init(), faults.crash({ exitCode: 9 })]],
    ['garbage', ({ prompt, faults }) => [prompt(), faults.garbage('{'), faults.stall()]],
    ['an end without a result', ({ prompt, init, exit }) => [prompt(), init(), exit(0)]],
    [
      'an abort',
      ({ prompt, init, expectRequest, faults }) => [prompt(), init(), expectRequest('interrupt'), faults.stall()],
      { signal: stop.signal, onMessage: () => stop.abort() },
    ],
    [
      'an output that does not fit',
      ({ prompt, init, result }) => [prompt(), init(), result('{"n":"x"}', { structured_output: { n: 'x' } })],
      {},
      number,
    ],
    ['neither text nor output', ({ prompt, init, result }) => [prompt(), init(), result('')], {}, number],
  ];
  for (const [name, script, options, output] of ways) {
    test(name, async () => {
      await using stage = play(script, {
        recordings: ['hello', 'max-turns', 'api-401', 'interrupt-idle', 'structured-output'],
      });
      const prompt = output === undefined ? undefined : promptWith([], output);
      const { session } = await failing(stage, options, prompt);
      expect(typesOf(session)).toEqual(['promptRendered']);
    });
  }
});
