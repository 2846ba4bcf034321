import type { ChangeArea, ShapeChange } from '../drift/compare-shapes.js';
import { compareVersions, type ReleaseKind } from '../drift/install-release.js';

/** One package that is followed. */
export interface Followed {
  readonly kind: ReleaseKind;
  /** What the repository is held against. */
  readonly pinned: string;
  readonly newest: string;
  /** From the pinned to the newest. */
  readonly changes: readonly ShapeChange[];
  /** Files of the repository that name the pinned release, without what was recorded with it. */
  readonly places: readonly string[];
}

const NAMES: Record<ReleaseKind, string> = {
  cli: 'Claude Code (npm: @anthropic-ai/claude-code)',
  ts: 'TypeScript SDK (npm: @anthropic-ai/claude-agent-sdk)',
  py: 'Python SDK (PyPI: claude-agent-sdk)',
};

/** What is done and run once the files name the new release, in this order. */
const STEPS: Record<ReleaseKind, (newest: string) => readonly string[]> = {
  cli: (newest) => [
    '`package.json`: `claudeCodeVersion`; `manifest.json`: `version`',
    `\`packages/conformance/wire/versions.json\`: the last line has the three new versions; \`npm run wire -- --version ${newest}\` (3 minutes)`,
    '`npm run test:live -- drift.live`: whether the frames still have the shapes of `packages/conformance/live/shapes.json`',
    'Only if it is red, and what changed is meant: `claudewire-conformance record-suite --cli PATH --write`, with the path of `CURRENT` in `test/live/support/clis.ts`',
    '`npm run test:live`',
    '`npm test`: tests that name the release say where else it is',
  ],
  ts: () => [
    '`package.json`: `claudeAgentSdkVersion`; `test/fixtures/official-entries.json`: `version`, and the names that each entry has',
    '`npm run parity:types` (1 minute), `npm run conformance -- --driver official-ts`, `npm run parity:official`, `npm run check:package`, `npm run test:drop-in`',
    '`npm run test:drop-in -- --all` writes `docs/evidence/dependents.md`, when there is time',
  ],
  py: () => [
    '`npm run parity:python` (3 minutes), then `node scripts/parity-python-doc.mjs`',
    '`npm run conformance -- --driver python`',
  ],
};

/** What to do about a change, by what it is about. */
const ADVICE: Record<ChangeArea, string> = {
  surface:
    'Export it, or say in `docs/evidence/differences.md` why not. An option: CONTRIBUTING.md, "To add an option".',
  frame: 'A type in `src/parser`, a definition in `frames.schema.json`, a row in `docs/reference/protocol.md`.',
  field: 'A field of the type in `src/parser` or `src/query/control-answers.ts`, if a program would read it.',
  flag: 'An option that sends it, if a program would set it: CONTRIBUTING.md, "To add an option".',
  default: 'Look for tests and documents that name the old value.',
  order: 'Run the live scenario and read it: does the session rely on the old order?',
  sequence: 'Run the live scenario and read it: does the session expect the frame?',
  exit: '`docs/termination.md` and `outcomeOf()`: is the end still told as what it is?',
  timing: 'Compare the time limits in `src/control/default-timeouts.ts`.',
};
const TITLES: Record<ChangeArea, string> = {
  surface: 'Declarations',
  flag: 'Flags and variables',
  frame: 'Frames',
  field: 'Fields',
  default: 'Defaults',
  order: 'Order',
  sequence: 'Frames of a run',
  exit: 'How a run ends',
  timing: 'Timings',
};
const AREAS = Object.keys(TITLES) as ChangeArea[];

/** Whether there is anything to follow. */
export function isBehind({ pinned, newest }: Followed): boolean {
  return compareVersions(pinned, newest) < 0;
}

/** The to-do list, as Markdown: what to move first, then one line for each change, with where it belongs. */
export function followUp(all: readonly Followed[]): string {
  const sections = all.map((each) =>
    isBehind(each) ? section(each) : `## ${NAMES[each.kind]}\n\n${each.pinned} is the newest.\n`,
  );
  const count = all.filter(isBehind).reduce((sum, { changes }) => sum + changes.length, 0);
  const behind = all.filter(isBehind).length;
  const end = behind === 0 ? 'Nothing to follow.' : `${behind} to follow, ${count} changes.`;
  return `${['# To follow upstream', '', ...sections].join('\n')}\n${end}\n`;
}

function section({ kind, pinned, newest, changes, places }: Followed): string {
  const areas = AREAS.flatMap((area) => {
    const same = changes.filter((each) => each.area === area);
    return same.length === 0 ? [] : [`### ${TITLES[area]}`, '', ADVICE[area], '', ...items(same), ''];
  });
  return [
    `## ${NAMES[kind]}: ${pinned} to ${newest}`,
    '',
    `Once a pin has moved this list is had again with \`npm run upstream -- --pin ${kind}@${pinned}\`.`,
    '',
    '### Pins',
    '',
    ...pins(places, pinned),
    ...STEPS[kind](newest).map((step) => `- [ ] ${step}`),
    '',
    ...areas,
  ].join('\n');
}

const LOCK = /package-lock\.json$/;

/** Where the pinned release is named: what installs it, and what else may be a pin or say what was seen. */
function pins(places: readonly string[], pinned: string): readonly string[] {
  const locks = places.filter((file) => LOCK.test(file));
  const manifests = locks.map((file) => file.replace(LOCK, 'package.json'));
  const others = places.filter((file) => !LOCK.test(file) && !manifests.includes(file));
  const isText = (file: string): boolean => file.endsWith('.md');
  const code = others.filter((file) => !isText(file));
  const texts = others.filter(isText);
  const names = (files: readonly string[]): string => files.map((file) => `\`${file}\``).join(', ');
  return [
    ...(locks.length === 0
      ? []
      : [
          `- [ ] \`package.json\` and, by \`npm install --package-lock-only\` there, the lock file of: ${names(manifests.map((file) => file.replace(/\/package\.json$/, '')))}`,
        ]),
    ...(code.length === 0
      ? []
      : [
          `- [ ] ${pinned} is a pin, or what was seen with that release, which stays until it is seen again: ${names(code)}`,
        ]),
    ...(texts.length === 0 ? [] : [`- [ ] The same in documents: ${names(texts)}`]),
  ];
}

/** One box for each name that came or went. The same change of several frames or runs is one. */
function items(changes: readonly ShapeChange[]): readonly string[] {
  const places = new Map<string, { readonly what: string; readonly where: string[] }>();
  for (const { area, where, what } of changes) {
    const key = area === 'surface' ? `${what}: ${where}` : what;
    const item = places.get(key) ?? { what, where: [] };
    item.where.push(where);
    places.set(key, item);
  }
  return [...places.values()].map(({ what, where }) => `- [ ] ${where.join(', ')}: ${what}`);
}
