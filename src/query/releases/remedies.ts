import { SYSTEM_PROMPT_DYNAMIC_BOUNDARY } from '../../constants.js';
import { isJsonObject, type JsonObject } from '../../util/json.js';
import type { LaunchPlan } from '../launch/launch-plan.js';
import type { Remedy } from './feature.js';
import { type HookAllowLimits, hasRulesThatForbid } from './hook-allows.js';
import type { HookAnswerChanges } from './hook-answers.js';
import { type HookLimits, withHookLimits } from './hook-limits.js';
import { olderForms } from './lacking.js';
import { isNewModel } from './new-models.js';
import { olderRules, withOlderMatchers, withOlderRules } from './older-rules.js';

/** What is made of a plan so far. */
export interface Changes {
  /** What replaces fields of `initialize`. */
  readonly initialize: JsonObject;
  /** Arguments that follow those of the plan. */
  readonly added: string[];
  /** The flags that are left out, as `Feature.use` has them. */
  readonly leftOut: string[];
  hookAnswers?: HookAnswerChanges;
  hookAllows?: HookAllowLimits;
  hookLimits?: HookLimits;
}

const SOURCES = '--setting-sources';

/** Each makes true another way what the release does not honour. */
export const REMEDIES: Readonly<
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
    changes.hookAnswers = { ...changes.hookAnswers, askDenied: undecided(release) };
  },
  deferDenies: (_plan, changes, release) => {
    changes.hookAnswers = { ...changes.hookAnswers, deferDenied: undecided(release) };
  },
  allowBelowRules: (plan, changes, release) => {
    const aboveRules = hasRulesThatForbid(plan) ? 'given' : 'none';
    changes.hookAllows = { ...changes.hookAllows, release, aboveRules };
  },
  allowBelowPlan: (_plan, changes, release) => {
    changes.hookAllows = { ...changes.hookAllows, release, isAbovePlan: true };
  },
  changeDenies: (_plan, changes, release) => {
    const changeDenied = `A hook changed the input of this call and did not decide about it. Claude Code ${release} would use the input from before, so the call is denied. Decide \`allow\` with the new input.`;
    changes.hookAnswers = { ...changes.hookAnswers, changeDenied };
  },
  replacesMcpOutput: (_plan, changes, release) => {
    changes.hookAnswers = { ...changes.hookAnswers, mcpOutputOnly: release };
  },
  contextLost: (_plan, changes, release) => {
    changes.hookAnswers = { ...changes.hookAnswers, contextLost: release };
  },
  olderMatchers: ({ initialize: { hooks } }, { initialize }) => {
    initialize.hooks = withOlderMatchers(initialize.hooks ?? hooks);
  },
  lateDenied: ({ initialize: { hooks } }, changes, release) => {
    const { hooks: longer, limits } = withHookLimits(changes.initialize.hooks ?? hooks, release);
    changes.initialize.hooks = longer;
    changes.hookLimits = limits;
  },
  agentModeLeftOut: changeAgents((agent) =>
    agent.permissionMode === 'bypassPermissions' ? withoutMode(agent) : agent,
  ),
  agentModelInherited: changeAgents((agent) => (isNewModel(agent.model) ? { ...agent, model: 'inherit' } : agent)),
  agentAutoLeftOut: changeAgents((agent) => (agent.permissionMode === 'auto' ? withoutMode(agent) : agent)),
  agentEffortLeftOut: changeAgents((agent) => (agent.effort === 'xhigh' ? withoutEffort(agent) : agent)),
  // The note on it says it all.
  cannotBlock: () => {},
  looseCommands: () => {},
  // Given again, the flag adds to the list. One call does it for every form.
  olderRules: ({ reliance, initialize: { agents } }, { added, initialize }, release) => {
    const lacked = olderForms(release);
    const rules = olderRules(reliance.denied, lacked);
    const flag = `--disallowedTools=${rules.join(',')}`;
    if (rules.length > 0 && !added.includes(flag)) added.push(flag);
    if (isJsonObject(agents)) initialize.agents = withOlderRules(agents, lacked);
  },
};

function undecided(release: string): string {
  return `A hook did not decide about this call, and Claude Code ${release} may then run it unasked, so it is denied.`;
}

function changeAgents(change: (agent: JsonObject) => JsonObject): (plan: LaunchPlan, changes: Changes) => void {
  return ({ initialize: { agents } }, { initialize }) => {
    const given = initialize.agents ?? agents;
    initialize.agents = Object.fromEntries(
      Object.entries(isJsonObject(given) ? given : {}).map(([name, agent]) => [
        name,
        isJsonObject(agent) ? change(agent) : agent,
      ]),
    );
  };
}

function withoutEffort({ effort: _, ...agent }: JsonObject): JsonObject {
  return agent;
}

function withoutMode({ permissionMode: _, ...agent }: JsonObject): JsonObject {
  return agent;
}
