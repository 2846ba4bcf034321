import { type ChangeArea, describeChange, type ShapeChange } from './compare-shapes.js';

export interface Drift {
  readonly before: string;
  readonly now: string;
  readonly changes: readonly ShapeChange[];
  /** Scenarios that did not come to their end, by side. */
  readonly notRecorded: {
    readonly before: Readonly<Record<string, string>>;
    readonly now: Readonly<Record<string, string>>;
  };
}

const TITLES: Record<ChangeArea, string> = {
  surface: 'Declarations',
  frame: 'Frames',
  field: 'Fields',
  flag: 'Flags and variables',
  default: 'Defaults',
  order: 'Order of frames',
  sequence: 'Frames of a run',
  exit: 'How a run ends',
  timing: 'Timings',
};
const AREAS = Object.keys(TITLES) as ChangeArea[];
/** Places of one change that are named; the others are counted. Declarations are all named. */
const NAMED = 4;

/** One change a line, and a last line that counts them. */
export function driftText({ before, now, changes, notRecorded }: Drift): string {
  const lines = AREAS.flatMap((area) => changes.filter((each) => each.area === area).map(describeChange));
  const skipped = [...unfinished(before, notRecorded.before), ...unfinished(now, notRecorded.now)];
  return `${[...lines, ...skipped, `${now} after ${before}: ${changes.length} changed`].join('\n')}\n`;
}

function unfinished(release: string, problems: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(problems).map(([name, problem]) => `not recorded with ${release}: ${name}: ${problem}`);
}

/** Sections by area. The same change of several frames or runs is one line. */
export function driftMarkdown(drift: Drift, { level = 2 }: { readonly level?: number } = {}): string {
  const heading = '#'.repeat(level);
  const sections = AREAS.flatMap((area) => {
    const changes = drift.changes.filter((each) => each.area === area);
    const lines = (LAYOUTS[area] ?? grouped)(changes);
    return lines.length === 0 ? [] : [`${heading}# ${TITLES[area]}`, '', ...lines, ''];
  });
  const skipped = [
    ...unfinished(drift.before, drift.notRecorded.before),
    ...unfinished(drift.now, drift.notRecorded.now),
  ];
  const notes = skipped.length === 0 ? [] : [`${heading}# Not recorded`, '', ...skipped.map((line) => `- ${line}`), ''];
  const body = sections.length === 0 ? ['Nothing changed.', ''] : sections;
  return `${[`${heading} ${drift.now} after ${drift.before}`, '', ...body, ...notes].join('\n').trimEnd()}\n`;
}

type Layout = (changes: readonly ShapeChange[]) => readonly string[];

/** A frame has a line for what is new in it, one for what is gone, one for what changed. */
const LAYOUTS: Partial<Record<ChangeArea, Layout>> = { frame: byHappening, flag: byHappening, field: byFrame };

function byHappening(changes: readonly ShapeChange[]): readonly string[] {
  const named = (happened: string): readonly string[] =>
    changes.flatMap(({ where, what }) => {
      const name = where.replace(/^frame /, '');
      if (what === `is ${happened}`) return [code(name)];
      return what.startsWith(`is ${happened}: `) ? [code(`${name} ${what.slice(happened.length + 5)}`)] : [];
    });
  const changed = changes.filter(({ what }) => !/^is (?:new|gone)(?:$|:)/.test(what));
  return [
    ...list('new', named('new')),
    ...list('gone', named('gone')),
    ...changed.map(({ where, what }) => `- ${code(where)}: ${escaped(what)}`),
  ];
}

function byFrame(changes: readonly ShapeChange[]): readonly string[] {
  const frames = [...new Set(changes.map(({ where }) => where))];
  return frames.flatMap((frame) => {
    const fields = changes.filter(({ where }) => where === frame).map(({ what }) => what.replace(/^field /, ''));
    const happened = (mark: string): readonly string[] =>
      fields.flatMap((field) => {
        const [path, type] = field.split(mark);
        return path === undefined || type === undefined ? [] : [`${code(path)} (${plainType(type)})`];
      });
    const changed = fields.flatMap((field) => {
      const [path, types] = field.split(/: (.*)/s);
      const [old, young] = types?.split(' is now ') ?? [];
      if (path === undefined || old === undefined || young === undefined) return [];
      return [`${code(path)} (${plainType(old)}, now ${plainType(young)})`];
    });
    const lines = [
      ...list('new', happened(' is new: ')),
      ...list('gone', happened(' is gone: ')),
      ...list('changed', changed),
    ];
    return [`- ${code(frame.replace(/^frame /, ''))}`, ...lines.map((line) => `  ${line}`)];
  });
}

const list = (title: string, names: readonly string[]): readonly string[] =>
  names.length === 0 ? [] : [`- ${title}: ${names.join(', ')}`];

/** `absent|number` as people say it. */
function plainType(type: string): string {
  const types = type.split('|');
  const present = types.filter((each) => each !== 'absent').join(' or ');
  return types.includes('absent') ? `${present}, not always` : present;
}

function grouped(changes: readonly ShapeChange[]): readonly string[] {
  const places = new Map<string, string[]>();
  for (const { area, where, what } of changes) {
    // Where in a run a frame comes is for the text: a page says which runs have it.
    const key = area === 'sequence' || area === 'order' ? what.replace(/^frame \d+, /, '') : what;
    places.set(key, [...(places.get(key) ?? []), where.replace(/^frame /, '')]);
  }
  return [...places].map(([what, where]) => {
    const distinct = [...new Set(where)];
    // What a package declares is a name each, and none of them is in another line.
    const named = changes.some(({ area }) => area === 'surface') ? distinct.length : NAMED;
    const more = distinct.length > named ? ` and ${distinct.length - named} more` : '';
    return `- ${distinct.slice(0, named).map(code).join(', ')}${more}: ${escaped(what)}`;
  });
}

const code = (text: string): string => `\`${text}\``;
const escaped = (text: string): string => text.replaceAll(/[<>|*_[\]]/g, '\\$&');
