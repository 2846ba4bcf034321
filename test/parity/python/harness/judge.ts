import { at, differences, mismatch, short } from './pattern.js';
import type { Json, Look, LookEvidence, Row, RowEvidence } from './row.js';

/** What both sides showed in one program. */
export interface Observed {
  /** The program's name. */
  readonly name: string;
  readonly python: Json;
  readonly ours: Json;
}

/** Holds a row against what was seen. */
export async function judgeRow<Program>(
  row: Row<Program>,
  kind: 'process' | 'pure',
  observe: (program: Program) => Promise<Observed>,
): Promise<RowEvidence> {
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
    })),
  };
}

/** Long values are cut: the evidence is read by people. */
function cut(value: Json | undefined): Json {
  if (value === undefined) return '(nothing)';
  const text = JSON.stringify(value);
  return text.length > 600 ? `${text.slice(0, 600)}…` : value;
}
