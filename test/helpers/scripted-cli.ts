import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { createPlayerLauncher } from '../../src/testing/player/launcher.js';
import type { PlayLogRecord } from '../../src/testing/player/player-config.js';
import type { ScenarioHeader, Step, Verdict } from '../../src/testing/scenario/scenario-types.js';
import { type JsonObject, parseJsonObject } from '../../src/util/json.js';
import { framesIn, settleWrittenFrames, WrittenFrames } from './written-frames.js';

export type { Step, Verdict } from '../../src/testing/scenario/scenario-types.js';

const PLAYER = new URL('../../.build/player.mjs', import.meta.url);

/** What one process of the scripted CLI saw. */
export interface ScriptedRun {
  readonly pid: number;
  /** Number of the process, from 1. */
  readonly spawn: number;
  /** Arguments after the script's path. */
  readonly argv: readonly string[];
  /** Arguments of Node before the script's path. */
  readonly execArgv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Lines of stdin as they came. */
  readonly lines: readonly string[];
  /** The same lines, parsed. */
  readonly frames: readonly JsonObject[];
  readonly signals: readonly string[];
  readonly sawEof: boolean;
  /** `undefined` while it runs, or after SIGKILL. */
  readonly exitCode: number | undefined;
}

export interface ScriptedCli {
  /** For `pathToClaudeCodeExecutable`: ends in `.mjs`, run it with Node (it also has a shebang). */
  readonly path: string;
  readonly dir: string;
  /** What the first process saw. Throws when none was started. */
  log(): ScriptedRun;
  /** One entry per process, in the order they started. */
  logs(): readonly ScriptedRun[];
  /** Of the process that ended last; `undefined` while it runs or after SIGKILL. */
  verdict(): Verdict | undefined;
}

/** Ends a script that hangs, on a busy machine too. Milliseconds. */
const PATIENT = { stepTimeoutMs: 120_000, deadlineMs: 170_000 };

/**
 * A real process that plays the steps (or the scenario file) in the CLI's place. The header's `deadlineMs` ends
 * even one that ignores everything.
 */
export function scriptedCli(
  script: readonly Step[] | string | URL,
  header?: Partial<Omit<ScenarioHeader, 'version'>>,
): ScriptedCli {
  const dir = mkdtempSync(join(tmpdir(), 'claudewire-test-'));
  const log = join(dir, 'log.jsonl');
  const verdict = join(dir, 'verdict.json');
  const logs = (): readonly ScriptedRun[] => (existsSync(log) ? readRuns(log) : []);
  onTestFinished(async () => {
    const written = new WrittenFrames();
    for (const frame of framesIn(stepsOf(script))) written.asked(frame);
    for (const { lines } of logs()) for (const line of lines) written.wroteLine(line);
    await removeWhenQuiet(dir);
    settleWrittenFrames();
  });
  const { path } = createPlayerLauncher({
    scenario: script,
    header: { ...(Array.isArray(script) && PATIENT), ...header },
    dir,
    log,
    verdict,
    player: PLAYER,
  });
  return {
    path,
    dir,
    logs,
    log: () => {
      const [first] = logs();
      if (first === undefined) throw new Error('the scripted CLI was not started');
      return first;
    },
    verdict: () => (existsSync(verdict) ? (JSON.parse(readFileSync(verdict, 'utf8')) as Verdict) : undefined),
  };
}

function stepsOf(script: readonly Step[] | string | URL): readonly object[] {
  if (typeof script === 'object' && 'length' in script) return script;
  // Also a file that no scenario is: the player says so, to the test.
  return readFileSync(script, 'utf8')
    .split('\n')
    .map((line) => parseJsonObject(line) ?? {});
}

function readRuns(file: string): readonly ScriptedRun[] {
  const records = readFileSync(file, 'utf8')
    .split('\n')
    // A process that was killed while it wrote leaves a line cut short.
    .flatMap((line) => (parseJsonObject(line) as PlayLogRecord | undefined) ?? []);
  return records
    .filter((record) => record.event === 'start')
    .map(({ event: _, t: __, ...start }) => {
      const own = records.filter((record) => record.pid === start.pid);
      const lines = own.flatMap((record) => (record.event === 'in' ? [record.line] : []));
      return {
        ...start,
        lines,
        get frames() {
          return lines.map((line) => JSON.parse(line) as JsonObject);
        },
        signals: own.flatMap((record) => (record.event === 'signal' ? [record.signal] : [])),
        sawEof: own.some((record) => record.event === 'eof'),
        exitCode: own.find((record) => record.event === 'end')?.exitCode,
      };
    });
}

/** A CLI that is on its way out still writes its log and its verdict, and both would come back. */
async function removeWhenQuiet(dir: string): Promise<void> {
  for (let triesLeft = 100; ; triesLeft -= 1) {
    try {
      rmSync(dir, { recursive: true, force: true });
      return;
    } catch (error) {
      if (triesLeft === 0) throw error;
      await delay(100);
    }
  }
}
