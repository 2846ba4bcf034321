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
}

const NAMES: Record<ReleaseKind, string> = {
  cli: 'Claude Code (npm: @anthropic-ai/claude-code)',
  ts: 'TypeScript SDK (npm: @anthropic-ai/claude-agent-sdk)',
  py: 'Python SDK (PyPI: claude-agent-sdk)',
};

/** What moves a pin, in this order. */
const PIN_STEPS: Record<ReleaseKind, readonly string[]> = {
  cli: [
    '`test/live/package.json`: `claude-code-current`; `npm install --package-lock-only` there',
    '`packages/conformance/wire/versions.json`: a line with the new versions; `npm run wire`',
    '`claudewire-conformance record-suite --cli PATH --write`, where `packages/conformance/live/shapes.json` has to follow',
    '`npm run test:live`',
  ],
  ts: [
    '`test/parity/official`, `test/parity/types`, `packages/conformance/drivers/official-ts`, `test/live/drop-in`: `package.json` and its lock file',
    '`npm run parity:official`, `npm run parity:types`, `npm run conformance -- --driver official-ts`',
  ],
  py: ['`test/parity/python/requirements.txt`', '`npm run parity:python`, `npm run conformance -- --driver python`'],
};

/** What to do about a change, by what it is about. */
const ADVICE: Record<ChangeArea, string> = {
  surface:
    'Export it, or say in `docs/evidence/differences.md` why not. An option: CONTRIBUTING.md, "To add an option".',
  frame: 'A type in `src/parser`, a definition in `frames.schema.json`, a row in `docs/protocol.md`.',
  field: 'A field of the type in `src/parser` or `src/query/control-answers.ts`, if a program would read it.',
  flag: 'An option that sends it, if a program would set it: CONTRIBUTING.md, "To add an option".',
  default: 'Look for tests and documents that name the old value.',
  order: 'Run the live scenario and read it: does the session rely on the old order?',
  sequence: 'Run the live scenario and read it: does the session expect the frame?',
  exit: '`docs/termination.md` and `outcomeOf()`: is the end still told as what it is?',
  timing: 'Compare the time limits in `src/control/default-timeouts.ts`.',
};
const TITLES: Record<ChangeArea, string> = {
  surface: 'Exports, types and options',
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

function section({ kind, pinned, newest, changes }: Followed): string {
  const areas = AREAS.flatMap((area) => {
    const same = changes.filter((each) => each.area === area);
    return same.length === 0 ? [] : [`### ${TITLES[area]}`, '', ADVICE[area], '', ...items(same), ''];
  });
  const steps = PIN_STEPS[kind].map((step) => `- [ ] ${step}`);
  return [`## ${NAMES[kind]}: ${pinned} to ${newest}`, '', '### Pins', '', ...steps, '', ...areas].join('\n');
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
