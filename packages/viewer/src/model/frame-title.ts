import { isAssistantMessage, isResultMessage, isStreamEvent, isUserMessage } from 'claudewire';
import { isJsonObject, type JsonObject, listOf, objectAt, shorten, textAt } from './json.js';
import type { Direction } from './view-data.js';

/** What a frame says, on one short line. */
export function titleOf(dir: Direction, frame: unknown): string {
  if (typeof frame === 'string') return shorten(frame);
  if (!isJsonObject(frame)) return shorten(JSON.stringify(frame) ?? '');
  if (dir === 'meta') return metaTitle(frame);
  if (isStreamEvent(frame)) return streamTitle(objectAt(frame, 'event'));
  if (isAssistantMessage(frame) || isUserMessage(frame)) return contentTitle(objectAt(frame, 'message').content);
  if (isResultMessage(frame)) return resultTitle(frame);
  const { request, response } = frame;
  if (isJsonObject(request)) return requestTitle(request);
  if (isJsonObject(response)) return answerTitle(response);
  return fieldsTitle(frame, SKIPPED);
}

const SKIPPED = new Set(['type', 'subtype', 'uuid', 'session_id', 'event', 'parent_tool_use_id', 'request_id']);

function metaTitle(event: JsonObject): string {
  if (typeof event.scenario === 'string') return shorten(`${event.scenario}: ${textAt(event, 'about') ?? ''}`);
  const argv = listOf(event.argv).map(String);
  if (argv.length > 0) return shorten(argv.join(' '));
  return fieldsTitle(event, SKIPPED);
}

/** The plain fields of a frame: enough to tell two of a kind apart. */
function fieldsTitle(frame: JsonObject, skipped: ReadonlySet<string>): string {
  const shown: string[] = [];
  for (const [name, value] of Object.entries(frame).slice(0, 24)) {
    if (skipped.has(name) || value === null || value === '') continue;
    if (isJsonObject(value)) shown.push(`${name} {…}`);
    else if (Array.isArray(value)) shown.push(`${name} [${value.length}]`);
    else shown.push(`${name} ${shorten(String(value), 60)}`);
    if (shown.length === 5) break;
  }
  return shorten(shown.join(' · '));
}

function contentTitle(content: unknown): string {
  if (typeof content === 'string') return shorten(content);
  return shorten(listOf(content).slice(0, 8).map(blockTitle).join(' | '));
}

function blockTitle(block: unknown): string {
  if (!isJsonObject(block)) return shorten(String(block), 80);
  const { type } = block;
  if (type === 'text') return shorten(String(block.text));
  if (type === 'thinking') return `thinking: ${shorten(String(block.thinking), 120)}`;
  if (type === 'tool_use') return `${String(block.name)} ${inputTitle(block.input)}`;
  if (type === 'tool_result') {
    const { content } = block;
    const text = typeof content === 'string' ? content : contentTitle(content);
    return `${block.is_error === true ? 'failed: ' : 'result: '}${shorten(text, 140)}`;
  }
  return String(type);
}

/** The first text of a tool's input says most: the command, the path, the query. */
function inputTitle(input: unknown): string {
  if (!isJsonObject(input)) return '';
  const text = Object.values(input).find((value) => typeof value === 'string' && value !== '');
  return shorten(typeof text === 'string' ? text : Object.keys(input).join(', '), 120);
}

function streamTitle(event: JsonObject): string {
  const delta = objectAt(event, 'delta');
  const text = Object.entries(delta).find(([name, value]) => name !== 'type' && typeof value === 'string');
  if (text !== undefined) return shorten(JSON.stringify(text[1]));
  const block = objectAt(event, 'content_block');
  if (typeof block.type === 'string') return shorten(`${block.type} ${textAt(block, 'name') ?? ''}`);
  const model = textAt(objectAt(event, 'message'), 'model');
  return model ?? '';
}

function resultTitle(result: JsonObject): string {
  const errors = listOf(result.errors).map(String).join('; ');
  const text = textAt(result, 'result') ?? errors;
  const cost = typeof result.total_cost_usd === 'number' ? `$${result.total_cost_usd.toFixed(4)} · ` : '';
  return shorten(`${cost}${text}`);
}

function requestTitle(request: JsonObject): string {
  const message = objectAt(request, 'message');
  if (typeof message.method === 'string') {
    const name = textAt(message.params, 'name');
    return shorten(`${textAt(request, 'server_name') ?? ''} ${message.method} ${name ?? ''}`);
  }
  if (typeof request.tool_name === 'string') return shorten(`${request.tool_name} ${inputTitle(request.input)}`);
  const event = textAt(request.input, 'hook_event_name');
  if (event !== undefined) return shorten(`${event} ${textAt(request.input, 'tool_name') ?? ''}`);
  return fieldsTitle(request, SKIPPED);
}

function answerTitle(response: JsonObject): string {
  if (typeof response.error === 'string') return shorten(response.error);
  const answer = objectAt(response, 'response');
  const behavior = textAt(answer, 'behavior');
  if (behavior !== undefined) return shorten(`${behavior} ${textAt(answer, 'message') ?? ''}`);
  const reply = objectAt(answer, 'mcp_response');
  if (isJsonObject(reply.result)) return fieldsTitle(reply.result, new Set());
  return fieldsTitle(answer, new Set());
}
