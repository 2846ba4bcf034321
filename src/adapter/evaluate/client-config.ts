import type { Options, PermissionMode, SettingSource } from '../../index.js';
import { isJsonObject, omitUndefined } from '../../util/json.js';
import {
  anything,
  arrayOf,
  boolean,
  custom,
  func,
  integerFrom,
  nonEmptyArgument,
  nullOr,
  object,
  oneOf,
  positive,
  problemOf,
  recordOf,
  type Validator,
} from '../../util/validate.js';
import { AdapterConfigError } from '../errors/adapter-error.js';
import type { ContextProvider, HookTimeouts } from '../hooks/hook-run.js';
import { type IsolationConfig, type ResolvedIsolation, resolveIsolation } from '../isolation/isolation-config.js';
import { checkFields, frozen } from '../options/read-fields.js';

/** How the CLI runs. Every field may be left out. */
export interface ClaudeAgentClientConfig {
  /**
   * `default` asks, which is a denial here; `acceptEdits` approves edits; `plan` changes nothing; `bypassPermissions`
   * approves everything, and as uid 0 needs `IS_SANDBOX` in the child's environment. Other names are passed on.
   * @defaultValue `'bypassPermissions'`
   */
  readonly permissionMode?: PermissionMode | (string & {}) | undefined;
  /** The child's working directory. @defaultValue the workspace's copy when the session has one, else the host's */
  readonly cwd?: string | undefined;
  /** Further directories that tools may use. @defaultValue `[]` */
  readonly addDirs?: readonly string[] | undefined;
  /** Over the host's variables. Not with `isolation`, which has its own `env`. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /**
   * Settings files that the CLI loads. `project` and `local` allow what those files start, whatever is denied: hooks,
   * helpers such as `apiKeyHelper`, plugins, programs in skills. Empty under isolation. @defaultValue `[]`
   */
  readonly settingSources?: readonly SettingSource[] | undefined;
  /**
   * Names of servers of the project's `.mcp.json` (in the working directory) that may start. With `settingSources` the
   * CLI starts all of them where nothing is denied (bypass mode, no `disallowedTools`, no session policy), else these.
   * Empty under isolation. @defaultValue `[]`
   */
  readonly projectMcpServers?: readonly string[] | undefined;
  /**
   * Sandbox settings, sent as they are. They name no domains, so in bypass mode they do not limit the network, and they
   * do not fail where there is no sandbox: `isolation` does both. Not with `isolation`.
   */
  readonly sandbox?: ClientSandbox | undefined;
  /** Limits what tools may reach, read and write. See docs/adapter/isolation.md. */
  readonly isolation?: IsolationConfig | undefined;
  /** Turns of the model. @defaultValue no limit */
  readonly maxTurns?: number | undefined;
  /** US dollars. @defaultValue no limit */
  readonly maxBudgetUsd?: number | undefined;
  /** Asks for stream events; they go to `onMessage`. @defaultValue `false` */
  readonly includePartialMessages?: boolean | undefined;
  /** Keeps the CLI's stderr to itself; the end of it is in errors either way. @defaultValue `true` */
  readonly suppressStderr?: boolean | undefined;
  /** Takes the CLI's stderr, chunk by chunk, when `suppressStderr` is false. @defaultValue the host's stderr */
  readonly stderr?: ((text: string) => void) | undefined;
  /** Ends the turn when the model has given its structured output. @defaultValue `true` */
  readonly stopOnStructuredOutput?: boolean | undefined;
  /** Seconds that hooks may take. @defaultValue 30, 30, 10, 10 */
  readonly hookTimeouts?: Partial<HookTimeouts> | undefined;
  /** `'open'`: a hook of the adapter that fails unexpectedly denies nothing. @defaultValue it denies */
  readonly hookFailureMode?: 'open' | undefined;
  /** Where the rendered prompt goes: the first user message, or the system prompt. @defaultValue `'user'` */
  readonly promptPlacement?: 'user' | 'system' | undefined;
  /**
   * Lets the CLI interpret texts: a leading `/` as a command, `@path` as a file, `@server:uri` as a resource. It also
   * adds its own notes, such as the list of skills. Only for texts that you trust. @defaultValue `false`: texts are
   * sent verbatim
   */
  readonly interpretPrompts?: boolean | undefined;
  /**
   * What file tools may do outside of the working directories. @defaultValue `'deny'` under isolation, else `'allow'`
   */
  readonly outsideWorkspacePaths?: 'allow' | 'deny' | undefined;
  /** Milliseconds that a run may go on after its deadline before it is stopped. @defaultValue 30 000 */
  readonly deadlineGraceMs?: number | undefined;
  /** `'warn'`: an output that does not fit is logged, and `null`. @defaultValue `'throw'` */
  readonly outputValidation?: 'throw' | 'warn' | undefined;
  /** Lines for the model before each prompt. @defaultValue `[]` */
  readonly contextProviders?: readonly ContextProvider[] | undefined;
  /** The CLI. @defaultValue `CLAUDE_CODE_EXECUTABLE` of the host, else looked for, as `query()` does */
  readonly pathToClaudeCodeExecutable?: string | undefined;
  /** Starts the CLI in another way, such as in a container. As the option of `query()`. */
  readonly spawnClaudeCodeProcess?: Options['spawnClaudeCodeProcess'] | undefined;
}

/** Some of the CLI's own sandbox settings. */
export interface ClientSandbox {
  readonly enabled?: boolean | undefined;
  readonly autoAllowBashIfSandboxed?: boolean | undefined;
  readonly excludedCommands?: readonly string[] | undefined;
  readonly allowUnsandboxedCommands?: boolean | undefined;
  /** These act on macOS only. */
  readonly network?:
    | { readonly allowLocalBinding?: boolean | undefined; readonly allowUnixSockets?: readonly string[] | undefined }
    | undefined;
}

/** Validated, with all run-independent defaults filled in. */
export type ResolvedClientConfig = {
  readonly [Field in DefaultedField]: NonNullable<ClaudeAgentClientConfig[Field]>;
} & Omit<ClaudeAgentClientConfig, DefaultedField | 'hookTimeouts' | 'isolation'> & {
    readonly hookTimeouts: HookTimeouts;
    readonly isolation: ResolvedIsolation | undefined;
    /** The caller named the permission mode. */
    readonly isModeChosen: boolean;
  };

type DefaultedField =
  | 'permissionMode'
  | 'addDirs'
  | 'settingSources'
  | 'projectMcpServers'
  | 'includePartialMessages'
  | 'suppressStderr'
  | 'stopOnStructuredOutput'
  | 'promptPlacement'
  | 'interpretPrompts'
  | 'outsideWorkspacePaths'
  | 'deadlineGraceMs'
  | 'outputValidation'
  | 'contextProviders';

const TIMEOUTS: HookTimeouts = { preToolUse: 30, postToolUse: 30, userPromptSubmit: 10, stop: 10 };
const DEADLINE_GRACE_MS = 30_000;

const milliseconds = custom('a number of milliseconds, 0 or more', (value) => typeof value === 'number' && value >= 0);
const seconds = custom('a positive number of seconds', (value) => Number.isFinite(value) && Number(value) > 0);
const flag = nullOr(boolean);
const listOfArguments = nullOr(arrayOf(nonEmptyArgument));

/** A value may be a secret: the problem names only its type. */
const variable: Validator = (value, path) =>
  value === undefined || typeof value === 'string'
    ? undefined
    : { path, expected: 'a string', got: value === null ? 'null' : typeof value };

const variables = recordOf(variable);
const environment: Validator = (value, path) =>
  isJsonObject(value) ? variables(value, path) : problemOf(path, 'an object of strings', value);

const VALIDATORS: Readonly<Record<keyof ClaudeAgentClientConfig, Validator>> = {
  permissionMode: nonEmptyArgument,
  cwd: nonEmptyArgument,
  addDirs: listOfArguments,
  env: environment,
  settingSources: listOfArguments,
  sandbox: object,
  isolation: anything,
  maxTurns: integerFrom(1),
  maxBudgetUsd: positive,
  includePartialMessages: flag,
  suppressStderr: flag,
  stderr: func,
  stopOnStructuredOutput: flag,
  hookTimeouts: anything,
  hookFailureMode: oneOf('open'),
  promptPlacement: oneOf('user', 'system'),
  interpretPrompts: flag,
  outsideWorkspacePaths: oneOf('allow', 'deny'),
  deadlineGraceMs: milliseconds,
  outputValidation: oneOf('throw', 'warn'),
  contextProviders: nullOr(arrayOf(func)),
  projectMcpServers: listOfArguments,
  pathToClaudeCodeExecutable: nonEmptyArgument,
  spawnClaudeCodeProcess: func,
};

/** Checks a configuration. Pure. @throws {@link AdapterConfigError} naming the field. */
export function resolveClientConfig(config: ClaudeAgentClientConfig, platform: string): ResolvedClientConfig {
  checkFields(config, 'clientConfig', VALIDATORS);
  refusePairs(config);
  const { isolation } = config;
  return {
    ...config,
    isolation: isolation && resolveIsolation(isolation, platform, 'clientConfig.isolation'),
    permissionMode: config.permissionMode ?? 'bypassPermissions',
    isModeChosen: config.permissionMode !== undefined,
    addDirs: frozen(config.addDirs),
    settingSources: frozen(config.settingSources),
    projectMcpServers: frozen(config.projectMcpServers),
    includePartialMessages: config.includePartialMessages ?? false,
    suppressStderr: config.suppressStderr ?? true,
    stopOnStructuredOutput: config.stopOnStructuredOutput ?? true,
    hookTimeouts: resolveTimeouts(config.hookTimeouts),
    promptPlacement: config.promptPlacement ?? 'user',
    interpretPrompts: config.interpretPrompts ?? false,
    outsideWorkspacePaths: config.outsideWorkspacePaths ?? (isolation === undefined ? 'allow' : 'deny'),
    deadlineGraceMs: config.deadlineGraceMs ?? DEADLINE_GRACE_MS,
    outputValidation: config.outputValidation ?? 'throw',
    contextProviders: frozen(config.contextProviders),
  };
}

function refusePairs(config: ClaudeAgentClientConfig): void {
  const { isolation, sandbox, env, settingSources, projectMcpServers } = config;
  if (isolation === undefined) return;
  const pairs = [
    ['sandbox', sandbox !== undefined, 'Use `isolation.sandbox`.'],
    ['env', env !== undefined, 'Use `isolation.env`.'],
    ['settingSources', (settingSources?.length ?? 0) > 0, 'An isolated run loads no settings files.'],
    [
      'projectMcpServers',
      (projectMcpServers?.length ?? 0) > 0,
      'An isolated run starts no servers: they would run outside of the sandbox.',
    ],
  ] as const;
  for (const [name, isGiven, hint] of pairs) {
    if (!isGiven) continue;
    throw new AdapterConfigError(
      `\`clientConfig.isolation\` cannot be combined with \`clientConfig.${name}\``,
      ['clientConfig.isolation', `clientConfig.${name}`],
      { hint },
    );
  }
}

function resolveTimeouts(timeouts: Partial<HookTimeouts> = {}): HookTimeouts {
  const names = Object.keys(TIMEOUTS);
  checkFields(timeouts, 'clientConfig.hookTimeouts', Object.fromEntries(names.map((name) => [name, seconds])));
  return { ...TIMEOUTS, ...omitUndefined(timeouts) };
}
