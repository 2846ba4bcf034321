import type { LaunchPlan } from '../launch/launch-plan.js';
import type { Allowed, DeniedForm, Feature } from './feature.js';
import { allowsBypass, limitsGiven } from './given-settings.js';
import { FEATURES } from './honoured.js';
import { isHonoured, neededBy, olderForms } from './lacking.js';
import { allowedBy } from './plan-mode.js';
import { fileWithRules } from './settings-files.js';

/** What a release does not honour of changes in mid-session. Each reason is `undefined` where it can be done. */
export interface LaterChanges {
  /** The forms of rules that deny which are given in an older one too. */
  readonly olderForms: ReadonlySet<DeniedForm>;
  /** Why rules that deny cannot be added in a form. */
  readonly refusedRules: Readonly<Partial<Record<DeniedForm, string>>>;
  /** Why rules that ask cannot be added in a form. */
  readonly refusedAsks: Readonly<Partial<Record<DeniedForm, string>>>;
  /** Why rules that ask cannot be added, other than names of tools. */
  readonly askRefused: string | undefined;
  /** Why the permission mode `plan` cannot be set. */
  readonly planRefused: string | undefined;
  /** Why plan mode cannot be used beside a rule that allows something, by what the rule allows. */
  readonly besidePlan: Readonly<Partial<Record<Allowed, string | undefined>>>;
  /** Why part of a tool or server cannot be denied. */
  readonly narrowRefused: string | undefined;
  /** Whether the run began in plan mode. */
  readonly isPlan: boolean;
  /** Why in-process servers cannot have tools with policies. */
  readonly policiesRefused: string | undefined;
  /** Why limits cannot be set, by the path of their keys. */
  readonly refusedLimits: Readonly<Record<string, string>>;
  /** Why a sandbox that was off cannot be switched on: the limits that it was given. */
  readonly switchOnRefused: string | undefined;
  /** Why bypass mode cannot be set: the start did not allow it, and the release does not look. */
  readonly bypassRefused: string | undefined;
  /** The same, for answers to permission questions. */
  readonly bypassLeftOut: string | undefined;
  /** Why a rewind cannot only say what it would do. */
  readonly dryRunRefused: string | undefined;
  /** The release, where it drops settings for what it does not know. */
  readonly release: string;
  /** Why a sandbox that has to be there cannot be set. */
  readonly sandboxRefused: string | undefined;
}

/** What the release does not honour of changes in mid-session. `undefined`: it honours all of them. */
export function laterChanges(release: string, plan: LaunchPlan): LaterChanges | undefined {
  const { args, reliance } = plan;
  const lacked = FEATURES.filter((feature) => !isHonoured(feature, release));
  const whyNot = (use: Feature['use']): string | undefined => {
    const feature = lacked.find((each) => each.use === use);
    return feature && `Claude Code ${release} does not honour \`${feature.option}\`, which needs ${neededBy(feature)}.`;
  };
  const reasons = (kind: 'denied' | 'asked' | 'limit') =>
    Object.fromEntries(
      lacked.flatMap(({ use, otherwise }) =>
        use.startsWith(`${kind} `) && otherwise === 'refuse' ? [[use.slice(kind.length + 1), whyNot(use) ?? '']] : [],
      ),
    );
  const refusedLimits = reasons('limit');
  const besidePlan = { writing: whyNot('plan beside writing'), commands: whyNot('plan beside commands') };
  const dormant = limitsGiven(reliance.settings.inline).filter((path) => path.startsWith('sandbox.'));
  const changes: LaterChanges = {
    olderForms: olderForms(release),
    refusedRules: reasons('denied'),
    refusedAsks: reasons('asked'),
    refusedLimits,
    switchOnRefused: dormant.map((path) => refusedLimits[path]).find((each) => each !== undefined),
    askRefused: whyNot('askingRule'),
    planRefused: whyNot('planMode') ?? planReason(plan, besidePlan),
    besidePlan,
    narrowRefused: whyNot('deniedPart'),
    isPlan: reliance.named.includes('planMode'),
    policiesRefused: whyNot('serverToolPolicies'),
    bypassRefused: allowsBypass(args) ? undefined : whyNot('laterBypass'),
    bypassLeftOut: allowsBypass(args) ? undefined : whyNot('updatedBypass'),
    dryRunRefused: whyNot('dryRun'),
    release,
    sandboxRefused: whyNot('sandbox'),
  };
  return lacked.some(({ use }) => LATER.test(use)) ? changes : undefined;
}

const LATER =
  /^(?:(?:denied|limit|plan beside) |(?:askingRule|planMode|deniedPart|serverToolPolicies|sandbox|laterBypass|updatedBypass|dryRun)$)/;

/** Why plan mode cannot be set: the options, inline settings or a file have such a rule. */
function planReason(plan: LaunchPlan, reasons: LaterChanges['besidePlan']): string | undefined {
  const isGiven = (allowed: Allowed): boolean => {
    const fits = (rule: string): boolean => allowedBy(rule) === allowed;
    return plan.reliance.allowed.some(fits) || fileWithRules('allow', plan, fits) !== undefined;
  };
  const given = ALLOWED.find((allowed) => reasons[allowed] !== undefined && isGiven(allowed));
  return given && reasons[given];
}

const ALLOWED: readonly Allowed[] = ['writing', 'commands'];
