import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject, type JsonObject, parseJsonObject } from '../util/json.js';

/** How a requirement binds a host. `gone`: the sentence, or this part of it, was taken out. */
export type Level = 'MUST' | 'MUST NOT' | 'SHOULD' | 'SHOULD NOT' | 'MAY' | 'gone';

/** What the host answers to a request of the CLI. */
export interface Answer {
  readonly success?: unknown;
  /** A success without a `response` key. */
  readonly bare?: true;
  readonly error?: string;
  /** The `result` of a JSON-RPC answer, in a success. */
  readonly rpc?: JsonObject;
  readonly rpcError?: JsonObject;
  /** The JSON-RPC id of that answer. @defaultValue that of the request */
  readonly rpcId?: unknown;
  /** A whole line; `$request_id` becomes the id of the request. */
  readonly line?: string;
  /** @defaultValue the id of the request */
  readonly id?: string;
  /** Milliseconds before it is written. @defaultValue 0 */
  readonly afterMs?: number;
}

/** `null`: no answer. A list: all of them, in order. A key that ends in `#2` is for the second request of its kind. */
export type Answers = Readonly<Record<string, Answer | readonly Answer[] | null>>;

/** What a host does. A step with `as` is one that a deviation may replace. */
export type HostStep = { readonly as?: string; readonly limitMs?: number } & (
  | { readonly write: JsonObject }
  /** Text as it is, without a newline. `$` and a number in braces: a text of so many characters. */
  | { readonly bytes: string; readonly encoding?: 'latin1' }
  /** A control request. Its id is its subtype. Waits for the answer unless told not to. */
  | { readonly ask: JsonObject; readonly id?: string; readonly wait?: false }
  /** A user message: its text, or fields of the frame. */
  | { readonly say: string | JsonObject }
  | { readonly until: JsonObject; readonly times?: number }
  | { readonly sleepMs: number }
  | { readonly signal: NodeJS.Signals }
  | { readonly end: true }
  /** Reads nothing more of stdout for so long. */
  | { readonly stopReadingMs: number }
);

/** Ways in which a host reads wrongly, or serves. */
export interface HostFaults {
  readonly reader?: ReaderFault;
  /** Answers one request after the other, each after so many milliseconds. */
  readonly serialMs?: number;
  /** What it does about the process at the end. @defaultValue end of stdin, and signals when that is not enough */
  readonly leaves?: 'ladder' | 'nothing_ended' | 'stdin_ended_only' | 'terminated_only' | 'killed_at_once';
  /** Where the CLI is started. @defaultValue the working directory of the run */
  readonly cwd?: string;
  /** What is started in place of the CLI. */
  readonly program?: string;
}

export type ReaderFault =
  | 'chunk_is_lines'
  | 'first_of_chunk'
  | 'more_line_ends'
  | 'utf8_by_chunk'
  | 'type_comes_first'
  | 'known_types_only'
  | 'control_frames_too'
  | 'stderr_unread'
  | 'stderr_is_stdout'
  | 'drops_last_line'
  | 'trims_texts'
  | 'stops_at_result'
  | 'end_unnoticed';

/** One run of the CLI with a host. */
export interface Play {
  /** Flags with their values, after the three that every run has. */
  readonly flags?: readonly (readonly string[])[];
  /** In place of `--output-format stream-json --verbose --input-format stream-json`. */
  readonly base?: readonly string[];
  readonly env?: Readonly<Record<string, string | null>>;
  readonly files?: Readonly<Record<string, string>>;
  readonly turns?: readonly unknown[];
  readonly script?: readonly HostStep[];
  readonly answers?: Answers;
  readonly host?: HostFaults;
  /** Texts that are looked for in what the API was asked. */
  readonly marks?: readonly string[];
  /** Further facts: `init:PATH`, `api:PATH`, `answer:ID:PATH`, `count:TYPE/SUBTYPE`, `last:TYPE:PATH`, `file:NAME`. */
  readonly see?: readonly string[];
  /** @defaultValue 10,000 */
  readonly limitMs?: number;
}

/** What every entry says. */
export interface Claim {
  /** Unique. */
  readonly name: string;
  readonly ids: readonly string[];
  /** What the deviating host does. */
  readonly does: string;
  readonly before: Level;
  readonly after: Level;
  /** Why the level is another than the outcome says. */
  readonly why?: string;
}

/** A deviation that is run. What it has replaces what the control has; `answers` and `env` are merged. */
export interface Deviation extends Claim, Play {
  /** Flags of the control that are left out, by name. */
  readonly without?: readonly string[];
  /** Flags beside those of the control. */
  readonly with?: readonly (readonly string[])[];
  /** Steps in place of those with that `as`. */
  readonly instead?: Readonly<Record<string, readonly HostStep[]>>;
  /** Run on a control of its own: changes to that of the group. */
  readonly control?: Play & Pick<Deviation, 'without' | 'with' | 'instead'>;
}

export interface DeviationGroup extends Play {
  readonly group: string;
  readonly about: string;
  readonly deviations: readonly Deviation[];
}

/** The CLI cannot notice: what a user loses, and where a recording has the occasion for it. */
export interface HostOnly extends Claim {
  readonly loss: string;
  readonly shown: readonly Shown[];
  /** A run, by name, whose control has the occasion. */
  readonly run?: string;
}

export interface Shown {
  readonly recording: string;
  /** Lines from the CLI with at least these fields. */
  readonly has?: JsonObject;
  /** How many there are at least. @defaultValue 1 */
  readonly times?: number;
}

/** The CLI gives no occasion for it: a count that stays 0 over all runs of the command. */
export interface NeverSeen extends Claim {
  readonly census: string;
}

export interface NotRun extends Claim {
  readonly reason: string;
}

export interface LevelDeviations {
  readonly level: string;
  readonly groups: readonly DeviationGroup[];
  readonly hostOnly: readonly HostOnly[];
  readonly neverSeen: readonly NeverSeen[];
  readonly notRun: readonly NotRun[];
}

/** Files beside those of the levels. */
const OUTCOMES = 'outcomes.json';

/** Reads the deviations of a folder, a file a level. */
export function readDeviations(folder: string): readonly LevelDeviations[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.json') && file !== OUTCOMES)
    .sort()
    .map((file) => {
      const value = parseJsonObject(readFileSync(join(folder, file), 'utf8'));
      if (value === undefined) throw new Error(`${join(folder, file)}: expected one JSON object`);
      const { level, groups, hostOnly = [], neverSeen = [], notRun = [] } = value;
      const lists = [groups, hostOnly, neverSeen, notRun];
      if (typeof level !== 'string' || !lists.every((list) => Array.isArray(list) && list.every(isJsonObject))) {
        throw new Error(`${join(folder, file)}: expected "level" and lists of objects`);
      }
      // Written by hand beside the code that plays it: what is wrong further in shows as an outcome.
      return { level, groups, hostOnly, neverSeen, notRun } as LevelDeviations;
    });
}

/** The control of a deviation, and the play of the deviation itself. */
export function playsOf(group: DeviationGroup, deviation: Deviation): { readonly control: Play; readonly play: Play } {
  const control = deviation.control === undefined ? group : changed(group, deviation.control);
  return { control, play: changed(control, deviation) };
}

function changed(play: Play, change: Play & Pick<Deviation, 'without' | 'with' | 'instead'>): Play {
  const { without = [], with: more = [], instead = {} } = change;
  const flags = [...(change.flags ?? play.flags ?? []).filter(([name = '']) => !without.includes(name)), ...more];
  const script = (change.script ?? play.script ?? []).flatMap((step) => instead[step.as ?? ''] ?? [step]);
  const pick = <K extends keyof Play>(key: K): Pick<Play, K> | object =>
    (change[key] ?? play[key]) === undefined ? {} : { [key]: change[key] ?? play[key] };
  return {
    flags,
    script,
    answers: { ...play.answers, ...change.answers },
    env: { ...play.env, ...change.env },
    host: { ...play.host, ...change.host },
    ...pick('base'),
    ...pick('files'),
    ...pick('turns'),
    ...pick('marks'),
    ...pick('see'),
    ...pick('limitMs'),
  };
}
