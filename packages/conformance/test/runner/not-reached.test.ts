import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PlayerFolder, type ReachedStep, Variables } from 'claudewire/testing';
import { expect, onTestFinished, test } from 'vitest';
import type { DriverProcess } from '../../src/driver/driver-process.js';
import type { Commands } from '../../src/runner/commands.js';
import { Observations } from '../../src/runner/observations.js';
import { type LaneContext, playDriverLane } from '../../src/runner/play-driver-lane.js';

function context(abandoned = new AbortController().signal): LaneContext {
  const dir = mkdtempSync(join(tmpdir(), 'claudewire-lane-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const folder = new PlayerFolder(dir);
  folder.reset();
  // No step of these tests speaks to a driver.
  const silent = { commands: { unanswered: [] } as unknown as Commands, driver: {} as unknown as DriverProcess };
  return {
    ...silent,
    observations: new Observations(),
    folder,
    variables: new Variables(),
    cli: '',
    cwd: '',
    stepTimeoutMs: 20,
    timeoutFactor: 1,
    file: 's.jsonl',
    position: {},
    abandoned,
  };
}

const lane = (step: ReachedStep, given: LaneContext): Promise<void> => playDriverLane([{ step, line: 2 }], given);

test('a mark that must not be reached is not, for as long as it is watched', async () => {
  await lane({ reached: 'x', not: true, timeoutMs: 20 }, context());
});

test('a mark that must not be reached and is fails the scenario', async () => {
  const given = context();
  const judged = lane({ reached: 'x', not: true, timeoutMs: 5_000 }, given);
  given.folder.mark('x');
  await expect(judged).rejects.toThrow('s.jsonl:2: the CLI lane has reached the mark "x"');
});

test('a mark that is watched when the lane is given up lets go', async () => {
  const abandoned = new AbortController();
  const judged = lane({ reached: 'x', not: true, timeoutMs: 60_000 }, context(abandoned.signal));
  abandoned.abort();
  await judged;
});

test('a mark that must be reached and is not fails the scenario after its time', async () => {
  await expect(lane({ reached: 'x' }, context())).rejects.toThrow(
    's.jsonl:2: the CLI lane did not reach the mark "x" within 20 ms',
  );
});
