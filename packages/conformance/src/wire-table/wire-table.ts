import type { CliShape, Defaults } from '../drift/cli-shape.js';
import type { RunShape } from '../drift/shapes.js';
import { type Known, type Timeline, timeline, valueAt } from './timeline.js';

/** Every recorded release of the CLI in one file: what each has, as ranges of versions. */
export interface WireTable {
  readonly versions: readonly string[];
  /** By version and scenario: why it did not come to its end. */
  readonly notRecorded: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly frames: Readonly<Record<string, FrameHistory>>;
  readonly flags: Readonly<Record<string, Timeline<string>>>;
  /** A value, or the ranges of each name of a list. */
  readonly defaults: Readonly<Record<string, Timeline<string> | Readonly<Record<string, Timeline<true>>>>>;
  /** Kinds of frames in order, between blanks, and how the run ended. */
  readonly runs: Readonly<Record<string, Timeline<string>>>;
  readonly timings: Readonly<Record<string, CliShape['timings']>>;
}

export interface FrameHistory {
  /** Scenarios in which some version had it. */
  readonly seenIn: readonly string[];
  readonly fields: Readonly<Record<string, Timeline<string>>>;
}

const EXIT = ' => ';

/** Puts the shapes of all releases, oldest first, into one table. */
export function wireTable(shapes: readonly (readonly [version: string, shape: CliShape])[]): WireTable {
  const versions = shapes.map(([version]) => version);
  const all = new Map(shapes);
  const at = (version: string): CliShape => {
    const shape = all.get(version);
    if (shape === undefined) throw new Error(`no shape of ${version}`);
    return shape;
  };
  const over = <T>(read: (shape: CliShape) => Known<T>): Timeline<T> => timeline(versions, (each) => read(at(each)));
  const keys = (read: (shape: CliShape) => object): readonly string[] =>
    [...new Set(shapes.flatMap(([, shape]) => Object.keys(read(shape))))].sort();
  return {
    versions,
    notRecorded: Object.fromEntries(
      shapes.flatMap(([version, { notRecorded = {} }]) =>
        Object.keys(notRecorded).length === 0 ? [] : [[version, notRecorded]],
      ),
    ),
    frames: Object.fromEntries(keys(({ kinds }) => kinds).map((kind) => [kind, frameHistory(kind, shapes)])),
    flags: Object.fromEntries(
      keys(({ flags }) => flags).map((flag) => [flag, over(({ flags }) => known(flags[flag]))]),
    ),
    defaults: defaultsOver(
      keys(({ defaults }) => defaults),
      over,
      keys,
    ),
    runs: Object.fromEntries(
      keys(({ scenarios }) => scenarios).map((name) => [name, over((shape) => runAt(shape, name))]),
    ),
    timings: Object.fromEntries(shapes.map(([version, { timings }]) => [version, timings])),
  };
}

/** One release as it was recorded. */
export function shapeAt(table: WireTable, version: string): CliShape {
  const { versions } = table;
  const read = <T>(lines: Readonly<Record<string, Timeline<T>>>): [string, T][] =>
    Object.entries(lines).flatMap(([name, line]): [string, T][] => {
      const value = valueAt(versions, line, version);
      return value === undefined ? [] : [[name, value]];
    });
  const notRecorded = table.notRecorded[version] ?? {};
  const kinds = Object.entries(table.frames).map(
    ([kind, { fields }]) => [kind, Object.fromEntries(read(fields))] as const,
  );
  const seen = kinds.filter(([, fields]) => Object.keys(fields).length > 0);
  return {
    cliVersion: version,
    notRecorded,
    kinds: Object.fromEntries(seen),
    seenIn: Object.fromEntries(seen.map(([kind]) => [kind, table.frames[kind]?.seenIn ?? []])),
    flags: Object.fromEntries(read(table.flags)),
    defaults: Object.fromEntries(
      Object.entries(table.defaults).flatMap(([name, line]): [string, string | readonly string[]][] => {
        if (isList(line)) return [[name, read(line).map(([entry]) => entry)]];
        const value = valueAt(versions, line, version);
        return value === undefined ? [] : [[name, value]];
      }),
    ),
    scenarios: Object.fromEntries(
      read(table.runs).flatMap(([name, text]) => (name in notRecorded ? [] : [[name, runOf(text)]])),
    ),
    timings: table.timings[version] ?? {},
  };
}

function known<T>(value: T | undefined): Known<T> {
  return value === undefined ? 'absent' : { value };
}

function frameHistory(kind: string, shapes: readonly (readonly [string, CliShape])[]): FrameHistory {
  const seenIn = [...new Set(shapes.flatMap(([, shape]) => shape.seenIn?.[kind] ?? []))].sort();
  const all = new Map(shapes);
  const isDoubtful = (shape: CliShape): boolean => seenIn.some((name) => name in (shape.notRecorded ?? {}));
  const paths = [...new Set(shapes.flatMap(([, { kinds }]) => Object.keys(kinds[kind] ?? {})))].sort();
  const fields = paths.map((path) => {
    let before: string | undefined;
    const line = timeline<string>(
      shapes.map(([version]) => version),
      (version) => {
        const shape = all.get(version);
        const found = shape?.kinds[kind]?.[path];
        if (shape !== undefined && isDoubtful(shape) && isPart(found, before)) return 'unknown';
        before = found;
        return known(found);
      },
    );
    return [path, line] as const;
  });
  return { seenIn, fields: Object.fromEntries(fields) };
}

/** Whether fewer runs than usual may be all there is to the difference. */
function isPart(found: string | undefined, before: string | undefined): boolean {
  if (before === undefined || found === before) return found === undefined;
  const types = before.split('|');
  return found === undefined || found.split('|').every((type) => types.includes(type) || type === 'absent');
}

function isList(
  line: Timeline<string> | Readonly<Record<string, Timeline<true>>>,
): line is Readonly<Record<string, Timeline<true>>> {
  return !Array.isArray(line);
}

function defaultsOver(
  names: readonly string[],
  over: <T>(read: (shape: CliShape) => Known<T>) => Timeline<T>,
  keys: (read: (shape: CliShape) => object) => readonly string[],
): WireTable['defaults'] {
  const listOf = (defaults: Defaults, name: string): readonly string[] | undefined => {
    const value = defaults[name];
    return Array.isArray(value) ? value : undefined;
  };
  return Object.fromEntries(
    names.map((name) => {
      const entries = keys(({ defaults }) =>
        Object.fromEntries((listOf(defaults, name) ?? []).map((each) => [each, 0])),
      );
      if (entries.length === 0) {
        const line = over(({ defaults }) => (name in defaults ? { value: String(defaults[name]) } : 'absent'));
        return [name, line];
      }
      const has = (entry: string) =>
        over<true>(({ defaults }) => (listOf(defaults, name)?.includes(entry) ? { value: true } : 'absent'));
      return [name, Object.fromEntries(entries.map((entry) => [entry, has(entry)]))];
    }),
  );
}

function runAt({ scenarios, notRecorded = {} }: CliShape, name: string): Known<string> {
  const run = scenarios[name];
  if (run !== undefined) return { value: `${run.frames.join(' ')}${EXIT}${run.exit}` };
  return name in notRecorded ? 'unknown' : 'absent';
}

function runOf(text: string): RunShape {
  const [frames = '', exit = ''] = text.split(EXIT);
  return { frames: frames === '' ? [] : frames.split(' '), exit: /^\d+$/.test(exit) ? Number(exit) : exit };
}
