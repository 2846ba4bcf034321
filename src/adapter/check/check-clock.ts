import type { Clock } from '../limits/clock.js';
import { type CheckItem, failed, passed, warning } from './check-report.js';

/** This code is younger. */
const EARLIEST = Date.UTC(2025, 8, 1);
const LATEST = Date.UTC(2100, 0, 1);
/** What a time service corrects without anybody noticing. */
const MAX_DRIFT_MS = 1_000;
const FIX = 'Set the clock of the machine, and keep it set with a time service (NTP).';

/**
 * Starts to watch a clock; call the result at the end. Says whether the date can be right, and whether the clock was set or
 * stood still meanwhile. Whether it shows the right time can only be said by another machine, and none is asked.
 */
export function watchClock(clock: Clock): () => CheckItem {
  const start = { wall: clock.now(), steady: clock.monotonic() };
  return () => {
    const wall = clock.now();
    const steady = clock.monotonic();
    const date = toText(wall);
    if (steady < start.steady) {
      return failed(
        'clock',
        'The steady clock, which limits are measured with, runs backwards.',
        FIX,
      );
    }
    if (!(wall >= EARLIEST && wall <= LATEST)) {
      return failed(
        'clock',
        `The clock says ${date}, so certificates of hosts count as invalid.`,
        FIX,
      );
    }
    const drift = Math.round(wall - start.wall - (steady - start.steady));
    if (Math.abs(drift) > MAX_DRIFT_MS) {
      return warning('clock', `The clock was set by ${drift} ms during the check.`, FIX);
    }
    return passed('clock', `The clock says ${date} and runs evenly.`);
  };
}

function toText(ms: number): string {
  return Number.isFinite(ms) && Math.abs(ms) <= 8.64e15 ? new Date(ms).toISOString() : `${ms}`;
}
