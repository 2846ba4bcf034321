import type {
  OutcomeKind,
  SDKAssistantMessageError,
  SDKResultError,
  SDKResultMessage,
  SDKResultSuccess,
} from '../../index.js';
import { type ScriptItem, traced } from '../script/script-item.js';
import { checked } from './check-arguments.js';
import { faults } from './faults.js';
import { type MessageFrames, messageFrames, usage } from './messages.js';
import type { GivenTotals } from './running-totals.js';
import { FrameSession } from './session.js';

type Over<T> = Partial<Omit<T, 'type' | 'subtype'>>;

/** How a turn ends. */
export interface ResultFrames {
  /**
   * `total_cost_usd` and `modelUsage` count the turns of the session so far, as the CLI's do, unless they are given;
   * `usage` is of this turn, which costs $0.001, or nothing when the model never answered (`terminal_reason` `api_error` or
   * `prompt_too_long`).
   * @param text - @defaultValue the text that the model said last
   */
  result(text?: string, over?: Over<SDKResultSuccess>): SDKResultSuccess;
  /** @param errors - @defaultValue one that names the subtype */
  errorResult(
    subtype: SDKResultError['subtype'],
    errors?: readonly string[],
    over?: Over<SDKResultError>,
  ): SDKResultError;
}

/** Why a turn ended without a word of the model. */
const UNANSWERED: ReadonlySet<unknown> = new Set(['api_error', 'prompt_too_long']);

export function resultFrames(session: FrameSession): ResultFrames {
  const common = (given: GivenTotals & Pick<Over<SDKResultMessage>, 'terminal_reason'>) => {
    const isUnanswered = UNANSWERED.has(given.terminal_reason);
    const ownUsage: SDKResultMessage['usage'] = {
      ...(isUnanswered ? usage(0, 0) : usage(10, 5)),
      output_tokens_details: { thinking_tokens: 0 },
      server_tool_use: { web_search_requests: 0, web_fetch_requests: 0 },
      speed: 'standard',
      inference_geo: '',
      iterations: [],
    };
    return {
      type: 'result' as const,
      duration_ms: 20,
      num_turns: 1,
      stop_reason: 'end_turn',
      ...session.totals.next(isUnanswered ? undefined : session.model, given.usage ?? ownUsage, given),
      usage: ownUsage,
      permission_denials: [],
      terminal_reason: 'completed' as const,
      ...session.ids(),
    };
  };
  return {
    result: (text = session.lastText, over = {}) => ({
      ...common(over),
      subtype: 'success',
      is_error: false,
      api_error_status: null,
      result: text,
      ...over,
    }),
    errorResult: (subtype, errors = [`The turn failed: ${subtype}`], over = {}) => ({
      ...common(over),
      subtype,
      is_error: true,
      stop_reason: null,
      errors: [...errors],
      ...over,
    }),
  };
}

type CamelCase<S extends string> = S extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : S;

/**
 * What the CLI sends, from `init` on, when a turn ends in each of the kinds of `outcomeOf`. Put one behind the prompt
 * of the turn. After an error result the CLI exits with 1 when its input ends, as the real one does.
 */
export interface OutcomeFrames extends Record<CamelCase<OutcomeKind>, (details?: never) => ScriptItem> {
  completed(details?: { readonly text?: string; readonly structuredOutput?: unknown }): ScriptItem;
  deferred(details?: { readonly name?: string; readonly input?: Record<string, unknown> }): ScriptItem;
  /** @param details.resetsAt - Sent as a `rate_limit_event`. @defaultValue none: the limit of an API key */
  rateLimited(details?: { readonly resetsAt?: Date; readonly message?: string }): ScriptItem;
  /** @param details.retries - Retries that the CLI announces first. @defaultValue 0 */
  overloaded(details?: { readonly retries?: number; readonly retryDelayMs?: number }): ScriptItem;
  auth(details?: { readonly message?: string }): ScriptItem;
  maxTurns(details?: { readonly turns?: number }): ScriptItem;
  maxBudget(details?: { readonly usd?: number }): ScriptItem;
  /** The process ends in the middle of the turn. @defaultValue exit code 1 */
  crashed(details?: Parameters<typeof faults.crash>[0]): ScriptItem;
  /** The process ends before its first message. */
  notStarted(details?: { readonly message?: string; readonly exitCode?: number }): ScriptItem;
  /**
   * The turn says something and goes on until it is interrupted, which the option `deadlineMs` of the run does; then it
   * ends as an interrupted one. For a CLI that does not react: `faults.stall()`.
   */
  deadline(): ScriptItem;
  /** The turn says something and then nothing more: the run needs the option `idleTimeoutMs`. */
  idleTimeout(): ScriptItem;
}

/** {@link OutcomeFrames} of a session of their own, for use outside of a script function. */
export const outcomeFrames: OutcomeFrames = traced(
  outcomesWith(() => {
    const session = new FrameSession();
    return { ...messageFrames(session), ...resultFrames(session) };
  }),
  'outcomeFrames.',
);

const INTERRUPT = {
  in: { type: 'control_request', request: { subtype: 'interrupt' } },
  answer: {},
} satisfies ScriptItem;

/** @internal */
export function outcomesWith(make: () => MessageFrames & ResultFrames): OutcomeFrames {
  const begin = (tail: (frames: MessageFrames & ResultFrames) => ScriptItem): ScriptItem => {
    const frames = make();
    return [frames.init(), tail(frames)];
  };
  /** What the CLI shows for a failed model call: a message of its own, and a result with its text. */
  const apiError = (
    error: SDKAssistantMessageError,
    text: string,
    fields: Partial<SDKResultSuccess> = {},
    before?: (frames: MessageFrames) => ScriptItem,
  ): ScriptItem =>
    begin((frames) => [
      before?.(frames) ?? [],
      frames.assistantText(text, { error, is_api_error_message: true }),
      frames.result(text, { is_error: true, terminal_reason: 'api_error', stop_reason: 'stop_sequence', ...fields }),
    ]);
  const http = (
    error: SDKAssistantMessageError,
    status: number,
    type: string,
    text: string,
    before?: (frames: MessageFrames) => ScriptItem,
  ): ScriptItem => apiError(error, text, { api_error_status: status, api_error_type: type }, before);

  const aborted = ({ errorResult }: ResultFrames): ScriptItem =>
    errorResult(
      'error_during_execution',
      ['[ede_diagnostic] result_type=user last_content_type=n/a stop_reason=null'],
      { terminal_reason: 'aborted_streaming' },
    );

  const outcomes: OutcomeFrames = {
    completed: ({ text = 'Done.', structuredOutput } = {}) =>
      begin(({ assistantText, result }) => [
        assistantText(text),
        result(text, structuredOutput === undefined ? {} : { structured_output: structuredOutput }),
      ]),
    deferred: ({ name = 'Bash', input = {} } = {}) =>
      begin(({ toolUse, result }) => [
        toolUse(name, input, { toolUseId: 'toolu_deferred' }),
        result('', {
          terminal_reason: 'tool_deferred',
          stop_reason: 'tool_deferred',
          deferred_tool_use: { id: 'toolu_deferred', name, input },
        }),
      ]),
    hookStopped: () => begin(({ result }) => result('', { terminal_reason: 'hook_stopped', stop_reason: 'tool_use' })),
    maxTurns: ({ turns = 1 } = {}) =>
      begin(({ errorResult }) =>
        errorResult('error_max_turns', [`Reached maximum number of turns (${turns})`], {
          terminal_reason: 'max_turns',
        }),
      ),
    maxBudget: ({ usd = 0.01 } = {}) =>
      begin(({ errorResult }) =>
        errorResult('error_max_budget_usd', [`Reached maximum budget ($${usd})`], {
          terminal_reason: 'budget_exhausted',
        }),
      ),
    maxOutputTokens: () => apiError('max_output_tokens', 'API Error: the response exceeded the output token maximum'),
    rateLimited: ({ resetsAt, message = 'API Error: Request rejected (429) · Rate limited' } = {}) =>
      http('rate_limit', 429, 'rate_limit_error', message, ({ rateLimit }) =>
        resetsAt === undefined
          ? []
          : rateLimit({
              status: 'rejected',
              rateLimitType: 'five_hour',
              resetsAt: Math.floor(resetsAt.getTime() / 1000),
            }),
      ),
    overloaded: ({ retries = 0, retryDelayMs = 500 } = {}) =>
      http('server_error', 529, 'overloaded_error', 'API Error: Repeated 529 Overloaded errors', ({ apiRetry }) =>
        Array.from({ length: retries }, (_, index) =>
          apiRetry({ attempt: index + 1, max_retries: retries, retry_delay_ms: retryDelayMs }),
        ),
      ),
    auth: ({ message = 'Invalid API key · Fix external API key' } = {}) =>
      http('authentication_failed', 401, 'authentication_error', message),
    billing: () => http('billing_error', 400, 'invalid_request_error', 'Credit balance is too low'),
    invalidRequest: () => http('invalid_request', 400, 'invalid_request_error', 'API Error: 400 messages: something'),
    contextOverflow: () =>
      apiError('invalid_request', 'Prompt is too long', { terminal_reason: 'prompt_too_long', api_error_status: 400 }),
    modelNotFound: () => http('model_not_found', 404, 'not_found_error', 'There is an issue with the selected model'),
    serverError: () => http('server_error', 500, 'api_error', 'API Error: 500 Internal'),
    connectionFailed: () =>
      apiError('server_error', 'API Error: Connection refused (ECONNREFUSED)', { api_error: 'connection_failed' }),
    structuredOutputFailed: () =>
      begin(({ errorResult }) =>
        errorResult(
          'error_max_structured_output_retries',
          ['Failed to provide valid structured output after 5 attempts'],
          { terminal_reason: 'structured_output_retry_exhausted' },
        ),
      ),
    refused: () =>
      begin(({ assistantText, result }) => [
        assistantText('I cannot help with that.'),
        result(undefined, { stop_reason: 'refusal' }),
      ]),
    interrupted: () => begin(aborted),
    deadline: () =>
      begin((frames) => [frames.assistantText('Let me think.'), { ...INTERRUPT, timeoutMs: 0 }, aborted(frames)]),
    idleTimeout: () => begin(({ assistantText }) => [assistantText('Let me think.'), faults.stall()]),
    crashed: (details = {}) => begin(({ assistantText }) => [assistantText('Let me see.'), faults.crash(details)]),
    notStarted: ({ message = 'error: unknown option', exitCode = 1 } = {}) => faults.refuse(message, exitCode),
    incomplete: () => begin(({ assistantText }) => [assistantText('Let me see.'), { exit: 0 } as const]),
    failed: () =>
      begin(({ errorResult }) =>
        errorResult('error_during_execution', ['Something failed'], { terminal_reason: 'model_error' }),
      ),
  };
  return checked(outcomes, 'outcome.');
}
