import { isJsonObject, type JsonObject } from '../../util/json.js';

/** What scrubbing leaves in the place of a path or a secret: another run has something else there. */
const SCRUBBED = /\/(?:work|home|config|tmp|run)-dir\b|\[scrubbed:/;

/** A value in which every text is replaced by what `replace` makes of it. */
export function mapTexts(value: unknown, replace: (text: string) => string): unknown {
  if (typeof value === 'string') return replace(value);
  if (Array.isArray(value)) return value.map((entry) => mapTexts(entry, replace));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => [key, mapTexts(entry, replace)]),
  );
}

/** Every text in a value. */
export function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return isJsonObject(value) ? Object.values(value).flatMap(textsIn) : [];
}

/** As a scenario says a text that is no variable. */
export function escapeText(text: string): string {
  return text.startsWith('$') ? `$${text}` : text;
}

/** Texts that the client chose, by the variable that captures them. */
export class HostTexts {
  readonly #names = new Map<string, string>();
  readonly #bound = new Set<string>();
  readonly #seen = new Set<string>();

  /** The CLI has said this: whoever repeats it repeats it to the letter. */
  see(frame: unknown): void {
    for (const text of textsIn(frame)) this.#seen.add(text);
  }

  isSeen(text: string): boolean {
    return this.#seen.has(text);
  }

  /** Gives a text that the client chose a name. */
  capture(text: string, prefix: string): void {
    if (!this.#names.has(text) && !this.#seen.has(text)) {
      this.#names.set(text, `${prefix}${this.#names.size + 1}`);
    }
  }

  /** What the client writes, as an expectation. What differs from run to run matches anything. */
  pattern(value: JsonObject): JsonObject {
    return mapTexts(value, (text) => {
      const name = this.#names.get(text);
      if (name !== undefined) {
        this.#bound.add(name);
        return `$${name}`;
      }
      return SCRUBBED.test(text) && !this.#seen.has(text) ? '$_' : escapeText(text);
    }) as JsonObject;
  }

  /** What the CLI writes, with the client's texts as they will be then. */
  template(value: JsonObject): JsonObject {
    return mapTexts(value, (text) => {
      const name = this.#names.get(text);
      return name !== undefined && this.#bound.has(name) ? `$${name}` : escapeText(text);
    }) as JsonObject;
  }
}
