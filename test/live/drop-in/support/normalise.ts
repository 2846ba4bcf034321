import { createHash } from 'node:crypto';
import { isJsonObject } from '../../../../src/util/json.js';
import type { ProgramRun } from './run-program.js';

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g;
const DEVICE = /[0-9a-f]{64}/g;
/** Names of files with a process id, or a time and a random word; the private configuration folder of a resumed run. */
const FILE = /(?<=cc-socks\/)\d+|(?<=-blob-)\d+-\w+|(?<=\/tmp\/)(claude-resume|claudewire)-[\w-]+(?=\/projects)/g;
/** Longer texts, such as the CLI's prompts, are compared by their hash. */
const MAX_TEXT = 300;
/** Numbers that a clock or the system chose. */
const CHANGING =
  /(_ms|Ms|_at|At|[dD]uration|pid|seconds|fileSize|lastModified|mtime|start_time|end_time|latency|time_to_first_token)$/;
/** Ids of the AI SDK's making. */
const PART_ID = /^[A-Za-z0-9]{16}$/;
/** Random names of the CLI's own making that are no UUIDs. */
const RANDOM_ID = /^(agent_id|task_id|agentId|task_ids|run_id|promptId)$/;

/** A {@link ProgramRun} without what no two runs share. */
export interface NormalRun {
  readonly exitCode: number | null;
  readonly stderr: readonly unknown[];
  readonly said: Readonly<Record<string, readonly unknown[]>>;
  readonly asked: readonly unknown[];
  readonly left: readonly string[];
}

/**
 * A run as it would be anywhere, at any time: folders, ports, times and random ids are replaced. Which id stands where is
 * kept: the third one seen is `uuid-3` wherever it occurs.
 */
export function normaliseRun(run: ProgramRun, masks: Masks = []): NormalRun {
  const normalise = createNormaliser(run, masks);
  // Labels in a fixed order: two lists may have been printed interleaved in another way.
  const said = Object.fromEntries(
    Object.keys(run.said)
      .sort()
      .map((label) => [label, mergeDeltas(run.said[label] ?? []).map(normalise)]),
  );
  return {
    exitCode: run.exitCode,
    stderr: run.stderr.split('\n').map(warningCode).map(normalise),
    said,
    asked: run.asked.map(normalise),
    left: run.left,
  };
}

/** Patterns of further texts that no two runs share, and what replaces them. */
export type Masks = readonly (readonly [RegExp, string])[];

/** A replacer that remembers the ids it has seen. */
export function createNormaliser({ stage }: Pick<ProgramRun, 'stage'>, masks: Masks = []): (value: unknown) => unknown {
  const ids = new Map<string, string>();
  const named = (kind: string, id: string): string => {
    const name = ids.get(id) ?? `${kind}-${ids.size + 1}`;
    ids.set(id, name);
    return name;
  };
  const { folder, api } = stage;
  const places: readonly (readonly [string, string])[] = [
    [folder, '/stage'],
    [folder.replace(/[^a-zA-Z0-9]/g, '-'), '-stage'],
    [`127.0.0.1:${api.port}`, 'api'],
  ];
  function text(value: string): string {
    const placed = places.reduce((rest, [place, name]) => rest.replaceAll(place, name), value);
    const result = masks
      .reduce((rest, [pattern, name]) => rest.replace(pattern, name), placed)
      .replace(TIME, '<time>')
      .replace(DEVICE, '<device>')
      .replace(FILE, '<name>')
      .replace(UUID, (id) => named('uuid', id));
    if (result.length <= MAX_TEXT) return result;
    const hash = createHash('sha256').update(result).digest('hex').slice(0, 16);
    return `${result.slice(0, 60)}... (${result.length} characters, ${hash})`;
  }
  function visit(value: unknown, key: string): unknown {
    if (typeof value === 'number') return CHANGING.test(key) ? '<number>' : value;
    if (typeof value === 'string') {
      const isRandom = RANDOM_ID.test(key) || (key === 'id' && PART_ID.test(value));
      return isRandom ? named(key, value) : text(value);
    }
    if (Array.isArray(value)) return value.map((entry) => visit(entry, key));
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, entry]) => [text(name), visit(entry, name)]));
  }
  return (value) => visit(value, '');
}

/** Messages that only say that something goes on. */
const REPEATED = new Set<unknown>(['thinking_tokens', 'ui_invalidate']);

/** How many times a message came, when it only says that something goes on, is the machine's business. */
function mergeDeltas(messages: readonly unknown[]): readonly unknown[] {
  return messages.filter((message) => !(isJsonObject(message) && REPEATED.has(message.subtype)));
}

/** Node's warnings by their code: the texts are each package's own. */
function warningCode(line: string): string {
  return line.replace(/^\(node:\d+\) (\[\w+\]) .*/, '$1');
}
