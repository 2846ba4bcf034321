const SLICE_MS = 100;

export interface PatientTimeoutOptions {
  /** @defaultValue `performance.now` */
  readonly now?: () => number;
}

/**
 * Acts after so many milliseconds in which this process could hear answers. What it stood still for (another scenario's line
 * of 64 MiB, a machine that gave it no processor) does not count: an answer that came meanwhile is heard first.
 *
 * @returns takes it back
 */
export function patientTimeout(ms: number, act: () => void, options: PatientTimeoutOptions = {}): () => void {
  const { now = () => performance.now() } = options;
  const slice = Math.min(SLICE_MS, ms);
  let left = ms;
  let before = now();
  const timer = setInterval(() => {
    const time = now();
    // A tick that is late by more than a slice was held up.
    left -= Math.min(time - before, 2 * slice);
    before = time;
    if (left > 0) return;
    clearInterval(timer);
    act();
  }, slice);
  return () => clearInterval(timer);
}
