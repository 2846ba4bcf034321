import { isClaudeSDKError } from '../../errors/claude-sdk-error.js';
import { isJsonObject, type JsonObject } from '../../util/json.js';
import { confirmSettings } from '../isolation/confirm-settings.js';
import { resolveIsolation } from '../isolation/isolation-config.js';
import type { RunSurroundings } from './isolate-run.js';
import type { LiveRun } from './live-run.js';
import type { Run } from './run.js';

/**
 * Asks the CLI which settings are in force, and holds them against what was written. Comes before the first user message.
 *
 * @throws {@link AdapterConfigError} they are not what was written.
 */
export async function confirmRunSettings(
  run: Run<unknown>,
  live: LiveRun,
  { env, settings, written }: RunSurroundings,
): Promise<void> {
  const { config, host, recorder, log } = run;
  const { isolation } = config.client;
  const { confirmed, reason, effective, ...others } = confirmSettings({
    written: written ?? (isJsonObject(settings) ? settings : {}),
    answer: await askForSettings(live),
    isolated: isolation !== undefined,
    childEnv: env,
    sandboxRequired:
      isolation !== undefined && resolveIsolation(isolation, host.platform).sandbox.required,
    file: typeof settings === 'string' ? settings : 'inline settings',
  });
  recorder.effectiveSettings = effective;
  const managedSources = [...(recorder.isolation?.managedSources ?? []), ...others.managedSources];
  if (recorder.isolation !== undefined) {
    recorder.isolation = { ...recorder.isolation, settingsConfirmed: confirmed, managedSources };
  }
  if (confirmed) log.debug('isolation.settings_confirmed', { keys: Object.keys(effective ?? {}) });
  else log.warn('isolation.settings_unconfirmed', { reason });
  if (managedSources.length > 0)
    log.warn('isolation.managed_settings', { sources: managedSources });
}

/** `undefined`: the CLI does not know the request. */
async function askForSettings(live: LiveRun): Promise<JsonObject | undefined> {
  try {
    return await live.getSettings();
  } catch (error) {
    if (isClaudeSDKError(error) && error.errorClass === 'control_request_failed') return undefined;
    throw error;
  }
}
