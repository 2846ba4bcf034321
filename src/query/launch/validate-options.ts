import { invalidOption } from '../../errors/invalid-option.js';
import { InvalidOptionError } from '../../errors.js';
import { describeValue } from '../../util/describe-value.js';
import { memberPath } from '../../util/member-path.js';
import type { Options } from '../options.js';
import {
  type Check,
  hasMethods,
  isAmount,
  isArgument,
  isCount,
  isCountLimit,
  isFlag,
  isFunction,
  isListOf,
  isNullOr,
  isObjectWith,
  isOneOf,
  isRecord,
  isRecordOf,
  isText,
} from './option-checks.js';
import { isSkills } from './skills.js';
import { isSystemPrompt } from './system-prompt.js';

/** Options after the checks: `null` and `undefined` are left out, unknown names too. */
export type GivenOptions = { readonly [K in keyof Options]?: NonNullable<Options[K]> };

/**
 * Reads every known option once and checks its type. Strings of open sets (modes, efforts, sources,
 * hook events) are not checked: the CLI may know newer ones.
 *
 * @throws InvalidOptionError a value of the wrong type.
 */
export function validateOptions(options: unknown): GivenOptions {
  if (options === undefined || options === null) return {};
  isRecord(options, 'options');
  const source = options as Readonly<Record<string, unknown>>;
  if (typeof source.deadline === 'number') {
    throw new InvalidOptionError(
      'deadline',
      `Option \`deadline\` is not known, got ${describeValue(source.deadline)}. Set \`deadlineMs\`: milliseconds for the whole run.`,
    );
  }
  const given: Record<string, unknown> = {};
  for (const [name, check] of Object.entries(CHECKS)) {
    const value = source[name];
    // A null system prompt is a mistake (a missing file?) that would silently change what the model is told.
    if (value === undefined || (value === null && name !== 'systemPrompt')) continue;
    check(value, name);
    given[name] = value;
  }
  return given;
}

/** Whether `query()` knows an option of this name. */
export function isOptionName(name: string): boolean {
  return Object.hasOwn(CHECKS, name);
}

const isTools: Check = (value, path) => {
  if (Array.isArray(value)) return isListOf(isArgument)(value, path);
  const isPreset =
    typeof value === 'object' &&
    value !== null &&
    'type' in value &&
    value.type === 'preset' &&
    'preset' in value &&
    value.preset === 'claude_code';
  if (isPreset) return;
  throw invalidOption(
    path,
    "an array of tool names, or { type: 'preset', preset: 'claude_code' }",
    value,
  );
};

const isUuid: Check = (value, path) => {
  isText(value, path);
  if (value !== '' && !/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(value as string)) {
    throw invalidOption(path, 'a UUID', value, 'The CLI refuses to start with any other id.');
  }
};

const isSettings: Check = (value, path) => {
  if (typeof value === 'string') return isArgument(value, path);
  isRecord(value, path);
};

const isPlugin: Check = (value, path) => {
  isObjectWith({ type: isText, path: isArgument, skipMcpDiscovery: isFlag }, ['path'])(value, path);
  const { type } = value as { readonly type?: unknown };
  if (type !== 'local') {
    throw new InvalidOptionError(
      `${path}.type`,
      `Unsupported plugin type: ${typeof type === 'string' ? type : describeValue(type)}. Option \`${path}.type\` must be 'local'.`,
    );
  }
};

const isAbortController: Check = (value, path) => {
  const signal = (value as { readonly signal?: Partial<AbortSignal> | null }).signal;
  if (
    typeof signal?.aborted !== 'boolean' ||
    typeof signal.addEventListener !== 'function' ||
    typeof signal.removeEventListener !== 'function'
  ) {
    throw invalidOption(path, 'an AbortController', value);
  }
};

const isAgent = isObjectWith({ mcpServers: isListOf(() => {}) });

const isHookMatcher = isObjectWith(
  { matcher: isText, hooks: isListOf(isFunction), timeout: isAmount, onFailure: isText },
  ['hooks'],
);

const hasAppendAndLoad = hasMethods('append', 'load');
const OPTIONAL_STORE_METHODS = ['listSessions', 'listSessionSummaries', 'delete', 'listSubkeys'];

const isSessionStore: Check = (value, path) => {
  hasAppendAndLoad(value, path);
  for (const name of OPTIONAL_STORE_METHODS) {
    const method = (value as Readonly<Record<string, unknown>>)[name];
    if (method !== undefined && method !== null) isFunction(method, memberPath(path, name));
  }
};

/** One check per option: a new option does not compile without one. */
const CHECKS: { readonly [K in keyof Required<Options>]: Check } = {
  systemPrompt: isSystemPrompt,
  planModeInstructions: isText,
  title: isText,
  promptSuggestions: isFlag,
  verbatimPrompts: isFlag,

  tools: isTools,
  allowedTools: isListOf(isArgument),
  disallowedTools: isListOf(isArgument),
  toolAliases: isRecordOf(isText),
  toolConfig: isObjectWith({ askUserQuestion: isObjectWith({ previewFormat: isArgument }) }),
  skills: isSkills,
  permissionMode: isArgument,
  allowDangerouslySkipPermissions: isFlag,
  canUseTool: isFunction,
  permissionPromptToolName: isArgument,
  permissionPrompts: isArgument,

  model: isArgument,
  fallbackModel: isArgument,
  maxTurns: isCountLimit,
  maxBudgetUsd: isAmount,
  taskBudget: isObjectWith({ total: isCount }, ['total']),
  thinking: isObjectWith(
    {
      type: isOneOf('adaptive', 'enabled', 'disabled'),
      budgetTokens: isCount,
      display: isArgument,
    },
    ['type'],
  ),
  maxThinkingTokens: isCount,
  effort: isArgument,
  betas: isListOf(isArgument),
  outputFormat: isObjectWith({ type: isOneOf('json_schema'), schema: isRecord }, [
    'type',
    'schema',
  ]),
  includePartialMessages: isFlag,
  includeHookEvents: isFlag,
  forwardSubagentText: isFlag,
  agentProgressSummaries: isFlag,

  continue: isFlag,
  resume: isArgument,
  forkSession: isFlag,
  sessionId: isUuid,
  resumeSessionAt: isArgument,
  resumeDropsTurn: isArgument,
  persistSession: isFlag,
  enableFileCheckpointing: isFlag,
  sessionStore: isSessionStore,
  sessionStoreFlush: isOneOf('batched', 'eager'),
  loadTimeoutMs: isAmount,

  agent: isArgument,
  agents: isRecordOf(isAgent),
  plugins: isListOf(isPlugin),
  pluginDelivery: isOneOf('argv', 'initialize'),
  mcpServers: isRecordOf(isRecord),
  mcpServersDelivery: isOneOf('argv', 'initialize'),
  strictMcpConfig: isFlag,
  hooks: isRecordOf(isNullOr(isListOf(isHookMatcher))),
  onElicitation: isFunction,
  unhandledElicitation: isOneOf('decline', 'cancel'),
  onUserDialog: isFunction,
  supportedDialogKinds: isListOf(isText),
  perTaskStopAffordance: isFlag,

  settings: isSettings,
  sandbox: isRecord,
  managedSettings: isRecord,
  settingSources: isListOf(isArgument),

  cwd: isArgument,
  additionalDirectories: isListOf(isArgument),
  projectConfigRoot: isArgument,
  env: isRecord,
  executable: isArgument,
  executableArgs: isListOf(isArgument),
  pathToClaudeCodeExecutable: isArgument,
  extraArgs: isRecord,
  debug: isFlag,
  debugFile: isArgument,
  stderr: isFunction,
  abortController: isAbortController,
  spawnClaudeCodeProcess: isFunction,
  transport: hasMethods('write', 'readMessages', 'endInput', 'isReady', 'close'),

  initializeTimeoutMs: isAmount,
  controlTimeoutMs: isAmount,
  idleTimeoutMs: isAmount,
  deadlineMs: isAmount,
  exitGraceMs: isAmount,
  maxBufferBytes: isAmount,
  maxQueuedBytes: isAmount,
  maxSpooledBytes: isAmount,
  onHookError: isOneOf('report', 'deny'),
  onDiagnostic: isFunction,
  logger: hasMethods('trace', 'debug', 'info', 'warn', 'error'),
  incompleteStream: isOneOf('end', 'throw'),
};
