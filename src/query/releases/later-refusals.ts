import type { LaunchPlan } from '../launch/launch-plan.js';
import type { DeniedForm, Feature } from './feature.js';
import { allowsBypass, limitsGiven } from './given-settings.js';
import { FEATURES } from './honoured.js';
import { isHonoured, neededBy, olderForms } from './lacking.js';

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
export function laterChanges(release: string, { args, reliance }: LaunchPlan): LaterChanges | undefined {
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
  const dormant = limitsGiven(reliance.settings.inline).filter((path) => path.startsWith('sandbox.'));
  const changes: LaterChanges = {
    olderForms: olderForms(release),
    refusedRules: reasons('denied'),
    refusedAsks: reasons('asked'),
    refusedLimits,
    switchOnRefused: dormant.map((path) => refusedLimits[path]).find((each) => each !== undefined),
    askRefused: whyNot('askingRule'),
    planRefused: whyNot('planMode'),
    bypassRefused: allowsBypass(args) ? undefined : whyNot('laterBypass'),
    bypassLeftOut: allowsBypass(args) ? undefined : whyNot('updatedBypass'),
    dryRunRefused: whyNot('dryRun'),
    release,
    sandboxRefused: whyNot('sandbox'),
  };
  return lacked.some(({ use }) => LATER.test(use)) ? changes : undefined;
}

const LATER = /^(?:(?:denied|limit) |(?:askingRule|planMode|sandbox|laterBypass|updatedBypass|dryRun)$)/;
