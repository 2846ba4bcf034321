import { PATH_OPTIONS } from '../errors/missing-executable.js';
import { WAYS_OUT_OF_ROOT } from '../isolation/refuse-bypass-as-root.js';

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
