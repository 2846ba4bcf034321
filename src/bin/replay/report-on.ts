import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describeVerdict } from '../../conformance/player/describe-verdict.js';
import { PlayerFolder } from '../../conformance/player/player-folder.js';
import { cliSections } from '../../conformance/scenario/lanes.js';
import type { Scenario, Verdict } from '../../conformance/scenario/scenario-types.js';
import { InvalidOptionError } from '../../index.js';
import { readJson } from '../files.js';

/**
 * What came of the processes that a launcher started, one by one.
 *
 * @throws InvalidOptionError the folder is none of a launcher.
 */
export function reportOn(
  scenario: Scenario,
  dir: string,
): { readonly text: string; readonly passed: boolean } {
  const spawns = join(dir, 'spawns');
  if (!existsSync(spawns)) {
    throw new InvalidOptionError('report', `${dir} is no folder that --write-launcher has made`);
  }
  const folder = new PlayerFolder(dir);
  const started = readdirSync(spawns).length;
  const expected = cliSections(scenario).length;
  const lines: string[] = [];
  let passed = started >= expected;
  for (let spawn = 1; spawn <= Math.max(started, expected); spawn += 1) {
    const verdict = spawn <= started ? readVerdict(folder.verdictFile(spawn)) : undefined;
    passed &&= verdict?.passed === true;
    const why = spawn <= started ? 'runs, or was killed in the middle' : 'was never started';
    const said = verdict === undefined ? why : describeVerdict(verdict);
    lines.push(`process ${spawn}: ${said}\n`);
  }
  return { text: lines.join(''), passed };
}

function readVerdict(file: string): Verdict | undefined {
  return existsSync(file) ? (readJson('report', file) as Verdict) : undefined;
}
