import type { Recording } from 'claudewire/testing';
import { isJsonObject, type JsonObject } from '../util/json.js';

/** What a run looked like, without its values. */
export interface RunShape {
  /** Kinds of frames in order; a run of equal deltas counts once. */
  readonly frames: readonly string[];
  /** Exit code, or name of the signal. */
  readonly exit: number | string | null;
}

/** Types by path, of every frame of one kind: `message.content[].text` to `string`, or `absent|string`. */
export type KindShape = Readonly<Record<string, string>>;

export interface SuiteShape {
  readonly cliVersion: string;
  readonly scenarios: Readonly<Record<string, RunShape>>;
  readonly kinds: Readonly<Record<string, KindShape>>;
  /** The scenarios each kind was seen in. */
  readonly seenIn?: Readonly<Record<string, readonly string[]>>;
  /** Scenarios that did not come to their end, and why. They are in nothing else here. */
  readonly notRecorded?: Readonly<Record<string, string>>;
}

/** Frames that come or not, as time will have it. */
const CHANCE = new Set(['keep_alive', 'system/thinking_tokens', 'system/session_state_changed']);
/** Keys that are data: a path, a model, an id. */
const IS_NAME = /^[A-Za-z_]\w*$/;

/**
 * The shape of one recorded run.
 * @param from - `out`: the frames of the CLI; `in`: those that were written to it.
 */
export function runShape({ lines }: Recording, from: 'in' | 'out' = 'out'): RunShape {
  const frames: string[] = [];
  let exit: RunShape['exit'] = null;
  for (const { dir, data } of lines) {
    if (!isJsonObject(data)) {
      if (dir === from) frames.push('text');
    } else if (dir === from) {
      const kind = kindOf(data);
      const isRepeated = kind.endsWith('_delta') && frames.at(-1) === kind;
      if (!CHANCE.has(kind) && !isRepeated) frames.push(kind);
    } else if (dir === 'meta' && data.event === 'exit') {
      exit = typeof data.code === 'number' ? data.code : String(data.signal);
    }
  }
  return { frames, exit };
}

/** What a frame is: type, subtype, and what decides its fields further inside. */
export function kindOf(frame: JsonObject): string {
  const { type, subtype, event, request, response, message } = frame;
  const parts: unknown[] = [type];
  if (isJsonObject(request)) parts.push(request.subtype);
  else if (isJsonObject(response)) parts.push(response.subtype);
  else if (isJsonObject(event)) {
    parts.push(event.type, isJsonObject(event.delta) ? event.delta.type : undefined);
  } else parts.push(subtype);
  if (isJsonObject(message) && Array.isArray(message.content)) {
    const blocks = message.content.map((block: unknown) => (isJsonObject(block) ? String(block.type) : typeof block));
    parts.push(`[${blocks.join()}]`);
  }
  return parts.filter((part) => typeof part === 'string').join('/');
}

/** The subtype of each request, by id: an answer has the fields that its request asked for. */
export function requestSubtypes({ lines }: Recording): ReadonlyMap<unknown, string> {
  return new Map(
    lines.flatMap(({ data }) => {
      if (!isJsonObject(data) || data.type !== 'control_request' || !isJsonObject(data.request)) return [];
      const { subtype } = data.request;
      return typeof subtype === 'string' ? [[data.request_id, subtype] as const] : [];
    }),
  );
}

/** {@link kindOf}, with the request that is answered, the event of a hook, or the method of an MCP message behind it. */
function preciseKind(frame: JsonObject, subtypes: ReadonlyMap<unknown, string>): string {
  const { request, response } = frame;
  const detail = isJsonObject(response)
    ? subtypes.get(response.request_id)
    : isJsonObject(request)
      ? ((isJsonObject(request.input) ? request.input.hook_event_name : undefined) ??
        (isJsonObject(request.message) ? request.message.method : undefined))
      : undefined;
  return typeof detail === 'string' ? `${kindOf(frame)}/${detail}` : kindOf(frame);
}

/** Gathers the fields of every frame, by kind. */
export class KindShapes {
  readonly #kinds = new Map<
    string,
    { count: number; readonly paths: Map<string, PathUse>; readonly seenIn: Set<string> }
  >();
  readonly #dir: 'in' | 'out';

  /** @param dir - `out`: frames of the CLI; `in`: frames that were written to it. */
  constructor(dir: 'in' | 'out' = 'out') {
    this.#dir = dir;
  }

  /** @param scenario - where the recording is from; left out, the kinds are of no scenario. */
  add(recording: Recording, scenario?: string): void {
    const subtypes = requestSubtypes(recording);
    for (const { dir, data } of recording.lines) {
      if (dir !== this.#dir || !isJsonObject(data) || CHANCE.has(kindOf(data))) continue;
      this.#frame(data, preciseKind(data, subtypes), scenario);
    }
  }

  /** The scenarios each kind was seen in. */
  get seenIn(): Readonly<Record<string, readonly string[]>> {
    return Object.fromEntries([...this.#kinds].sort(byKey).map(([kind, { seenIn }]) => [kind, [...seenIn].sort()]));
  }

  get shapes(): Readonly<Record<string, KindShape>> {
    return Object.fromEntries(
      [...this.#kinds]
        .sort(byKey)
        .map(([kind, { count, paths }]) => [
          kind,
          Object.fromEntries([...paths].sort(byKey).map(([path, use]) => [path, typesOf(use, count)])),
        ]),
    );
  }

  #frame(frame: JsonObject, kind: string, scenario: string | undefined): void {
    const entry = this.#kinds.get(kind) ?? { count: 0, paths: new Map<string, PathUse>(), seenIn: new Set<string>() };
    this.#kinds.set(kind, entry);
    entry.count += 1;
    if (scenario !== undefined) entry.seenIn.add(scenario);
    const seen = new Set<string>();
    walk(frame, '', (path, type) => {
      const use = entry.paths.get(path) ?? { types: new Set<string>(), frames: 0 };
      entry.paths.set(path, use);
      use.types.add(type);
      if (!seen.has(path)) use.frames += 1;
      seen.add(path);
    });
  }
}

interface PathUse {
  readonly types: Set<string>;
  /** In how many frames of the kind. */
  frames: number;
}

function typesOf({ types, frames }: PathUse, count: number): string {
  return [...types, ...(frames < count ? ['absent'] : [])].sort().join('|');
}

function walk(value: unknown, path: string, note: (path: string, type: string) => void): void {
  if (Array.isArray(value)) {
    note(path, 'list');
    for (const entry of value) walk(entry, `${path}[]`, note);
  } else if (isJsonObject(value)) {
    if (path !== '') note(path, 'object');
    for (const [key, entry] of Object.entries(value)) {
      const name = IS_NAME.test(key) ? key : '*';
      walk(entry, path === '' ? name : `${path}.${name}`, note);
    }
  } else note(path, value === null ? 'null' : typeof value);
}

function byKey([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : Number(a > b);
}
