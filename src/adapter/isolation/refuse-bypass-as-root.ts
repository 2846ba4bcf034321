import { AdapterConfigError } from '../errors/adapter-error.js';

export interface BypassFacts {
  readonly permissionMode: string;
  /** `undefined` on platforms without user ids. */
  readonly uid: number | undefined;
  /** The child's whole environment. */
  readonly childEnv: Readonly<Record<string, string | undefined>>;
}

export const WAYS_OUT_OF_ROOT =
  "Run as another user, choose another `permissionMode`, or, on a machine that is a throw-away container, give the child IS_SANDBOX=1 (`env`; under isolation `isolation.env` or `isolation.passEnv: ['IS_SANDBOX']`).";

/** Whether the CLI would refuse to start: as root it accepts bypass mode only with `IS_SANDBOX` exactly `1`. */
export function isBypassRefused({ permissionMode, uid, childEnv }: BypassFacts): boolean {
  return permissionMode === 'bypassPermissions' && uid === 0 && childEnv.IS_SANDBOX !== '1';
}

/**
 * Refuses early what the CLI would refuse late and without a remedy. It never sets `IS_SANDBOX`, since that is a
 * statement about the machine.
 *
 * @throws {@link AdapterConfigError}
 */
export function refuseBypassAsRoot(facts: BypassFacts): void {
  if (!isBypassRefused(facts)) return;
  throw new AdapterConfigError(
    `Claude Code refuses \`permissionMode: 'bypassPermissions'\` for the root user. ${WAYS_OUT_OF_ROOT}`,
    ['permissionMode'],
    { hint: WAYS_OUT_OF_ROOT },
  );
}
