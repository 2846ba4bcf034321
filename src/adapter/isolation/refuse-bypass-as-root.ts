import { AdapterConfigError } from '../errors/config-errors.js';

export interface BypassFacts {
  readonly permissionMode: string;
  /** `undefined` where users have no numbers. */
  readonly uid: number | undefined;
  /** The child's whole environment. */
  readonly childEnv: Readonly<Record<string, string | undefined>>;
}

export const WAYS_OUT_OF_ROOT =
  "Run as another user, choose another `permissionMode`, or, on a machine that is a throw-away container, give the child IS_SANDBOX=1 (`env`; under isolation `isolation.env` or `isolation.passEnv: ['IS_SANDBOX']`).";

/** Whether the CLI would refuse to start: it takes bypass mode as root only with `IS_SANDBOX` exactly `1`. */
export function isBypassRefused({ permissionMode, uid, childEnv }: BypassFacts): boolean {
  return permissionMode === 'bypassPermissions' && uid === 0 && childEnv.IS_SANDBOX !== '1';
}

/**
 * Says what the CLI would say late and without the ways out. Never sets the variable: it is a statement about the machine.
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
