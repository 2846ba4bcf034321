import { describeValue } from '../util/describe-value.js';
import { isJsonObject, type JsonObject } from '../util/json.js';
import { findLoss, findUnsentField, toWireForm } from './wire-form.js';

const FIELDS = ['behavior', 'message', 'interrupt', 'updatedInput', 'updatedPermissions'] as const;

export type PermissionResultCheck =
  | { readonly ok: true; readonly answer: JsonObject }
  /** The end of a sentence. */
  | { readonly ok: false; readonly problem: string };

/**
 * Checks what `canUseTool` returned, in the form in which it will be sent. Unknown keys are fine.
 *
 * @throws what JSON, a getter or a `toJSON` of the result throws.
 */
export function checkPermissionResult(result: unknown): PermissionResultCheck {
  if (!isJsonObject(result)) return bad(`it returned ${describeValue(result)}`);
  const answer = toWireForm(result);
  if (!isJsonObject(answer)) return bad(`its JSON form is ${describeValue(answer)}`);
  const unsent = answer === result ? undefined : findUnsent(result, answer);
  if (unsent !== undefined) return bad(`JSON would not carry its ${unsent} over`);
  const problem = findWrongField(answer);
  return problem === undefined ? { ok: true, answer } : bad(problem);
}

function bad(problem: string): PermissionResultCheck {
  return { ok: false, problem };
}

function findUnsent(result: JsonObject, answer: JsonObject): string | undefined {
  return (
    findUnsentField(result, answer, FIELDS) ??
    findLoss(result.updatedInput, 'updatedInput') ??
    findLoss(result.updatedPermissions, 'updatedPermissions')
  );
}

function findWrongField(answer: JsonObject): string | undefined {
  const { behavior, updatedInput, updatedPermissions, message, interrupt } = answer;
  if (behavior !== 'allow' && behavior !== 'deny') {
    return `it returned an object with behavior ${describeValue(behavior)}`;
  }
  if (behavior === 'deny') {
    if (!isAbsent(message) && typeof message !== 'string') {
      return `it returned a deny with message ${describeValue(message)}`;
    }
    return isAbsent(interrupt) || typeof interrupt === 'boolean'
      ? undefined
      : `it returned a deny with interrupt ${describeValue(interrupt)}`;
  }
  if (!isAbsent(updatedInput) && !isJsonObject(updatedInput)) {
    return `it returned an allow with updatedInput ${describeValue(updatedInput)}`;
  }
  return isAbsent(updatedPermissions) || Array.isArray(updatedPermissions)
    ? undefined
    : `it returned an allow with updatedPermissions ${describeValue(updatedPermissions)}`;
}

function isAbsent(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}
