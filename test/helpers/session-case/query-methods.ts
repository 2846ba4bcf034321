import type { Query } from '../../../src/index.js';
import type { SessionQuery } from '../../../src/query/query.js';
import type { JsonObject } from '../../../src/util/json.js';

/** What a promise rejects with, as data; its value when it does not. */
export async function failureOf(what: Promise<unknown>): Promise<unknown> {
  try {
    return await what;
  } catch (error) {
    const { name, message, errorClass, errorCode, subtype, details } = error as Error & JsonObject;
    const fields = { errorClass, errorCode, subtype, details };
    const isAnswer = errorClass === 'control_request_failed';
    return { name, message, ...(isAnswer ? fields : { errorClass }) };
  }
}

/** A control request of the SDK as rows state it. */
export function request(subtype: string, payload: JsonObject = {}): JsonObject {
  return { request_id: '$id', type: 'control_request', request: { subtype, ...payload } };
}

interface Method {
  readonly ids?: readonly string[];
  readonly name: string;
  readonly differs?: string;
  readonly call: (query: Query) => Promise<unknown>;
  readonly writes: JsonObject;
  readonly answer?: JsonObject;
  readonly gives: unknown;
}

const servers = [{ name: 'files', status: 'connected' }];
const usage = { totalTokens: 12, categories: [] };
const reloaded = { commands: [], agents: [], plugins: [], mcpServers: [], error_count: 0 };
const rewound = { canRewind: true, filesChanged: ['a'] };

type Undeclared = readonly [method: string, args: readonly unknown[], subtype: string, payload?: JsonObject];

/** Undeclared methods that give the answer as it is. */
const GIVE_THE_ANSWER: readonly Undeclared[] = [
  [
    'claudeAuthenticate',
    [true, { consoleProfile: 'p' }],
    'claude_authenticate',
    { loginWithClaudeAi: true, consoleProfile: 'p' },
  ],
  ['claudeAuthenticate', [], 'claude_authenticate'],
  ['claudeOAuthCallback', ['c', 's'], 'claude_oauth_callback', { authorizationCode: 'c', state: 's' }],
  ['claudeOAuthWaitForCompletion', [], 'claude_oauth_wait_for_completion'],
  [
    'mcpAuthenticate',
    ['files', 'r', { redirectUriOnly: true }],
    'mcp_authenticate',
    { serverName: 'files', redirectUri: 'r', redirectUriOnly: true },
  ],
  ['mcpClearAuth', ['files'], 'mcp_clear_auth', { serverName: 'files' }],
  ['mcpSubmitOAuthCallbackUrl', ['files', 'u'], 'mcp_oauth_callback_url', { serverName: 'files', callbackUrl: 'u' }],
  ['getPlan', [], 'get_plan'],
  ['getStatus', [], 'get_status'],
  ['getMemoryDialog', [], 'get_memory_dialog'],
  ['getSkillsDialog', [], 'get_skills_dialog'],
  ['getSandboxDialog', [], 'get_sandbox_dialog'],
  ['getChromeDialog', [], 'get_chrome_dialog'],
  ['getChromeBrowsers', [], 'get_chrome_browsers'],
  ['selectChromeBrowser', ['d'], 'select_chrome_browser', { device_id: 'd' }],
  ['exportConversation', [], 'export_conversation'],
  [
    'submitFeedback',
    ['d', { surface: 's', save_locally: true, other: 1 }],
    'submit_feedback',
    { description: 'd', surface: 's', save_locally: true },
  ],
  ['submitSurveyFeedback', [{ rating: 2 }], 'submit_survey_feedback', { rating: 2 }],
  ['launchUltrareview', ['a'], 'ultrareview_launch', { args: 'a', confirm: false }],
  ['launchUltrareview', ['a', { confirm: true }], 'ultrareview_launch', { args: 'a', confirm: true }],
  [
    'enableRemoteControl',
    [true, 'n', { reattachSessionId: 's', keepSessionOnExit: true, workSecret: 'w' }],
    'remote_control',
    { enabled: true, name: 'n', reattach_session_id: 's', keep_session_on_exit: true, work_secret: 'w' },
  ],
  ['dictate', [{ subtype: 'get_status' }], 'get_status', {}],
  ['readCloudSessions', [{ subtype: 'get_plan' }, {}], 'get_plan', {}],
  ['logHostEvents', [{ subtype: 'get_task_output', task_id: 't' }], 'get_task_output', { task_id: 't' }],
];

/** Undeclared methods that give nothing. */
const GIVE_NOTHING: readonly Undeclared[] = [
  ['enableChannel', ['files'], 'channel_enable', { serverName: 'files' }],
  [
    'messageRated',
    [{ messageUuid: 'u', sentiment: 'positive', other: 1 }],
    'message_rated',
    { messageUuid: 'u', sentiment: 'positive', cleared: false },
  ],
  ['setPromptSuggestionsPaused', [true], 'set_prompt_suggestions_paused', { paused: true }],
  ['setChromeBrowserHints', [{ a: 1 }], 'set_chrome_browser_hints', { a: 1 }],
  [
    'setPermissionMode',
    ['plan', { answersBypassSwitchBack: true }],
    'set_permission_mode',
    { mode: 'plan', answers_bypass_switch_back: true },
  ],
];

function undeclaredMethod([method, args, subtype, payload]: Undeclared, gives: JsonObject | undefined): Method {
  return {
    name: `undeclared: ${method}(${JSON.stringify(args).slice(1, -1)})`,
    call: (query) =>
      (query as unknown as Record<string, (...given: readonly unknown[]) => Promise<unknown>>)[method]!(...args),
    writes: request(subtype, payload),
    answer: { a: 1 },
    gives,
  };
}

/** What each method writes, and what it makes of the answer. */
export const methods: readonly Method[] = [
  {
    ids: ['TS-103'],
    name: 'interrupt() gives the receipt',
    call: (query) => query.interrupt(),
    writes: request('interrupt'),
    answer: { still_queued: ['u1'] },
    gives: { still_queued: ['u1'] },
  },
  {
    ids: ['TS-103'],
    name: 'interrupt() gives nothing for an empty answer',
    call: (query) => query.interrupt(),
    writes: request('interrupt'),
    gives: undefined,
  },
  {
    name: 'interrupt() takes the waiting messages back too',
    call: (query) => query.interrupt({ cancelQueued: true }),
    writes: request('interrupt', { cancel_queued: true }),
    answer: { still_queued: [], cancelled: ['u1'] },
    gives: { still_queued: [], cancelled: ['u1'] },
  },
  {
    ids: ['TS-103'],
    name: 'interrupt() gives nothing for a receipt that is none',
    call: (query) => query.interrupt(),
    writes: request('interrupt'),
    answer: { still_queued: null },
    gives: undefined,
  },
  {
    name: 'setPermissionMode()',
    call: (query) => query.setPermissionMode('acceptEdits'),
    writes: request('set_permission_mode', { mode: 'acceptEdits' }),
    answer: { mode: 'acceptEdits' },
    gives: undefined,
  },
  {
    name: 'setModel() with a model',
    call: (query) => query.setModel('m'),
    writes: request('set_model', { model: 'm' }),
    gives: undefined,
  },
  {
    ids: ['TS-105'],
    name: 'setModel() without a model has no such key',
    call: (query) => query.setModel(),
    writes: request('set_model'),
    gives: undefined,
  },
  {
    ids: ['TS-105'],
    name: 'setMaxThinkingTokens() sends nulls',
    call: (query) => query.setMaxThinkingTokens(null, null),
    writes: request('set_max_thinking_tokens', { max_thinking_tokens: null, thinking_display: null }),
    gives: undefined,
  },
  {
    name: 'setMaxThinkingTokens() without a display has no such key',
    call: (query) => query.setMaxThinkingTokens(1024),
    writes: request('set_max_thinking_tokens', { max_thinking_tokens: 1024 }),
    gives: undefined,
  },
  {
    ids: ['TS-104'],
    name: 'mcpServerStatus() gives the servers',
    call: (query) => query.mcpServerStatus(),
    writes: request('mcp_status'),
    answer: { mcpServers: servers },
    gives: servers,
  },
  {
    ids: ['TS-104'],
    name: 'backgroundTasks() gives what the answer says',
    call: (query) => query.backgroundTasks('t'),
    writes: request('background_tasks', { tool_use_id: 't' }),
    answer: { backgrounded: false },
    gives: false,
  },
  {
    ids: ['TS-104'],
    name: 'backgroundTasks() counts an answer that does not say as done',
    call: (query) => query.backgroundTasks(),
    writes: request('background_tasks'),
    gives: true,
  },
  {
    name: 'mcpServerStatus() fails typed when the answer has no servers',
    differs: 'D-20',
    call: (query) => failureOf(query.mcpServerStatus()),
    writes: request('mcp_status'),
    gives: {
      name: 'ControlRequestError',
      message: 'The answer to `mcp_status` has no `mcpServers`',
      errorClass: 'control_request_failed',
      errorCode: undefined,
      subtype: 'mcp_status',
      details: {},
    },
  },
  {
    name: 'getContextUsage()',
    call: (query) => query.getContextUsage({ detail: 'full' }),
    writes: request('get_context_usage', { detail: 'full' }),
    answer: usage,
    gives: usage,
  },
  {
    name: 'rewindFiles()',
    call: (query) => query.rewindFiles('u1', { dryRun: true }),
    writes: request('rewind_files', { user_message_id: 'u1', dry_run: true }),
    answer: rewound,
    gives: rewound,
  },
  {
    name: 'reconnectMcpServer()',
    call: (query) => query.reconnectMcpServer('files'),
    writes: request('mcp_reconnect', { serverName: 'files' }),
    gives: undefined,
  },
  {
    name: 'toggleMcpServer()',
    call: (query) => query.toggleMcpServer('files', false),
    writes: request('mcp_toggle', { serverName: 'files', enabled: false }),
    gives: undefined,
  },
  {
    name: 'readMcpResource()',
    call: (query) => query.readMcpResource('files', 'file:///a'),
    writes: request('mcp_read_resource', { serverName: 'files', uri: 'file:///a' }),
    answer: { contents: [{ uri: 'file:///a', text: 'A' }] },
    gives: { contents: [{ uri: 'file:///a', text: 'A' }] },
  },
  {
    name: 'setMcpPermissionModeOverride() sends null',
    call: (query) => query.setMcpPermissionModeOverride('files', null),
    writes: request('set_mcp_permission_mode_override', { serverName: 'files', mode: null }),
    answer: { warning: 'w' },
    gives: { warning: 'w' },
  },
  {
    name: 'setMcpServers() with external servers only',
    call: (query) => query.setMcpServers({ files: { command: 'f', args: ['-x'] } }),
    writes: request('mcp_set_servers', { servers: { files: { command: 'f', args: ['-x'] } } }),
    answer: { added: ['files'], removed: [], errors: {} },
    gives: { added: ['files'], removed: [], errors: {} },
  },
  {
    name: 'applyFlagSettings() keeps nulls',
    call: (query) => query.applyFlagSettings({ model: null, effortLevel: 'low' }),
    writes: request('apply_flag_settings', { settings: { model: null, effortLevel: 'low' } }),
    gives: undefined,
  },
  {
    name: 'updateSettings()',
    call: (query) => query.updateSettings('localSettings', { model: 'm' }),
    writes: request('update_settings', { source: 'localSettings', settings: { model: 'm' } }),
    gives: undefined,
  },
  {
    name: 'reloadPlugins() without options has no keys',
    call: (query) => query.reloadPlugins(),
    writes: request('reload_plugins'),
    answer: reloaded,
    gives: reloaded,
  },
  {
    name: 'reloadPlugins() with options',
    call: (query) =>
      query.reloadPlugins({
        holdOnCacheImpact: true,
        addPlugins: [{ type: 'local', path: '/p' }],
        refuseIfBusy: false,
      }),
    writes: request('reload_plugins', { hold_on_cache_impact: true, add_plugins: [{ type: 'local', path: '/p' }] }),
    answer: reloaded,
    gives: reloaded,
  },
  {
    name: 'reloadSkills()',
    call: (query) => query.reloadSkills(),
    writes: request('reload_skills'),
    answer: { skills: [] },
    gives: { skills: [] },
  },
  {
    name: 'reloadOutputStyles()',
    call: (query) => query.reloadOutputStyles(),
    writes: request('reload_output_styles'),
    answer: { available_output_styles: ['default'] },
    gives: { available_output_styles: ['default'] },
  },
  {
    name: 'readFile()',
    call: (query) => query.readFile('a.txt'),
    writes: request('read_file', { path: 'a.txt' }),
    answer: { contents: 'A', absPath: '/a.txt' },
    gives: { contents: 'A', absPath: '/a.txt' },
  },
  {
    name: 'readFile() with options',
    call: (query) => query.readFile('a.png', { maxBytes: 3, encoding: 'base64' }),
    writes: request('read_file', { path: 'a.png', max_bytes: 3, encoding: 'base64' }),
    answer: { contents: 'QUFB', absPath: '/a.png', encoding: 'base64', truncated: true },
    gives: { contents: 'QUFB', absPath: '/a.png', encoding: 'base64', truncated: true },
  },
  {
    name: 'seedReadState()',
    call: (query) => query.seedReadState('/a.txt', 1700),
    writes: request('seed_read_state', { path: '/a.txt', mtime: 1700 }),
    gives: undefined,
  },
  {
    name: 'the usage of the session',
    call: (query) => query.usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET({ skipBehaviors: true }),
    writes: request('get_usage', { skip_behaviors: true }),
    answer: { rate_limits_available: false },
    gives: { rate_limits_available: false },
  },
  {
    name: 'stopTask()',
    call: (query) => query.stopTask('t1'),
    writes: request('stop_task', { task_id: 't1' }),
    gives: undefined,
  },
  {
    name: 'request() with a subtype nobody knows',
    call: (query) => query.request('from_the_future', { a: 1 }),
    writes: request('from_the_future', { a: 1 }),
    answer: { b: 2 },
    gives: { b: 2 },
  },
  {
    name: 'undeclared: getSettings()',
    call: (query) => undeclared(query).getSettings(),
    writes: request('get_settings'),
    answer: { effective: { model: 'm' } },
    gives: { effective: { model: 'm' } },
  },
  {
    name: 'undeclared: getHooksListing()',
    call: (query) => undeclared(query).getHooksListing(),
    writes: request('get_hooks_listing'),
    answer: { hooks: [] },
    gives: { hooks: [] },
  },
  {
    name: 'undeclared: listPermissionRules()',
    call: (query) => undeclared(query).listPermissionRules(),
    writes: request('list_permission_rules'),
    answer: { rules: [] },
    gives: { rules: [] },
  },
  {
    name: 'undeclared: getTaskOutput()',
    call: (query) => undeclared(query).getTaskOutput('t1'),
    writes: request('get_task_output', { task_id: 't1' }),
    answer: { output: 'o' },
    gives: { output: 'o' },
  },
  {
    name: 'undeclared: setCwd()',
    call: (query) => undeclared(query).setCwd('/x'),
    writes: request('set_cwd', { path: '/x' }),
    answer: { cwd: '/x' },
    gives: { cwd: '/x' },
  },
  {
    name: 'undeclared: askSideQuestion()',
    call: (query) => undeclared(query).askSideQuestion('Why?'),
    writes: request('side_question', { question: 'Why?' }),
    answer: { response: 'Because.' },
    gives: { response: 'Because.', synthetic: false },
  },
  {
    name: 'undeclared: askSideQuestion() without an answer',
    call: (query) => undeclared(query).askSideQuestion('Why?'),
    writes: request('side_question', { question: 'Why?' }),
    answer: { response: null },
    gives: null,
  },
  {
    name: 'undeclared: cancelAsyncMessage()',
    call: (query) => undeclared(query).cancelAsyncMessage('u1'),
    writes: request('cancel_async_message', { message_uuid: 'u1' }),
    answer: { cancelled: true },
    gives: true,
  },
  {
    name: 'undeclared: generateSessionTitle()',
    call: (query) => undeclared(query).generateSessionTitle('A talk.', { persist: true }),
    writes: request('generate_session_title', { description: 'A talk.', persist: true }),
    answer: { title: 'Talk' },
    gives: 'Talk',
  },
  {
    name: 'undeclared: renameSession()',
    call: (query) => undeclared(query).renameSession('A title', 's1'),
    writes: request('rename_session', { title: 'A title', source: 'host', session_id: 's1' }),
    gives: undefined,
  },
  {
    name: 'undeclared: mcpAuthenticate()',
    call: (query) => undeclared(query).mcpAuthenticate('files'),
    writes: request('mcp_authenticate', { serverName: 'files' }),
    answer: { requiresUserAction: false },
    gives: { requiresUserAction: false },
  },
  {
    name: 'undeclared: enableRemoteControl()',
    call: (query) => undeclared(query).enableRemoteControl(true, 'Ada'),
    writes: request('remote_control', { enabled: true, name: 'Ada' }),
    answer: { session_url: 'u' },
    gives: { session_url: 'u' },
  },
  ...GIVE_THE_ANSWER.map((one) => undeclaredMethod(one, { a: 1 })),
  ...GIVE_NOTHING.map((one) => undeclaredMethod(one, undefined)),
  {
    name: 'undeclared: askSideQuestion() with what was said before',
    call: (query) => undeclared(query).askSideQuestion('Why?', { history: [{ role: 'user' }] }),
    writes: request('side_question', { question: 'Why?', history: [{ role: 'user' }] }),
    answer: { response: 'Because.' },
    gives: { response: 'Because.', synthetic: false },
  },
];

/** Methods that are there at run time, as in the official SDK, and in neither's declarations. */
function undeclared(query: Query): SessionQuery {
  // Every Query is made by the class below it.
  return query as SessionQuery;
}
