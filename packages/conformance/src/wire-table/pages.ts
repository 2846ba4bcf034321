import { compareClis } from '../drift/compare-clis.js';
import { driftMarkdown } from '../drift/drift-report.js';
import { SDK_SCENARIOS } from '../sdk-table/sdk-scenarios.js';
import { type CellRecord, COLUMNS, cellText } from './cells.js';
import { CHECKED_BY_HAND } from './checked-by-hand.js';
import { spanOf } from './timeline.js';
import { shapeAt, type WireTable } from './wire-table.js';

const MADE_BY =
  'Written by `npm run wire` from recorded runs of the real CLI against the loopback Messages API, with no key and no network. The runs\nwere made in several goes, some on a busy machine. The data is in\n`packages/conformance/wire`.';

/** The table of versions: which SDK passes what with which CLI, and since when each frame and flag is there. */
export function versionsPage(table: WireTable, cells: CellRecord): string {
  const { versions } = table;
  const newestFirst = [...versions].reverse();
  const newest = cells[versions.at(-1) ?? ''];
  return lines(
    '# CLI versions',
    '',
    MADE_BY,
    '',
    'See also [what changed on the wire](wire-changes.md). To compare two other versions: `claudewire-conformance drift A B`.',
    '',
    '## SDKs and CLI versions',
    '',
    'How many of the scenarios below pass, and which do not. Each official SDK is in two columns: in the release of the time of the CLI',
    '(its version is in brackets), and in the newest.',
    '',
    row('CLI', ...COLUMNS.map(({ title }) => title)),
    row('---', ...COLUMNS.map(() => '---')),
    ...newestFirst.map((version) =>
      row(
        version,
        ...COLUMNS.map(({ column }) => {
          const cell = cells[version]?.[column];
          // A newest release that was followed since was not run with each old CLI again.
          const isNamed = column.endsWith('Then') || cell?.release !== newest?.[column]?.release;
          return isNamed && cell !== undefined ? `${cellText(cell)} (${cell.release})` : cellText(cell);
        }),
      ),
    ),
    '',
    `Newest: ${COLUMNS.filter(({ column }) => !column.endsWith('Then'))
      .map(({ column, title }) => `${title.replace(', newest', '')} ${newest?.[column]?.release ?? 'not recorded'}`)
      .join(', ')}.`,
    '',
    row('scenario', 'what'),
    row('---', '---'),
    ...SDK_SCENARIOS.map(({ name, about }) => row(name, about)),
    '',
    '### What did not pass',
    '',
    ...failures(newestFirst, cells),
    '',
    '### Checked by hand',
    '',
    'With frames written to the CLI one by one, and a Messages API that says the same.',
    '',
    row('cell', 'done', 'seen'),
    row('---', '---', '---'),
    ...CHECKED_BY_HAND.map((cells) => row(...cells)),
    '',
    '## Frames',
    '',
    'A frame is named by its type and subtype. The answer to a request has the request behind it, a hook its event, an MCP message its',
    'method. Fields are listed where not every version that has the frame has them. Versions between two recorded ones were not looked at.',
    '',
    row('frame', 'versions', 'fields that came or went'),
    row('---', '---', '---'),
    ...Object.entries(table.frames).map(([kind, { fields }]) => {
      const span = frameSpan(versions, fields);
      const moved = Object.entries(fields)
        .map(([path, line]) => ({ path, span: spanOf(versions, line) }))
        .filter((field) => field.span !== span && !isInside(field.path, field.span, fields, versions));
      return row(code(kind), span, summary(moved));
    }),
    '',
    '## Flags',
    '',
    'As `--help` lists them. A flag that is not listed may still work.',
    '',
    ...bySpan(Object.entries(table.flags).map(([flag, line]) => ({ path: flag, span: spanOf(versions, line) }))),
    '',
    '## Not recorded',
    '',
    'Live scenarios that did not come to their end in time: a version does not answer what they wait for, or the machine was too busy.',
    'They count for nothing.',
    '',
    row('CLI', 'scenarios'),
    row('---', '---'),
    ...newestFirst.map((version) => row(version, Object.keys(table.notRecorded[version] ?? {}).join(', ') || 'none')),
  );
}

/** What changed from each recorded version to the next, newest first. */
export function changesPage(table: WireTable, unordered: readonly string[]): string {
  const { versions } = table;
  const steps = versions.slice(1).map((now, index) => {
    const before = versions[index] ?? '';
    const [old, young] = [shapeAt(table, before), shapeAt(table, now)];
    const notRecorded = { before: {}, now: {} };
    // Timings of different hours say more of the machine than of the CLI.
    const changes = compareClis(old, young, { unordered }).filter(({ area }) => area !== 'timing');
    return driftMarkdown({ before, now, changes, notRecorded });
  });
  return lines(
    '# What changed on the wire',
    '',
    MADE_BY,
    '',
    'Each section names what one recorded version of the CLI does differently from the one recorded before it. Types are those that the',
    'runs showed: `absent` means that not every frame of that kind has the field. "Frames of a run" counts frames that a live scenario',
    'has more or fewer of. Since when a frame is there: [CLI versions](cli-versions.md).',
    '',
    steps.reverse().join('\n'),
  );
}

function failures(versions: readonly string[], cells: CellRecord): readonly string[] {
  const found = versions.flatMap((version) =>
    COLUMNS.flatMap(({ column, title }) =>
      Object.entries(cells[version]?.[column]?.scenarios ?? {})
        .filter(([, why]) => why !== 'passed')
        .map(([name, why]) => ({
          key: `${title}|${name}|${why}`,
          title,
          name,
          why,
          at: `${version} (${cells[version]?.[column]?.release})`,
        })),
    ),
  );
  if (found.length === 0) return ['Nothing.'];
  const keys = [...new Set(found.map(({ key }) => key))];
  return [
    row('SDK', 'scenario', 'why', 'CLI (SDK)'),
    row('---', '---', '---', '---'),
    ...keys.map((key) => {
      const same = found.filter((each) => each.key === key);
      return row(
        same[0]?.title ?? '',
        same[0]?.name ?? '',
        plain(same[0]?.why ?? ''),
        same.map(({ at }) => at).join(', '),
      );
    }),
  ];
}

type Fields = WireTable['frames'][string]['fields'];

function frameSpan(versions: readonly string[], fields: Fields): string {
  const type = fields.type;
  return type === undefined ? 'unknown' : spanOf(versions, type);
}

/** Inside a field that came or went with it. */
function isInside(path: string, span: string, fields: Fields, versions: readonly string[]): boolean {
  return Object.entries(fields).some(
    ([outer, line]) =>
      (path.startsWith(`${outer}.`) || path.startsWith(`${outer}[]`)) && spanOf(versions, line) === span,
  );
}

interface Spanned {
  readonly path: string;
  readonly span: string;
}

function groups(all: readonly Spanned[]): readonly (readonly [string, readonly string[]])[] {
  const spans = [...new Set(all.map(({ span }) => span))].sort();
  return spans.map((span) => [span, all.filter((each) => each.span === span).map(({ path }) => path)] as const);
}

function summary(all: readonly Spanned[]): string {
  return groups(all)
    .map(([span, paths]) => `${span}: ${paths.map(code).join(' ')}`)
    .join('; ');
}

function bySpan(all: readonly Spanned[]): readonly string[] {
  return [
    row('versions', 'flags'),
    row('---', '---'),
    ...groups(all).map(([span, paths]) => row(span, paths.map(code).join(' '))),
  ];
}

const lines = (...all: readonly string[]): string => `${all.join('\n').trimEnd()}\n`;
const row = (...cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
const code = (text: string): string => `\`${text.replaceAll('|', '\\|')}\``;
const plain = (text: string): string => text.replaceAll('|', '\\|').replaceAll(/[<>]/g, '\\$&');
