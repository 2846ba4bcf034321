import type { Claim, Level, LevelDeviations } from './deviation.js';
import type { OutcomeClass } from './outcome.js';

export interface StoredOutcomes {
  readonly cli: string;
  readonly date: string;
  readonly census: Readonly<Record<string, number>>;
  readonly outcomes: Readonly<Record<string, { readonly outcome: OutcomeClass; readonly saw: readonly string[] }>>;
}

export interface HostRequirement {
  readonly id: string;
  readonly party: string;
  readonly text: string;
}

/** Nothing that anybody would notice: no reason for a MUST. */
const UNNOTICED: readonly string[] = ['ignored', 'never_seen'];

/**
 * Where levels and outcomes do not agree. The rule: a sentence is a MUST when a host that does otherwise loses something with
 * the real CLI, or its user does; else it is none. An entry that differs says why. Every MUST of the host has an entry.
 */
export function levelProblems(
  levels: readonly LevelDeviations[],
  stored: StoredOutcomes,
  requirements: readonly HostRequirement[],
): string[] {
  const texts = new Map(requirements.map(({ id, text }) => [id, text]));
  const entries = levels.flatMap((level) => entriesOf(level, stored));
  const names = entries.map(({ claim }) => claim.name);
  return [
    ...names.filter((name, at) => names.indexOf(name) !== at).map((name) => `${name}: is there twice`),
    ...entries.flatMap(({ claim, outcome }) => claimProblems(claim, outcome, texts)),
    ...requirements
      .filter(({ party, text }) => party === 'host' && /\bMUST\b/.test(text))
      .filter(({ id }) => !entries.some(({ claim }) => claim.ids.includes(id) && isMust(claim.after)))
      .map(({ id }) => `${id}: is a MUST, and no entry says what happens to a host that deviates`),
  ];
}

/** Entries of a level, with what came of each. */
export function entriesOf(
  level: LevelDeviations,
  { outcomes, census }: StoredOutcomes,
): { readonly claim: Claim; readonly outcome: OutcomeClass | undefined }[] {
  return [
    ...level.groups.flatMap(({ deviations }) =>
      deviations.map((claim) => ({ claim, outcome: outcomes[claim.name]?.outcome })),
    ),
    ...level.hostOnly.map((claim) => ({ claim, outcome: 'host_only' as const })),
    ...level.neverSeen.map((claim) => ({
      claim,
      outcome: census[claim.census] === 0 ? ('never_seen' as const) : undefined,
    })),
    ...level.notRun.map((claim) => ({ claim, outcome: 'not_run' as const })),
  ];
}

function claimProblems(claim: Claim, outcome: OutcomeClass | undefined, texts: ReadonlyMap<string, string>): string[] {
  const { name, ids, before, after, why } = claim;
  const problems: string[] = [];
  if (outcome === undefined) return [`${name}: has no outcome`];
  const isNoticed = !UNNOTICED.includes(outcome);
  if (isMust(after) && !isNoticed && why === undefined) problems.push(`${name}: is ${outcome}, and still a ${after}`);
  if (isMust(before) && !isMust(after) && isNoticed && why === undefined) {
    problems.push(`${name}: is ${outcome}, and no ${before} any more`);
  }
  for (const id of after === 'gone' ? [] : ids) {
    const text = texts.get(id);
    if (text === undefined) problems.push(`${name}: names ${id}, which is no requirement`);
    else if (!text.includes(after)) problems.push(`${name}: is a ${after}, which ${id} does not say`);
  }
  return problems;
}

const isMust = (level: Level): boolean => level.startsWith('MUST');
