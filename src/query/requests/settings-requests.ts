import type {
  SDKControlReloadOutputStylesResponse,
  SDKControlReloadPluginsResponse,
  SDKControlReloadSkillsResponse,
} from '../control-answers.js';
import type { SdkPluginConfig } from '../options/extension-options.js';
import type { QuerySession } from '../query-session.js';
import { ask, askFor, given, nothing } from './ask.js';

/** Requests that change what the session runs with: settings, plugins, skills, output styles. */
export class SettingsRequests {
  readonly #session: QuerySession;

  constructor(session: QuerySession) {
    this.#session = session;
  }

  applyFlagSettings(settings: object): Promise<void> {
    return ask(this.#session, 'apply_flag_settings', { settings }, nothing);
  }

  updateSettings(source: string, settings: object): Promise<void> {
    return ask(this.#session, 'update_settings', { source, settings }, nothing);
  }

  reloadPlugins(
    options: {
      holdOnCacheImpact?: boolean;
      addPlugins?: SdkPluginConfig[];
      refuseIfBusy?: boolean;
    } = {},
  ): Promise<SDKControlReloadPluginsResponse> {
    // Off and empty are the same as not given, and not sent.
    const payload = {
      hold_on_cache_impact: options.holdOnCacheImpact || undefined,
      add_plugins: options.addPlugins?.length ? options.addPlugins : undefined,
      refuse_if_busy: options.refuseIfBusy || undefined,
    };
    return askFor(this.#session, 'reload_plugins', given(payload));
  }

  reloadSkills(): Promise<SDKControlReloadSkillsResponse> {
    return askFor(this.#session, 'reload_skills', {});
  }

  reloadOutputStyles(): Promise<SDKControlReloadOutputStylesResponse> {
    return askFor(this.#session, 'reload_output_styles', {});
  }
}
