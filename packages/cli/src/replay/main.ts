#!/usr/bin/env node
import { readFileSync, realpathSync } from 'node:fs';
import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Scenario } from 'claudewire/testing';
import type { PlayerConfig } from '../../../../src/testing/player/player-config.js';
import { parseScenario, scenarioOf } from '../../../../src/testing/scenario/parse-scenario.js';
import { errorText } from '../../../../src/util/error-text.js';
import { safeText } from '../safe-text.js';
import { playOnProcess } from './process-host.js';

const DEFAULT_CLI_VERSION = '2.1.330';
const USAGE_EXIT_CODE = 2;

/** Stands where the CLI stands: plays the configured scenario on this process's stdin and stdout. */
export function runPlayer(config: PlayerConfig): void {
  let scenario: Scenario;
  try {
    scenario = readScenario(config);
  } catch (error) {
    process.stderr.write(safeText(`${errorText(error)}\n`));
    process.exit(USAGE_EXIT_CODE);
  }
  const argv = config.argv ?? process.argv.slice(2);
  if (argv.some((argument) => argument === '--version' || argument === '-v')) {
    process.stdout.write(safeText(`${scenario.header.cliVersion ?? DEFAULT_CLI_VERSION} (Claude Code)\n`));
    return;
  }
  playOnProcess(scenario, config);
}

function readScenario(config: PlayerConfig): Scenario {
  if (config.file === undefined) return scenarioOf(config.steps ?? [], config.header);
  const scenario = parseScenario(readFileSync(config.file, 'utf8'), config.file);
  return { ...scenario, header: { ...scenario.header, ...config.header } };
}

const USAGE = 'usage: player.mjs SCENARIO [arguments of the CLI]\n';
const ABOUT =
  "Plays a scenario file on stdin and stdout in Claude Code's place; docs/reference/scenarios.md has the format.\n";

/** `node player.mjs SCENARIO [arguments of the CLI]`, for use without a launcher. */
function runAsCommand(): void {
  const [file] = process.argv.splice(2, 1);
  if (file === '--help' || file === '-h') {
    process.stdout.write(`${ABOUT}${USAGE}`);
    return;
  }
  if (file === undefined) {
    process.stderr.write(USAGE);
    process.exit(USAGE_EXIT_CODE);
  }
  runPlayer({ file });
}

/** Also imported as a library, perhaps inside a bundle: then the program that runs has another name. */
function isProgram(path: string | undefined): boolean {
  if (path === undefined || basename(path) !== 'player.mjs') return false;
  return import.meta.url === pathToFileURL(realpathSync(path)).href;
}

if (isProgram(process.argv[1])) runAsCommand();
