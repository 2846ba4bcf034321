import { SYSTEM_PROMPT_DYNAMIC_BOUNDARY } from '../../constants.js';
import type { Diagnostic, DiagnosticListener } from '../../diagnostics.js';
import { CLIVersionError } from '../../errors.js';
import { isFromRelease } from '../../util/cli-versions.js';
import { isJsonObject, type JsonObject } from '../../util/json.js';
import type { LaunchPlan } from '../launch/launch-plan.js';
import {
  type DeniedForm,
  FEATURES,
  type Feature,
  HOOKS_SWITCHED_OFF,
  OLDEST_RELEASE,
  PLAN_MODE,
  type Remedy,
} from './honoured.js';
import type { HookAnswerChanges } from './hook-answers.js';
import type { LaterChanges } from './later-changes.js';
import { olderRules, withOlderMatchers, withOlderRules } from './older-rules.js';
import { fileThatSwitchesHooksOff } from './switched-off-hooks.js';

/** What a release makes of a plan. */
export interface Adapted {
  readonly args: readonly string[];
  /** With their places in `args`. */
  readonly files: LaunchPlan['files'];
  /** What replaces fields of `initialize`. */
  readonly initialize: JsonObject;
  /** What becomes of answers of hooks. */
  readonly hookAnswers?: HookAnswerChanges;
  /** What becomes of changes in mid-session. */
  readonly later?: LaterChanges;
}

interface Changes extends Pick<Adapted, 'initialize'> {
  /** Arguments that follow those of the plan. */
  readonly added: string[];
  /** The flags that are left out, as {@link Feature.use} has them. */
  readonly leftOut: string[];
  hookAnswers?: HookAnswerChanges;
}

/**
 * Makes true another way what a release of the CLI does not honour of a plan, or reports it.
 * @param release - `undefined`: nothing tells it. As `newest`.
 * @throws CLIVersionError what does not work and must.
 */
export function adaptTo(release: string | undefined, plan: LaunchPlan, onDiagnostic: DiagnosticListener): Adapted {
  if (release === undefined || release === 'newest') return { args: plan.args, files: plan.files, initialize: {} };
  const refused = refusalOf(release, plan);
  if (refused !== undefined) throw refused;
  const changes: Changes = { added: [], leftOut: [], initialize: {} };
  // The model enters plan mode by itself, and is not asked about it.
  if (!isHonoured(PLAN_MODE, release)) changes.added.push('--disallowedTools=EnterPlanMode');
  const lacked = lacking(release, plan);
  const never = lacked.filter(({ otherwise }) => otherwise === 'notCalled');
  if (never.length > 0) onDiagnostic(notCalledNote(release, never));
  for (const feature of lacked) {
    const { otherwise, option, use } = feature;
    if (otherwise === 'leaveOut') changes.leftOut.push(use);
    else if (otherwise !== 'refuse' && otherwise !== 'notCalled') REMEDIES[otherwise](plan, changes, release);
    const text = noteOn(feature);
    if (text === undefined) continue;
    onDiagnostic({
      code: 'option_not_honoured',
      message: `Claude Code ${release} ${text}`,
      details: { option, release, needs: neededBy(feature) },
    });
  }
  const { added, leftOut, ...others } = changes;
  const { args, files } = leftOut.length === 0 ? plan : without(leftOut, plan);
  const later = laterChanges(release);
  return { args: [...args, ...added], files, ...others, ...(later && { later }) };
}

/** What the release does not honour of changes in mid-session. `undefined`: it honours all of them. */
function laterChanges(release: string): LaterChanges | undefined {
  const lacked = FEATURES.filter((feature) => !isHonoured(feature, release));
  const rules = lacked.filter(({ use }) => use.startsWith('denied '));
  const refused = rules.filter(({ otherwise }) => otherwise === 'refuse');
  const asks = lacked.filter(({ use }) => use.startsWith('asked '));
  const whyNot = (use: Feature['use']): string | undefined => {
    const feature = lacked.find((each) => each.use === use);
    return feature && `Claude Code ${release} does not honour \`${feature.option}\`, which needs ${neededBy(feature)}.`;
  };
  const changes: LaterChanges = {
    olderForms: olderForms(release),
    refusedRules: Object.fromEntries(refused.map(({ use }) => [use.slice('denied '.length), whyNot(use)])),
    refusedAsks: Object.fromEntries(asks.map(({ use }) => [use.slice('asked '.length), whyNot(use)])),
    askRefused: whyNot('askingRule'),
    planRefused: whyNot('planMode'),
    sandboxRefused: whyNot('sandbox'),
  };
  const isLacking =
    rules.length > 0 || (changes.askRefused ?? changes.planRefused ?? changes.sandboxRefused) !== undefined;
  return isLacking ? changes : undefined;
}

/** The forms of rules that the release does not understand, and that have an older one. */
function olderForms(release: string): ReadonlySet<DeniedForm> {
  const lacked = FEATURES.filter((feature) => feature.otherwise === 'olderRules' && !isHonoured(feature, release));
  return new Set(lacked.map(({ use }) => use.slice('denied '.length) as DeniedForm));
}

/** The arguments without some flags of the SDK's own, each of which is one argument. */
function without(leftOut: readonly string[], { args, files }: LaunchPlan): Pick<Adapted, 'args' | 'files'> {
  const kept = [...args.keys()].filter((index) => !leftOut.some((use) => isFlag(args[index], use)));
  return {
    args: kept.map((index) => args[index] ?? ''),
    files: files.map((file) => ({ ...file, argIndex: kept.indexOf(file.argIndex) })),
  };
}

/**
 * Reads the settings files, where a release does not call callbacks while they have `disableAllHooks`.
 * @throws CLIVersionError they have it.
 */
export function refuseSwitchedOffHooks(release: string | undefined, plan: LaunchPlan): void {
  const isSafe = release === undefined || release === 'newest' || isHonoured(HOOKS_SWITCHED_OFF, release);
  if (isSafe || !plan.reliance.named.includes('hooks')) return;
  const file = fileThatSwitchesHooksOff(plan);
  if (file === undefined) return;
  const hint = `${file} has it. Update Claude Code, set \`settings: { disableAllHooks: false }\`, or give \`settingSources\` without that file.`;
  throw new CLIVersionError(release, neededBy(HOOKS_SWITCHED_OFF), HOOKS_SWITCHED_OFF.option, hint);
}

/** The error of a run that a release cannot serve. `undefined`: it can. */
export function refusalOf(release: string, plan: LaunchPlan): CLIVersionError | undefined {
  if (!isFromRelease(release, OLDEST_RELEASE)) return new CLIVersionError(release, `${OLDEST_RELEASE} or newer`);
  const refused = lacking(release, plan).find(({ otherwise }) => otherwise === 'refuse');
  return refused && new CLIVersionError(release, neededBy(refused), refused.option);
}

function lacking(release: string, plan: LaunchPlan): readonly Feature[] {
  return FEATURES.filter((feature) => !isHonoured(feature, release) && isUsed(feature, plan));
}

/** Whether the arguments have a flag that not every release knows. */
export function usesNewFlags(plan: LaunchPlan): boolean {
  return FEATURES.some((feature) => feature.use.startsWith('--') && isUsed(feature, plan));
}

function isHonoured({ since = OLDEST_RELEASE, except = [] }: Feature, release: string): boolean {
  return isFromRelease(release, since) && !except.some(([first, last]) => isBetween(release, first, last));
}

function isBetween(release: string, first: string, last: string): boolean {
  return isFromRelease(release, first) && isFromRelease(last, release);
}

function isUsed({ use }: Feature, { args, initialize, reliance }: LaunchPlan): boolean {
  if (use.startsWith('--')) return args.some((token) => isFlag(token, use));
  const [, field, list] = /^initialize\.(\w+)(\[\])?$/.exec(use) ?? [];
  if (field === undefined) return reliance.named.some((name) => name === use);
  return list === undefined ? initialize[field] !== undefined : Array.isArray(initialize[field]);
}

/** @param use - Ends with `=` where the flag has any value. A flag in `extraArgs` has its value in the next argument. */
function isFlag(token: string | undefined, use: string): boolean {
  return use.endsWith('=') ? token?.startsWith(use) === true : token === use;
}

function neededBy({ since, except = [] }: Feature): string {
  const ranges = except.map((range) => range.join(' to ')).join(' or ');
  if (since === undefined) return `a release other than ${ranges}`;
  return ranges === '' ? `${since} or newer` : `${since} or newer, but not ${ranges}`;
}

/** What the caller has to know, behind the name of the release. `undefined`: the run is as if the release knew it all. */
function noteOn(feature: Feature): string | undefined {
  switch (feature.otherwise) {
    case 'leaveOut':
      return `does not know \`${feature.option}\`, which needs ${neededBy(feature)}. The run goes on without it.`;
    case 'defaultMode':
      return 'may not start in the mode `default` by itself, so the mode was set. A mode in a settings file does not count. Set `permissionMode` to choose another one.';
    default:
      return undefined;
  }
}

function notCalledNote(release: string, features: readonly Feature[]): Diagnostic {
  const events = features.map(({ use }) => use.slice('hook '.length));
  const needs = Object.fromEntries(features.map((feature, index) => [events[index], neededBy(feature)]));
  return {
    code: 'option_not_honoured',
    message: `Claude Code ${release} does not call hooks of ${events.join(', ')}. The run goes on without them.`,
    details: { option: 'hooks', release, needs },
  };
}

const SOURCES = '--setting-sources';

const REMEDIES: Readonly<
  Record<Exclude<Remedy, 'notCalled'>, (plan: LaunchPlan, changes: Changes, release: string) => void>
> = {
  joinParts: ({ initialize: { systemPrompt } }, { initialize }) => {
    const parts: readonly unknown[] = Array.isArray(systemPrompt) ? systemPrompt : [];
    // Newer releases join them in the same way.
    initialize.systemPrompt = parts
      .filter((part) => part !== '' && part !== SYSTEM_PROMPT_DYNAMIC_BOUNDARY)
      .join('\n\n');
  },
  defaultMode: (_plan, { added }) => {
    added.push('--permission-mode=default');
  },
  // Appended: the form with `=` is ignored, wherever it is.
  twoArguments: (plan, { added }) => {
    const given = plan.args.find((token) => token.startsWith(`${SOURCES}=`));
    if (given !== undefined) added.push(SOURCES, given.slice(SOURCES.length + 1));
  },
  noThinkingTokens: (_plan, { added, leftOut }) => {
    leftOut.push('--thinking=disabled');
    added.push('--max-thinking-tokens=0');
  },
  askDenies: (_plan, changes, release) => {
    const askDenied = `A hook did not decide about this call, and Claude Code ${release} may then run it unasked, so it is denied.`;
    changes.hookAnswers = { ...changes.hookAnswers, askDenied };
  },
  changeDenies: (_plan, changes, release) => {
    const changeDenied = `A hook changed the input of this call and did not decide about it. Claude Code ${release} would use the input from before, so the call is denied. Decide \`allow\` with the new input.`;
    changes.hookAnswers = { ...changes.hookAnswers, changeDenied };
  },
  replacesMcpOutput: (_plan, changes, release) => {
    changes.hookAnswers = { ...changes.hookAnswers, mcpOutputOnly: release };
  },
  olderMatchers: ({ initialize: { hooks } }, { initialize }) => {
    initialize.hooks = withOlderMatchers(hooks);
  },
  // Given again, the flag adds to the list. One call does it for every form.
  olderRules: ({ reliance, initialize: { agents } }, { added, initialize }, release) => {
    const lacked = olderForms(release);
    const rules = olderRules(reliance.denied, lacked);
    const flag = `--disallowedTools=${rules.join(',')}`;
    if (rules.length > 0 && !added.includes(flag)) added.push(flag);
    if (isJsonObject(agents)) initialize.agents = withOlderRules(agents, lacked);
  },
};
