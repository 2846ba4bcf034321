import { isJsonObject, type JsonObject } from '../../util/json.js';

/** The permission updates in the answer to a permission question, or to a hook in its place. */
export function updatesIn(response: JsonObject): readonly JsonObject[] {
  const { hookSpecificOutput: output } = response;
  const decision = isJsonObject(output) && isJsonObject(output.decision) ? output.decision : response;
  const updates: readonly unknown[] = Array.isArray(decision.updatedPermissions) ? decision.updatedPermissions : [];
  return updates.filter(isJsonObject);
}
