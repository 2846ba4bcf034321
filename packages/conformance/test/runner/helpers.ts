import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type ScenarioHeader, type Step, scenarioOf } from 'claudewire/testing';
import { onTestFinished } from 'vitest';
import type { JsonObject } from '../../../../src/util/json.js';
import { LineChecker } from '../../src/driver/check-line.js';
import { type DriverOptions, DriverProcess } from '../../src/driver/driver-process.js';
import type { ScenarioResult } from '../../src/runner/results.js';
import { runScenario } from '../../src/runner/run-scenario.js';

export const PLAYER = new URL('../../../../.build/player.mjs', import.meta.url);
export const WRONG_DRIVER = fileURLToPath(new URL('wrong-driver.mjs', import.meta.url));
export const RAW_DRIVER = fileURLToPath(new URL('../../drivers/raw/driver.mjs', import.meta.url));

export const driverSchema = JSON.parse(
  readFileSync(new URL('../../schemas/driver.schema.json', import.meta.url), 'utf8'),
) as JsonObject;
export const checker = new LineChecker(driverSchema);

/** A tenth of all waits: 1 s for a step, 2 s for `finish`. */
export const FAST = 0.1;

/** One question, one answer. */
export const HELLO: readonly Step[] = [
  { drive: { command: 'start', mode: 'query', prompt: 'Hello.' } },
  { observe: { what: 'message', message: { type: 'result', result: 'Hi.' } } },
  { observe: { what: 'end' } },
  { in: { type: 'user', message: { role: 'user' } } },
  { out: { type: 'result', subtype: 'success', is_error: false, result: 'Hi.' } },
  { wait: 'EOF' },
];

/** Starts a driver; it is ended with the test. */
export async function startDriver(
  args: readonly string[],
  options: Partial<DriverOptions> = {},
): Promise<DriverProcess> {
  const driver = await DriverProcess.start({
    command: [process.execPath, ...args],
    checker,
    helloTimeoutMs: 5_000,
    ...options,
  });
  onTestFinished(() => driver.kill());
  return driver;
}

/** Plays steps given in code through a driver that is wrong in one way. */
export async function playWrong(
  mode: string,
  steps: readonly Step[] = HELLO,
  header: Partial<Omit<ScenarioHeader, 'version'>> = {},
  options: Partial<DriverOptions> = {},
  timeoutFactor = 1,
): Promise<ScenarioResult> {
  return playWith(await startDriver([WRONG_DRIVER, mode], options), steps, header, timeoutFactor);
}

export function playWith(
  driver: DriverProcess,
  steps: readonly Step[],
  header: Partial<Omit<ScenarioHeader, 'version'>> = {},
  timeoutFactor = 1,
): Promise<ScenarioResult> {
  return runScenario({
    scenario: scenarioOf(steps, { scenario: 'hello', ...header }),
    driver,
    player: PLAYER,
    timeoutFactor,
  });
}
