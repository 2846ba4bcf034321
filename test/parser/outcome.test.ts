import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import {
  AbortError,
  CLINotFoundError,
  ClaudeSDKError,
  ControlRequestTimeoutError,
  IdleTimeoutError,
  IncompleteStreamError,
  InvalidOptionError,
  ProcessError,
  type ProcessExit,
  PromptError,
  ResultError,
  RunDeadlineError,
  SessionClosedError,
} from '../../src/errors.js';
import type { SDKMessage } from '../../src/parser/message.js';
import { markAfterTurn, type Outcome, type OutcomeKind, outcomeOf } from '../../src/parser/outcome.js';
import type { JsonObject } from '../../src/util/json.js';

/** Frames as a CLI would send them; only the fields that matter are there. */
function messages(...frames: JsonObject[]): SDKMessage[] {
  return frames as unknown[] as SDKMessage[];
}

function success(fields: JsonObject = {}): JsonObject {
  return {
    type: 'result',
    subtype: 'success',
    is_error: false,
    result: 'Fine.',
    num_turns: 1,
    terminal_reason: 'completed',
    ...fields,
  };
}

function apiError(fields: JsonObject = {}): JsonObject {
  return success({ is_error: true, result: 'It failed.', terminal_reason: 'api_error', ...fields });
}

function failed(fields: JsonObject = {}): JsonObject {
  return {
    type: 'result',
    subtype: 'error_during_execution',
    is_error: true,
    num_turns: 1,
    errors: ['Why.'],
    ...fields,
  };
}

function crash(fields: Partial<ProcessExit> = {}): ProcessError {
  return ProcessError.fromExit({ exitCode: 1, signal: null, stderrTail: '', ...fields });
}

const SYNTHETIC = { type: 'assistant', parent_tool_use_id: null };
const WITH_SCHEMA = { type: 'system', subtype: 'init', tools: ['Bash', 'StructuredOutput'] };

afterEach(() => {
  vi.useRealTimers();
});

describe('messages', () => {
  const cases: { name: string; frames: JsonObject[]; kind: OutcomeKind; retryable?: boolean }[] = [
    { name: 'an answer', frames: [success()], kind: 'completed' },
    { name: 'no message', frames: [], kind: 'incomplete' },
    { name: 'messages but no result', frames: [{ type: 'assistant' }], kind: 'incomplete' },
    { name: 'the last result counts', frames: [failed(), success()], kind: 'completed' },
    { name: 'a deferred call', frames: [success({ terminal_reason: 'tool_deferred' })], kind: 'deferred' },
    {
      name: 'a hook that stopped the turn',
      frames: [success({ terminal_reason: 'hook_stopped', result: '' })],
      kind: 'hook_stopped',
    },
    {
      name: 'a hook that stopped the turn after its output',
      frames: [WITH_SCHEMA, success({ terminal_reason: 'hook_stopped', structured_output: { a: 1 } })],
      kind: 'completed',
    },
    {
      name: 'a prompt that a hook blocked',
      frames: [
        { type: 'system', subtype: 'informational', prevent_continuation: true },
        success({ terminal_reason: undefined, num_turns: 0 }),
      ],
      kind: 'hook_stopped',
    },
    {
      name: 'a schema without a value',
      frames: [WITH_SCHEMA, success()],
      kind: 'structured_output_failed',
      retryable: true,
    },
    {
      name: 'a local command needs no value, whatever the schema',
      frames: [WITH_SCHEMA, success({ terminal_reason: undefined, local_command: 'context' })],
      kind: 'completed',
    },
    {
      name: 'a value that is null is a value',
      frames: [WITH_SCHEMA, success({ structured_output: null })],
      kind: 'completed',
    },
    {
      name: 'facts of an earlier turn do not leak into the next',
      frames: [{ ...SYNTHETIC, error: 'billing_error' }, apiError(), apiError({ api_error_status: 500 })],
      kind: 'server_error',
      retryable: true,
    },
    {
      name: "a subagent's failure is not the turn's",
      frames: [
        { type: 'assistant', parent_tool_use_id: 't', error: 'billing_error' },
        apiError({ api_error_status: 500 }),
      ],
      kind: 'server_error',
      retryable: true,
    },
    ...['', 'constructor', '__proto__'].map((error) => ({
      name: `an assistant error that is no word of the CLI's: ${JSON.stringify(error)}`,
      frames: [{ ...SYNTHETIC, error }, apiError()],
      kind: 'server_error' as const,
      retryable: true,
    })),
    { name: 'a refusal', frames: [success({ stop_reason: 'refusal' })], kind: 'refused' },
    { name: 'an answer cut off', frames: [success({ stop_reason: 'max_tokens' })], kind: 'max_output_tokens' },
    {
      name: 'an answer cut off by the window',
      frames: [success({ stop_reason: 'model_context_window_exceeded' })],
      kind: 'context_overflow',
    },
    { name: 'a turn that the model paused', frames: [success({ stop_reason: 'pause_turn' })], kind: 'incomplete' },
    {
      name: 'a value that came before the answer was cut off',
      frames: [WITH_SCHEMA, success({ stop_reason: 'max_tokens', structured_output: 1 })],
      kind: 'completed',
    },
    {
      name: 'a text that is too long, filed under images',
      frames: [apiError({ terminal_reason: 'image_error', api_error_status: 413, result: 'Prompt is too long' })],
      kind: 'context_overflow',
    },
    {
      name: 'a refusal that no other model took over',
      frames: [{ type: 'system', subtype: 'model_refusal_no_fallback' }, apiError()],
      kind: 'refused',
    },
    {
      name: 'turns',
      frames: [failed({ subtype: 'error_max_turns', terminal_reason: 'max_turns' })],
      kind: 'max_turns',
    },
    {
      name: 'turns, as 2.0.0 says it: no error flag, no reason',
      frames: [failed({ subtype: 'error_max_turns', is_error: false, errors: undefined })],
      kind: 'max_turns',
    },
    {
      name: 'an interrupt, as 2.0.0 says it',
      frames: [
        {
          type: 'user',
          parent_tool_use_id: null,
          message: { role: 'user', content: [{ type: 'text', text: '[Request interrupted by user]' }] },
        },
        failed({ is_error: false, errors: undefined }),
      ],
      kind: 'interrupted',
    },
    {
      name: 'a subagent that was interrupted is not the turn’s end',
      frames: [
        { type: 'user', parent_tool_use_id: 't', message: { role: 'user', content: '[Request interrupted by user]' } },
        failed(),
      ],
      kind: 'failed',
    },
    { name: 'budget', frames: [failed({ subtype: 'error_max_budget_usd' })], kind: 'max_budget' },
    {
      name: 'bad tries at a schema',
      frames: [failed({ subtype: 'error_max_structured_output_retries' })],
      kind: 'structured_output_failed',
      retryable: true,
    },
    {
      name: 'interrupted while it spoke',
      frames: [failed({ terminal_reason: 'aborted_streaming' })],
      kind: 'interrupted',
    },
    { name: 'interrupted in a tool', frames: [failed({ terminal_reason: 'aborted_tools' })], kind: 'interrupted' },
    {
      name: 'a start that failed, with a reason',
      frames: [failed({ startup_failure_reason: 'bypass_root', num_turns: 0 })],
      kind: 'not_started',
    },
    { name: 'a session that is not there', frames: [failed({ num_turns: 0 })], kind: 'not_started' },
    {
      name: 'a crash of the CLI behind an answer',
      frames: [{ type: 'assistant', message: { content: [] } }, failed({ num_turns: 0 })],
      kind: 'failed',
    },
    {
      name: 'a crash of the CLI behind a tool, of which only the result came',
      frames: [
        { type: 'user', message: { content: [{ type: 'tool_result', tool_use_id: 't', content: 'x' }] } },
        failed({ num_turns: 0 }),
      ],
      kind: 'failed',
    },
    {
      name: 'a crash of the CLI behind a sub-agent',
      frames: [{ type: 'assistant', parent_tool_use_id: 't', message: { content: [] } }, failed({ num_turns: 0 })],
      kind: 'failed',
    },
    {
      name: 'a crash of the CLI behind a piece of an answer (C-3)',
      frames: [{ type: 'stream_event', event: { type: 'message_start' } }, failed({ num_turns: 0 })],
      kind: 'failed',
    },
    {
      name: 'a crash of the CLI in a second turn (C-3)',
      frames: [{ type: 'assistant', message: { content: [] } }, success(), failed({ num_turns: 0 })],
      kind: 'failed',
    },
    {
      name: 'a crash of the CLI that counted tokens (C-3)',
      frames: [failed({ num_turns: 0, usage: { output_tokens: 3 } })],
      kind: 'failed',
    },
    {
      name: 'a reason for a start that failed, behind an answer (C-3)',
      frames: [
        { type: 'assistant', message: { content: [] } },
        failed({ startup_failure_reason: 'bypass_root', num_turns: 0 }),
      ],
      kind: 'failed',
    },
    { name: 'a failure without a name', frames: [failed()], kind: 'failed' },
    {
      name: 'a subtype from the future',
      frames: [failed({ subtype: 'error_new', terminal_reason: 'something_new' })],
      kind: 'failed',
    },
    ...['prompt_too_long', 'blocking_limit', 'rapid_refill_breaker'].map((reason) => ({
      name: reason,
      frames: [apiError({ terminal_reason: reason, api_error_status: 400 })],
      kind: 'context_overflow' as const,
    })),
    {
      name: 'an image the API does not take',
      frames: [apiError({ terminal_reason: 'image_error' })],
      kind: 'invalid_request',
    },
  ];
  test.each(cases)('$name: $kind', ({ frames, kind, retryable = false }) => {
    expect(outcomeOf(messages(...frames))).toMatchObject({ kind, retryable });
  });

  test('an outcome holds the result it was read from, and its text', () => {
    const result = success({ structured_output: { a: 1 } });
    const outcome = outcomeOf(messages(failed(), result));
    expect(outcome.result).toBe(result);
    expect(outcome).toMatchObject({ message: 'Fine.', structuredOutput: { a: 1 } });
  });

  test.each([
    ['context_window', 'context_overflow'],
    ['output_limit', 'max_output_tokens'],
  ])('what cut the answer off is a field of the message, before any text: %s', (cut, kind) => {
    const error = { ...SYNTHETIC, error: 'max_output_tokens', api_error_params: { cut } };
    const text = cut === 'output_limit' ? 'The context window limit' : 'It failed.';
    expect(outcomeOf(messages(error, apiError({ api_error: 'max_output_tokens', result: text })))).toMatchObject({
      kind,
    });
  });

  describe('a turn that the CLI began by itself', () => {
    const ofTask = { origin: { kind: 'task-notification' } };
    const wakeUp = { type: 'command_lifecycle', state: 'started', command_uuid: 'w', wakeup_source: 'loop_wakeup' };
    const woken = { ...wakeUp, state: 'completed' };
    const valued = success({ structured_output: { a: 1 } });
    const spent = failed({ subtype: 'error_max_structured_output_retries', ...ofTask });

    test.each<[string, JsonObject[], number]>([
      ['without a value, after a turn that had one', [WITH_SCHEMA, valued, WITH_SCHEMA, success(ofTask)], 0],
      ['with bad tries at a value, after a turn that had one', [WITH_SCHEMA, valued, WITH_SCHEMA, spent], 0],
      ['at a wake-up, without a value', [WITH_SCHEMA, valued, wakeUp, WITH_SCHEMA, success(), woken], 0],
      ['with another value', [valued, success({ structured_output: 2, ...ofTask })], 1],
      ['without a text', [success(), success({ result: '', ...ofTask })], 0],
      ['with a text', [success(), success({ result: 'The agent is done.', ...ofTask })], 1],
    ])('takes nothing away: %s', (_, frames, counting) => {
      const outcome = outcomeOf(messages(...frames));
      expect(outcome.kind).toBe('completed');
      expect(outcome.result).toBe(frames.filter(({ type }) => type === 'result')[counting]);
    });

    test.each<[string, JsonObject, OutcomeKind]>([
      ['an overload', apiError({ api_error_status: 529 }), 'overloaded'],
      ['too many turns', failed({ subtype: 'error_max_turns' }), 'max_turns'],
      ['bad tries at a value', failed({ subtype: 'error_max_structured_output_retries' }), 'structured_output_failed'],
    ])('does not hide that the turn that was asked for failed: %s', (_, asked, kind) => {
      for (const unasked of [success(ofTask), apiError({ api_error_status: 500, ...ofTask })]) {
        const outcome = outcomeOf(messages(asked, unasked));
        expect(outcome.kind).toBe(kind);
        expect(outcome.result).toBe(asked);
      }
      expect(outcomeOf(messages(asked, success(ofTask), success())).kind).toBe('completed');
    });

    test('its failure counts; a turn that was asked for needs a value of its own', () => {
      const overload = apiError({ api_error_status: 529, ...ofTask });
      expect(outcomeOf(messages(WITH_SCHEMA, valued, overload)).kind).toBe('overloaded');
      expect(outcomeOf(messages(WITH_SCHEMA, valued, WITH_SCHEMA, success())).kind).toBe('structured_output_failed');
      expect(outcomeOf(messages(WITH_SCHEMA, success(), WITH_SCHEMA, success(ofTask))).kind).toBe(
        'structured_output_failed',
      );
    });
  });

  test('any iterable will do', () => {
    expect(outcomeOf(new Set(messages(success()))).kind).toBe('completed');
  });
});

describe('a failure of the API', () => {
  const cases: { error?: string; fields: JsonObject; kind: OutcomeKind }[] = [
    { error: 'authentication_failed', fields: { api_error_status: 403 }, kind: 'auth' },
    { error: 'oauth_org_not_allowed', fields: {}, kind: 'auth' },
    { error: 'billing_error', fields: { api_error_status: 400 }, kind: 'billing' },
    { error: 'rate_limit', fields: { api_error_status: 429 }, kind: 'rate_limited' },
    { error: 'server_error', fields: { api_error_status: 529 }, kind: 'overloaded' },
    { error: 'overloaded', fields: {}, kind: 'overloaded' },
    { error: 'server_error', fields: { api_error_status: 500 }, kind: 'server_error' },
    { error: 'server_error', fields: { api_error_status: null }, kind: 'connection_failed' },
    { error: 'unknown', fields: { api_error_status: null }, kind: 'server_error' },
    { error: 'unknown', fields: { api_error_status: 400 }, kind: 'invalid_request' },
    { error: 'invalid_request', fields: {}, kind: 'invalid_request' },
    { error: 'model_not_found', fields: { api_error_status: 404 }, kind: 'model_not_found' },
    { error: 'max_output_tokens', fields: {}, kind: 'max_output_tokens' },
    { error: 'server_error', fields: { api_error: 'connection_failed' }, kind: 'connection_failed' },
    { fields: { api_error: 'max_output_tokens' }, kind: 'max_output_tokens' },
    // Claude Code 2.1.330 with the stop reason `model_context_window_exceeded`.
    {
      error: 'max_output_tokens',
      fields: { result: 'API Error: The model has reached its context window limit.' },
      kind: 'context_overflow',
    },
    {
      fields: { api_error: 'max_output_tokens', result: 'API Error: The model has reached its context window limit.' },
      kind: 'context_overflow',
    },
    { fields: { api_error_status: 400, result: 'Prompt is too long' }, kind: 'context_overflow' },
    { error: 'rate_limit', fields: { api_error_status: 429, result: 'Prompt is too long' }, kind: 'rate_limited' },
    { error: 'unknown', fields: { api_error_status: 408 }, kind: 'connection_failed' },
    // The same with an overload in the middle of the stream.
    {
      error: 'server_error',
      fields: { result: 'API Error: Server error mid-response. The response above may be incomplete.' },
      kind: 'server_error',
    },
    { error: 'from_the_future', fields: { api_error_status: 401 }, kind: 'auth' },
    { fields: { api_error_type: 'overloaded_error' }, kind: 'overloaded' },
    { fields: { api_error_status: 402 }, kind: 'billing' },
    { fields: { api_error_status: 400, api_error_type: 'billing_error' }, kind: 'billing' },
    { error: 'unknown', fields: { result: 'Credit balance is too low' }, kind: 'billing' },
    { fields: { api_error_status: 404 }, kind: 'model_not_found' },
    { fields: { api_error_status: 413 }, kind: 'invalid_request' },
    { fields: { api_error_status: 429 }, kind: 'rate_limited' },
    { fields: { api_error_status: 503 }, kind: 'server_error' },
    { fields: { api_error_status: 400, result: 'Credit balance is too low' }, kind: 'billing' },
    { fields: { result: 'Not logged in · Please run /login' }, kind: 'auth' },
    // Claude Code 2.1.330 with CLAUDE_CODE_USE_VERTEX=1 and CLAUDE_CODE_SKIP_VERTEX_AUTH=1, and with CLAUDE_CODE_USE_FOUNDRY=1.
    {
      error: 'unknown',
      fields: { result: 'API Error: No projectId was given and it could not be resolved from credentials.' },
      kind: 'auth',
    },
    {
      error: 'unknown',
      fields: { result: 'API Error: Must provide one of the `baseURL` or `resource` arguments, or the …' },
      kind: 'auth',
    },
    {
      error: 'server_error',
      fields: { result: 'No projectId was given', api_error_status: 500 },
      kind: 'server_error',
    },
    { fields: { result: 'Request timed out.' }, kind: 'connection_failed' },
    { fields: {}, kind: 'server_error' },
  ];
  test.each(cases)('$error $fields: $kind', ({ error, fields, kind }) => {
    const synthetic = error === undefined ? [] : [{ ...SYNTHETIC, error }];
    expect(outcomeOf(messages(...synthetic, apiError(fields))).kind).toBe(kind);
  });

  test("the CLI's last wait is a hint for the next try", () => {
    const retries = [500, 1100].map((retry_delay_ms) => ({ type: 'system', subtype: 'api_retry', retry_delay_ms }));
    const end = (status: number) => outcomeOf(messages(...retries, apiError({ api_error_status: status })));
    expect(end(529)).toMatchObject({ retryable: true, retryAfterMs: 1100 });
    expect(end(429)).toMatchObject({ kind: 'rate_limited', retryAfterMs: 1100 });
    expect(end(401)).not.toHaveProperty('retryAfterMs');
  });

  test('a plan limit says when it resets', () => {
    vi.useFakeTimers({ now: 1_000_000_000_000 });
    const limit = (status: string, resetsAt: unknown) => ({
      type: 'rate_limit_event',
      rate_limit_info: { status, resetsAt },
    });
    const at = (...events: JsonObject[]) => outcomeOf(messages(...events, apiError({ api_error_status: 429 })));
    expect(at(limit('rejected', 1_000_000_060))).toMatchObject({
      resetsAt: new Date(1_000_000_060_000),
      retryAfterMs: 60_000,
    });
    expect(at(limit('rejected', 999_999_000))).toMatchObject({ retryAfterMs: 0 });
    for (const event of [limit('allowed_warning', 1_000_000_060), limit('rejected', 1e300)]) {
      expect(at(event)).not.toHaveProperty('resetsAt');
    }
  });
});

describe('an error of the loop', () => {
  const result = failed({ subtype: 'error_max_turns' });
  const cases: {
    name: string;
    error: unknown;
    frames?: JsonObject[];
    expected: { kind: OutcomeKind } & Record<string, unknown>;
  }[] = [
    { name: 'abort', error: new AbortError(), expected: { kind: 'interrupted' } },
    { name: 'closed', error: new SessionClosedError('over'), expected: { kind: 'interrupted' } },
    { name: 'deadline', error: new RunDeadlineError(5), expected: { kind: 'deadline' } },
    { name: 'silence', error: new IdleTimeoutError(5, []), expected: { kind: 'idle_timeout', retryable: true } },
    { name: 'no result, strictly', error: new IncompleteStreamError('x'), expected: { kind: 'incomplete' } },
    { name: 'no executable', error: new CLINotFoundError('none'), expected: { kind: 'not_started', retryable: false } },
    { name: 'a bad option', error: new InvalidOptionError('model', 'no'), expected: { kind: 'not_started' } },
    {
      name: 'no answer to initialize',
      error: new ControlRequestTimeoutError({ subtype: 'initialize', requestId: 'r', timeoutMs: 1 }),
      expected: { kind: 'not_started', retryable: true },
    },
    {
      name: 'an error result is its result',
      error: new ResultError('x', result),
      expected: { kind: 'max_turns', result },
    },
    {
      name: 'an error result without anything usable in it',
      error: new ResultError('x', {}),
      expected: { kind: 'failed', message: 'x' },
    },
    {
      name: 'an error result after its messages knows their facts',
      error: new ResultError('x', apiError()),
      frames: [{ ...SYNTHETIC, error: 'billing_error' }, apiError()],
      expected: { kind: 'billing' },
    },
    {
      name: 'no answer to initialize, although something ran (C-3)',
      error: new ControlRequestTimeoutError({ subtype: 'initialize', requestId: 'r', timeoutMs: 1 }),
      frames: [{ type: 'assistant', message: { content: [] } }],
      expected: { kind: 'failed', retryable: false },
    },
    { name: 'exit before the first message', error: crash(), frames: [], expected: { kind: 'not_started' } },
    {
      name: 'a signal before the first message',
      error: crash({ exitCode: null, signal: 'SIGKILL' }),
      frames: [],
      expected: { kind: 'crashed', exitCode: null, signal: 'SIGKILL' },
    },
    {
      name: 'a signal that became a code',
      error: crash({ exitCode: 143 }),
      frames: [],
      expected: { kind: 'crashed', exitCode: 143 },
    },
    {
      name: 'exit before the first message, after a turn of the same process',
      error: markAfterTurn(crash()),
      frames: [],
      expected: { kind: 'crashed', exitCode: 1 },
    },
    {
      name: 'a code beyond all signals before the first message',
      error: crash({ exitCode: 255 }),
      frames: [],
      expected: { kind: 'not_started' },
    },
    {
      name: 'exit in a turn',
      error: crash({ stderrTail: 'oops' }),
      frames: [{ type: 'assistant' }],
      expected: { kind: 'crashed', exitCode: 1, signal: null, stderrTail: 'oops' },
    },
    {
      name: 'a crash after an answer keeps the answer',
      error: crash(),
      frames: [success()],
      expected: { kind: 'crashed', result: success() },
    },
    { name: 'an exit of which nothing else is known', error: crash(), expected: { kind: 'crashed' } },
    { name: 'a prompt that failed', error: new PromptError('bad'), expected: { kind: 'failed', message: 'bad' } },
    { name: 'somebody else’s error', error: new Error('x'), expected: { kind: 'failed', message: 'x' } },
    { name: 'a string', error: 'why', expected: { kind: 'failed', message: 'why' } },
    { name: 'nothing', error: undefined, expected: { kind: 'failed' } },
  ];
  test.each(cases)('$name', ({ error, frames, expected }) => {
    const outcome = frames === undefined ? outcomeOf(error) : outcomeOf(messages(...frames), error);
    expect(outcome).toMatchObject(expected);
  });

  test('the cause of an unnamed failure is there', () => {
    const error = new ClaudeSDKError('x', 'queue_limit_exceeded');
    expect(outcomeOf(error)).toMatchObject({ kind: 'failed', cause: error });
  });
});

describe('odd input', () => {
  test('an error result whose errors are missing or odd never throws', () => {
    for (const errors of [undefined, null, 5, 'x', {}, [1, null], [{}]]) {
      const result = failed({ subtype: 'error_max_turns', errors });
      expect(outcomeOf(messages(result))).toMatchObject({ kind: 'max_turns' });
    }
  });

  test('a subtype that cannot be written as text is no exception', () => {
    const result = { type: 'result', subtype: { toString: null }, is_error: false };
    expect(outcomeOf(result as unknown as SDKMessage)).toMatchObject({ kind: 'completed', message: '' });
  });

  test('nothing makes it throw, and there is always a kind and a text', () => {
    const field = fc.jsonValue() as fc.Arbitrary<unknown>;
    const frame = fc.record(
      {
        type: fc.constantFrom('result', 'assistant', 'system', 'rate_limit_event', 'user'),
        subtype: fc.oneof(field, fc.constantFrom('success', 'init', 'api_retry', 'informational', 'error_max_turns')),
        is_error: field,
        result: field,
        errors: field,
        error: field,
        tools: field,
        terminal_reason: field,
        stop_reason: field,
        api_error_status: field,
        api_error_type: field,
        rate_limit_info: field,
        retry_delay_ms: field,
        num_turns: field,
      },
      { requiredKeys: ['type'] },
    );
    const isOutcome = (outcome: Outcome): boolean =>
      typeof outcome.kind === 'string' && typeof outcome.message === 'string' && typeof outcome.retryable === 'boolean';
    fc.assert(
      fc.property(fc.array(fc.oneof(frame, field)), field, (frames, error) => {
        const input = frames as SDKMessage[];
        return (
          isOutcome(outcomeOf(input)) &&
          isOutcome(outcomeOf(input, error)) &&
          isOutcome(outcomeOf(error)) &&
          input.every((one) => isOutcome(outcomeOf(one)))
        );
      }),
      { numRuns: 1000 },
    );
  });
});
