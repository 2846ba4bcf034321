/** Releases of the CLI that were recorded, oldest first, and what is known to differ from the newest. */
// biome-ignore format: one line, written by `npm run wire`
const TESTED: readonly (readonly [string, string])[] = [["2.0.0","no answer to apply_flag_settings, background_tasks, cancel_async_message, end_session, file_suggestions, get_binary_version, get_context_usage, get_hooks_listing, get_session_cost, get_settings, get_usage, list_models, list_permission_rules, mcp_set_servers, reload_plugins, reload_skills, rewind_files, seed_read_state, set_max_thinking_tokens, stop_task"],["2.0.36","no answer to apply_flag_settings, background_tasks, cancel_async_message, end_session, file_suggestions, get_binary_version, get_context_usage, get_hooks_listing, get_session_cost, get_settings, get_usage, list_models, list_permission_rules, mcp_set_servers, reload_plugins, reload_skills, rewind_files, seed_read_state, stop_task"],["2.0.76","no answer to apply_flag_settings, background_tasks, cancel_async_message, end_session, file_suggestions, get_binary_version, get_context_usage, get_hooks_listing, get_session_cost, get_settings, get_usage, list_models, list_permission_rules, reload_plugins, reload_skills, seed_read_state, stop_task; refuses rewind_files"],["2.1.36","no answer to apply_flag_settings, background_tasks, cancel_async_message, end_session, file_suggestions, get_binary_version, get_context_usage, get_hooks_listing, get_session_cost, get_settings, get_usage, list_models, list_permission_rules, reload_plugins, reload_skills, seed_read_state, stop_task"],["2.1.76","refuses background_tasks, file_suggestions, get_binary_version, get_context_usage, get_hooks_listing, get_session_cost, get_usage, list_models, list_permission_rules, reload_plugins, reload_skills, seed_read_state, stop_task"],["2.1.112","refuses background_tasks, file_suggestions, get_binary_version, get_hooks_listing, get_session_cost, get_usage, list_models, list_permission_rules, reload_skills, stop_task"],["2.1.170","refuses get_hooks_listing, list_models, list_permission_rules"],["2.1.238","refuses get_hooks_listing, list_permission_rules"],["2.1.280",""],["2.1.330",""]];
const numberOf = (version: string): number =>
  version.split('.', 3).reduce((sum, part) => sum * 1e4 + Number.parseInt(part, 10), 0);

/** What is known of a release of the CLI, as one or two sentences. `''` when it is the newest that was tested. */
export function aboutVersion(version: string | undefined): string {
  const [[first, oldest] = ['', ''], [last] = ['']] = [TESTED[0], TESTED.at(-1)];
  if (version === undefined) return '';
  const [, known] = TESTED.findLast(([each]) => numberOf(each) <= numberOf(version)) ?? [first, oldest];
  const differs = known === '' ? 'Nothing is known to differ.' : `Known to differ: ${known}.`;
  if (numberOf(version) > numberOf(last)) return `CLI ${version} is newer than what was tested (${last}). ${differs}`;
  if (numberOf(version) < numberOf(first)) return `CLI ${version} is older than what was tested (${first}). ${differs}`;
  return known === '' ? '' : `CLI ${version} is older than ${last}. ${differs}`;
}

/** Whether a release was tested, or is older than one that was. */
export function isKnownRelease(version: string): boolean {
  return numberOf(version) <= numberOf(TESTED.at(-1)?.[0] ?? '');
}

/** `2.1.330`, also with a suffix. */
export function isRelease(value: unknown): value is string {
  return typeof value === 'string' && /^\d+\.\d+\.\d+(?:[-+][\w.+-]*)?$/.test(value);
}

/** Whether a release is `least` or later. What follows the three numbers does not count. */
export function isFromRelease(version: string, least: string): boolean {
  return isRelease(version) && numberOf(version) >= numberOf(least);
}

/** As `--version` says it: `2.1.330 (Claude Code)`. A wrapper may write other lines, or colours before it. */
const SAID = /(?:^|[^\w.+-]|\[[\d;]{0,9}m)(\d+\.\d+\.\d+(?:[-+][\w.+-]{0,40})?) \(Claude Code\)\s*$/;
/** As programs around it say it. A number alone may be that of another program. */
const ALONE = /^(?:Claude Code v?)?(\d+\.\d+\.\d+(?:[-+][\w.+-]{0,40})?)\s*$/;

/** The release in the lines so far of what the CLI answers to `--version`. */
export function releaseSaid(text: string): string | undefined {
  return releaseBy(SAID, text.slice(0, text.lastIndexOf('\n') + 1));
}

/** The release in the whole answer to `--version`. */
export function releaseIn(text: string): string | undefined {
  return releaseBy(SAID, text) ?? releaseBy(ALONE, text);
}

function releaseBy(pattern: RegExp, text: string): string | undefined {
  for (const line of text.split('\n')) {
    const release = pattern.exec(line)?.[1];
    if (release !== undefined) return release;
  }
  return undefined;
}
