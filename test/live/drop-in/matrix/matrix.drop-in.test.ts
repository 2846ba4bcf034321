/**
 * Published dependents of the official SDK over three subjects, on the real CLI: what their users see must be the same
 * over the official package, over the packed claudewire by `overrides`, and over the twin.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'vitest';
import { differencesOf, expectGoodRun, expectSameObservation } from './compare.js';
import type { Dependent, Story, SubjectName } from './dependent.js';
import { DEPENDENTS } from './dependents.js';
import { GENERAL_REASON, NORMALISATIONS } from './normalisations.js';
import { nodeOf, runStory } from './run-story.js';
import { RESULTS, SETTING } from './setting.js';

for (const dependent of DEPENDENTS.filter(({ project }) => SETTING.projects.includes(project))) {
  const { packageName, way } = dependent;
  for (const story of dependent.stories.filter(({ name }) => SETTING.all || dependent.quick.includes(name))) {
    const title = [packageName, way, story.name].filter((part) => part !== undefined).join(', ');
    test(title, async ({ task }) => {
      const note = noteFor(dependent, story, title);
      // Those of an earlier attempt stay.
      const errorsBefore = task.result?.errors?.length ?? 0;
      for (const subject of SETTING.subjects) note(subject, 'failed');
      const official = await runStory(dependent, story, 'official');
      expectGoodRun(dependent, story, official);
      note('official', 'good');
      for (const subject of SETTING.subjects.filter((name) => name !== 'official')) {
        const known = differencesOf(dependent, story, subject);
        expectSameObservation(dependent, official, await runStory(dependent, story, subject), known);
        // Some expectations are soft, so that all that differs is shown.
        if ((task.result?.errors?.length ?? 0) > errorsBefore) break;
        note(subject, ['same', ...known.map(({ id }) => id)].join(', '));
      }
    });
  }
}

/** Writes down what the page in `docs/evidence/` says of a test, anew after each subject. */
function noteFor(dependent: Dependent, story: Story, title: string): (subject: SubjectName, result: string) => void {
  const { packageName, way, project, compared } = dependent;
  const found: Record<string, string> = {};
  const facts = {
    packageName,
    way,
    project,
    node: nodeOf(dependent),
    story: story.name,
    compared,
    normalisations: [GENERAL_REASON, ...NORMALISATIONS.map(({ reason }) => reason), ...(dependent.reasons ?? [])],
    known: SETTING.subjects.flatMap((subject) => differencesOf(dependent, story, subject)),
    found,
  };
  const file = join(RESULTS, `${title.replace(/\W+/g, '-')}.json`);
  return (subject, result) => {
    found[subject] = result;
    writeFileSync(file, JSON.stringify(facts));
  };
}
