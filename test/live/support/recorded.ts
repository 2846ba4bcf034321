import { readFileSync } from 'node:fs';
import { type RecordingLine, readRecording } from '../../../src/testing/conversion/recording.js';
import { isJsonObject, type JsonObject } from '../../../src/util/json.js';

/** What the SDK keeps to itself: the control protocol and the states that only a host needs. */
const HIDDEN = new Set([
  'control_request',
  'control_response',
  'control_cancel_request',
  'keep_alive',
  'system/session_state_changed',
]);

/** Only for messages that carry a uuid, or when the machine is slow: no part of the shape. */
const OPTIONAL = new Set(['command_lifecycle', 'system/thinking_tokens']);

/**
 * The kinds of messages a consumer sees, in order: type, subtype, content blocks, `aborted`, the reason a
 * turn ended. A run of equal deltas counts once: where a text is cut is the API's business.
 */
export function shapeOf(messages: readonly unknown[]): readonly string[] {
  const kinds = messages
    .filter(isJsonObject)
    .filter((message) => !HIDDEN.has(kind(message)) && !OPTIONAL.has(kind(message)))
    .map(describe);
  return kinds.filter(
    (entry, index) => !(entry.endsWith('_delta') && entry.includes('content') && kinds[index - 1] === entry),
  );
}

/** The shape of a recording: what its CLI wrote. */
export function recordedShape(name: string): readonly string[] {
  const frames = recordedLines(name)
    .filter((line) => line.dir === 'out')
    .map((line) => line.data);
  if (frames.length === 0) throw new Error(`No frames in the recording ${name}`);
  return shapeOf(frames);
}

/** The lines of a recording behind its first, which says what it is. */
export function recordedLines(name: string): readonly RecordingLine[] {
  const file = new URL(`../../fixtures/recordings/${name}.jsonl`, import.meta.url);
  return readRecording(readFileSync(file, 'utf8'), name).lines;
}

/** The part of a shape up to and with its first result. */
export function firstTurn(shape: readonly string[]): readonly string[] {
  return shape.slice(0, shape.findIndex((entry) => entry.startsWith('result/')) + 1);
}

function kind(message: JsonObject): string {
  const { type, subtype } = message;
  return typeof subtype === 'string' && type !== 'result' ? `${type}/${subtype}` : String(type);
}

function describe(message: JsonObject): string {
  switch (message.type) {
    case 'assistant':
    case 'user':
      return `${message.type}[${blocks(message)}]${message.aborted === true ? ' aborted' : ''}`;
    case 'result':
      return `result/${message.subtype}[${message.terminal_reason}]`;
    case 'stream_event':
      return `stream_event/${isJsonObject(message.event) ? message.event.type : '?'}`;
    default:
      return kind(message);
  }
}

function blocks(message: JsonObject): string {
  const content = isJsonObject(message.message) ? message.message.content : undefined;
  return Array.isArray(content) ? content.map((block: JsonObject) => block.type).join() : 'text';
}
