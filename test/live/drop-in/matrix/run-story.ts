import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { normaliseRun } from '../support/normalise.js';
import { runNode, setRunStage } from '../support/run-program.js';
import type { Dependent, Observation, Story, SubjectName } from './dependent.js';
import { NORMALISATIONS } from './normalisations.js';
import { startReceiver } from './receiver.js';
import { inSubject, OBSERVED, SETTING } from './setting.js';

/** Plays a story with a dependent over one subject. */
export async function runStory(dependent: Dependent, story: Story, subject: SubjectName): Promise<Observation> {
  const stage = await setRunStage(story.model);
  const receiver = await startReceiver();
  onTestFinished(() => receiver.close());
  const { nodeFlags = [], program, digest, noise, masks = [] } = dependent;
  // Node resolves `--import` from the working directory.
  const flags = nodeFlags.map((flag) => flag.replace('<project>', inSubject(dependent, subject)));
  const run = await runNode(
    {
      node: SETTING.nodes[nodeOf(dependent)] ?? '',
      args: [...flags, inSubject(dependent, subject, 'programs', program), story.name],
      env: { ...story.env, ...dependent.env?.(receiver.url) },
    },
    stage,
  );
  const said = { ...run.said, ...(await digest?.(receiver.requests)) };
  const lines = run.stderr.split('\n').filter((line) => line !== '' && noise?.test(line) !== true);
  const places = [
    [new RegExp(quoted(inSubject(dependent, subject)), 'g'), '/project'],
    [new RegExp(quoted(`127.0.0.1:${receiver.port}`), 'g'), 'receiver'],
  ] as const;
  const general = NORMALISATIONS.map(({ pattern, replacement }) => [pattern, replacement] as const);
  const observed = normaliseRun({ ...run, said, stderr: lines.join('\n') }, [...places, ...general, ...masks]);
  // To be read when something differs, in the folder of `--folder`.
  const file = [dependent.packageName, dependent.way, story.name, subject].join('-').replace(/\W+/g, '-');
  writeFileSync(join(OBSERVED, `${file}.json`), JSON.stringify(observed, null, 2));
  return observed;
}

/** The major version of Node that its project asks for. */
export function nodeOf(dependent: Dependent): string {
  const manifest = readFileSync(inSubject(dependent, 'official', 'package.json'), 'utf8');
  // Written by hand in this form, see `scripts/drop-in-subjects.mjs`.
  return (JSON.parse(manifest) as { dropIn: { node: string } }).dropIn.node;
}

function quoted(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
