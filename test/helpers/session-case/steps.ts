import type { JsonObject } from '../../../src/util/json.js';
import { resultFrame } from '../cli-frames.js';
import type { Step } from '../scripted-cli.js';

/** Steps of the scripted CLI that many rows have in common. */

export const USER: Step = { in: { type: 'user' } };
export const RESULT: Step = { out: resultFrame() };
export const EOF: Step = { wait: 'EOF' };

/** The user frame of a string prompt. */
export function userText(text: string, sessionId = ''): JsonObject {
  return {
    type: 'user',
    session_id: sessionId,
    message: { role: 'user', content: [{ type: 'text', text }] },
    parent_tool_use_id: null,
  };
}

/** An item of a prompt iterable. */
export function item(text: string): JsonObject {
  return { type: 'user', message: { role: 'user', content: text }, parent_tool_use_id: null };
}

/** What is written before the end of input where work is stopped. */
export const STOP: JsonObject = {
  request_id: '$id',
  type: 'control_request',
  request: { subtype: 'interrupt', cancel_queued: true },
};

/** The CLI asks something. */
export function ask(id: string, request: JsonObject): Step {
  return { out: { type: 'control_request', request_id: id, request } };
}

/** It waits for the answer. */
export function answered(id: string): Step {
  return { in: { type: 'control_response', response: { request_id: id } } };
}

export function cancel(id: string): Step {
  return { out: { type: 'control_cancel_request', request_id: id } };
}

let probes = 0;

/**
 * Shows that the other side has taken in everything written so far and that stdin is open: the CLI asks
 * what nobody handles and waits for the refusal. One diagnostic `request_unsupported` each.
 */
export function probe(): readonly Step[] {
  probes += 1;
  const id = `probe-${probes}`;
  return [ask(id, { subtype: 'probe' }), answered(id)];
}

export function state(name: string, over: JsonObject = {}): Step {
  return { out: { type: 'system', subtype: 'session_state_changed', state: name, ...over } };
}

export function canUseTool(id: string, over: JsonObject = {}): Step {
  return ask(id, {
    subtype: 'can_use_tool',
    tool_name: 'Bash',
    input: { command: 'ls' },
    tool_use_id: 'toolu_1',
    ...over,
  });
}

export function hookCallback(id: string, callbackId: string, over: JsonObject = {}): Step {
  return ask(id, {
    subtype: 'hook_callback',
    callback_id: callbackId,
    input: { hook_event_name: 'PreToolUse', tool_name: 'Bash' },
    tool_use_id: 'toolu_1',
    ...over,
  });
}

/** A JSON-RPC message for an in-process server. */
export function mcp(id: string, server: string, message: JsonObject): Step {
  return ask(id, { subtype: 'mcp_message', server_name: server, message });
}

export function rpc(id: string | number, method: string, params?: JsonObject): JsonObject {
  return { jsonrpc: '2.0', id, method, ...(params === undefined ? {} : { params }) };
}
