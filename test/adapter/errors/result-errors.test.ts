import { describe, expect, test } from 'vitest';
import {
  BudgetExhaustedError,
  DeadlineExceededError,
  PromptEvaluationError,
  StructuredOutputRetriesError,
  ThrottleError,
} from '../../../src/adapter/errors/evaluation-errors.js';
import { errorOfResult, type ResultErrorFacts } from '../../../src/adapter/errors/result-errors.js';
import { Budget } from '../../../src/adapter/limits/budget.js';
import { createRedact } from '../../../src/adapter/logging/redact.js';
import { isResultMessage } from '../../../src/parser/guards.js';
import type { SDKResultMessage } from '../../../src/parser/message.js';
import type { TurnFacts } from '../../../src/parser/turn-facts.js';
import { TurnReader } from '../../../src/parser/turn-reader.js';
import type { JsonObject } from '../../../src/util/json.js';
import { messagesOf, processesOf, recordingNames } from '../../recordings/load.js';

/** What the recorded turns became, in order; with what the messages before each result told. */
function errorsOf(recording: string, facts: Partial<ResultErrorFacts> = {}): (PromptEvaluationError | undefined)[] {
  return processesOf(recording).flatMap((process) => {
    const reader = new TurnReader();
    const errors: (PromptEvaluationError | undefined)[] = [];
    for (const message of messagesOf(process)) {
      reader.add(message);
      if (!isResultMessage(message)) continue;
      const { turn } = reader.facts;
      errors.push(errorOfResult(message, { promptName: 'p', turn, now: 0, ...facts }));
    }
    return errors;
  });
}

/** What the messages of a turn tell before its result comes. */
function turnOf(...messages: readonly JsonObject[]): TurnFacts {
  const reader = new TurnReader();
  for (const message of [...messages, { type: 'result' }]) reader.add(message);
  return reader.facts.turn;
}

/** Nobody checks what a CLI sends. */
function asResult(result: JsonObject): SDKResultMessage {
  return result as unknown as SDKResultMessage;
}

function firstError(recording: string, facts?: Partial<ResultErrorFacts>): PromptEvaluationError {
  const error = errorsOf(recording, facts)[0];
  if (error === undefined) throw new Error(`${recording} ends well`);
  return error;
}

interface Row {
  readonly recording: string;
  readonly type: new (...args: never[]) => PromptEvaluationError;
  readonly fields: JsonObject;
  readonly retry: string;
  readonly says: RegExp;
}

const rows: readonly Row[] = [
  {
    recording: 'max-turns',
    type: PromptEvaluationError,
    fields: { phase: 'response', code: 'max_turns', errorClass: 'evaluation_failed' },
    retry: 'after_change',
    says: /^The turn limit was exceeded: .*maximum number of turns \(1\)/,
  },
  {
    recording: 'max-budget',
    type: BudgetExhaustedError,
    fields: { phase: 'budget', dimension: 'usd', consumed: {}, errorClass: 'budget_exhausted' },
    retry: 'after_change',
    says: /^Reached maximum budget \(\$0\.01\)$/,
  },
  {
    recording: 'structured-output-failure',
    type: StructuredOutputRetriesError,
    fields: { phase: 'response', errorClass: 'output_invalid' },
    retry: 'unsafe',
    says: /after 5 attempts/,
  },
  {
    recording: 'interrupt-streaming',
    type: PromptEvaluationError,
    fields: { phase: 'response', code: 'aborted_streaming' },
    retry: 'unsafe',
    says: /^The run ended with an error: /,
  },
  {
    recording: 'can-use-tool-deny-interrupt',
    type: PromptEvaluationError,
    fields: { phase: 'response', code: 'aborted_tools' },
    retry: 'unsafe',
    says: /^The run ended with an error: /,
  },
  {
    recording: 'resume-missing',
    type: PromptEvaluationError,
    fields: { phase: 'response', code: 'error_during_execution' },
    retry: 'after_change',
    says: /No conversation found with session ID/,
  },
  {
    recording: 'sandbox-required-no-bwrap',
    type: PromptEvaluationError,
    fields: { phase: 'request', code: 'sandbox_required_unavailable' },
    retry: 'after_change',
    says: /^Claude Code did not start the run: Sandbox required but unavailable/,
  },
  {
    recording: 'bash-bypass-as-root-startup-results',
    type: PromptEvaluationError,
    fields: { phase: 'request', code: 'bypass_root' },
    retry: 'after_change',
    says: /root\/sudo privileges/,
  },
  {
    recording: 'api-429-no-header',
    type: ThrottleError,
    fields: {
      phase: 'response',
      errorClass: 'throttled',
      details: {
        kind: 'rate_limit',
        retryAfterMs: expect.closeTo(1_231, 0),
        attempts: 3,
        retrySafe: true,
        providerPayload: expect.objectContaining({ status: 429, assistantError: 'rate_limit' }),
      },
    },
    retry: 'safe',
    says: /429/,
  },
  {
    recording: 'api-529-exhausted',
    type: ThrottleError,
    fields: {
      phase: 'response',
      details: expect.objectContaining({ kind: 'rate_limit', attempts: 3, retrySafe: true }),
    },
    retry: 'safe',
    says: /529 Overloaded/,
  },
  {
    recording: 'api-400-credit',
    type: ThrottleError,
    fields: {
      phase: 'response',
      details: expect.objectContaining({ kind: 'quota_exhausted', retrySafe: false, retryAfterMs: null, attempts: 1 }),
    },
    retry: 'after_change',
    says: /^Credit balance is too low$/,
  },
  {
    recording: 'api-401',
    type: PromptEvaluationError,
    fields: { phase: 'response', code: 'authentication_failed' },
    retry: 'after_change',
    says: /^Invalid API key/,
  },
  {
    recording: 'api-403',
    type: PromptEvaluationError,
    fields: {
      phase: 'response',
      code: 'authentication_failed',
      providerPayload: expect.objectContaining({ status: 403, errorType: 'permission_error' }),
    },
    retry: 'after_change',
    says: /403 Request not allowed/,
  },
  {
    recording: 'api-404-model',
    type: PromptEvaluationError,
    fields: { phase: 'response', code: 'model_not_found' },
    retry: 'after_change',
    says: /no-such-model/,
  },
  {
    recording: 'api-400',
    type: PromptEvaluationError,
    fields: { phase: 'response', code: 'unknown' },
    retry: 'after_change',
    says: /400/,
  },
  {
    recording: 'api-prompt-too-long',
    type: PromptEvaluationError,
    fields: { phase: 'response', code: 'invalid_request' },
    retry: 'after_change',
    says: /^Prompt is too long/,
  },
  {
    recording: 'api-500-exhausted',
    type: PromptEvaluationError,
    fields: { phase: 'response', code: 'server_error' },
    retry: 'safe',
    says: /500/,
  },
  {
    recording: 'api-connection-refused',
    type: PromptEvaluationError,
    fields: {
      phase: 'response',
      code: 'server_error',
      providerPayload: expect.objectContaining({ apiError: 'connection_failed' }),
    },
    retry: 'safe',
    says: /Connection refused/,
  },
  {
    recording: 'api-timeout',
    type: PromptEvaluationError,
    fields: { phase: 'response', code: 'server_error' },
    retry: 'safe',
    says: /^Request timed out/,
  },
  {
    recording: 'api-not-json',
    type: PromptEvaluationError,
    fields: { phase: 'response', code: 'unknown' },
    retry: 'safe',
    says: /empty or malformed response/,
  },
];

describe('recorded failures', () => {
  for (const { recording, type, fields, retry, says } of rows) {
    test(recording, () => {
      const error = firstError(recording);
      expect(error.constructor).toBe(type);
      expect(error).toMatchObject({ promptName: 'p', ...fields });
      expect(error.message).toMatch(says);
      expect(error.retryAdvice.retry).toBe(retry);
      expect(error.retryAdvice.action).not.toBe('');
    });
  }

  const wellEnded = [
    ...['hello', 'multi-turn', 'api-429-retry-then-ok', 'api-529-retry-then-ok', 'api-refusal'],
    ...['api-truncated-stream', 'hook-structured-output-stop', 'structured-output'],
    ...['hook-posttool-continue-false', 'hook-userprompt-block', 'resume', 'slash-commands'],
  ];
  test.each(wellEnded)('%s ends well', (recording) => {
    const errors = errorsOf(recording);
    expect(errors.length).toBeGreaterThan(0);
    expect(errors.every((error) => error === undefined)).toBe(true);
  });

  test('every recorded result that is an error gives one with advice, and no other does', () => {
    let failures = 0;
    for (const recording of recordingNames) {
      for (const process of processesOf(recording)) {
        for (const message of messagesOf(process)) {
          if (!isResultMessage(message)) continue;
          const error = errorOfResult(message, { promptName: 'p' });
          expect(error !== undefined, recording).toBe(message.is_error);
          if (error === undefined) continue;
          failures += 1;
          expect(error.message.trim(), recording).not.toBe('');
          expect(error.retryAdvice.action, recording).not.toBe('');
        }
      }
    }
    expect(failures).toBeGreaterThanOrEqual(40);
  });
});

describe('what a turn failed with because of us', () => {
  const stop = new DeadlineExceededError('over', { promptName: 'p' });

  test('a turn that we interrupted failed with what we interrupted it for', () => {
    expect(firstError('interrupt-streaming', { interruptedBy: stop })).toBe(stop);
    expect(firstError('can-use-tool-deny-interrupt', { interruptedBy: stop })).toBe(stop);
  });

  test('a result that came all the same counts', () => {
    expect(errorsOf('hello', { interruptedBy: stop })).toEqual([undefined]);
  });

  test('a turn that our hook ended for the deadline', () => {
    const error = firstError('hook-posttool-continue-false', { limitStop: 'deadline' });
    expect(error).toBeInstanceOf(DeadlineExceededError);
    expect(error).toMatchObject({ phase: 'deadline', retryAdvice: { retry: 'after_change' } });
  });

  test('a turn that our hook ended for the budget', () => {
    const consumed = { inputTokens: 5 };
    const error = firstError('hook-posttool-continue-false', {
      limitStop: 'budget',
      budget: new Budget({ maxTotalTokens: 50, maxInputTokens: 4 }),
      consumed,
    });
    expect(error).toBeInstanceOf(BudgetExhaustedError);
    expect(error).toMatchObject({
      ...{ phase: 'budget', dimension: 'input_tokens', consumed, limit: 4 },
      message: 'The token budget was used up during the run: 5 of 4 input tokens',
    });
  });

  test('once the output is there, the run is complete', () => {
    const facts = { limitStop: 'deadline', hasOutput: true } as const;
    expect(errorsOf('hook-structured-output-stop', facts)).toEqual([undefined]);
  });

  test('a limit that ended no turn is no error of the result', () => {
    expect(errorsOf('hello', { limitStop: 'deadline' })).toEqual([undefined]);
  });
});

describe('results that nobody recorded', () => {
  const error = (result: JsonObject, facts: Partial<ResultErrorFacts> = {}) =>
    errorOfResult(asResult(result), { promptName: 'p', ...facts });

  test('a result without optional fields gives no exception (AD-306)', () => {
    expect(error({ type: 'result' })).toBeUndefined();
    expect(error({ type: 'result', subtype: 'success' })).toBeUndefined();
    const failed = error({ type: 'result', subtype: 'success', is_error: true });
    expect(failed).toBeInstanceOf(PromptEvaluationError);
    expect(failed?.code).toBe('unknown');
    expect(failed?.providerPayload).toEqual({ subtype: 'success' });
    for (const subtype of [
      'error_max_turns',
      'error_max_budget_usd',
      'error_max_structured_output_retries',
      'error_during_execution',
    ]) {
      expect(error({ type: 'result', subtype })).toBeInstanceOf(PromptEvaluationError);
    }
  });

  const odd: readonly JsonObject[] = [
    { is_error: true, errors: 'one text', subtype: 5 },
    { is_error: true, errors: [null, 5, ' '], result: {} },
    { is_error: true, api_error_status: 'x', api_error_type: 7, terminal_reason: [] },
    { subtype: 'error_of_tomorrow', errors: ['new'] },
  ];
  test.each(odd)('an odd result still gives an error: %j', (result) => {
    const failed = error(result);
    expect(failed).toBeInstanceOf(PromptEvaluationError);
    expect(failed).not.toBeInstanceOf(ThrottleError);
    expect(failed?.message.trim()).not.toBe('');
  });

  test('an unknown error subtype is its own code', () => {
    expect(error({ subtype: 'error_of_tomorrow', errors: ['new'] })).toMatchObject({
      code: 'error_of_tomorrow',
      message: 'The run ended with an error: new',
      phase: 'response',
    });
  });

  test.each([
    ['a rate limit on the assistant message alone', {}, 'rate_limit', 'rate_limit'],
    ['an overload on the assistant message alone', {}, 'overloaded', 'rate_limit'],
    ['a status 429 alone', { api_error_status: 429 }, undefined, 'rate_limit'],
    ['a status 529 filed as a server error', { api_error_status: 529 }, 'server_error', 'rate_limit'],
    ['a billing error of the API', { api_error_type: 'billing_error' }, undefined, 'quota_exhausted'],
    ['a billing error with a 429', { api_error_status: 429 }, 'billing_error', 'quota_exhausted'],
    ['a status 402', { api_error_status: 402 }, undefined, 'quota_exhausted'],
  ])('%s', (_, fields, assistantError, kind) => {
    const turn = turnOf({ type: 'assistant', error: assistantError, message: {} });
    const failed = error({ subtype: 'success', is_error: true, ...fields }, { turn });
    expect(failed).toBeInstanceOf(ThrottleError);
    expect((failed as ThrottleError).details.kind).toBe(kind);
  });

  test('a failure after tools ran is not safe to repeat', () => {
    const result = { subtype: 'success', is_error: true, api_error_status: 429, num_turns: 4 };
    const failed = error(result) as ThrottleError;
    expect(failed.details.retrySafe).toBe(false);
    expect(failed.retryAdvice.retry).toBe('unsafe');
    expect(failed.retryAdvice.action).toMatch(/Resume the session/);
  });

  const ran: readonly (readonly [string, JsonObject])[] = [
    ['a call', { type: 'assistant', message: { content: [{ type: 'tool_use', id: 't', name: 'Bash', input: {} }] } }],
    ['a result of a tool', { type: 'user', message: { content: [{ type: 'tool_result', tool_use_id: 't' }] } }],
    ['a tool at work', { type: 'tool_progress', tool_use_id: 't' }],
    ['a sub-agent', { type: 'assistant', parent_tool_use_id: 't', message: { content: [] } }],
  ];
  test.each(ran)('behind %s no result with zeros says that nothing was sent, or is safe to repeat (C-3)', (_, seen) => {
    const turn = turnOf(seen);
    const crashed = error({ subtype: 'error_during_execution', num_turns: 0, errors: ['boom'] }, { turn });
    expect(crashed).toMatchObject({ phase: 'response', retryAdvice: { retry: 'unsafe' } });
    expect(crashed?.retryAdvice.action).not.toContain('nothing was sent');
    const limited = error({ subtype: 'success', is_error: true, api_error_status: 529, num_turns: 1 }, { turn });
    expect(limited).toMatchObject({ details: { retrySafe: false }, retryAdvice: { retry: 'unsafe' } });
  });

  test('behind an answer without tools a limit is safe to repeat, and a crash is not called unsent (C-3)', () => {
    const turn = turnOf({ type: 'assistant', message: { content: [{ type: 'text', text: 'Hm' }] } });
    const crashed = error({ subtype: 'error_during_execution', num_turns: 0 }, { turn });
    expect(crashed?.retryAdvice.retry).toBe('unsafe');
    expect(error({ subtype: 'success', is_error: true, api_error_status: 529 }, { turn })?.retryAdvice.retry).toBe(
      'safe',
    );
  });

  test('a rate limit that says when it ends', () => {
    const turn = turnOf({ type: 'rate_limit_event', rate_limit_info: { status: 'rejected', resetsAt: 100 } });
    const result = { subtype: 'success', is_error: true, api_error_status: 429 };
    expect(error(result, { turn, now: 40_000 })?.retryAdvice.retryAfterMs).toBe(60_000);
    expect(error(result, { turn, now: 400_000 })?.retryAdvice.retryAfterMs).toBe(0);
  });

  test('retries of a request that then went well do not count', () => {
    const turn = turnOf(
      { type: 'system', subtype: 'api_retry', attempt: 4, retry_delay_ms: 9 },
      { type: 'assistant', message: {} },
    );
    const result = { subtype: 'success', is_error: true, api_error_status: 429 };
    expect(error(result, { turn })).toMatchObject({ details: { attempts: 1, retryAfterMs: null } });
  });

  test('what sub-agents failed with is not what the turn failed with', () => {
    const turn = turnOf({ type: 'assistant', error: 'rate_limit', parent_tool_use_id: 't' });
    const failed = error({ subtype: 'success', is_error: true }, { turn });
    expect(failed).not.toBeInstanceOf(ThrottleError);
    expect(failed?.providerPayload).not.toHaveProperty('assistantError');
  });

  test.each([
    ['an answer that was too long', { terminal_reason: 'api_error' }, 'max_output_tokens'],
    ['a model that declined', { stop_reason: 'refusal' }, 'refused'],
  ])('%s: the request has to change', (_, fields, code) => {
    const turn = turnOf({ type: 'assistant', error: code === 'refused' ? undefined : code });
    const failed = error({ subtype: 'success', is_error: true, ...fields }, { turn });
    expect(failed).toMatchObject({ code, retryAdvice: { retry: 'after_change' } });
  });

  test.each([
    ['refusal', 'refused'],
    ['max_tokens', 'max_output_tokens'],
    ['model_context_window_exceeded', 'context_overflow'],
    ['pause_turn', 'incomplete'],
  ])('a success with the stop reason %s is no answer, unless a value came before', (stop_reason, code) => {
    const result = { type: 'result', subtype: 'success', is_error: false, result: 'Part', stop_reason, num_turns: 1 };
    expect(error(result)).toMatchObject({ code });
    expect(error(result, { hasOutput: true })).toBeUndefined();
  });

  test('secrets are taken out of message and payload; stderr is added', () => {
    const redact = createRedact(['hunter2!']);
    const failed = error(
      { subtype: 'error_during_execution', errors: ['bad hunter2!'] },
      { redact, stderrTail: ['one', 'two hunter2!'] },
    );
    expect(failed?.message).toBe('The run ended with an error: bad [redacted]');
    expect(failed?.providerPayload).toMatchObject({ errors: ['bad [redacted]'], stderr: 'one\ntwo [redacted]' });
    expect(failed?.stack).not.toContain('hunter2');
  });
});

test('an API that does not know the default model: the error says what to set (U-1)', () => {
  const result = { type: 'result', subtype: 'success', is_error: true, api_error_status: 404 };
  const error = errorOfResult(asResult({ ...result, result: 'model: claude-old' }), {
    promptName: 'p',
    defaultModel: 'claude-old',
  });
  expect(error).toMatchObject({
    code: 'model_not_found',
    message: expect.stringMatching(/default model `claude-old`.*Set `model`.*`null`/s),
    hint: expect.stringContaining('Set `model`'),
    retryAdvice: { retry: 'after_change' },
  });
  const named = errorOfResult(asResult({ ...result, result: 'model: mine' }), { promptName: 'p' });
  expect(named?.message).toBe('model: mine');
});
