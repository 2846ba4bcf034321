import { Unsupported } from '../kit/driver-kit.mjs';

/** Option to flag. Text and numbers become the value, lists one value with commas, `true` the flag alone. */
const FLAGS = {
  model: '--model',
  fallbackModel: '--fallback-model',
  maxTurns: '--max-turns',
  maxBudgetUsd: '--max-budget-usd',
  permissionMode: '--permission-mode',
  allowedTools: '--allowedTools',
  disallowedTools: '--disallowedTools',
  tools: '--tools',
  betas: '--betas',
  effort: '--effort',
  settingSources: '--setting-sources',
  settings: '--settings',
  resume: '--resume',
  strictMcpConfig: '--strict-mcp-config',
  includePartialMessages: '--include-partial-messages',
  includeHookEvents: '--include-hook-events',
};
const WITHOUT_FLAG =
  'agents additionalDirectories canUseTool env extraArgs hooks onElicitation stderr systemPrompt pathToClaudeCodeExecutable';

/** What these options look like on the command line of the CLI. */
export function argvOf(options, isText) {
  const argv = ['--output-format', 'stream-json', '--verbose'];
  argv.push(...(isText ? ['--print'] : ['--input-format', 'stream-json']));
  for (const [option, given] of Object.entries(options)) {
    const flag = FLAGS[option];
    if (flag === undefined && !WITHOUT_FLAG.split(' ').includes(option)) {
      throw new Unsupported(`option ${option}`);
    }
    if (flag === undefined || given === false) continue;
    const value = given.preset === undefined ? given : 'default';
    if (value === true) argv.push(flag);
    else if (Array.isArray(value)) argv.push(flag, value.join(','));
    else argv.push(flag, typeof value === 'object' ? JSON.stringify(value) : String(value));
  }
  for (const dir of options.additionalDirectories ?? []) argv.push('--add-dir', dir);
  if (options.canUseTool !== undefined) argv.push('--permission-prompt-tool', 'stdio');
  for (const [flag, value] of Object.entries(options.extraArgs ?? {})) {
    argv.push(value === null ? `--${flag}` : `--${flag}=${value}`);
  }
  return argv;
}

/** What has no flag, and travels in `initialize`. Each hook gets an id; `hookIds` says whose it is. */
export function initializeOf({ hooks, agents, systemPrompt = '' }, hookIds) {
  if (typeof systemPrompt !== 'string') throw new Unsupported('a systemPrompt that is no text');
  const register = ({ hooks: callbacks, ...matcher }) => ({
    ...matcher,
    hookCallbackIds: callbacks.map(({ $callback }) => {
      const id = `hook_${hookIds.size}`;
      hookIds.set(id, $callback);
      return id;
    }),
  });
  const events = Object.entries(hooks ?? {}).map(([event, list]) => [event, list.map(register)]);
  return {
    subtype: 'initialize',
    ...(events.length > 0 && { hooks: Object.fromEntries(events) }),
    ...(agents !== undefined && { agents }),
    systemPrompt: [systemPrompt],
  };
}
