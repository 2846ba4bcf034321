import { PATH_OPTIONS } from '../errors/missing-executable.js';
import { WAYS_OUT_OF_ROOT } from '../isolation/start-checks.js';

/**
 * The name of a check. `release` is there when the CLI lacks a guarantee. `gateway` is there when the environment selects a cloud provider. `isolation` covers the paths
 * and values of the configuration on this machine.
 */
export type CheckName =
  | 'executable'
  | 'release'
  | 'gateway'
  | 'credential'
  | 'bypass'
  | 'temp'
  | 'isolation'
  | 'sandbox'
  | 'clock';

/** The result of one check. */
export interface CheckItem {
  readonly name: CheckName;
  /** `failed`: a run would not start. `warning`: it would start with a restriction. */
  readonly status: 'passed' | 'warning' | 'failed';
  /** The finding as one sentence. Never has a secret. */
  readonly found: string;
  /** The remedy. `undefined` when it passed. */
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

/** Advice in terms of the options of the caller. Whole sentences, except for the first. */
export interface CheckWays {
  /** How to name the CLI: the end of a sentence, without its full stop. */
  readonly executable: string;
  /** Places that were searched have a line each. @defaultValue they are in one sentence */
  readonly listsPlaces?: boolean;
  /** Sources of a credential for an isolated run. */
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
  noSandbox: 'Or go on without: `isolation.sandbox.required: false`, `isolation.sandbox.enabled: false`.',
};
