import { describe, expect, test } from 'vitest';
import { AdapterConfigError, type AdapterError } from '../../../src/adapter/errors/adapter-error.js';
import {
  BudgetExceededError,
  BudgetExhaustedError,
  DeadlineExceededError,
  EvaluationAbortedError,
  PromptEvaluationError,
  ThrottleError,
} from '../../../src/adapter/errors/evaluation-errors.js';
import { type NormalizeFacts, normalizeError } from '../../../src/adapter/errors/normalize-error.js';
import { VisibilityExpansionRequired } from '../../../src/adapter/errors/prompt-errors.js';
import { Budget } from '../../../src/adapter/limits/budget.js';
import { createLog } from '../../../src/adapter/logging/log.js';
import { createRedact } from '../../../src/adapter/logging/redact.js';
import type { PromptResponse } from '../../../src/adapter/report/run-report.js';
import * as sdk from '../../../src/errors.js';
import type { JsonObject } from '../../../src/util/json.js';
import { outFrames } from '../../recordings/load.js';
import { recordingLogger } from '../agent/recording-logger.js';

const partial = { text: 'so far' } as PromptResponse<unknown>;

function normalize(error: unknown, facts: Partial<NormalizeFacts> = {}): AdapterError {
  return normalizeError(error, {
    promptName: 'review',
    phase: 'response',
    stderrTail: [],
    log: createLog(undefined),
    partial,
    ...facts,
  });
}

const closed = new sdk.SessionClosedError('The session is over');
const timeout = new sdk.ControlRequestTimeoutError({ subtype: 'interrupt', requestId: 'req-1', timeoutMs: 60_000 });
const result = outFrames('max-turns').find(({ type }) => type === 'result') as JsonObject;

interface Row {
  readonly name: string;
  readonly error: unknown;
  readonly type: new (...args: never[]) => AdapterError;
  readonly phase: string;
  readonly fields?: JsonObject;
  readonly says: RegExp | string;
  readonly retry: string;
}

const rows: readonly Row[] = [
  {
    name: 'CLI not found',
    error: new sdk.CLINotFoundError('Claude Code executable not found'),
    type: PromptEvaluationError,
    phase: 'request',
    fields: { code: 'ENOENT' },
    says: /npm install -g @anthropic-ai\/claude-code/,
    retry: 'after_change',
  },
  {
    name: 'a CLI that was found and could not be started',
    error: new sdk.CLIConnectionError('Failed to start Claude Code: EACCES', {
      errorClass: 'executable_launch_failed',
      code: 'EACCES',
    }),
    type: PromptEvaluationError,
    phase: 'request',
    fields: { code: 'EACCES' },
    says: 'Failed to start Claude Code: EACCES',
    retry: 'after_change',
  },
  {
    name: 'connection error',
    error: new sdk.CLIConnectionError('lost'),
    type: ThrottleError,
    phase: 'request',
    fields: { details: expect.objectContaining({ kind: 'timeout', retrySafe: true }) },
    says: 'lost',
    retry: 'safe',
  },
  {
    name: 'session closed',
    error: closed,
    type: ThrottleError,
    phase: 'request',
    fields: { details: expect.objectContaining({ kind: 'timeout' }) },
    says: 'The session is over',
    retry: 'safe',
  },
  {
    name: 'initialize timeout',
    error: new sdk.ControlRequestTimeoutError({ subtype: 'initialize', requestId: 'req-1', timeoutMs: 60_000 }),
    type: ThrottleError,
    phase: 'request',
    fields: { details: expect.objectContaining({ kind: 'timeout', retrySafe: true }) },
    says: /initialization did not complete/,
    retry: 'safe',
  },
  {
    name: 'process error',
    error: sdk.ProcessError.fromExit({ exitCode: 3, signal: null, stderrTail: 'no disk' }),
    type: PromptEvaluationError,
    phase: 'request',
    fields: { providerPayload: { exitCode: 3, signal: null, stderr: 'no disk' } },
    says: /exited with code 3. stderr: no disk/,
    retry: 'unsafe',
  },
  {
    name: 'killed process',
    error: sdk.ProcessError.fromExit({ exitCode: null, signal: 'SIGKILL', stderrTail: '' }),
    type: PromptEvaluationError,
    phase: 'request',
    fields: { providerPayload: { exitCode: null, signal: 'SIGKILL' } },
    says: /signal SIGKILL/,
    retry: 'unsafe',
  },
  {
    name: 'JSON decode error',
    error: new sdk.CLIJSONDecodeError('<html>'),
    type: PromptEvaluationError,
    phase: 'response',
    says: /^Failed to parse SDK response: .*<html>/,
    retry: 'after_change',
  },
  {
    name: 'a line that is too long',
    error: new sdk.FrameTooLargeError(10, 'xxxx'),
    type: PromptEvaluationError,
    phase: 'response',
    says: /^Failed to parse SDK response: .*10 bytes/,
    retry: 'after_change',
  },
  {
    name: 'message parse error',
    error: new sdk.MessageParseError('no such message', { type: 'assistent', secret: 1 }),
    type: PromptEvaluationError,
    phase: 'response',
    fields: { providerPayload: { messageType: 'assistent' } },
    says: 'no such message',
    retry: 'after_change',
  },
  {
    name: 'max turns exceeded',
    error: new sdk.ResultError('failed', result),
    type: PromptEvaluationError,
    phase: 'response',
    fields: { code: 'max_turns' },
    says: /^The turn limit was exceeded/,
    retry: 'after_change',
  },
  {
    name: 'a result that says nothing of a failure',
    error: new sdk.ResultError('failed', { type: 'result' }, { exitCode: 1 }),
    type: PromptEvaluationError,
    phase: 'request',
    fields: { providerPayload: { exitCode: 1, signal: null } },
    says: 'failed',
    retry: 'unsafe',
  },
  {
    name: 'abort without a signal of ours',
    error: new sdk.AbortError(),
    type: EvaluationAbortedError,
    phase: 'response',
    says: 'The evaluation was aborted',
    retry: 'unsafe',
  },
  {
    name: 'the SDK’s own deadline',
    error: new sdk.RunDeadlineError(5),
    type: DeadlineExceededError,
    phase: 'deadline',
    says: /deadline of 5 ms/,
    retry: 'after_change',
  },
  {
    name: 'another SDK error',
    error: new sdk.InvalidOptionError('cwd', 'Option `cwd` must be a string'),
    type: PromptEvaluationError,
    phase: 'request',
    says: 'Claude Agent SDK error: Option `cwd` must be a string',
    retry: 'after_change',
  },
  {
    name: 'a refused control request',
    error: new sdk.ControlRequestError('no', { subtype: 'get_settings', requestId: 'r' }),
    type: PromptEvaluationError,
    phase: 'request',
    says: 'Claude Agent SDK error: no',
    retry: 'after_change',
  },
  {
    name: 'several errors',
    error: new AggregateError([new Error('a'), new Error('transport closed')]),
    type: PromptEvaluationError,
    phase: 'request',
    fields: { providerPayload: { errors: ['a', 'transport closed'] } },
    says: 'Several errors at once: a; transport closed',
    retry: 'unsafe',
  },
  {
    name: 'a plain error',
    error: Object.assign(new Error('EPIPE: broken'), { code: 'EPIPE' }),
    type: PromptEvaluationError,
    phase: 'request',
    fields: { code: 'EPIPE' },
    says: 'EPIPE: broken',
    retry: 'unsafe',
  },
  {
    name: 'an empty list of errors',
    error: new AggregateError([], 'nothing'),
    type: PromptEvaluationError,
    phase: 'request',
    says: 'nothing',
    retry: 'unsafe',
  },
  {
    name: 'something that is no error',
    error: 'oops',
    type: PromptEvaluationError,
    phase: 'request',
    says: 'The run failed with string "oops"',
    retry: 'unsafe',
  },
];

describe('what a base error becomes', () => {
  for (const { name, error, type, phase, fields, says, retry } of rows) {
    test(name, () => {
      const normalized = normalize(error);
      expect(normalized.constructor).toBe(type);
      expect(normalized).toMatchObject({ phase, promptName: 'review', ...fields });
      expect((normalized as PromptEvaluationError).partial).toBe(partial);
      if (typeof says === 'string') expect(normalized.message).toBe(says);
      else expect(normalized.message).toMatch(says);
      expect(normalized.retryAdvice.retry).toBe(retry);
      expect(normalized.retryAdvice.action).not.toBe('');
    });
  }

  test('a connection error is a throttle that may be tried again (AD-293)', () => {
    const normalized = normalize(new sdk.CLIConnectionError('lost'));
    expect(normalized).toBeInstanceOf(ThrottleError);
    expect((normalized as ThrottleError).details).toEqual({
      kind: 'timeout',
      retryAfterMs: null,
      attempts: 1,
      retrySafe: true,
      providerPayload: undefined,
    });
  });

  test('a connection lost after a tool ran is not safe to repeat, nor called unsent (C-3)', () => {
    expect(normalize(closed, { progress: 'answered' }).retryAdvice.retry).toBe('safe');
    const lost = normalize(closed, { progress: 'tools' });
    expect(lost).toMatchObject({ retryAdvice: { retry: 'unsafe' }, details: { retrySafe: false } });
    const early = { isBeforeHandshake: true, partial: undefined };
    expect(normalize(new sdk.ProcessError('x', { exitCode: 1 }), early).retryAdvice.action).toContain(
      'nothing was sent',
    );
    const odd = normalize(new sdk.ProcessError('x', { exitCode: 1 }), { ...early, progress: 'tools' });
    expect(odd.retryAdvice).toMatchObject({ retry: 'unsafe', action: expect.not.stringContaining('nothing was sent') });
  });

  test('a CLI that was not found is no throttle, though it is a kind of connection error', () => {
    expect(normalize(new sdk.CLINotFoundError('none'))).not.toBeInstanceOf(ThrottleError);
  });

  test('a control request without an answer is a throttle of kind timeout (AD-301)', () => {
    const normalized = normalize(timeout);
    expect(normalized).toBeInstanceOf(ThrottleError);
    expect(normalized).toMatchObject({ phase: 'request', details: { kind: 'timeout' } });
  });

  test('several errors that all say that the transport is closed are of the response, and listed (AD-302)', () => {
    const errors = [new Error('transport closed'), closed, new Error('Transport is closed')];
    const normalized = normalize(new AggregateError(errors));
    expect(normalized).toBeInstanceOf(PromptEvaluationError);
    expect(normalized).toMatchObject({
      phase: 'response',
      providerPayload: { errors: errors.map(({ message }) => message) },
    });
  });

  test('an SDK error of no known class gets a prefix, a plain error keeps its message (AD-303)', () => {
    const unknown = new sdk.ClaudeSDKError('strange', 'of_tomorrow' as sdk.ErrorClass);
    expect(normalize(unknown).message).toBe('Claude Agent SDK error: strange');
    expect(normalize(new Error('strange')).message).toBe('strange');
  });

  test('every normalised error has the original as its cause, and the prompt’s name (AD-304)', () => {
    const all = [...rows.map(({ error }) => error), timeout, new AggregateError([closed])];
    for (const error of all) {
      const normalized = normalize(error);
      expect(normalized).toBeInstanceOf(PromptEvaluationError);
      expect(normalized.cause).toBe(error);
      expect((normalized as PromptEvaluationError).promptName).toBe('review');
    }
  });
});

describe('stderr', () => {
  test('the tail is added when the error carries none', () => {
    const normalized = normalize(new Error('x'), { stderrTail: ['a', 'b'] });
    expect((normalized as PromptEvaluationError).providerPayload).toEqual({ stderr: 'a\nb' });
  });

  test('what the error carries wins', () => {
    const exit = sdk.ProcessError.fromExit({ exitCode: 1, signal: null, stderrTail: 'own' });
    const normalized = normalize(exit, { stderrTail: ['tail'] });
    expect(normalized).toMatchObject({ providerPayload: { stderr: 'own' } });
  });
});

describe('abort', () => {
  test('once the caller’s signal has fired, what fails is its consequence', () => {
    const reason = new Error('user left');
    const signal = AbortSignal.abort(reason);
    for (const error of [new sdk.AbortError(), closed, new Error('EPIPE'), timeout]) {
      const normalized = normalize(error, { signal, phase: 'request' });
      expect(normalized).toBeInstanceOf(EvaluationAbortedError);
      expect(normalized).toMatchObject({ phase: 'request', cause: reason });
    }
  });

  test('a signal that has not fired changes nothing', () => {
    const { signal } = new AbortController();
    expect(normalize(closed, { signal })).toBeInstanceOf(ThrottleError);
  });
});

describe('errors of this layer', () => {
  const own = [
    new AdapterConfigError('bad', ['cwd']),
    new VisibilityExpansionRequired({ a: 'full' }, 'needed', ['a']),
    new PromptEvaluationError('x', { promptName: 'p', phase: 'tool' }),
    new DeadlineExceededError('x', { promptName: 'p' }),
  ];
  test.each(own)('stay as they are: $name', (error) => {
    const logger = recordingLogger();
    expect(normalize(error, { log: createLog(logger) })).toBe(error);
    expect(logger.records).toEqual([]);
  });

  test('a tracker that throws exhausts the budget', () => {
    const budget = new Budget({ maxTotalTokens: 1 });
    const error = new BudgetExceededError(budget, { inputTokens: 2 }, 'total_tokens');
    const normalized = normalize(error);
    expect(normalized).toBeInstanceOf(BudgetExhaustedError);
    expect(normalized).toMatchObject({
      dimension: 'total_tokens',
      consumed: { inputTokens: 2 },
      limit: 1,
      message: 'The budget is exceeded: 2 of 1 total tokens',
      cause: error,
      partial,
      promptName: 'review',
    });
  });
});

describe('what to do about a CLI that died early', () => {
  const exit = new sdk.ProcessError('exit 4', { exitCode: 4, stderrTail: 'no config' });

  test('before the handshake nothing was done: it is no session to resume, but something to change', () => {
    const error = normalize(exit, { partial: undefined, isBeforeHandshake: true });
    expect(error.retryAdvice).toMatchObject({
      retry: 'after_change',
      action: expect.stringMatching(/`providerPayload\.stderr`.*nothing was sent/),
    });
    expect(error.retryAdvice.action).not.toMatch(/resume/i);
  });

  test('one that ends without an exit code before the handshake is no time-out to wait for', () => {
    const early = normalize(closed, { partial: undefined, isBeforeHandshake: true });
    expect(early.retryAdvice.retry).toBe('after_change');
    expect(early).toMatchObject({ details: { kind: 'timeout', retrySafe: false } });
  });

  test('after it, without a session, the advice names none', () => {
    expect(normalize(exit, { partial: undefined }).retryAdvice).toMatchObject({
      retry: 'unsafe',
      action: expect.not.stringContaining('cliSessionId'),
    });
    expect(normalize(exit).retryAdvice.action).toContain('cliSessionId');
  });
});

test('a normalised error is logged by type and phase', () => {
  const logger = recordingLogger();
  normalize(closed, { log: createLog(logger, 'mine') });
  expect(logger.records).toEqual([
    {
      level: 'debug',
      message: 'mine.error.normalized',
      event: 'error.normalized',
      context: { errorType: 'ThrottleError', phase: 'request' },
    },
  ]);
});

test('secrets are taken out of the error, its payload and the SDK’s error beneath it', () => {
  const redact = createRedact(['s3cret-value']);
  const inner = new sdk.CLIConnectionError('inner s3cret-value');
  const exit = new sdk.ProcessError('failed: s3cret-value', {
    exitCode: 1,
    stderrTail: 'ANTHROPIC_API_KEY=s3cret-value sk-ant-abcdefgh',
    cause: inner,
  });
  const normalized = normalize(exit, { redact }) as PromptEvaluationError;
  expect(normalized.cause).toBe(exit);
  expect(exit).toBeInstanceOf(sdk.ProcessError);
  expect(normalized.providerPayload?.stderr).toBe('ANTHROPIC_API_KEY=[redacted] [redacted]');
  for (const error of [normalized, exit, inner]) {
    const told = `${error.message}${error.stack}${JSON.stringify(error)}`;
    expect(told).not.toMatch(/s3cret-value|sk-ant-a/);
  }
});

test('a secret that is one of our words leaves the fields that callers branch on', () => {
  for (const secret of ['ProcessError', 'process_exited_nonzero', 'response', 'unsafe', 'stderr']) {
    const exit = new sdk.ProcessError('failed', { exitCode: 1, stderrTail: `it: ${secret}` });
    const plain = normalize(new sdk.ProcessError('failed', { exitCode: 1 }), {});
    const { name, errorClass } = exit;
    const normalized = normalize(exit, { redact: createRedact([secret]) });
    expect(exit).toMatchObject({ name, errorClass });
    expect(normalized).toMatchObject({
      name: plain.name,
      errorClass: plain.errorClass,
      retryAdvice: { retry: plain.retryAdvice.retry },
      providerPayload: { stderr: 'it: [redacted]' },
    });
  }
});

test('errors that name each other as causes come to an end', () => {
  const first: sdk.ClaudeSDKError = new sdk.CLIConnectionError('a');
  const second = new sdk.CLIConnectionError('b', { cause: first });
  Object.defineProperty(first, 'cause', { value: second });
  expect(normalize(second, { redact: createRedact([]) })).toBeInstanceOf(ThrottleError);
});
