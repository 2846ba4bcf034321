import { isJsonObject, type JsonObject } from '../../util/json.js';
import { escapeText, mapTexts } from '../player/patterns.js';

/**
 * What scrubbing leaves in the place of a path or a secret: another run has something else there. A name in the
 * temporary folder is another one each time.
 */
const SCRUBBED =
  /\/(?:work|home|config|run)-dir\b|\/tmp-dir\b(?:\/[\w.-]+)?|(?<=projects[/\\])-(?:work|home|config|tmp)-dir\b|\[scrubbed:[^[\]]*\]|(?<![\w-])(?:user|host)-name(?![\w-])/;

/** A text as a pattern in which only what was scrubbed is free; `$_` when nothing else is in it. */
export function textPattern(text: string): JsonObject | string {
  const parts = text.split(SCRUBBED);
  if (parts.length === 1) return escapeText(text);
  return parts.every((part) => part === '') ? '$_' : { $like: parts };
}

/** Every text in a value. */
export function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return isJsonObject(value) ? Object.values(value).flatMap(textsIn) : [];
}

/** Keys that would be operators of a pattern, as plain keys. */
function escapeKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(escapeKeys);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [escapeText(key), escapeKeys(entry)]));
}

/** Texts that the client chose, by the variable that captures them. */
export class HostTexts {
  readonly #names = new Map<string, string>();
  readonly #bound = new Set<string>();
  readonly #seen = new Set<string>();

  /** The CLI has said this: a client that repeats it must repeat it exactly. */
  see(frame: unknown): void {
    for (const text of textsIn(frame)) this.#seen.add(text);
  }

  /** Gives a text that the client chose a name. */
  capture(text: string, prefix: string): void {
    if (!this.#names.has(text) && !this.#seen.has(text)) this.#names.set(text, `${prefix}${this.#names.size + 1}`);
  }

  /** What the client writes, as an expectation. `onFree`: nothing can be said of the text there. */
  pattern<T extends JsonObject | string>(
    value: T,
    onFree: (path: string) => void,
  ): T extends string ? unknown : JsonObject {
    return mapTexts(escapeKeys(value), (text, path) => {
      const name = this.#names.get(text);
      if (name !== undefined) {
        this.#bound.add(name);
        return `$${name}`;
      }
      const pattern = this.#seen.has(text) ? escapeText(text) : textPattern(text);
      if (pattern === '$_') onFree(path);
      return pattern;
      // A text becomes anything, an object an object.
    }) as T extends string ? unknown : JsonObject;
  }

  /** What the CLI writes, with the client's texts as they will be then. */
  template(value: JsonObject): JsonObject {
    return mapTexts(value, (text) => {
      const name = this.#names.get(text);
      return name !== undefined && this.#bound.has(name) ? `$${name}` : escapeText(text);
    }) as JsonObject;
  }
}
