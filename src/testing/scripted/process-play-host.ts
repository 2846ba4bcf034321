import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onHostExit } from '../../util/host-exit.js';
import { parseJsonObject } from '../../util/json.js';
import { ownDirectoryPrefix } from '../../util/stale-directories.js';
import { createPlayerLauncher } from '../player/launcher.js';
import type { PlayLogRecord } from '../player/player-config.js';
import type { Scenario, Verdict } from '../scenario/scenario-types.js';
import { requireRealTime } from '../virtual-time.js';
import { type PlayHost, realNow, realPause, type ScriptedRun } from './play-host.js';

const POLL_MS = 5;
const REAP_MS = 2_000;

/** Plays the scenario in real processes, in a folder of its own. */
export function createProcessPlayHost(scenario: Scenario): PlayHost {
  requireRealTime();
  const dir = mkdtempSync(join(tmpdir(), ownDirectoryPrefix()));
  const log = join(dir, 'log.jsonl');
  const { scenario: name, version: _, ...header } = scenario.header;
  const { path, folder } = createPlayerLauncher({
    scenario: scenario.file ?? scenario.steps.map(({ step }) => step),
    header: { scenario: name, ...header },
    dir,
    log,
  });
  let final: readonly ScriptedRun[] | undefined;
  const read = (): readonly ScriptedRun[] => readRuns(log, (spawn) => readVerdict(folder.verdictFile(spawn)));
  // A test that failed may have left without closing.
  const forgetHostExit = onHostExit(() => {
    for (const { pid } of read().filter(isAlive)) signal(pid, 'SIGKILL');
    rmSync(dir, { recursive: true, force: true });
  });
  let started = 0;
  const unsettled = new Set<Promise<unknown>>();
  const isStarting = (): boolean => {
    const numbered = readdirSync(join(dir, 'spawns')).length;
    return (unsettled.size > 0 && numbered < started) || read().length < numbered;
  };
  const close = async (graceMs: number): Promise<readonly number[]> => {
    if (final !== undefined) return [];
    // A process that starts has no number yet: it would outlive its folder, unseen.
    await until(() => !isStarting(), graceMs);
    await allGone(read(), graceMs);
    const late = read().filter(isAlive);
    for (const { pid } of late) signal(pid, 'SIGKILL');
    await allGone(late, REAP_MS);
    final = read();
    rmSync(dir, { recursive: true, force: true, maxRetries: 3 });
    forgetHostExit();
    return late.map(({ spawn }) => spawn);
  };
  return {
    options: { pathToClaudeCodeExecutable: path },
    path,
    get runs() {
      return final ?? read();
    },
    requireStartable: requireRealTime,
    starting: (settled) => {
      started += 1;
      unsettled.add(settled);
      const forget = (): void => void unsettled.delete(settled);
      settled.then(forget, forget);
    },
    close,
  };
}

function readRuns(log: string, verdictOf: (spawn: number) => Verdict | undefined): readonly ScriptedRun[] {
  if (!existsSync(log)) return [];
  const records = readFileSync(log, 'utf8')
    .split('\n')
    .flatMap((line) => (parseJsonObject(line) ?? []) as PlayLogRecord | []);
  return records
    .flatMap((record) => (record.event === 'start' ? [record] : []))
    .map(({ pid, spawn, argv, env, cwd }) => {
      const own = records.filter((record) => record.pid === pid && record.spawn === spawn);
      return {
        spawn,
        pid,
        argv,
        env,
        cwd,
        frames: own.flatMap((record) => {
          const frame = record.event === 'in' ? parseJsonObject(record.line) : undefined;
          return frame === undefined ? [] : [frame];
        }),
        signals: own.flatMap((record) => (record.event === 'signal' ? [record.signal] : [])),
        sawEndOfInput: own.some(({ event }) => event === 'eof'),
        exitCode: own.flatMap((record) => (record.event === 'end' ? [record.exitCode] : []))[0],
        verdict: verdictOf(spawn),
      };
    })
    .sort((a, b) => a.spawn - b.spawn);
}

function readVerdict(file: string): Verdict | undefined {
  // Written whole by the player.
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Verdict) : undefined;
}

const allGone = (runs: readonly ScriptedRun[], limitMs: number): Promise<void> =>
  until(() => !runs.some(isAlive), limitMs);

async function until(isSo: () => boolean, limitMs: number): Promise<void> {
  const end = realNow() + limitMs;
  while (!isSo() && realNow() < end) await realPause(POLL_MS);
}

const isAlive = ({ pid }: ScriptedRun): boolean => signal(pid, 0);

function signal(pid: number | undefined, name: 'SIGKILL' | 0): boolean {
  try {
    return pid !== undefined && process.kill(pid, name);
  } catch {
    return false;
  }
}
