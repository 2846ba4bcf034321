import { existsSync } from 'node:fs';
import { parseScenario } from '../conformance/scenario/parse-scenario.js';
import type { Scenario } from '../conformance/scenario/scenario-types.js';
import { InvalidOptionError } from '../index.js';
import { readText } from './files.js';

/**
 * @throws InvalidOptionError there is no such file, or it cannot be read.
 * @throws ScenarioError it cannot be played.
 */
export function readScenario(file: string): Scenario {
  if (!existsSync(file)) throw new InvalidOptionError('file', `no scenario at ${file}`);
  return parseScenario(readText('file', file), file);
}
