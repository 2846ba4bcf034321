import { at, differences, mismatch, pins, short } from './pattern.js';
import type { Json, Look, LookEvidence, Moved, Row, RowEvidence, ShownRow } from './row.js';

/** What both sides showed in one program. */
export interface Observed {
  /** The program's name. */
  readonly name: string;
  readonly python: Json;
  /** What the older release showed; missing where it was not run. */
  readonly before?: Json;
  readonly ours: Json;
  /** What the official TypeScript SDK showed; missing where it cannot run the program. */
  readonly official?: Json;
}

/** Holds a row against what was seen, with both releases of the Python SDK. */
export async function judgeRow<Program>(
  row: Row<Program>,
  kind: 'process' | 'pure',
  observe: (program: Program) => Promise<Observed>,
): Promise<RowEvidence> {
  const judged = await judgeRelease(row, kind, observe);
  if ('notApplicable' in row) return { ...judged, moved: [] };
  const evidence = { ...judged, problems: [...judged.problems, ...unsaidIn(row)] };
  if (row.isNew === true) return { ...evidence, moved: [] };
  const older = async (program: Program): Promise<Observed> => {
    const { before = null, ...seen } = await observe(program);
    return { ...seen, python: before };
  };
  const said = row.looks.map(({ before, ...look }) => ({ ...look, ...before }));
  const { verdict, looks, problems } = await judgeRelease({ ...row, looks: said }, kind, older);
  return {
    ...evidence,
    before: { verdict, looks },
    moved: await movedIn(row, observe),
    problems: [
      ...evidence.problems,
      ...problems.map((problem) => `release before: ${problem}`),
      ...(await needlessIn(row, kind, older)),
    ],
  };
}

/** Where nothing is compared, a pattern must say what ours is: it could change, and still differ. */
function unsaidIn<Program>({ looks }: ShownRow<Program>): readonly string[] {
  return looks.flatMap(({ name = '', both, ours, differs = [] }) =>
    differs
      .filter(({ at: path, shows }) => !pins(shows, '') && !pins(both, path) && !pins(ours, path))
      .map(({ at: path }) => `${name}: is listed as different, and nothing says what ours shows there: ${path}`),
  );
}

/** A look that says something of the older release must be wrong about it otherwise. */
async function needlessIn<Program>(
  row: ShownRow<Program>,
  kind: 'process' | 'pure',
  older: (program: Program) => Promise<Observed>,
): Promise<readonly string[]> {
  const marked = row.looks.filter(({ before }) => before !== undefined);
  const judged = await Promise.all(
    marked.map(async (look) => ({ look, ...(await judgeRelease({ ...row, looks: [look] }, kind, older)) })),
  );
  return judged
    .filter(({ problems }) => problems.length === 0)
    .map(({ look }) => `${look.name ?? ''}: is listed as moved, and the release before shows the same`);
}

async function movedIn<Program>(
  { looks }: ShownRow<Program>,
  observe: (program: Program) => Promise<Observed>,
): Promise<readonly Moved[]> {
  const moved = new Map<string, Moved>();
  for (const look of looks) {
    const { python, before = null } = await observe(look.program);
    const listed = [...(look.differs ?? []), ...(look.before?.differs ?? [])].map((each) => each.at);
    for (const path of [...(look.at ?? []), ...(look.before?.at ?? []), ...listed]) {
      const [first, ...others] = differences(at(before, path), at(python, path), path);
      if (first === undefined || moved.has(first)) continue;
      const values = { before: cut(at(before, first)), python: cut(at(python, first)) };
      moved.set(first, { at: path, first, others: others.length, ...values });
    }
  }
  return [...moved.values()];
}

async function judgeRelease<Program>(
  row: Row<Program>,
  kind: 'process' | 'pure',
  observe: (program: Program) => Promise<Observed>,
): Promise<Omit<RowEvidence, 'moved'>> {
  const { id, what } = row;
  if ('notApplicable' in row) {
    const { notApplicable } = row;
    return { id, what, verdict: 'not-applicable', kind: 'none', notApplicable, looks: [], problems: [] };
  }
  const problems: string[] = row.looks.length === 0 ? ['nothing shows it'] : [];
  const looks: LookEvidence[] = [];
  for (const look of row.looks) {
    const seen = await observe(look.program);
    looks.push(evidenceOf(look, seen));
    problems.push(...judgeLook(look, seen), ...(kind === 'process' ? unmet(look, seen) : []));
  }
  const isDifferent = row.looks.some(({ differs = [] }) => differs.length > 0);
  return { id, what, verdict: isDifferent ? 'different' : 'equal', kind, looks, problems };
}

function judgeLook<Program>(look: Look<Program>, { name, python, ours }: Observed): string[] {
  const problems: string[] = [];
  const say = (text: string): void => void problems.push(`${look.name ?? name}: ${text}`);
  for (const [side, seen, pattern] of [
    ['Python', python, look.both],
    ['ours', ours, look.both],
    ['Python', python, look.python],
    ['ours', ours, look.ours],
  ] as const) {
    const wrong = pattern === undefined ? undefined : mismatch(pattern, seen);
    if (wrong !== undefined) say(`${side} is not what the row says: ${wrong}`);
  }
  const listed = look.differs ?? [];
  if (look.at === undefined && listed.length === 0 && look.both === undefined) {
    say('it compares nothing');
  }
  const found = (look.at ?? []).flatMap((path) => differences(at(python, path), at(ours, path), path));
  for (const path of found.filter((one) => !listed.some((listing) => covers(listing.at, one)))) {
    say(`differs, and is not listed: ${path}: ${both(python, ours, path)}`);
  }
  for (const listing of listed) {
    const wrong = listing.shows === undefined ? undefined : mismatch(listing.shows, at(ours, listing.at), listing.at);
    if (wrong !== undefined) say(`ours is not what the difference says: ${wrong}`);
    if (differences(at(python, listing.at), at(ours, listing.at), listing.at).length === 0) {
      say(`is listed as different, and is the same: ${listing.at}: ${short(at(ours, listing.at))}`);
    }
  }
  return problems;
}

/** What every process program must show on both sides, unless the look says otherwise of that side. */
const BY_DEFAULT: Readonly<Record<string, (value: Json | undefined) => boolean>> = {
  processes: (value) => typeof value === 'number' && value >= 1,
  missed: (value) => Array.isArray(value) && value.length === 0,
  verdict: (value) => value === 'passed',
};

function unmet<Program>(look: Look<Program>, { name, python, ours }: Observed): string[] {
  return (['python', 'ours'] as const).flatMap((side) => {
    const seen = side === 'python' ? python : ours;
    // The CLI of the pure side has no lane of its own.
    if (at(seen, 'results') !== undefined) return [];
    const startsNothing = [look.both, look[side]].some((one) => at(one, 'processes') === 0);
    return Object.entries(BY_DEFAULT).flatMap(([key, isMet]) => {
      const value = at(seen, key);
      const isSaid = [look.both, look[side]].some((pattern) => at(pattern, key) !== undefined);
      return isSaid || isMet(value) || (key === 'verdict' && startsNothing)
        ? []
        : [`${look.name ?? name}: ${side} did not run through: ${key} is ${short(value)}`];
    });
  });
}

function covers(listed: string, path: string): boolean {
  return listed === '' || path === listed || path.startsWith(`${listed}/`);
}

function both(python: Json, ours: Json, path: string): string {
  return `Python has ${short(at(python, path))}, ours ${short(at(ours, path))}`;
}

function evidenceOf<Program>(look: Look<Program>, seen: Observed): LookEvidence {
  const paths = [...new Set([...(look.at ?? []), ...(look.differs ?? []).map(({ at }) => at)])];
  const pick = (value: Json): Json => Object.fromEntries(paths.map((path) => [path, cut(at(value, path))]));
  return {
    name: look.name ?? seen.name,
    program: seen.name,
    python: pick(seen.python),
    ours: pick(seen.ours),
    differences: (look.differs ?? []).map((listed) => ({
      ...listed,
      python: cut(at(seen.python, listed.at)),
      ours: cut(at(seen.ours, listed.at)),
      // One that did not run through cannot run the program.
      ...(seen.official === undefined ||
      listed.reason !== 'official-ts' ||
      at(seen.official, 'verdict') !== at(seen.ours, 'verdict')
        ? {}
        : { isOfficial: differences(at(seen.official, listed.at), at(seen.ours, listed.at), '').length === 0 }),
    })),
  };
}

/** Long values are cut: the evidence is read by people. */
function cut(value: Json | undefined): Json {
  if (value === undefined) return '(nothing)';
  const text = JSON.stringify(value);
  return text.length > 600 ? `${text.slice(0, 600)}…` : value;
}
