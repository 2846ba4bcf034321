import { PATH_OPTIONS } from '../errors/missing-executable.js';
import { WAYS_OUT_OF_ROOT } from '../isolation/refuse-bypass-as-root.js';

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

/** What can be changed, in the words of whoever asked for the check. Whole sentences, but for the first. */
export interface CheckWays {
  /** How to name the CLI: the end of a sentence, without its point. */
  readonly executable: string;
  /** Where an isolated run may get a credential from. */
  readonly isolatedCredential: string;
  readonly root: string;
  readonly permissionMode: string;
  readonly noSandbox: string;
}

/** For programs that use the adapter. */
export const ADAPTER_WAYS: CheckWays = {
  executable: PATH_OPTIONS,
  isolatedCredential:
    'Set ANTHROPIC_API_KEY, give `isolation.apiKey`, or name another variable of the host in `isolation.passEnv`.',
  root: WAYS_OUT_OF_ROOT,
  permissionMode: 'Change `permissionMode`.',
  noSandbox:
    'Or go on without: `isolation.sandbox.required: false`, `isolation.sandbox.enabled: false`.',
};
