/** What was looked at. `isolation`: paths and values of the configuration, on this machine. */
export type CheckName =
  | 'executable'
  | 'credential'
  | 'bypass'
  | 'temp'
  | 'isolation'
  | 'sandbox'
  | 'clock';

/** One thing that was looked at. */
export interface CheckItem {
  readonly name: CheckName;
  /** `failed`: a run would not start. `warning`: it would, without something. */
  readonly status: 'passed' | 'warning' | 'failed';
  /** As one sentence. Never a secret. */
  readonly found: string;
  /** What to do; `undefined` when it passed. */
  readonly fix: string | undefined;
}

/** Whether a run could start here. */
export interface CheckReport {
  readonly version: 1;
  /** Nothing failed. */
  readonly passed: boolean;
  readonly items: readonly CheckItem[];
}

export function passed(name: CheckName, found: string): CheckItem {
  return { name, status: 'passed', found, fix: undefined };
}

export function warning(name: CheckName, found: string, fix: string): CheckItem {
  return { name, status: 'warning', found, fix };
}

export function failed(name: CheckName, found: string, fix: string): CheckItem {
  return { name, status: 'failed', found, fix };
}
