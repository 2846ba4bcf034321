import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseScenario } from '../../conformance/scenario/parse-scenario.js';
import { InvalidOptionError } from '../../index.js';
import { isJsonObject } from '../../util/json.js';
import { readText } from '../files.js';

const DEFAULT_PROMPT = 'Hello.';
const SUFFIX = '.jsonl';

/** A scenario as the demo needs it. */
export interface DemoScenario {
  readonly name: string;
  readonly file: string;
  /** From the header's `demo.prompt`. */
  readonly prompt: string;
  /** From the header's `demo.interruptAfterDeltas`. */
  readonly interruptAfterDeltas: number | undefined;
}

/** Names of the scenarios that come with the package. */
export function shippedScenarios(folder: string): readonly string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(SUFFIX))
    .map((name) => name.slice(0, -SUFFIX.length))
    .sort();
}

/**
 * Finds a shipped scenario by name, or any by its path, and reads what the demo needs of it.
 *
 * @throws InvalidOptionError no such scenario.
 * @throws ScenarioError it cannot be played.
 */
export function findScenario(nameOrFile: string, folder: string): DemoScenario {
  const shipped = shippedScenarios(folder);
  const isName = shipped.includes(nameOrFile);
  const file = isName ? join(folder, nameOrFile + SUFFIX) : nameOrFile;
  if (!isName && !existsSync(file)) {
    throw new InvalidOptionError(
      'scenario',
      `no scenario "${nameOrFile}": neither a file nor one of ${shipped.join(', ')}`,
    );
  }
  const { header } = parseScenario(readText('scenario', file), file);
  const demo = 'demo' in header && isJsonObject(header.demo) ? header.demo : {};
  const { prompt, interruptAfterDeltas } = demo;
  return {
    name: header.scenario,
    file,
    prompt: typeof prompt === 'string' ? prompt : DEFAULT_PROMPT,
    interruptAfterDeltas:
      typeof interruptAfterDeltas === 'number' ? interruptAfterDeltas : undefined,
  };
}
