import type { RecordingLine } from 'claudewire/testing';
import { isJsonObject, type JsonObject } from '../util/json.js';

/** A request of the CLI, and what became of it. */
export interface Question {
  readonly id: string;
  readonly request: JsonObject;
  /** Name of the callback that answers it; `undefined` for what an SDK answers by itself. */
  readonly name: string | undefined;
  /** From 0, by name. */
  readonly call: number;
  /** The host's `response`; `undefined` when it never answered, or too late. */
  readonly answer: JsonObject | undefined;
  readonly isCancelled: boolean;
  /** Something else was written between the question and its answer. */
  readonly isHeld: boolean;
}

/** The requests of the CLI in one process, by id, in order. */
export function questionsIn(lines: readonly RecordingLine[]): ReadonlyMap<string, Question> {
  const calls = new Map<string, number>();
  const questions = new Map<string, Question>();
  for (const [index, { dir, data }] of lines.entries()) {
    if (dir !== 'out' || !isJsonObject(data) || data.type !== 'control_request') continue;
    const request = isJsonObject(data.request) ? data.request : {};
    const id = String(data.request_id);
    const name = callbackName(request);
    const call = calls.get(name ?? '') ?? 0;
    calls.set(name ?? '', call + 1);
    questions.set(id, { id, request, name, call, ...fateOf(id, lines.slice(index + 1)) });
  }
  return questions;
}

function fateOf(id: string, later: readonly RecordingLine[]): Pick<Question, 'answer' | 'isCancelled' | 'isHeld'> {
  let isHeld = false;
  for (const { dir, data } of later) {
    if (!isJsonObject(data)) continue;
    if (data.type === 'control_cancel_request' && data.request_id === id && dir === 'out') {
      return { answer: undefined, isCancelled: true, isHeld: true };
    }
    const response = data.response;
    const isAnswer = dir === 'in' && data.type === 'control_response';
    if (isAnswer && isJsonObject(response) && response.request_id === id) {
      return { answer: response, isCancelled: false, isHeld };
    }
    isHeld ||= dir === 'in' || data.type === 'result';
  }
  return { answer: undefined, isCancelled: false, isHeld: true };
}

/** Which callback of a program is asked. */
function callbackName(request: JsonObject): string | undefined {
  switch (request.subtype) {
    case 'can_use_tool':
      return 'canUseTool';
    case 'hook_callback':
      return String(request.callback_id);
    case 'elicitation':
      return 'elicitation';
    case 'mcp_message': {
      const message = isJsonObject(request.message) ? request.message : {};
      const params = isJsonObject(message.params) ? message.params : {};
      return message.method === 'tools/call' ? `${String(request.server_name)}.${String(params.name)}` : undefined;
    }
    default:
      return undefined;
  }
}

/** What a callback was called with, as far as a scenario looks at it. */
export function callbackInput({ request }: Question): JsonObject {
  switch (request.subtype) {
    case 'can_use_tool':
      return pick(request, ['tool_name', 'input']);
    case 'hook_callback':
      return isJsonObject(request.input)
        ? pick(request.input, ['hook_event_name', 'tool_name', 'tool_input', 'prompt', 'source'])
        : {};
    case 'mcp_message': {
      const message = isJsonObject(request.message) ? request.message : {};
      const params = isJsonObject(message.params) ? message.params : {};
      return isJsonObject(params.arguments) ? params.arguments : {};
    }
    default:
      return pick(request, ['message', 'requested_schema']);
  }
}

export function pick(object: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(keys.filter((key) => key in object).map((key) => [key, object[key]]));
}
