import { isFromRelease } from '../../util/cli-versions.js';
import { AdapterConfigError } from '../errors/adapter-error.js';
import type { Guarantee } from '../report/run-report.js';

interface GuaranteeFacts {
  /** The first release that was seen to keep it. */
  readonly since: string;
  /** What happens without it, behind the name of the release. */
  readonly without: string;
}

export const GUARANTEES: { readonly [G in Guarantee]: GuaranteeFacts } = {
  hook_failure_blocks: {
    since: '2.1.317',
    without: 'runs a tool when the check before it does not answer, such as when this process hangs',
  },
};

/** A guarantee that the run uses, and the options of the caller that depend on it. None: the run can do without. */
export interface NeededGuarantee {
  readonly name: Guarantee;
  readonly neededBy: readonly string[];
}

/** What decides whether a run can do without a guarantee. */
interface GuardedRun {
  readonly isolation?: unknown;
  readonly outsideWorkspacePaths: 'allow' | 'deny';
  readonly hookFailureMode?: 'open' | undefined;
}

/**
 * The guarantees that a run of `evaluate()` uses. Its own checks never fail by themselves, so a run whose only limits
 * are the CLI's can do without; one whose policy is in the checks cannot.
 * @param blocked - The tools that the session blocks.
 */
export function neededGuarantees(
  { isolation, outsideWorkspacePaths, hookFailureMode }: GuardedRun,
  blocked: readonly string[],
): readonly NeededGuarantee[] {
  if (hookFailureMode === 'open') return [];
  const neededBy = [
    ...(isolation === undefined ? [] : ['clientConfig.isolation']),
    ...(isolation === undefined && outsideWorkspacePaths === 'deny' ? ['clientConfig.outsideWorkspacePaths'] : []),
    ...(blocked.length === 0 ? [] : ['ToolPermissions.blocked']),
  ];
  return [{ name: 'hook_failure_blocks', neededBy }];
}

/** Whether a release keeps a guarantee. An unknown release counts as the newest: the run itself will ask. */
export function keepsGuarantee(version: string | undefined, name: Guarantee): boolean {
  return version === undefined || isFromRelease(version, GUARANTEES[name].since);
}

/** The sentence about a run that does without a guarantee. */
export function lackText(name: Guarantee, version: string | undefined): string {
  return `${releaseName(version)} ${GUARANTEES[name].without}.`;
}

/** Why a run cannot do without. `undefined`: it can. */
export function lackProblem({ name, neededBy }: NeededGuarantee, version: string | undefined): string | undefined {
  if (neededBy.length === 0) return undefined;
  const options = neededBy.map((each) => `\`${each}\``).join(' and ');
  return `${lackText(name, version)} ${options} cannot be guaranteed with it.`;
}

export function lackCure(name: Guarantee): string {
  return `Use Claude Code ${GUARANTEES[name].since} or later.`;
}

/** The error of a run that cannot do without. `undefined`: it can. */
export function lackError(needed: NeededGuarantee, version: string | undefined): AdapterConfigError | undefined {
  const problem = lackProblem(needed, version);
  if (problem === undefined) return undefined;
  return new AdapterConfigError(`${problem} Nothing was sent.`, needed.neededBy, { hint: lackCure(needed.name) });
}

export function releaseName(version: string | undefined): string {
  return version === undefined ? 'This Claude Code' : `Claude Code ${version}`;
}
