import { requireKnown, requireOption } from '../../errors/usage-errors.js';
import type { HookEvent, PermissionUpdate } from '../../index.js';
import type { JsonObject } from '../../util/json.js';
import { nullOr, object, string } from '../../util/validate.js';
import { successAnswer } from '../player/auto-answers.js';
import { literal } from '../player/patterns.js';
import { ScriptError } from '../script/script-error.js';
import type { ScriptItem } from '../script/script-item.js';
import type { MessageFrames } from './messages.js';
import type { ResultFrames } from './results.js';
import type { FrameSession } from './session.js';

/** What the application must answer; fields that are not named do not matter. */
export interface ExpectedAnswer {
  /** @defaultValue any answer that is no error */
  readonly expect?: JsonObject;
  /** The answer must be an error: nobody is there to answer, or the callback throws. @defaultValue false */
  readonly error?: boolean;
}

/** Questions of the CLI, each with the wait for the application's answer. */
export interface ExchangeFrames {
  /**
   * `can_use_tool`: asks for permission and waits for the answer. With `withdrawn` it waits for an interrupt in the
   * answer's place, takes the question back, and ends the turn as an interrupted one: put no result behind it.
   * @param name - @defaultValue the tool that was called last, with its input
   * @throws ScriptError no tool is named, and none was called. InvalidOptionError an argument cannot be used.
   * @param details.expect - `'allow'`, `'deny'`, or fields of the answer. @defaultValue any answer that is no error
   */
  permission(
    name?: string,
    input?: Record<string, unknown>,
    details?: {
      readonly expect?: 'allow' | 'deny' | JsonObject;
      /** The answer must be an error. @defaultValue false */
      readonly error?: boolean;
      readonly withdrawn?: 'interrupt';
      readonly toolUseId?: string;
      readonly suggestions?: readonly PermissionUpdate[];
      /** Further fields of the request, wire names. */
      readonly fields?: JsonObject;
    },
  ): ScriptItem;
  /**
   * `hook_callback`: runs one hook callback of the application and waits for its output.
   * @throws ScriptError no event is named.
   * @param input - Over what every hook gets; for tool events the last call is filled in.
   * @param details.callbackId - The SDK counts callbacks in the order of `options.hooks`: `hook_0`, `hook_1`.
   *   @defaultValue the one that the application registered for this event, with a matcher that fits; the script
   *   fails where none or several do
   */
  hook(
    event: HookEvent,
    input?: Record<string, unknown>,
    details?: ExpectedAnswer & { readonly callbackId?: string },
  ): ScriptItem;
  /**
   * `tools/call` on an in-process MCP server; waits for the result. `expect` is about the MCP result. Without it a
   * result with `isError` counts as an error.
   */
  mcpCall(server: string, tool: string, args?: Record<string, unknown>, details?: ExpectedAnswer): ScriptItem;
  /** What the CLI asks an in-process MCP server first: `initialize`, `notifications/initialized`, `tools/list`. */
  mcpHandshake(server: string): ScriptItem;
  /** Any other control request of the CLI. */
  controlRequest(subtype: string, fields?: JsonObject, details?: ExpectedAnswer): ScriptItem;
  /** The CLI takes its last request back. */
  cancelRequest(requestId?: string): ScriptItem;
  /** Waits for a control request of the application (`set_model`, `interrupt`, ...) and answers it. */
  expectRequest(
    subtype: string,
    fields?: JsonObject,
    reply?: { readonly answer?: JsonObject } | { readonly error: string },
  ): ScriptItem;
}

const unfit = (message: string): ScriptError => new ScriptError([{ message }]);

// Known by name: a misspelt detail would check nothing.
const ANSWER = ['expect', 'error'];
const PERMISSION = [...ANSWER, 'withdrawn', 'toolUseId', 'suggestions', 'fields'];

/** What the matchers of a hook look at. */
function subjectOf(input: JsonObject): unknown {
  const fields = ['tool_name', 'trigger', 'source', 'reason', 'notification_type', 'agent_type'];
  return fields.map((field) => input[field]).find((value) => value !== undefined);
}

export function exchangeFrames(session: FrameSession, endings: InterruptedFrames): ExchangeFrames {
  const ask = (
    subtype: string,
    fields: JsonObject,
    { expect, error = false }: ExpectedAnswer,
    // What an answer is that is no error, where the protocol's own word is not enough.
    good?: JsonObject,
  ): ScriptItem => {
    const requestId = session.id('request-');
    session.lastRequestId = requestId;
    const wanted = expect === undefined ? good : literal(expect);
    const success = { subtype: 'success', ...(wanted === undefined ? {} : { response: wanted }) };
    const failure = good === undefined ? { subtype: 'error' } : { response: { $not: good } };
    const response = { request_id: requestId, ...(error ? failure : success) };
    return [
      { type: 'control_request', request_id: requestId, request: { subtype, ...fields } },
      { in: { type: 'control_response', response } },
    ];
  };
  const callMcp = (server: string, message: JsonObject, { expect, error = false }: ExpectedAnswer = {}): ScriptItem =>
    ask(
      'mcp_message',
      { server_name: server, message: { jsonrpc: '2.0', ...message } },
      { error, ...(expect && { expect: { mcp_response: { result: expect } } }) },
      { mcp_response: { error: '$absent', result: { $not: { isError: true } } } },
    );
  return {
    permission: (name, input, details = {}) => {
      requireOption(nullOr(string), name, 'name');
      requireOption(nullOr(object), input, 'input');
      const given = requireKnown('permission()', 'details', details, PERMISSION);
      const { expect, error = false, withdrawn, toolUseId, suggestions = [], fields } = given;
      const last = session.lastToolUse;
      const tool = name ?? last?.name;
      if (tool === undefined) throw unfit('permission() needs a tool name, or a toolUse before it');
      const request = {
        tool_name: tool,
        input: input ?? (last?.name === tool ? last.input : {}),
        tool_use_id: toolUseId ?? (last?.name === tool ? last.id : session.id('toolu_')),
        permission_suggestions: suggestions,
        ...fields,
      };
      if (withdrawn !== undefined) {
        const requestId = session.id('request-');
        return [
          { type: 'control_request', request_id: requestId, request: { subtype: 'can_use_tool', ...request } },
          interruptedQuestion(requestId, request, session.id('interrupt'), endings),
        ];
      }
      const fieldsOf = typeof expect === 'string' ? { behavior: expect } : expect;
      return ask('can_use_tool', request, { error, ...(fieldsOf && { expect: fieldsOf }) });
    },
    hook: (event, input = {}, details = {}) => {
      if (typeof event !== 'string') throw unfit("hook() needs the name of an event, such as 'PreToolUse'");
      const { callbackId, ...expected } = requireKnown('hook()', 'details', details, [...ANSWER, 'callbackId']);
      const tool = /Tool/.test(event) ? session.lastToolUse : undefined;
      const common = {
        session_id: session.sessionId,
        transcript_path: `${session.cwd}/transcript.jsonl`,
        cwd: session.cwd,
        permission_mode: 'default',
        hook_event_name: event,
        ...(tool && { tool_name: tool.name, tool_input: tool.input, tool_use_id: tool.id }),
      };
      const full = { ...common, ...input };
      const request = {
        callback_id: callbackId ?? { $hook: event, for: subjectOf(full) },
        input: full,
        ...(tool && { tool_use_id: tool.id }),
      };
      return ask('hook_callback', request, expected);
    },
    mcpCall: (server, name, args = {}, details = {}) => {
      const params = { name, arguments: args };
      const expected = requireKnown('mcpCall()', 'details', details, ANSWER);
      return callMcp(server, { id: session.id('call-'), method: 'tools/call', params }, expected);
    },
    mcpHandshake: (server) => [
      callMcp(server, {
        id: session.id('call-'),
        method: 'initialize',
        params: {
          protocolVersion: '2025-11-25',
          capabilities: {},
          clientInfo: { name: 'claude-code', version: session.cliVersion },
        },
      }),
      callMcp(server, { method: 'notifications/initialized' }),
      callMcp(server, { id: session.id('call-'), method: 'tools/list' }),
    ],
    controlRequest: (subtype, fields = {}, details = {}) =>
      ask(subtype, fields, requireKnown('controlRequest()', 'details', details, ANSWER)),
    cancelRequest: (requestId = session.lastRequestId ?? 'request-1') => ({
      type: 'control_cancel_request',
      request_id: requestId,
    }),
    expectRequest: (subtype, fields = {}, details = {}) => {
      const reply = requireKnown('expectRequest()', 'details', details, ['answer', 'error']);
      return {
        in: { type: 'control_request', request: { subtype, ...literal(fields) } },
        ...('error' in reply ? { error: reply.error } : { answer: literal(reply.answer ?? {}) }),
      };
    },
  };
}

type InterruptedFrames = Pick<MessageFrames, 'toolResult'> & Pick<ResultFrames, 'errorResult'>;

interface Question {
  readonly tool_name: string;
  readonly tool_use_id: string;
  readonly input: unknown;
}

const REJECTED = "The user doesn't want to proceed with this tool use.";

/** What the CLI does when it is interrupted while it asks for a permission, from the interrupt to the result. */
function interruptedQuestion(
  requestId: string,
  { tool_name, tool_use_id, input }: Question,
  variable: string,
  { toolResult, errorResult }: InterruptedFrames,
): ScriptItem {
  const interrupt = { type: 'control_request', request_id: `$${variable}` };
  const rejected = toolResult(REJECTED, {
    toolUseId: tool_use_id,
    isError: true,
    tool_use_result: 'User rejected tool use',
    tool_result_meta: [{ id: tool_use_id, non_execution_kind: 'user-rejected' }],
  });
  const text = '[Request interrupted by user for tool use]';
  const errors = ['[ede_diagnostic] result_type=user last_content_type=n/a stop_reason=tool_use'];
  return [
    { in: { ...interrupt, request: { subtype: 'interrupt' } } },
    { type: 'control_cancel_request', request_id: requestId },
    { out: successAnswer(interrupt, { still_queued: [] }) },
    rejected,
    toolResult('', { message: { role: 'user', content: [{ type: 'text', text }] } }),
    errorResult('error_during_execution', errors, {
      num_turns: 3,
      stop_reason: 'tool_use',
      terminal_reason: 'aborted_tools',
      permission_denials: [{ tool_name, tool_use_id, tool_input: Object(input) }],
    }),
  ];
}
