import type { DiagnosticListener } from '../../diagnostics.js';
import { isJsonObject, type JsonObject } from '../../util/json.js';
import type { LaunchPlan } from '../launch/launch-plan.js';
import { rulesOf } from './given-settings.js';
import { readSettings, settingsFilesOf } from './settings-files.js';

/** What a release puts the decision `allow` of a `PreToolUse` hook above. Newer ones do not. */
export interface HookAllowLimits {
  readonly release: string;
  /** Plan mode. */
  readonly isAbovePlan?: boolean;
  /** Rules that deny or ask: whether the run starts with any, in the options or in files. */
  readonly aboveRules?: 'given' | 'none';
}

/** Reads settings files, where neither options nor inline settings have rules that deny or ask. */
export function hasRulesThatForbid(plan: LaunchPlan): boolean {
  if (plan.reliance.denied.length > 0 || plan.reliance.asked.length > 0) return true;
  const { managed, own } = settingsFilesOf(plan);
  return [...managed, ...own].map(readSettings).some(forbids);
}

/** Leaves the decision out where the release would put it above what forbids the call: then the rules and the mode decide. */
export class HookAllows {
  readonly #limits: HookAllowLimits;
  readonly #onDiagnostic: DiagnosticListener;
  /** The requests about calls in plan mode. */
  readonly #inPlan = new Set<unknown>();
  #hasRules: boolean;
  #isReported = false;

  constructor(limits: HookAllowLimits, onDiagnostic: DiagnosticListener) {
    this.#limits = limits;
    this.#onDiagnostic = onDiagnostic;
    this.#hasRules = limits.aboveRules === 'given';
  }

  /** Reads what the CLI sends. */
  onFrame({ type, request_id: requestId, request }: JsonObject): void {
    if (type === 'control_cancel_request') this.#inPlan.delete(requestId);
    if (type !== 'control_request' || !isJsonObject(request) || request.subtype !== 'hook_callback') return;
    if (isJsonObject(request.input) && request.input.permission_mode === 'plan') this.#inPlan.add(requestId);
  }

  /** Reads a request to the CLI: it may add rules. */
  onRequest({ settings }: JsonObject): void {
    if (isJsonObject(settings) && forbids(settings)) this.#hasRules = true;
  }

  /** The body of an answer. `undefined`: it stays as it is. */
  adapt(body: JsonObject): JsonObject | undefined {
    const isInPlan = this.#inPlan.delete(body.request_id) && this.#limits.isAbovePlan === true;
    const { response } = body;
    if (!isJsonObject(response)) return undefined;
    if (addsRules(response)) this.#hasRules = true;
    const changed =
      isInPlan || (this.#hasRules && this.#limits.aboveRules !== undefined) ? withoutAllow(response) : undefined;
    if (changed === undefined) return undefined;
    this.#report(isInPlan ? 'plan mode' : 'rules that deny or ask');
    return { ...body, response: changed };
  }

  #report(what: string): void {
    if (this.#isReported) return;
    this.#isReported = true;
    const { release } = this.#limits;
    this.#onDiagnostic({
      code: 'option_not_honoured',
      message: `Claude Code ${release} would put the decision \`allow\` of a hook above ${what}, so the decision is left out: rules, the permission mode and \`canUseTool\` decide about such calls.`,
      details: { option: 'permissionDecision', release },
    });
  }
}

function forbids(settings: JsonObject): boolean {
  return rulesOf('deny', settings).length > 0 || rulesOf('ask', settings).length > 0;
}

/** Whether the answer to a permission question, or to a hook in its place, adds rules that deny or ask. */
function addsRules(response: JsonObject): boolean {
  const { hookSpecificOutput: output } = response;
  const decision = isJsonObject(output) && isJsonObject(output.decision) ? output.decision : response;
  const updates: readonly unknown[] = Array.isArray(decision.updatedPermissions) ? decision.updatedPermissions : [];
  return updates.some((update) => isJsonObject(update) && (update.behavior === 'deny' || update.behavior === 'ask'));
}

function withoutAllow(response: JsonObject): JsonObject | undefined {
  const { hookSpecificOutput: output, ...others } = response;
  const isOfTool = isJsonObject(output) && output.hookEventName === 'PreToolUse';
  const isAllowed = isOfTool && output.permissionDecision === 'allow';
  if (others.decision !== 'approve' && !isAllowed) return undefined;
  const { decision, ...rest } = others;
  const kept = decision === 'approve' ? rest : others;
  if (!isAllowed) return output === undefined ? kept : { ...kept, hookSpecificOutput: output };
  const { permissionDecision: _, permissionDecisionReason: __, ...more } = output;
  return { ...kept, hookSpecificOutput: more };
}
