import { expect } from 'vitest';
import { expectSameRun } from '../support/expect-same-run.js';
import type { Dependent, KnownDifference, Observation, Story, SubjectName } from './dependent.js';

/** What is accepted to differ for a story over a subject. */
export function differencesOf({ differences = [] }: Dependent, story: Story, subject: SubjectName): KnownDifference[] {
  return differences.filter(
    (known) => known.subject === subject && (known.stories === undefined || known.stories.includes(story.name)),
  );
}

/** A run over the official package has to be a good one before anything is held against it. */
export function expectGoodRun(dependent: Dependent, story: Story, run: Observation): void {
  expect(run, 'over the official package').toMatchObject({ exitCode: 0, left: [] });
  story.check(run);
  for (const label of dependent.shows) expect(run.said[label] ?? [], label).not.toHaveLength(0);
}

/** Holds a run over another subject against the official one. Known differences have to be there. */
export function expectSameObservation(
  dependent: Dependent,
  official: Observation,
  ours: Observation,
  known: readonly KnownDifference[],
): void {
  const labels = known.flatMap((difference) => difference.labels);
  for (const { labels: differing, instead, id } of known) {
    for (const label of differing) {
      expect(ours.said[label], `${label}: ${id} is gone`).not.toEqual(official.said[label]);
      if (instead !== undefined) expect(ours.said[label], `${label}: ${id} has changed`).toEqual(instead);
    }
  }
  const rest = ({ said, ...run }: Observation): Observation => ({
    ...run,
    said: Object.fromEntries(Object.entries(said).filter(([label]) => !labels.includes(label))),
  });
  const { errors = [] } = dependent;
  expectSameRun(rest(official), rest(ours), { check: () => {}, errors });
}
