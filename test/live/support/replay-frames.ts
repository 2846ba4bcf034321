import { kindOf } from '../../../packages/conformance/src/drift/shapes.js';
import type { JsonObject } from '../../../src/util/json.js';
import { inside } from './replay-place.js';

/** Frames that come or not, as time will have it. */
const CHANCE = /^(keep_alive|command_lifecycle|system\/(thinking_tokens|session_state_changed))/;

/** One of the two sides: frames by kind, and where a request is among its kind. */
export class Frames {
  readonly all: JsonObject[] = [];
  readonly #byKind = new Map<string, JsonObject[]>();

  add(frame: JsonObject): void {
    this.all.push(frame);
    const kind = exactKind(frame);
    this.#byKind.set(kind, [...this.of(kind), frame]);
  }

  of(kind: string): readonly JsonObject[] {
    return this.#byKind.get(kind) ?? [];
  }

  /** Kinds of which the other side has fewer. */
  lacking(other: Frames): readonly string[] {
    return [...this.#byKind.keys()].filter(
      (kind) => !CHANCE.test(kind) && other.of(kind).length < this.of(kind).length,
    );
  }
}

/** What a frame is, and which of several callbacks or methods it names. */
export function exactKind(frame: JsonObject): string {
  const { callback_id: callback } = inside(frame, 'request') ?? {};
  const { method } = inside(frame, 'request', 'message') ?? {};
  return [kindOf(frame), callback, method].filter((part) => part !== undefined).join(' ');
}
