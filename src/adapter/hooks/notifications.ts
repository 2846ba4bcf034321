import type { SyncHookJSONOutput } from '../../control/hook-outputs.js';
import { isJsonObject } from '../../util/json.js';
import { Notification } from '../state/index.js';
import type { HookRun } from './hook-run.js';

/** Keeps what an auxiliary hook said, each as an item of its own. */
export function recordNotification(
  source: string,
  input: unknown,
  { session, promptName, adapterName }: HookRun,
): SyncHookJSONOutput {
  if (!isJsonObject(input)) return {};
  session.mutate(Notification).append({
    source,
    payload: input,
    promptName,
    adapter: adapterName,
    createdAt: new Date().toISOString(),
  });
  return {};
}
