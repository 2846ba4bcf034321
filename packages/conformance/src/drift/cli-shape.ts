import type { Recording } from 'claudewire/testing';
import type { Declared } from '../surface/declared.js';
import { isJsonObject, type JsonObject } from '../util/json.js';
import type { Flags } from './help-flags.js';
import { kindOf, requestSubtypes, type SuiteShape } from './shapes.js';

/** What one release of the CLI looks like from outside. */
export interface CliShape extends SuiteShape {
  readonly flags: Flags;
  /** Values that a program gets without asking for them: `init.model`, `initialize.commands`. */
  readonly defaults: Defaults;
  /** Medians over the runs, in milliseconds. */
  readonly timings: Readonly<Record<string, number>>;
  /** Of an SDK: what the package offers. */
  readonly surface?: readonly Declared[];
}

export type Defaults = Readonly<Record<string, string | readonly string[]>>;

/** Where the defaults are read: no option is given in these. */
const INIT_FROM = 'hello';
const INITIALIZE_FROM = 'initialize-only';
/** Different in each run, or the version itself. */
const CHANGING = new Set(['type', 'subtype', 'cwd', 'session_id', 'uuid', 'claude_code_version', 'pid', 'timestamp']);

/** Gathers defaults and timings, one recording after the other. */
export class CliFacts {
  #defaults: Record<string, string | readonly string[]> = {};
  readonly #times = new Map<string, number[]>();

  add(name: string, recording: Recording): void {
    if (name === INIT_FROM) {
      const init = recording.lines.find(({ data }) => isJsonObject(data) && kindOf(data) === 'system/init');
      if (isJsonObject(init?.data)) this.#values('init', init.data);
    }
    if (name === INITIALIZE_FROM) {
      const answer = answerTo(recording, 'initialize');
      if (answer !== undefined) this.#values('initialize', answer);
    }
    this.#measure(recording);
  }

  get defaults(): Defaults {
    return Object.fromEntries(Object.entries(this.#defaults).sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  get timings(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.#times].sort(([a], [b]) => (a < b ? -1 : 1)).map(([k, v]) => [k, median(v)]));
  }

  #values(where: string, source: JsonObject): void {
    for (const [key, value] of Object.entries(source)) {
      if (CHANGING.has(key)) continue;
      const found = Array.isArray(value) ? namesIn(value) : plainValue(value);
      if (found !== undefined) this.#defaults[`${where}.${key}`] = found;
    }
  }

  #measure(recording: Recording): void {
    const at = (test: (dir: string, data: JsonObject) => boolean): number | undefined =>
      recording.lines.find(({ dir, data }) => isJsonObject(data) && test(dir, data))?.t;
    const subtypes = requestSubtypes(recording);
    const asked = at((dir, data) => dir === 'in' && subtypes.get(data.request_id) === 'initialize');
    const answered = at(
      (_dir, { response }) => isJsonObject(response) && subtypes.get(response.request_id) === 'initialize',
    );
    const closed = at((_dir, data) => data.event === 'stdin_closed');
    const ended = at((_dir, data) => data.event === 'exit');
    this.#time('initialize is answered', asked, answered);
    this.#time('end after stdin was closed', closed, ended);
  }

  #time(what: string, from: number | undefined, to: number | undefined): void {
    if (from === undefined || to === undefined || to < from) return;
    this.#times.set(what, [...(this.#times.get(what) ?? []), to - from]);
  }
}

/** The payload of the first answer to a request. */
function answerTo(recording: Recording, subtype: string): JsonObject | undefined {
  const subtypes = requestSubtypes(recording);
  for (const { dir, data } of recording.lines) {
    if (dir !== 'out' || !isJsonObject(data) || !isJsonObject(data.response)) continue;
    const { request_id, response } = data.response;
    if (subtypes.get(request_id) === subtype && isJsonObject(response)) return response;
  }
  return undefined;
}

function plainValue(value: unknown): string | undefined {
  const isPlain = typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number';
  // A path of the run is no default.
  return isPlain && !String(value).startsWith('/') ? String(value) : undefined;
}

/** Texts, or the names of objects, sorted. */
function namesIn(list: readonly unknown[]): readonly string[] | undefined {
  const names = list.map((entry) => (isJsonObject(entry) ? (entry.name ?? entry.value) : entry));
  return names.every((name) => typeof name === 'string') ? [...names].sort() : undefined;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
