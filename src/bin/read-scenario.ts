import { existsSync, readFileSync } from 'node:fs';
import { parseScenario } from '../conformance/scenario/parse-scenario.js';
import type { Scenario } from '../conformance/scenario/scenario-types.js';
import { InvalidOptionError } from '../index.js';

/**
 * @throws InvalidOptionError there is no such file.
 * @throws ScenarioError it cannot be played.
 */
export function readScenario(file: string): Scenario {
  if (!existsSync(file)) throw new InvalidOptionError('file', `no scenario at ${file}`);
  return parseScenario(readFileSync(file, 'utf8'), file);
}
