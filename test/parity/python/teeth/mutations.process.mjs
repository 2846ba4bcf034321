// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are texts of our sources.
/** Rows that are shown by running both SDKs beside a scripted CLI; as in `mutations.pure.mjs`. */
const argv = 'src/query/launch/argv.ts';
const initialize = 'src/query/launch/initialize-payload.ts';
const environment = 'src/query/launch/environment.ts';
const permissions = 'src/control/permissions.ts';
const permissionResult = 'src/control/permission-result.ts';
const hooks = 'src/control/hooks.ts';
const hookResult = 'src/control/hook-result.ts';
const client = 'src/query/client.ts';
const router = 'src/control/frame-router.ts';
const runTool = 'src/mcp/run-tool.ts';
const jsonRpc = 'src/mcp/json-rpc.ts';
const inbound = 'src/control/inbound-router.ts';
const callbacks = 'src/query/launch/callbacks.ts';
const policy = 'src/query/launch/policy.ts';

/** @type {readonly (readonly [row: string, file: string, anchor: string, replacement: string])[]} */
export const PROCESS_MUTATIONS = [
  ['PY-028', argv, "tools.join(',') : 'default'", "tools.join(' ') : 'default'"],
  ['PY-029', argv, ": 'default'}`];", ": 'all'}`];"],
  [
    'PY-030',
    argv,
    "listFlag('disallowedTools', o.disallowedTools)",
    "listFlag('disallowed-tools', o.disallowedTools)",
  ],
  ['PY-031', argv, 'o.maxTurns === 0 ? undefined : finite(o.maxTurns)', 'o.maxTurns'],
  [
    'PY-032',
    argv,
    "flag('max-budget-usd', finite(o.maxBudgetUsd))",
    "flag('max-budget-usd', finite(o.maxBudgetUsd) || undefined)",
  ],
  ['PY-033', argv, "flag('task-budget', o.taskBudget?.total)", "flag('task-budget', undefined)"],
  ['PY-034', argv, "flag('model', o.model)", "flag('model', o.model === '' ? 'none' : o.model)"],
  ['PY-035', argv, "listFlag('betas', o.betas)", "listFlag('beta', o.betas)"],
  [
    'PY-036',
    argv,
    "o.canUseTool ? 'stdio' : o.permissionPromptToolName",
    'o.permissionPromptToolName',
  ],
  [
    'PY-037',
    argv,
    "flag('permission-mode', o.permissionMode)",
    "flag('permission-mode', undefined)",
  ],
  [
    'PY-038',
    argv,
    "toggle('continue', o.continue)",
    "flag('continue', o.continue ? 'true' : undefined)",
  ],
  ['PY-041', argv, "flag('session-id', o.sessionId)", "flag('session-ids', o.sessionId)"],
  [
    'PY-042',
    argv,
    "flag('resume-session-at', o.resumeSessionAt)",
    "flag('resume-at', o.resumeSessionAt)",
  ],
  [
    'PY-050',
    argv,
    '.map((path) => `--add-dir=${path}`)',
    '.slice(0, 1).map((path) => `--add-dir=${path}`)',
  ],
  ['PY-053', argv, "toggle('fork-session', o.forkSession)", "toggle('fork', o.forkSession)"],
  [
    'PY-054',
    argv,
    "toggle('session-mirror', o.sessionStore !== undefined)",
    "toggle('session-mirror', false)",
  ],
  [
    'PY-055',
    argv,
    "[`--setting-sources=${o.settingSources.join(',')}`]",
    "o.settingSources.length === 0 ? [] : [`--setting-sources=${o.settingSources.join(',')}`]",
  ],
  [
    'PY-059',
    argv,
    "flag('thinking-display', thinking.display)",
    "flag('thinking-display', undefined)",
  ],
  ['PY-061', argv, "flag('effort', o.effort)", "flag('effort', undefined)"],
  [
    'PY-074',
    environment,
    'if (options.enableFileCheckpointing === true) {',
    "if (options.enableFileCheckpointing === true && !names.has('CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING')) {",
  ],
  ['PY-106', initialize, 'agents: parts.agents,', 'agents: undefined,'],
  [
    'PY-107',
    initialize,
    'excludeDynamicSections: prompt.excludeDynamicSections,',
    'excludeDynamicSections: prompt.excludeDynamicSections || undefined,',
  ],
  [
    'PY-108',
    initialize,
    'Array.isArray(o.skills) ? [...o.skills] : undefined',
    'Array.isArray(o.skills) && o.skills.length > 0 ? [...o.skills] : undefined',
  ],
  ['PY-109', initialize, 'forwardSubagentText: o.forwardSubagentText,', ''],
  ['PY-116', client, 'requests.setModel(model ?? null)', 'requests.setModel(model)'],
  [
    'PY-128',
    router,
    "    case 'control_response':\n      sinks.onHiddenFrame(type);\n",
    "    case 'control_response':\n      sinks.onMessage(frame, bytes, line);\n",
  ],
  ['PY-098', policy, 'sigtermMs: 5_000', 'sigtermMs: 8_000'],
  ['PY-099', policy, 'sigkillMs: 10_000', 'sigkillMs: 6_000'],
  ['PY-134', inbound, 'this.#calls.delete(call.requestId);', ''],
  ['PY-136', callbacks, ' || hasHookEvents ||', ' ||'],
  [
    'PY-137',
    'src/control/query-controller.ts',
    'callbacks.needStdin || this.#mcpBridge.serverCount > 0;',
    'callbacks.needStdin && this.#mcpBridge.serverCount === 0;',
  ],
  ['PY-138', callbacks, 'Object.keys(asked).length > 0 || ', ''],
  [
    'PY-139',
    callbacks,
    'Object.keys(options.hooks).length > 0;',
    'Object.values(options.hooks).flat().length > 0;',
  ],
  ['PY-162', 'src/control/mcp-bridge.ts', 'result: {}', 'result: { ok: true }'],
  [
    'PY-182',
    runTool,
    'return resultResponse(id, errorResult(errorText(error)));',
    "return resultResponse(id, errorResult('it failed'));",
  ],
  [
    'PY-186',
    'src/mcp/tool-table-endpoint.ts',
    'arguments: args = {} } = params',
    'arguments: args = { none: 1 } } = params',
  ],
  [
    'PY-198',
    inbound,
    "if (!call.isCancelled) call.abort(new AbortError('The session ended', { cause: reason }));",
    '',
  ],
  ['PY-191', jsonRpc, 'is already in flight`', 'is busy`'],
  [
    'PY-203',
    hooks,
    "request.tool_use_id as string | undefined,",
    "request.id as string | undefined,",
  ],
  ['PY-206', hookResult, "  ['async', isBoolean],", "  ['async', isString],"],
  ['PY-207', hookResult, "  ['continue', isBoolean],", "  ['continue', isString],"],
  ['PY-210', hooks, '`No hook callback found for ID: ${idText(callbackId)}`', "'No such hook'"],
  [
    'PY-211',
    hooks,
    'failClosed(hook.event, message) : failure(message);',
    'failClosed(hook.event, message) : success({});',
  ],
  [
    'PY-215',
    permissions,
    "answer.updatedInput ??= request.input;",
    "answer.updatedInput ??= {};",
  ],
  [
    'PY-216',
    permissions,
    "answer.updatedInput ??= request.input;",
    "answer.updatedInput = request.input;",
  ],
  [
    'PY-218',
    permissionResult,
    "if (!isAbsent(message) && typeof message !== 'string') {",
    "if (typeof message !== 'string' || message === '') {",
  ],
  [
    'PY-219',
    permissionResult,
    "isAbsent(interrupt) || typeof interrupt === 'boolean'",
    "isAbsent(interrupt) || typeof interrupt === 'string'",
  ],
  [
    'PY-220',
    permissions,
    'return this.#refuse(message, request);\n  }\n\n  #refuse',
    "return this.#refuse('it threw', request);\n  }\n\n  #refuse",
  ],
  [
    'PY-222',
    permissions,
    "failure('canUseTool callback is not provided.')",
    "success({ behavior: 'allow' })",
  ],
  ['PY-223', permissions, "blockedPath: request.blocked_path,", ''],
  ['PY-224', permissions, 'return value === null ? [] :', 'return value === null ? undefined :'],
];
