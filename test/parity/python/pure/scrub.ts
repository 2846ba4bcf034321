import { dirname } from 'node:path';
import type { Json } from '../harness/row.js';

const UUID = /\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/g;
const TIME = /\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|\+00:00)/g;

/** A folder that a run made for itself. */
const TEMP = /<root>\/tmp\/[\w-]+/g;

/**
 * Replaces what is another one in every run: the folder, ids and times that the program does not name. Ids are
 * numbered as they come, so that the same id stays the same.
 */
export class Scrubber {
  readonly #folders: readonly (readonly [string, string])[];
  readonly #given: ReadonlySet<string>;
  readonly #ids = new Map<string, string>();

  /**
   * @param root - The program's folder.
   * @param given - What the program names.
   */
  constructor(root: string, given: string) {
    const above = dirname(root);
    this.#folders = [
      [keyOf(root), '<root-key>'],
      [root, '<root>'],
      [keyOf(above), '<cwd-key>'],
      [above, '<cwd>'],
    ];
    this.#given = new Set([...(given.match(UUID) ?? []), ...(given.match(TIME) ?? [])]);
  }

  scrub(value: Json): Json {
    if (typeof value === 'string') return this.#text(value);
    if (Array.isArray(value)) return value.map((one: Json) => this.scrub(one));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, one]) => [
        this.#text(key),
        key === 'lastModified' && isNow(one as Json) ? '<now>' : this.scrub(one as Json),
      ]),
    );
  }

  #text(text: string): string {
    return this.#folders
      .reduce((scrubbed, [folder, name]) => scrubbed.replaceAll(folder, name), text)
      .replaceAll(TEMP, '<temp>')
      .replaceAll(UUID, (id) => (this.#given.has(id) ? id : this.#numbered(id)))
      .replaceAll(TIME, (time) => (this.#given.has(time) ? time : '<time>'));
  }

  #numbered(id: string): string {
    const known = this.#ids.get(id);
    if (known !== undefined) return known;
    const name = `<id ${this.#ids.size + 1}>`;
    this.#ids.set(id, name);
    return name;
  }
}

function keyOf(folder: string): string {
  return folder.replaceAll(/[^a-zA-Z0-9]/g, '-');
}

/** The time of a file that was changed by a call, and not the one that the program gave it. */
function isNow(time: Json): boolean {
  return typeof time === 'number' && Math.abs(Date.now() - time) < 600_000;
}
