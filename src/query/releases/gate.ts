import type { Diagnostic, DiagnosticListener } from '../../diagnostics.js';
import { CLIVersionError } from '../../errors.js';
import type { JsonObject } from '../../util/json.js';
import type { LaunchPlan } from '../launch/launch-plan.js';
import type { Feature } from './feature.js';
import { DENIED_PART, HOOKS_SWITCHED_OFF, PLAN_BESIDE_ALLOWED, PLAN_MODE } from './honoured.js';
import type { HookAllowLimits } from './hook-allows.js';
import type { HookAnswerChanges } from './hook-answers.js';
import type { HookLimits } from './hook-limits.js';
import { leftOutNote, settingsIn } from './known-settings.js';
import { isFlag, isHonoured, lacking, neededBy } from './lacking.js';
import { type LaterChanges, laterChanges } from './later-refusals.js';
import { deniesPart } from './older-rules.js';
import { allowedBy } from './plan-mode.js';
import { refusalOf } from './refusal.js';
import { type Changes, REMEDIES } from './remedies.js';
import { fileWithRules } from './settings-files.js';
import { fileThatSwitchesHooksOff } from './switched-off-hooks.js';

/** What a release makes of a plan. */
export interface Adapted {
  readonly args: readonly string[];
  /** With their places in `args`. */
  readonly files: LaunchPlan['files'];
  /** What replaces fields of `initialize`. */
  readonly initialize: JsonObject;
  /** What the decision `allow` of hooks would overrule. */
  readonly hookAllows?: HookAllowLimits;
  /** What becomes of answers of hooks. */
  readonly hookAnswers?: HookAnswerChanges;
  /** How long hooks may take that guard something. */
  readonly hookLimits?: HookLimits;
  /** What becomes of changes in mid-session. */
  readonly later?: LaterChanges;
}

/**
 * Makes true another way what a release of the CLI does not honour of a plan, or reports it.
 * @param release - `undefined`: nothing tells it. As `newest`.
 * @throws CLIVersionError what does not work and must.
 */
export function adaptTo(release: string | undefined, given: LaunchPlan, onDiagnostic: DiagnosticListener): Adapted {
  if (release === undefined || release === 'newest') return { args: given.args, files: given.files, initialize: {} };
  const refused = refusalOf(release, given);
  if (refused !== undefined) throw refused;
  const plan = withKnownSettings(release, given, onDiagnostic);
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
  const later = laterChanges(release, plan);
  return { args: [...args, ...added], files, ...others, ...(later && { later }) };
}

/**
 * Reads the settings files, where a release does not call callbacks while they have `disableAllHooks`, or lets rules
 * that allow count where others do not.
 * @throws CLIVersionError they have it.
 */
export function refuseByFiles(release: string | undefined, plan: LaunchPlan): void {
  if (release === undefined || release === 'newest') return;
  const { named } = plan.reliance;
  if (named.includes('hooks') && !isHonoured(HOOKS_SWITCHED_OFF, release)) {
    const remedy = 'set `settings: { disableAllHooks: false }`';
    refuseBy(fileThatSwitchesHooksOff(plan), HOOKS_SWITCHED_OFF, release, remedy);
  }
  if (!isHonoured(DENIED_PART, release))
    refuseBy(fileWithRules('deny', plan, deniesPart), DENIED_PART, release, 'take the rule out');
  if (!named.includes('planMode') && !named.includes('agentPlan')) return;
  for (const allowed of ['writing', 'commands'] as const) {
    const feature = PLAN_BESIDE_ALLOWED[allowed];
    if (isHonoured(feature, release)) continue;
    const file = fileWithRules('allow', plan, (rule) => allowedBy(rule) === allowed);
    refuseBy(file, feature, release, 'take the rule out');
  }
}

function refuseBy(file: string | undefined, feature: Feature, release: string, remedy: string): void {
  if (file === undefined) return;
  const hint = `${file} has it. Update Claude Code, ${remedy}, or give \`settingSources\` without that file.`;
  throw new CLIVersionError(release, neededBy(feature), feature.option, hint);
}

/** The plan with what the release takes of inline settings, which it would drop as a whole otherwise. */
function withKnownSettings(release: string, plan: LaunchPlan, onDiagnostic: DiagnosticListener): LaunchPlan {
  const changed = settingsIn(plan, release).filter(({ isChanged }) => isChanged);
  if (changed.length === 0) return plan;
  const leftOut = changed.flatMap((each) => each.leftOut);
  if (leftOut.length > 0) onDiagnostic(leftOutNote(release, leftOut));
  const texts = new Map(changed.map(({ at, settings }) => [at, JSON.stringify(settings)]));
  const files = plan.files.map((file) => ({ ...file, content: texts.get(file.argIndex) ?? file.content }));
  const inFiles = new Set(files.map(({ argIndex }) => argIndex));
  const args = plan.args.map((arg, at) => (inFiles.has(at) ? arg : (texts.get(at) ?? arg)));
  return { ...plan, files, args };
}

/** What the caller has to know, behind the name of the release. `undefined`: the run is as if the release knew it all. */
function noteOn(feature: Feature): string | undefined {
  switch (feature.otherwise) {
    case 'leaveOut':
      return `does not know \`${feature.option}\`, which needs ${neededBy(feature)}. The run goes on without it.`;
    case 'defaultMode':
      return 'may not start in the mode `default` by itself, so the mode was set. A mode in a settings file does not count. Set `permissionMode` to choose another one.';
    case 'cannotBlock':
      return `calls hooks of PreCompact and compacts whatever they answer. A release that a hook can stop is ${neededBy(feature)}.`;
    case 'looseCommands':
      return `does not recognise every form of a command that a rule for \`Bash\` denies. One in \`$(…)\` or \`(…)\`, or called by its path, may run. All forms that were tried are recognised by ${neededBy(feature)}.`;
    case 'agentModeLeftOut':
      return 'would let an agent bypass permissions although the run does not allow it, so the agent stays in the mode of the run, as with newer releases.';
    case 'agentModelInherited':
      return `would drop all \`agents\` for a \`model\` that is not one of its short names, so such agents run with the model of the run. Others need ${neededBy(feature)}.`;
    case 'agentAutoLeftOut':
      return `would drop all \`agents\` for the mode \`auto\`, so such agents stay in the mode of the run. It needs ${neededBy(feature)}.`;
    case 'agentEffortLeftOut':
      return `would drop all \`agents\` for the effort \`xhigh\`, so such agents have the effort of the run. It needs ${neededBy(feature)}.`;
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

/** The arguments without some flags of the SDK's own, each of which is one argument. */
function without(leftOut: readonly string[], { args, files }: LaunchPlan): Pick<Adapted, 'args' | 'files'> {
  const kept = [...args.keys()].filter((index) => !leftOut.some((use) => isFlag(args[index], use)));
  return {
    args: kept.map((index) => args[index] ?? ''),
    files: files.map((file) => ({ ...file, argIndex: kept.indexOf(file.argIndex) })),
  };
}
