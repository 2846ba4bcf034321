import { readFileSync } from 'node:fs';
import { isJsonObject, type JsonObject, parseJsonObject } from '../../../src/util/json.js';
import { requireComparedLive } from './compared-live.js';

const FOLDER = new URL('../../fixtures/recordings/', import.meta.url);

/** One thing that a CLI sends, with what is compared of it. */
export interface Shape {
  /** Type, subtype and what else tells kinds of frames apart. */
  readonly kind: string;
  /** Names of fields, with those of the objects that matter inside, such as `request.input.tool_name`. */
  readonly keys: readonly string[];
}

/** A line of a recording, as far as it matters here. */
interface Line {
  readonly dir?: unknown;
  readonly data?: unknown;
}

/** A frame that a stand-in sends, or its answer to a request of ours. */
export type Sent =
  | { readonly frame: JsonObject }
  | { readonly answerTo: string; readonly payload: JsonObject }
  | { readonly errorTo: string };

const known = new Map<string, readonly Shape[]>();

/**
 * What a stand-in sends that the real CLI was not seen sending: a frame is good when one of the same kind in the named
 * recordings has all its fields.
 */
export function notIn(recordings: readonly string[], sent: readonly Sent[]): readonly string[] {
  requireComparedLive(recordings);
  const recorded = recordings.flatMap(shapesOf);
  return sent.map(shapeOf).flatMap(({ kind, keys }) => {
    const same = recorded.filter((each) => each.kind === kind);
    if (same.length === 0) return [`none sends ${kind}; they send ${kindsOf(recorded)}`];
    const missing = same.map((each) => keys.filter((key) => !each.keys.includes(key)));
    const least = missing.reduce((a, b) => (b.length < a.length ? b : a));
    return least.length === 0 ? [] : [`${kind}: none has ${least.join(', ')}`];
  });
}

const kindsOf = (shapes: readonly Shape[]): string => [...new Set(shapes.map(({ kind }) => kind))].sort().join('; ');

/** Every shape in a recording of the real CLI (`test/fixtures/recordings/<name>.jsonl`). */
function shapesOf(name: string): readonly Shape[] {
  const cached = known.get(name);
  if (cached !== undefined) return cached;
  const text = readFileSync(new URL(`${name}.jsonl`, FOLDER), 'utf8');
  const shapes = shapesIn(text.split('\n').map((line) => parseJsonObject(line) ?? {}));
  known.set(name, shapes);
  return shapes;
}

/** The shape of each frame that a CLI wrote; the lines tell what it was asked as well. */
export function shapesIn(lines: Iterable<Line>): readonly Shape[] {
  const asked = new Map<unknown, string>();
  const shapes: Shape[] = [];
  for (const { dir, data } of lines) {
    if (!isJsonObject(data)) continue;
    if (dir === 'in' && data.type === 'control_request') {
      asked.set(data.request_id, String(objectAt(data, 'request').subtype));
    }
    if (dir !== 'out') continue;
    shapes.push(shapeOf(data.type === 'control_response' ? answerIn(data, asked) : { frame: data }));
  }
  return shapes;
}

function answerIn(frame: JsonObject, asked: ReadonlyMap<unknown, string>): Sent {
  const response = objectAt(frame, 'response');
  const subtype = asked.get(response.request_id) ?? 'nothing';
  if (response.subtype === 'error') return { errorTo: subtype };
  return { answerTo: subtype, payload: objectAt(response, 'response') };
}

function shapeOf(sent: Sent): Shape {
  if ('errorTo' in sent) return { kind: 'error answer', keys: [] };
  if ('answerTo' in sent) {
    return { kind: `answer to ${sent.answerTo}`, keys: Object.keys(sent.payload) };
  }
  const { frame } = sent;
  const keys = Object.keys(frame);
  switch (frame.type) {
    case 'control_request':
      return requestShape(frame, keys);
    case 'assistant':
    case 'user':
      // What is in the message of an assistant is the API's.
      return { kind: `${frame.type} ${contentKinds(objectAt(frame, 'message').content)}`, keys };
    case 'stream_event':
      return { kind: `stream_event ${objectAt(frame, 'event').type}`, keys };
    case 'result': {
      const how = frame.is_error === true ? 'error' : 'no error';
      return { kind: `result ${frame.subtype} (${how}, ${frame.terminal_reason})`, keys };
    }
    default:
      return { kind: [frame.type, frame.subtype].filter(Boolean).join(' '), keys };
  }
}

function requestShape(frame: JsonObject, keys: readonly string[]): Shape {
  const request = objectAt(frame, 'request');
  const what =
    request.subtype === 'mcp_message'
      ? objectAt(request, 'message').method
      : objectAt(request, 'input').hook_event_name;
  return {
    kind: ['control_request', request.subtype, what].filter(Boolean).join(' '),
    keys: keys.concat(
      below(frame, 'request'),
      // The input of a permission question is the tool's.
      request.subtype === 'hook_callback' ? below(request, 'input') : [],
    ),
  };
}

const below = (object: JsonObject, field: string): readonly string[] =>
  Object.keys(objectAt(object, field)).map((key) => `${field}.${key}`);

function contentKinds(content: unknown): string {
  if (!Array.isArray(content)) return typeof content;
  const types = content.map((block) => String((isJsonObject(block) ? block : {}).type));
  return [...new Set(types)].sort().join('+');
}

function objectAt(object: JsonObject, field: string): JsonObject {
  const value = object[field];
  return isJsonObject(value) ? value : {};
}
