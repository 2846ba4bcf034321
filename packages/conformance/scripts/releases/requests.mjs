/*
 * Control requests that methods send: what each is answered with, on a session that has had one turn.
 */

const REQUESTS = {
  an_unknown_request: {},
  set_permission_mode: { mode: 'default' },
  set_model: { model: 'claude-probe-1' },
  set_max_thinking_tokens: { max_thinking_tokens: 2048 },
  mcp_status: {},
  mcp_reconnect: { serverName: 'none' },
  mcp_toggle: { serverName: 'none', enabled: false },
  mcp_set_servers: { servers: {} },
  mcp_read_resource: { serverName: 'none', uri: 'x:y' },
  mcp_call: { tool: 'mcp__none__x', arguments: {} },
  mcp_authenticate: { serverName: 'none' },
  mcp_clear_auth: { serverName: 'none' },
  mcp_oauth_callback_url: { serverName: 'none', callbackUrl: 'http://localhost/?code=x' },
  channel_enable: { serverName: 'none' },
  set_mcp_permission_mode_override: { serverName: 'none', mode: null },
  get_context_usage: {},
  get_settings: {},
  get_session_cost: {},
  get_usage: { skip_behaviors: true },
  get_hooks_listing: {},
  get_binary_version: {},
  get_plan: {},
  get_status: {},
  list_models: {},
  list_permission_rules: {},
  file_suggestions: { query: 'a' },
  read_file: { path: 'none.txt' },
  rewind_files: { user_message_id: '11111111-2222-4333-8444-555555555555', dry_run: true },
  stop_task: { task_id: 'none' },
  background_tasks: {},
  cancel_async_message: { message_uuid: '11111111-2222-4333-8444-555555555555' },
  apply_flag_settings: { settings: {} },
  update_settings: { source: 'localSettings', settings: {} },
  rename_session: { title: 'x' },
  generate_session_title: { description: 'x', persist: false },
  side_question: { question: 'x' },
  set_cwd: { cwd: '.' },
  seed_read_state: { path: 'none.txt', mtime: 1 },
  set_has_subscribers: { has_subscribers: true },
  register_repo_root: { path: '.' },
  reload_skills: {},
  reload_plugins: {},
  reload_output_styles: {},
  submit_feedback: { description: 'x' },
  message_rated: { message_uuid: '11111111-2222-4333-8444-555555555555', rating: 'good' },
  claude_oauth_callback: { authorizationCode: 'x', state: 'y' },
  claude_oauth_wait_for_completion: {},
  interrupt: {},
  end_session: {},
};
/** An answer comes within milliseconds; what asks the API may take longer. */
const LIMIT_MS = 6_000;
const UNKNOWN = /unsupported|unknown|not supported|unrecogni[sz]ed|invalid control request/i;

/** @returns a word for each subtype: `answered`, `unknown`, `error` (known, and refused), `never` or `gone` */
export async function controlRequests(stage) {
  const found = {};
  const after = async (session) => {
    const ask = async ([subtype, payload]) => {
      const { response, error, gone } = await session.request(subtype, payload, LIMIT_MS);
      if (response !== undefined) return 'answered';
      if (error !== undefined) return UNKNOWN.test(String(error)) && String(error).length < 200 ? 'unknown' : 'error';
      return gone ? 'gone' : 'never';
    };
    const entries = Object.entries(REQUESTS);
    const [last, interrupt] = [entries.pop(), entries.pop()];
    const words = await Promise.all(entries.map(ask));
    for (const [index, word] of words.entries()) found[`request ${entries[index][0]}`] = word;
    for (const entry of [interrupt, last]) found[`request ${entry[0]}`] = await ask(entry);
  };
  await stage.play({ after });
  return found;
}
