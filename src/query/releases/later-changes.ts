import type { Diagnostic } from '../../diagnostics.js';
import { isJsonObject, type JsonObject } from '../../util/json.js';
import { hasToolPolicies } from '../launch/mcp-servers.js';
import type { DeniedForm } from './feature.js';
import { limitsIn, modeIn, needsSandbox, rulesOf } from './given-settings.js';
import { knownSettings, leftOutNote, refusalText } from './known-settings.js';
import type { LaterChanges } from './later-refusals.js';
import { deniedForms, deniesPart, isNarrow, olderRules, RULE } from './older-rules.js';
import { updatesIn } from './permission-updates.js';
import { allowedBy } from './plan-mode.js';

/** A request as the release understands it, or why it does not go out. */
export type LaterRequest = { readonly request: JsonObject; readonly note?: Diagnostic } | { readonly refused: string };

/** `undefined`: the request stays as it is. */
export function adaptRequest(request: JsonObject, changes: LaterChanges): LaterRequest | undefined {
  const { subtype, mode, settings: given, servers, dry_run } = request;
  if (subtype === 'set_permission_mode' && mode === 'plan') return asRefusal(changes.planRefused);
  if (subtype === 'set_permission_mode' && mode === 'bypassPermissions') return asRefusal(changes.bypassRefused);
  if (subtype === 'mcp_set_servers' && isJsonObject(servers) && Object.values(servers).some(hasToolPolicies))
    return asRefusal(changes.policiesRefused);
  if (subtype === 'rewind_files' && dry_run === true) return asRefusal(changes.dryRunRefused);
  if (subtype !== 'apply_flag_settings' || !isJsonObject(given)) return undefined;
  const { settings, leftOut, refused: unknown } = knownSettings(given, changes.release);
  const deny = rulesOf('deny', given);
  const refused =
    (needsSandbox(given) ? changes.sandboxRefused : undefined) ??
    (isJsonObject(given.sandbox) && given.sandbox.enabled === true ? changes.switchOnRefused : undefined) ??
    limitsIn(given).flatMap((path) => changes.refusedLimits[path] ?? [])[0] ??
    (modeIn(given) === 'plan' ? changes.planRefused : undefined) ??
    allowProblem(rulesOf('allow', given), changes) ??
    denyProblem(deny, changes) ??
    askProblem(rulesOf('ask', given), changes) ??
    (unknown && refusalText(changes.release, unknown));
  if (refused !== undefined) return { refused };
  const note = leftOut.length === 0 ? {} : { note: leftOutNote(changes.release, leftOut) };
  const { permissions } = settings;
  const older = olderRules(deny, changes.olderForms);
  if (older.length === 0 || !isJsonObject(permissions)) {
    return settings === given ? undefined : { request: { ...request, settings }, ...note };
  }
  const changed = { ...permissions, deny: [...(permissions.deny as unknown[]), ...older] };
  return { request: { ...request, settings: { ...settings, permissions: changed } }, ...note };
}

/** What counts from now on: rules that a frame to the CLI adds may forbid plan mode. */
export function laterAfter({ request, response }: JsonObject, changes: LaterChanges): LaterChanges {
  if (changes.planRefused !== undefined) return changes;
  const added = [...addedBy(request), ...addedBy(isJsonObject(response) ? response.response : undefined)];
  const planRefused = allowProblem(added, { ...changes, isPlan: true });
  return planRefused === undefined ? changes : { ...changes, planRefused };
}

/** The rules that allow, which a request or the answer to a question adds. */
function addedBy(value: unknown): readonly string[] {
  if (!isJsonObject(value)) return [];
  if (isJsonObject(value.settings)) return rulesOf('allow', value.settings);
  return updatesIn(value).flatMap((update) => (update.behavior === 'allow' ? textsOf(update) : []));
}

function asRefusal(refused: string | undefined): LaterRequest | undefined {
  return refused === undefined ? undefined : { refused };
}

/**
 * The answer to a permission question, or to a hook that takes its place. One that would add what the release does not
 * honour denies the call. `undefined`: it stays as it is.
 */
export function adaptDecision(body: JsonObject, changes: LaterChanges): JsonObject | undefined {
  const { response } = body;
  if (!isJsonObject(response)) return undefined;
  const { hookSpecificOutput } = response;
  if (!isJsonObject(hookSpecificOutput)) {
    const decision = withUpdates(response, changes);
    return decision && { ...body, response: decision };
  }
  const { decision } = hookSpecificOutput;
  const changed = isJsonObject(decision) ? withUpdates(decision, changes) : undefined;
  if (changed === undefined) return undefined;
  return { ...body, response: { ...response, hookSpecificOutput: { ...hookSpecificOutput, decision: changed } } };
}

function withUpdates(decision: JsonObject, changes: LaterChanges): JsonObject | undefined {
  const { updatedPermissions } = decision;
  if (!Array.isArray(updatedPermissions)) return undefined;
  const isLeftOut = (update: unknown): boolean => changes.bypassLeftOut !== undefined && setsBypass(update);
  const given = updatedPermissions.filter((update) => !isLeftOut(update)).flatMap((update) => keptOf(update, changes));
  const updates = given.filter(isJsonObject);
  const problem = updates.map((update) => problemOf(update, changes)).find((each) => each !== undefined);
  if (problem !== undefined) return { behavior: 'deny', message: problem };
  const isSame =
    given.every((update, index) => update === updatedPermissions[index]) && given.length === updatedPermissions.length;
  if (isSame && !updates.some((update) => olderOf(update, changes).length > 0)) return undefined;
  return { ...decision, updatedPermissions: given.map((update) => withOlder(update, changes)) };
}

/** An update without the rules that would count in plan mode. Such calls are asked about again. */
function keptOf(update: unknown, changes: LaterChanges): readonly unknown[] {
  if (!isJsonObject(update) || update.behavior !== 'allow' || update.type === 'removeRules') return [update];
  if (!Array.isArray(update.rules) || allowProblem(textsOf(update), changes) === undefined) return [update];
  const rules = update.rules.filter((rule) => allowProblem(textsOf({ rules: [rule] }), changes) === undefined);
  return rules.length === 0 ? [] : [{ ...update, rules }];
}

/** Newer releases pass by bypass mode that the start did not allow. */
function setsBypass(update: unknown): boolean {
  return isJsonObject(update) && update.type === 'setMode' && update.mode === 'bypassPermissions';
}

function problemOf(update: JsonObject, changes: LaterChanges): string | undefined {
  const { type, mode, behavior } = update;
  if (type === 'setMode') return mode === 'plan' ? changes.planRefused : undefined;
  if (type === 'removeRules') return undefined;
  if (behavior === 'ask') return askProblem(textsOf(update), changes);
  return behavior === 'deny' ? denyProblem(textsOf(update), changes) : undefined;
}

function withOlder(update: unknown, changes: LaterChanges): unknown {
  if (!isJsonObject(update) || !Array.isArray(update.rules)) return update;
  return { ...update, rules: [...update.rules, ...olderOf(update, changes).map(asRule)] };
}

function olderOf(update: JsonObject, { olderForms }: LaterChanges): string[] {
  return update.behavior === 'deny' ? olderRules(textsOf(update), olderForms) : [];
}

/** The rules of an update, as texts. */
function textsOf({ rules }: JsonObject): string[] {
  if (!Array.isArray(rules)) return [];
  return rules.flatMap((rule) => {
    if (!isJsonObject(rule) || typeof rule.toolName !== 'string') return [];
    return typeof rule.ruleContent === 'string' ? `${rule.toolName}(${rule.ruleContent})` : rule.toolName;
  });
}

function asRule(text: string): JsonObject {
  const [, toolName = text, ruleContent] = RULE.exec(text) ?? [];
  return ruleContent === undefined ? { toolName } : { toolName, ruleContent };
}

/** Why rules that allow cannot be added: the run began in plan mode, where they would count. */
function allowProblem(rules: readonly string[], { isPlan, besidePlan }: LaterChanges): string | undefined {
  if (!isPlan) return undefined;
  const kinds = rules.map(allowedBy).filter((each) => each !== undefined);
  return kinds.map((allowed) => besidePlan[allowed]).find((each) => each !== undefined);
}

function denyProblem(rules: readonly string[], { refusedRules, narrowRefused }: LaterChanges): string | undefined {
  return (rules.some(deniesPart) ? narrowRefused : undefined) ?? firstOf(rules, refusedRules);
}

function askProblem(rules: readonly string[], { askRefused, refusedAsks }: LaterChanges): string | undefined {
  return (rules.some(isNarrow) ? askRefused : undefined) ?? firstOf(rules, refusedAsks);
}

function firstOf(rules: readonly string[], reasons: Readonly<Partial<Record<DeniedForm, string>>>): string | undefined {
  return rules
    .flatMap(deniedForms)
    .map((form) => reasons[form])
    .find((each) => each !== undefined);
}
