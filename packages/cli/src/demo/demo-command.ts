import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InvalidOptionError } from 'claudewire';
import { isJsonObject } from '../../../../src/util/json.js';
import { readText } from '../files.js';
import { ExitCode } from '../program-host.js';
import { type DemoHost, type DemoRun, runDemo } from './run-demo.js';
import { runTour } from './tour.js';

const LIVE_PROMPT = 'Say hello in one sentence, then find out how many pages 180 lines fill.';
/** A live run spends the user's money: it has an end. */
const LIVE_MAX_TURNS = 8;

export interface DemoArguments {
  readonly live?: boolean;
  readonly scenario?: string;
  readonly prompt?: string;
}

/**
 * Runs the demo as asked.
 * @returns the exit code.
 * @throws InvalidOptionError the arguments cannot be used; nothing was started.
 */
export async function demoCommand(args: DemoArguments, host: DemoHost): Promise<number> {
  if (args.prompt === '') throw new InvalidOptionError('prompt', 'the prompt is empty');
  if (args.live !== true) {
    const { scenario, prompt } = args;
    return scenario === undefined ? runTour(prompt, host) : runScripted(scenario, prompt, host);
  }
  if (args.scenario !== undefined) throw new InvalidOptionError('scenario', '--live and --scenario exclude each other');
  const prompt = args.prompt ?? LIVE_PROMPT;
  host.emit({ type: 'start', mode: 'live', prompt });
  return run({ prompt, options: { maxTurns: LIVE_MAX_TURNS } }, host);
}

async function runScripted(name: string, givenPrompt: string | undefined, host: DemoHost): Promise<number> {
  const { createPlayerLauncher } = await import('claudewire/testing');
  const scenario = await findScenario(name, join(host.assets, 'demo'));
  const prompt = givenPrompt ?? scenario.prompt;
  const dir = mkdtempSync(join(tmpdir(), 'claudewire-demo-'));
  try {
    const { path } = createPlayerLauncher({ scenario: scenario.file, dir, player: join(host.assets, 'player.mjs') });
    host.emit({ type: 'start', mode: 'scripted', scenario: scenario.name, prompt });
    return await run(
      { prompt, options: { pathToClaudeCodeExecutable: path }, interruptAfterDeltas: scenario.interruptAfterDeltas },
      host,
    );
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

async function run(run: Omit<DemoRun, keyof DemoHost>, host: DemoHost): Promise<number> {
  const outcome = await runDemo({ ...run, ...host });
  return outcome.kind === 'completed' ? ExitCode.ok : ExitCode.failed;
}

const DEFAULT_PROMPT = 'Hello.';
const SUFFIX = '.jsonl';

/** A scenario as the demo needs it. */
interface DemoScenario {
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
 * @throws InvalidOptionError no such scenario.
 * @throws ScenarioError it cannot be played.
 */
async function findScenario(nameOrFile: string, folder: string): Promise<DemoScenario> {
  const shipped = shippedScenarios(folder);
  const isName = shipped.includes(nameOrFile);
  const file = isName ? join(folder, nameOrFile + SUFFIX) : nameOrFile;
  if (!isName && !existsSync(file)) {
    throw new InvalidOptionError(
      'scenario',
      `no scenario "${nameOrFile}": neither a file nor one of ${shipped.join(', ')}`,
    );
  }
  const { parseScenario } = await import('claudewire/testing');
  const { header } = parseScenario(readText('scenario', file), file);
  const demo = 'demo' in header && isJsonObject(header.demo) ? header.demo : {};
  const { prompt, interruptAfterDeltas } = demo;
  return {
    name: header.scenario,
    file,
    prompt: typeof prompt === 'string' ? prompt : DEFAULT_PROMPT,
    interruptAfterDeltas: typeof interruptAfterDeltas === 'number' ? interruptAfterDeltas : undefined,
  };
}
