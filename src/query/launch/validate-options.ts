import { HOOK_EVENTS } from '../../control/hook-types.js';
import { invalidArgument, requireOption } from '../../errors/usage-errors.js';
import { InvalidOptionError } from '../../errors.js';
import { isRelease } from '../../util/cli-versions.js';
import { describeValue } from '../../util/describe-value.js';
import { isAbortSignal } from '../../util/on-abort.js';
import {
  amount,
  argumentString,
  array,
  arrayOf,
  boolean,
  count,
  countOrInfinity,
  custom,
  func,
  hinted,
  nullOr,
  object,
  oneOf,
  problemOf,
  recordOf,
  shape,
  string,
  type Validator,
  withMethods,
} from '../../util/validate.js';
import type { Options } from '../options.js';

/** Options after the checks: `null` and `undefined` are left out, unknown names too. */
export type GivenOptions = { readonly [K in keyof Options]?: NonNullable<Options[K]> };

/**
 * Reads every known option once and checks its type. Strings of open sets (modes, efforts, sources, hook events) are
 * not checked: the CLI may know newer ones.
 * @throws InvalidOptionError a value of the wrong type, or a name that is likely a mistake.
 */
export function validateOptions(options: unknown): GivenOptions {
  if (options === undefined || options === null) return {};
  requireOption(object, options, 'options');
  const source = options as Readonly<Record<string, unknown>>;
  for (const [name, isMeant, cure] of WRONG_NAMES) {
    if (isMeant(source[name])) throw invalidArgument(name, `Option \`${name}\` is not known`, source[name], cure);
  }
  const given: Record<string, unknown> = {};
  for (const name of OPTION_NAMES) {
    const value = source[name];
    // A null system prompt is a mistake (a missing file?) that would silently change what the model is told.
    if (value === undefined || (value === null && name !== 'systemPrompt')) continue;
    requireOption(VALIDATORS[name], value, name);
    given[name] = value;
  }
  return given;
}

const SET_DEADLINE = 'Set `deadlineMs`: milliseconds for the whole run.';
/** Likely mistakes, with such values. Other unknown options may be those of a newer official SDK. */
const WRONG_NAMES = [
  ['deadline', Number.isFinite, SET_DEADLINE],
  ['timeoutMs', Number.isFinite, SET_DEADLINE],
  ['signal', isAbortSignal, 'Set `abortController` to the controller of the signal.'],
] as const;

/** Whether `query()` knows an option of this name. */
export function isOptionName(name: string): boolean {
  return Object.hasOwn(VALIDATORS, name);
}

const isPreset = shape({ type: oneOf('preset'), preset: oneOf('claude_code') }, ['type', 'preset']);

/** A list, or the one other value that the option takes. */
function listOr(item: Validator, expected: string, accepts: (value: unknown) => boolean): Validator {
  const [list, other] = [arrayOf(item), custom(expected, accepts)];
  return (value, path) => (Array.isArray(value) ? list : other)(value, path);
}

const tools = listOr(
  hinted(argumentString, 'Put tools of your own on a server of `mcpServers`: `createSdkMcpServer({ name, tools })`.'),
  "an array of tool names, or { type: 'preset', preset: 'claude_code' }",
  (value) => isPreset(value, '') === undefined,
);

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;
const uuid = custom(
  'a UUID',
  (value) => typeof value === 'string' && (value === '' || UUID.test(value)),
  'The CLI refuses to start with any other id.',
);

const settings: Validator = (value, path) => (typeof value === 'string' ? argumentString : object)(value, path);

const pluginFields = shape({ type: string, path: argumentString, skipMcpDiscovery: boolean }, ['path']);

const plugin: Validator = (value, path) => {
  const problem = pluginFields(value, path);
  if (problem !== undefined) return problem;
  const { type } = value as { readonly type?: unknown };
  if (type === 'local') return undefined;
  const name = typeof type === 'string' ? type : describeValue(type);
  const text = `Unsupported plugin type: ${name}. Option \`${path}.type\` must be 'local'`;
  return { ...problemOf(`${path}.type`, "'local'", type), text };
};

const abortController = custom('an AbortController', (value) =>
  isAbortSignal((value as { readonly signal?: unknown }).signal),
);

const agent = shape({ mcpServers: array });

const hookMatcher = shape({ matcher: string, hooks: arrayOf(func), timeout: amount, onFailure: string }, ['hooks']);

const hookMatchers = hinted(arrayOf(hookMatcher), "Write `[{ matcher: 'Bash', hooks: [fn] }]`.");

/** An event in the wrong case would be a guard that never runs. Other unknown names may be newer than we are. */
const hookEvent: Validator = (value, path) => {
  const event = HOOK_EVENTS.find((each) => `hooks.${each}`.toLowerCase() === path.toLowerCase());
  if (event === undefined || path === `hooks.${event}`) return hookMatchers(value, path);
  return { ...problemOf(path, event, value), text: `Option \`${path}\` would never run: write \`${event}\`` };
};

const sessionStore = withMethods(['append', 'load'], ['listSessions', 'listSessionSummaries', 'delete', 'listSubkeys']);

const promptText = listOr(string, 'a string or an array of strings', (value) => typeof value === 'string');

const customPrompt = shape({ prompt: promptText, snapshot: boolean }, ['prompt']);
const presetPrompt = shape(
  { preset: oneOf('claude_code'), append: string, excludeDynamicSections: boolean, snapshot: boolean },
  ['preset'],
);
const kind = oneOf('custom', 'preset');

/** An unknown kind would silently leave the caller's prompt out, so it is refused. */
const systemPrompt: Validator = (value, path) => {
  if (typeof value === 'string' || Array.isArray(value)) return promptText(value, path);
  const problem = object(value, path);
  if (problem !== undefined) return problem;
  const { type } = value as { readonly type?: unknown };
  return kind(type, `${path}.type`) ?? (type === 'custom' ? customPrompt : presetPrompt)(value, path);
};

/**
 * What a skill's name may not be, since `Skill(name)` joins a comma list of permission rules: a name with `),Bash(` in
 * it would allow Bash. The list is that of the Python SDK (PY-069).
 */
const UNUSABLE_NAME: readonly (readonly [pattern: RegExp, why: string])[] = [
  [/^\s*$/, 'is empty'],
  [/^\s|\s$/, 'starts or ends with white space'],
  [/[(),]/, 'contains a parenthesis or a comma'],
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
  [/[\u0000-\u001f\u007f-\u009f\ufeff]/, 'contains a control character'],
  [/\p{Surrogate}/u, 'contains half a surrogate pair'],
  [/^\*$|:\*$| \*$/, 'is a wildcard'],
  [/^\//, 'starts with a slash'],
  [/\\\\|\\$/, 'ends with a backslash or contains two in a row'],
];

const skillName: Validator = (value, path) => {
  if (typeof value !== 'string') return string(value, path);
  const unusable = UNUSABLE_NAME.find(([pattern]) => pattern.test(value));
  if (unusable === undefined) return undefined;
  const problem = problemOf(path, "a skill's name", value);
  return { ...problem, got: `${problem.got}, which ${unusable[1]}` };
};

const skills = listOr(skillName, "'all' or an array of names", (value) => value === 'all');

/** Goes into a header. */
const clientApp: Validator = (value, path) =>
  typeof value === 'string' && /^[\t\x20-\x7e\xa0-\xff]*$/.test(value)
    ? undefined
    : problemOf(path, 'text that a header can have', value);

/** One validator per option: a new option does not compile without one. */
const VALIDATORS: { readonly [K in keyof Required<Options>]: Validator } = {
  systemPrompt,
  planModeInstructions: string,
  title: string,
  promptSuggestions: boolean,
  verbatimPrompts: boolean,

  tools,
  allowedTools: arrayOf(argumentString),
  disallowedTools: arrayOf(argumentString),
  toolAliases: recordOf(string),
  toolConfig: shape({ askUserQuestion: shape({ previewFormat: argumentString }) }),
  skills,
  permissionMode: argumentString,
  allowDangerouslySkipPermissions: boolean,
  canUseTool: func,
  permissionPromptToolName: argumentString,
  permissionPrompts: argumentString,

  model: argumentString,
  fallbackModel: argumentString,
  maxTurns: countOrInfinity,
  maxBudgetUsd: amount,
  taskBudget: shape({ total: count }, ['total']),
  thinking: shape({ type: oneOf('adaptive', 'enabled', 'disabled'), budgetTokens: count, display: argumentString }, [
    'type',
  ]),
  maxThinkingTokens: count,
  effort: argumentString,
  betas: arrayOf(argumentString),
  outputFormat: shape({ type: oneOf('json_schema'), schema: object }, ['type', 'schema']),
  includePartialMessages: boolean,
  includeHookEvents: boolean,
  forwardSubagentText: boolean,
  agentProgressSummaries: boolean,

  continue: boolean,
  resume: argumentString,
  forkSession: boolean,
  sessionId: uuid,
  resumeSessionAt: argumentString,
  resumeDropsTurn: argumentString,
  persistSession: boolean,
  enableFileCheckpointing: boolean,
  sessionStore,
  sessionStoreFlush: oneOf('batched', 'eager'),
  loadTimeoutMs: amount,

  agent: argumentString,
  agents: recordOf(agent),
  plugins: arrayOf(plugin),
  pluginDelivery: oneOf('argv', 'initialize'),
  mcpServers: hinted(recordOf(object), 'Give each server a name: `mcpServers: { name: server }`.'),
  mcpServersDelivery: oneOf('argv', 'initialize'),
  strictMcpConfig: boolean,
  hooks: recordOf(nullOr(hookEvent)),
  onElicitation: func,
  unhandledElicitation: oneOf('decline', 'cancel'),
  onUserDialog: func,
  supportedDialogKinds: arrayOf(string),
  perTaskStopAffordance: boolean,

  settings,
  sandbox: object,
  managedSettings: object,
  settingSources: arrayOf(argumentString),

  cwd: argumentString,
  additionalDirectories: arrayOf(argumentString),
  projectConfigRoot: argumentString,
  clientApp,
  env: object,
  executable: argumentString,
  executableArgs: arrayOf(argumentString),
  pathToClaudeCodeExecutable: argumentString,
  claudeCodeVersion: custom('a release such as 2.1.330, or newest', (value) => value === 'newest' || isRelease(value)),
  extraArgs: object,
  debug: boolean,
  debugFile: argumentString,
  stderr: func,
  abortController,
  ownProcessGroup: boolean,
  spawnClaudeCodeProcess: func,
  transport: withMethods(['write', 'readMessages', 'endInput', 'isReady', 'close']),

  initializeTimeoutMs: amount,
  controlTimeoutMs: amount,
  idleTimeoutMs: amount,
  deadlineMs: amount,
  exitGraceMs: amount,
  maxBufferBytes: amount,
  maxQueuedBytes: amount,
  maxSpooledBytes: amount,
  onHookError: oneOf('report', 'deny'),
  onDiagnostic: func,
  logger: withMethods(['trace', 'debug', 'info', 'warn', 'error']),
  incompleteStream: oneOf('end', 'throw'),
};

/** Listed once: a list for each session would be garbage of 16 KB. */
const OPTION_NAMES = Object.keys(VALIDATORS) as (keyof Options)[];

interface Conflict {
  /** The option that the error names. Without it there is no conflict. */
  readonly option: keyof Options;
  readonly isIn: (o: GivenOptions) => boolean;
  readonly message: string;
  readonly hint?: string;
}

/** Options that contradict each other. Those of `sessionStore`: what cannot be kept in it, or taken from it. */
const CONFLICTS: readonly Conflict[] = [
  {
    option: 'fallbackModel',
    isIn: (o) => Boolean(o.fallbackModel) && o.fallbackModel === o.model,
    message: 'Fallback model cannot be the same as the main model: give `fallbackModel` another one than `model`.',
  },
  {
    option: 'permissionPromptToolName',
    isIn: (o) => o.canUseTool !== undefined && Boolean(o.permissionPromptToolName),
    message: 'canUseTool callback cannot be used with permissionPromptToolName: use one or the other.',
  },
  {
    option: 'supportedDialogKinds',
    isIn: (o) => Boolean(o.supportedDialogKinds?.length) && o.onUserDialog === undefined,
    message: 'supportedDialogKinds needs the onUserDialog callback: without it those dialogs cannot be shown.',
  },
  {
    option: 'transport',
    isIn: (o) => o.spawnClaudeCodeProcess !== undefined,
    message: 'transport cannot be used with spawnClaudeCodeProcess: nothing is started when there is a transport.',
  },
  {
    option: 'ownProcessGroup',
    isIn: (o) => o.ownProcessGroup === true && (o.spawnClaudeCodeProcess ?? o.transport) !== undefined,
    message:
      'ownProcessGroup cannot be used with spawnClaudeCodeProcess or transport: only a process that the SDK starts gets a group.',
    hint: 'In `spawnClaudeCodeProcess`, give `detached: true` to `spawn()`.',
  },
  {
    option: 'sessionStore',
    isIn: (o) => o.persistSession === false,
    message: 'sessionStore cannot be used with persistSession: false: the CLI mirrors what it wrote to its own files.',
    hint: 'For no lasting local copy, set CLAUDE_CONFIG_DIR in `env` to a new private folder and remove it after the run.',
  },
  {
    option: 'sessionStore',
    isIn: (o) => o.enableFileCheckpointing === true,
    message:
      'enableFileCheckpointing is not yet supported with sessionStore: the copies of files are not mirrored, so `rewindFiles()` would fail after a resume.',
  },
  {
    option: 'continue',
    isIn: ({ sessionStore, resume, transport, ...o }) =>
      sessionStore !== undefined && !sessionStore.listSessions && o.continue === true && !resume && !transport,
    message:
      'Options.continue with sessionStore requires store.listSessions to be implemented: nothing else tells which session is the newest.',
    hint: 'Implement `listSessions`, or give the id of the session as `resume`.',
  },
];

/** @throws InvalidOptionError the first contradiction. */
export function assertNoConflicts(o: GivenOptions): void {
  const conflict = CONFLICTS.find(({ option, isIn }) => o[option] !== undefined && isIn(o));
  if (conflict !== undefined) throw new InvalidOptionError(conflict.option, conflict.message, conflict);
}
