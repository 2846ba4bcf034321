import type { SDKSystemMessage } from '../../index.js';
import { fieldsOf } from '../../parser/read-message.js';
import { knownHome } from '../../util/host-places.js';
import { managedFolder } from '../../util/managed-folder.js';
import { anything, arrayOf, custom, func, nonBlankString, nullOr, type Validator } from '../../util/validate.js';
import { warnOnce } from '../../util/warn-once.js';
import { UnsupportedParameterError } from '../errors/adapter-error.js';
import { covers, ruleName } from '../hooks/pre-tool-use.js';
import { probeOnce, type SandboxProbe } from '../isolation/sandbox-probe.js';
import { type Clock, systemClock } from '../limits/clock.js';
import { type AdapterLogger, DEFAULT_LABEL, type Log } from '../logging/log.js';
import { checkFields, frozen, havingMethods } from '../options/read-fields.js';
import { namesOfTool } from '../options/tool-names.js';
import type { LoadRuntime } from '../runtime/agent-runtime.js';
import { loadRuntime } from '../runtime/load-runtime.js';
import { type Session, ToolPermissions } from '../state/index.js';
import { type ClaudeAgentClientConfig, type ResolvedClientConfig, resolveClientConfig } from './client-config.js';

// The defaults of the Python adapter (AD-091), so that the same prompt gives the same requests and logs in both.
export const DEFAULT_MODEL = 'claude-sonnet-4-5-20250929';
const DEFAULT_BRIDGE_NAME = 'wink';

export interface ClaudeAgentAdapterOptions {
  /** `null`: the CLI's own. @defaultValue `'claude-sonnet-4-5-20250929'` */
  readonly model?: string | null | undefined;
  readonly clientConfig?: ClaudeAgentClientConfig | undefined;
  readonly modelConfig?: ClaudeAgentModelConfig | undefined;
  /**
   * The tools that exist, and run without being asked about: built-in names, with rules such as `Bash(git:*)` when only
   * some calls are. A rule says what is approved, so in bypass mode, which approves everything, it limits nothing: a
   * warning is logged then, and for names that the CLI does not have. The tools of the prompt are always among them.
   * @defaultValue all, none approved by this list
   */
  readonly allowedTools?: readonly string[] | null | undefined;
  /** Tools that never run. @defaultValue `[]` */
  readonly disallowedTools?: readonly string[] | undefined;
  /** The label in events and logs. @defaultValue `'claude_agent_sdk'` */
  readonly adapterName?: string | undefined;
  /**
   * Name of the MCP server that the prompt's tools are on: the model sees `mcp__<bridgeName>__<tool>`. Letters, digits,
   * `-` and single `_`. @defaultValue `'wink'`
   */
  readonly bridgeName?: string | undefined;
  /** @defaultValue none: nothing is logged */
  readonly logger?: AdapterLogger | undefined;
  /** The SDK below. @defaultValue this package's, loaded at the first evaluation */
  readonly loadRuntime?: LoadRuntime | undefined;
  /** @defaultValue the machine's time */
  readonly clock?: Clock | undefined;
  /** The host's variables. @defaultValue `process.env`, read at each evaluation */
  readonly hostEnv?: Readonly<Record<string, string | undefined>> | undefined;
  /** The host's home directory. @defaultValue that of this user */
  readonly hostHome?: string | undefined;
  /** @defaultValue this machine's */
  readonly platform?: string | undefined;
  /** The user who starts the CLI; `undefined` on platforms without user ids. @defaultValue this process's */
  readonly uid?: number | undefined;
  /** Says whether a sandbox can be started. @defaultValue starts one, once for each `PATH` */
  readonly sandboxProbe?: SandboxProbe | undefined;
  /** Where temporary directories are made. @defaultValue the system's */
  readonly tempRoot?: string | undefined;
  /**
   * Folder of the administrator's files (`managed-settings.json`, `managed-mcp.json`, `CLAUDE.md`) as the CLI sees it:
   * isolated runs look there before they start. @defaultValue the platform's, such as `/etc/claude-code`
   */
  readonly managedFolder?: string | undefined;
}

/** The machine, read when needed. */
export interface Host {
  readonly hostEnv: Readonly<Record<string, string | undefined>>;
  readonly hostHome: string;
  readonly platform: string;
  readonly uid: number | undefined;
  readonly tempRoot: string | undefined;
  readonly managedFolder: string;
  /**
   * The CLI: the one that is named, else what `CLAUDE_CODE_EXECUTABLE` names on the host. The SDK looks for that
   * variable in the child's environment, and an isolated child does not have it.
   */
  readonly executable: string | undefined;
}

/** The options of an adapter, checked. Holds nothing of a run. */
export interface AdapterConfig {
  /** `undefined`: the CLI's own. */
  readonly model: string | undefined;
  /** The caller named none, and did not ask for the CLI's own. */
  readonly isDefaultModel: boolean;
  readonly ignoredParameters: readonly string[];
  readonly client: ResolvedClientConfig;
  /** `undefined`: all. */
  readonly allowedTools: readonly string[] | undefined;
  readonly disallowedTools: readonly string[];
  readonly adapterName: string;
  readonly bridgeName: string;
  readonly logger: AdapterLogger | undefined;
  readonly loadRuntime: LoadRuntime;
  readonly clock: Clock;
  /** Asks once for each `PATH`. */
  readonly sandboxProbe: SandboxProbe;
  readonly host: () => Host;
}

const modelName = custom('the name of a model', (value) => typeof value === 'string' && value.trim() !== '');

const finite = custom('a number', Number.isFinite);

/** The CLI puts the name between `__`, so the name itself must not contain that. */
const bridgeName = custom(
  'made of letters, digits, `-` and single `_` inside',
  (value) => typeof value === 'string' && /^[A-Za-z0-9-]+(?:_[A-Za-z0-9-]+)*$/.test(value),
);

/** Lists of tools go to the CLI separated by commas. */
const toolRule = custom(
  'the name of a tool, such as `Read` or `Bash(git:*)`',
  (value) => typeof value === 'string' && /^[A-Za-z_]/.test(value) && !/[\0\n]/.test(value),
);

const toolRules = nullOr(arrayOf(toolRule));

function objectWith(...methods: readonly string[]): Validator {
  return havingMethods(`an object with the methods ${methods.join(', ')}`, ...methods);
}

const VALIDATORS: Readonly<Record<keyof ClaudeAgentAdapterOptions, Validator>> = {
  model: nullOr(modelName),
  clientConfig: anything,
  modelConfig: anything,
  allowedTools: toolRules,
  disallowedTools: toolRules,
  adapterName: nonBlankString,
  bridgeName,
  logger: objectWith('debug', 'info', 'warn', 'error'),
  loadRuntime: func,
  clock: objectWith('now', 'monotonic', 'setTimer'),
  hostEnv: anything,
  hostHome: nonBlankString,
  platform: nonBlankString,
  uid: anything,
  sandboxProbe: func,
  tempRoot: nonBlankString,
  managedFolder: nonBlankString,
};

/**
 * Checks the options of an adapter. Touches nothing.
 * @throws {@link AdapterConfigError} naming the field. {@link UnsupportedParameterError}
 */
export function resolveAdapterConfig(options: ClaudeAgentAdapterOptions): AdapterConfig {
  checkFields(options, 'options', VALIDATORS);
  const platform = options.platform ?? process.platform;
  const { model, ignored } = resolveModelConfig(options.modelConfig);
  const { allowedTools } = options;
  const client = resolveClientConfig(options.clientConfig ?? {}, platform);
  return {
    model: model ?? (options.model === undefined ? DEFAULT_MODEL : (options.model ?? undefined)),
    isDefaultModel: model === undefined && options.model === undefined,
    ignoredParameters: ignored,
    client,
    allowedTools: allowedTools ? frozen(allowedTools) : undefined,
    disallowedTools: frozen(options.disallowedTools),
    adapterName: options.adapterName ?? DEFAULT_LABEL,
    bridgeName: options.bridgeName ?? DEFAULT_BRIDGE_NAME,
    logger: options.logger,
    loadRuntime: options.loadRuntime ?? loadRuntime,
    clock: options.clock ?? systemClock,
    sandboxProbe: probeOnce(options.sandboxProbe),
    host: () => {
      const { hostEnv = process.env, tempRoot } = options;
      return {
        hostEnv,
        hostHome: options.hostHome ?? knownHome() ?? '/nonexistent',
        platform,
        uid: 'uid' in options ? options.uid : process.getuid?.(),
        tempRoot,
        managedFolder: options.managedFolder ?? managedFolder(platform),
        executable: client.pathToClaudeCodeExecutable ?? (hostEnv.CLAUDE_CODE_EXECUTABLE || undefined),
      };
    },
  };
}

/** Parameters of the model, under the names that other providers have for them. */
export interface ClaudeAgentModelConfig {
  /** Wins over the adapter's `model`. */
  readonly model?: string | undefined;
  /** Accepted and not sent: the CLI has no counterpart. A warning is logged once. */
  readonly temperature?: number | undefined;
  /** As `temperature`. */
  readonly maxTokens?: number | undefined;
  /** As `temperature`. */
  readonly topP?: number | undefined;
  /** Refused: the result would differ without it. */
  readonly presencePenalty?: number | undefined;
  /** Refused. */
  readonly frequencyPenalty?: number | undefined;
  /** Refused. */
  readonly stop?: string | readonly string[] | undefined;
  /** Refused. */
  readonly seed?: number | undefined;
}

const IGNORED = ['temperature', 'maxTokens', 'topP'] as const;
const REFUSED = ['frequencyPenalty', 'presencePenalty', 'seed', 'stop'] as const;
const MODEL_VALIDATORS: Readonly<Record<keyof ClaudeAgentModelConfig, Validator>> = {
  ...{ model: modelName, temperature: finite, maxTokens: finite, topP: finite },
  ...{ frequencyPenalty: anything, presencePenalty: anything, seed: anything, stop: anything },
};

/**
 * @returns `ignored`: names of parameters that were given and have no effect.
 * @throws {@link UnsupportedParameterError} naming every parameter that cannot be honoured.
 * @throws {@link AdapterConfigError} a field that does not exist, or is of the wrong type.
 */
function resolveModelConfig(config: ClaudeAgentModelConfig = {}) {
  checkFields(config, 'modelConfig', MODEL_VALIDATORS);
  const refused = REFUSED.filter((name) => config[name] !== undefined);
  if (refused.length > 0) throw new UnsupportedParameterError(refused);
  return { model: config.model, ignored: IGNORED.filter((name) => config[name] !== undefined) };
}

const BYPASS_BY_DEFAULT =
  'Every tool call is approved on this machine: `permissionMode` was left out, which means `bypassPermissions`, and there is no `isolation`.';
const BYPASS_CURE =
  "Set `clientConfig.permissionMode` ('default' denies what nobody allowed; 'bypassPermissions' says that it is meant), or `clientConfig.isolation`.";

/** The warning in the report when the caller chose no permission mode. */
export function defaultModeWarnings({ client }: AdapterConfig): readonly string[] {
  const isSilent = client.isModeChosen || client.isolation !== undefined;
  return isSilent ? [] : [`${BYPASS_BY_DEFAULT} ${BYPASS_CURE}`];
}

/** Warns the process, once, and the logger. */
export function warnOfDefaultMode(config: AdapterConfig, log: Log): void {
  const [message] = defaultModeWarnings(config);
  if (message === undefined) return;
  warnOnce({ message, code: 'CLAUDE_SDK_BYPASS_BY_DEFAULT' });
  log.warn('config.bypass_by_default', { hint: BYPASS_CURE });
}

/** Rules that limit nothing, since the mode approves every call. */
export function rulesWithoutEffect({ allowedTools, client }: AdapterConfig): readonly string[] {
  if (client.permissionMode !== 'bypassPermissions') return [];
  return (allowedTools ?? []).filter((rule) => ruleName(rule) !== rule.trim());
}

/**
 * Warns of names of built-in tools that the CLI does not have: a misspelt one allows or blocks nothing.
 * @param init - The CLI's first message, with the tools there are.
 */
export function warnOfUnknownTools(
  init: SDKSystemMessage,
  { allowedTools, disallowedTools, bridgeName }: AdapterConfig,
  session: Session,
  log: Log,
): void {
  const { tools: offered } = fieldsOf(init);
  if (!Array.isArray(offered)) return;
  const prefix = `mcp__${bridgeName}__`;
  const names = offered.filter((name): name is string => typeof name === 'string');
  const known = new Set(
    // A disallowed tool is not offered, and naming it is correct.
    [...names, ...disallowedTools.map(ruleName)].flatMap((name) => [
      ...namesOfTool(name),
      // A tool of the prompt also answers to the name it was defined with.
      ...(name.startsWith(prefix) ? [name.slice(prefix.length)] : []),
    ]),
  );
  const isUnknown = (rule: string): boolean => {
    const name = ruleName(rule);
    return name !== '*' && !/^mcp__./s.test(name) && !known.has(name);
  };
  const blocked = session.query(ToolPermissions).latest()?.blocked ?? [];
  const lists = {
    allowedTools: allowedTools ?? [],
    blocked: blocked.filter((entry) => typeof entry === 'string' && !covers(entry, [...known])),
  };
  for (const [list, rules] of Object.entries(lists)) {
    const unknown = rules.filter(isUnknown);
    if (unknown.length > 0) log.warn('config.unknown_tool', { list, names: unknown });
  }
}
