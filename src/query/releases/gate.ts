import { SYSTEM_PROMPT_DYNAMIC_BOUNDARY } from '../../constants.js';
import type { DiagnosticListener } from '../../diagnostics.js';
import { CLIVersionError } from '../../errors.js';
import { isFromRelease } from '../../util/cli-versions.js';
import type { JsonObject } from '../../util/json.js';
import type { LaunchPlan } from '../launch/launch-plan.js';
import { FEATURES, type Feature, OLDEST_RELEASE, PLAN_MODE, type Remedy } from './honoured.js';

/** What a release makes of a plan. */
export interface Adapted {
  /** The plan's arguments, and what has to come behind them. */
  readonly args: readonly string[];
  /** What replaces fields of `initialize`. */
  readonly initialize: JsonObject;
  /** Why a hook's decision to ask is a denial. `undefined`: the CLI asks. */
  readonly askDenied?: string;
  /** Why the permission mode `plan` cannot be set. `undefined`: it can. */
  readonly planRefused?: string;
}

type Changes = { -readonly [K in keyof Adapted]: Adapted[K] } & { args: string[] };

/**
 * Makes true another way what a release of the CLI does not honour of a plan, or reports it.
 * @param release - `undefined`: nothing tells it. As `newest`.
 * @throws CLIVersionError what does not work and must.
 */
export function adaptTo(release: string | undefined, plan: LaunchPlan, onDiagnostic: DiagnosticListener): Adapted {
  const changes: Changes = { args: [...plan.args], initialize: {} };
  if (release === undefined || release === 'newest') return changes;
  const refused = refusalOf(release, plan);
  if (refused !== undefined) throw refused;
  if (!isHonoured(PLAN_MODE, release)) {
    changes.planRefused = `Claude Code ${release} runs commands unasked in plan mode. Use ${neededBy(PLAN_MODE)}.`;
  }
  for (const feature of FEATURES) {
    const { otherwise, option } = feature;
    if (otherwise === 'refuse' || isHonoured(feature, release) || !isUsed(feature, plan)) continue;
    if (otherwise !== 'report') {
      REMEDIES[otherwise](plan, changes, release);
      continue;
    }
    onDiagnostic({
      code: 'option_not_honoured',
      message: `Claude Code ${release} does not honour \`${option}\`, which needs ${neededBy(feature)}. The run goes on without it.`,
      details: { option, release, needs: neededBy(feature) },
    });
  }
  return changes;
}

/** The error of a run that a release cannot serve. `undefined`: it can. */
export function refusalOf(release: string, plan: LaunchPlan): CLIVersionError | undefined {
  if (!isFromRelease(release, OLDEST_RELEASE)) return new CLIVersionError(release, `${OLDEST_RELEASE} or newer`);
  const refused = FEATURES.find(
    (feature) => feature.otherwise === 'refuse' && !isHonoured(feature, release) && isUsed(feature, plan),
  );
  return refused && new CLIVersionError(release, neededBy(refused), refused.option);
}

function isHonoured({ since = OLDEST_RELEASE, except = [] }: Feature, release: string): boolean {
  return isFromRelease(release, since) && !except.some(([first, last]) => isBetween(release, first, last));
}

function isBetween(release: string, first: string, last: string): boolean {
  return isFromRelease(release, first) && isFromRelease(last, release);
}

function isUsed({ use }: Feature, { args, initialize, reliance }: LaunchPlan): boolean {
  if (use.startsWith('--')) return args.some((token) => token === use || token.startsWith(`${use}=`));
  const [, field, isList] = /^initialize\.(\w+)(\[\])?$/.exec(use) ?? [];
  if (field === undefined) return reliance.named.some((name) => name === use);
  return isList === undefined ? Object.hasOwn(initialize, field) : Array.isArray(initialize[field]);
}

function neededBy({ since, except = [] }: Feature): string {
  const ranges = except.map((range) => range.join(' to ')).join(' or ');
  if (since === undefined) return `a release other than ${ranges}`;
  return ranges === '' ? `${since} or newer` : `${since} or newer, but not ${ranges}`;
}

const SOURCES = '--setting-sources';

const REMEDIES: Readonly<Record<Remedy, (plan: LaunchPlan, changes: Changes, release: string) => void>> = {
  joinParts: ({ initialize: { systemPrompt } }, { initialize }) => {
    const parts: readonly unknown[] = Array.isArray(systemPrompt) ? systemPrompt : [];
    // As newer releases join them.
    initialize.systemPrompt = parts
      .filter((part) => part !== '' && part !== SYSTEM_PROMPT_DYNAMIC_BOUNDARY)
      .join('\n\n');
  },
  defaultMode: (_plan, { args }) => {
    args.push('--permission-mode=default');
  },
  // Behind the one that is ignored: the places of the others stay.
  twoArguments: (plan, { args }) => {
    const given = plan.args.find((token) => token.startsWith(`${SOURCES}=`));
    if (given !== undefined) args.push(SOURCES, given.slice(SOURCES.length + 1));
  },
  askDenies: (_plan, changes, release) => {
    changes.askDenied = `A hook wants this call to be asked about. Claude Code ${release} would run it unasked, so it is denied.`;
  },
};
