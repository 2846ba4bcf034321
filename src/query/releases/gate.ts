import { SYSTEM_PROMPT_DYNAMIC_BOUNDARY } from '../../constants.js';
import type { DiagnosticListener } from '../../diagnostics.js';
import { CLIVersionError } from '../../errors.js';
import { isFromRelease } from '../../util/cli-versions.js';
import { isJsonObject, type JsonObject } from '../../util/json.js';
import type { LaunchPlan } from '../launch/launch-plan.js';
import { FEATURES, type Feature, OLDEST_RELEASE, PLAN_MODE, type Remedy } from './honoured.js';
import type { HookAnswerChanges } from './hook-answers.js';
import { olderRules, withOlderMatchers, withOlderRules } from './older-rules.js';

/** What a release makes of a plan. */
export interface Adapted {
  readonly args: readonly string[];
  /** With their places in `args`. */
  readonly files: LaunchPlan['files'];
  /** What replaces fields of `initialize`. */
  readonly initialize: JsonObject;
  /** What becomes of answers of hooks. */
  readonly hookAnswers?: HookAnswerChanges;
  /** Why the permission mode `plan` cannot be set. `undefined`: it can. */
  readonly planRefused?: string;
}

interface Changes extends Pick<Adapted, 'initialize'> {
  /** Arguments that follow those of the plan. */
  readonly added: string[];
  /** The flags that are left out, as {@link Feature.use} has them. */
  readonly leftOut: string[];
  hookAnswers?: HookAnswerChanges;
  planRefused?: string;
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
  if (!isHonoured(PLAN_MODE, release)) {
    changes.planRefused = `Claude Code ${release} runs commands unasked in plan mode. Use ${neededBy(PLAN_MODE)}.`;
    // The model enters plan mode by itself, and is not asked about it.
    changes.added.push('--disallowedTools=EnterPlanMode');
  }
  for (const feature of lacking(release, plan)) {
    const { otherwise, option, use } = feature;
    if (otherwise === 'leaveOut') changes.leftOut.push(use);
    else if (otherwise !== 'refuse') REMEDIES[otherwise](plan, changes, release);
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
  return { args: [...args, ...added], files, ...others };
}

/** The arguments without some flags of the SDK's own, each of which is one argument. */
function without(leftOut: readonly string[], { args, files }: LaunchPlan): Pick<Adapted, 'args' | 'files'> {
  const kept = [...args.keys()].filter((index) => !leftOut.some((use) => isFlag(args[index], use)));
  return {
    args: kept.map((index) => args[index] ?? ''),
    files: files.map((file) => ({ ...file, argIndex: kept.indexOf(file.argIndex) })),
  };
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

const SOURCES = '--setting-sources';

const REMEDIES: Readonly<Record<Remedy, (plan: LaunchPlan, changes: Changes, release: string) => void>> = {
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
  olderRules: ({ reliance, initialize: { agents } }, { added, initialize }) => {
    const rules = olderRules(reliance.denied);
    const flag = `--disallowedTools=${rules.join(',')}`;
    if (rules.length > 0 && !added.includes(flag)) added.push(flag);
    if (isJsonObject(agents)) initialize.agents = withOlderRules(agents);
  },
};
