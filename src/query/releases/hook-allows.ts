import type { DiagnosticListener } from '../../diagnostics.js';
import { isJsonObject, type JsonObject } from '../../util/json.js';
import type { LaunchPlan } from '../launch/launch-plan.js';
import { rulesOf } from './given-settings.js';
import { updatesIn } from './permission-updates.js';
import { readSettings, settingsFilesOf } from './settings-files.js';

/** What a release lets the decision `allow` of a `PreToolUse` hook overrule, and newer releases do not. */
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

/** Leaves the decision out where it would overrule what forbids the call. The rules and the mode decide then. */
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
    const isForbidding = ({ behavior }: JsonObject): boolean => behavior === 'deny' || behavior === 'ask';
    if (updatesIn(response).some(isForbidding)) this.#hasRules = true;
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
      message: `Claude Code ${release} would let the decision \`allow\` of a hook overrule ${what}, so the decision is left out. Rules, the permission mode and \`canUseTool\` decide about such calls.`,
      details: { option: 'permissionDecision', release },
    });
  }
}

function forbids(settings: JsonObject): boolean {
  return rulesOf('deny', settings).length > 0 || rulesOf('ask', settings).length > 0;
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
