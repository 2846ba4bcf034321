import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CountedClock } from './counted-clock.js';
import { type CaseReport, runCase } from './run-case.js';

export interface FaultRun {
  readonly seed: number;
  /** Number of the first case. */
  readonly from?: number;
  readonly runs: number;
  readonly onReport?: (index: number, report: CaseReport) => void;
}

export interface FaultResult {
  readonly passed: number;
  readonly failed: number;
  /** Cases whose fault came to pass on the wire. */
  readonly fired: number;
  readonly outcomes: Readonly<Record<string, number>>;
}

/** Runs cases one after another, in virtual time and a folder of its own for temporary files. */
export async function runFaults({ seed, from = 0, runs, onReport }: FaultRun): Promise<FaultResult> {
  const folder = mkdtempSync(join(tmpdir(), 'claudewire-faults-'));
  const places = { configFolder: join(folder, 'config'), tempFolder: join(folder, 'tmp') };
  for (const path of Object.values(places)) mkdirSync(path);
  const temp = process.env.TMPDIR;
  process.env.TMPDIR = places.tempFolder;
  const complaints: string[] = [];
  const complain = (what: string) => (thing: unknown) => {
    if (String(Reflect.get(Object(thing), 'code')).startsWith('CLAUDE_SDK_')) return;
    complaints.push(`${what}: ${thing instanceof Error ? thing.stack : String(thing)}`);
  };
  const watched = {
    unhandledRejection: complain('unhandled rejection'),
    uncaughtException: complain('uncaught exception'),
    warning: complain('process warning'),
  };
  for (const [event, listener] of Object.entries(watched)) process.on(event, listener);
  const outcomes: Record<string, number> = {};
  let [passed, fired] = [0, 0];
  try {
    for (let index = from; index < from + runs; index += 1) {
      using clock = new CountedClock();
      const ran = await runCase(seed, index, { clock, ...places });
      const report = { ...ran, violations: [...ran.violations, ...complaints.splice(0)] };
      onReport?.(index, report);
      if (report.violations.length === 0) passed += 1;
      if (report.hasFired) fired += 1;
      outcomes[report.outcome] = (outcomes[report.outcome] ?? 0) + 1;
    }
  } finally {
    for (const [event, listener] of Object.entries(watched)) process.off(event, listener);
    if (temp === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = temp;
    rmSync(folder, { recursive: true, force: true });
  }
  return { passed, failed: runs - passed, fired, outcomes };
}
