import { isClaudeSDKError } from '../../errors/claude-sdk-error.js';
import { describeValue } from '../../util/describe-value.js';
import { isJsonObject } from '../../util/json.js';
import { managedFolder } from '../../util/managed-folder.js';
import { AdapterConfigError, AdapterError } from '../errors/adapter-error.js';
import { missingExecutable, REINSTALL } from '../errors/missing-executable.js';
import { hasManagedServers } from '../isolation/managed-machine.js';
import { readProjectServers } from '../isolation/project-servers.js';
import { refuseBypassAsRoot } from '../isolation/refuse-bypass-as-root.js';
import { type Clock, systemClock } from '../limits/clock.js';
import type { AdapterLogger } from '../logging/log.js';
import { createLog } from '../logging/log.js';
import { createRedact, secretsOf } from '../logging/redact.js';
import { readFields } from '../options/read-fields.js';
import type { AgentRuntime, LoadRuntime } from '../runtime/agent-runtime.js';
import { loadRuntime } from '../runtime/load-runtime.js';
import type { AgentEvent } from './agent-event.js';
import { AgentRun } from './agent-run.js';
import type { AgentAdapter, AgentOptions } from './agent-types.js';
import { leavable, type Wakeup } from './merge-iterators.js';
import { CAPABILITIES, planPermissions } from './permission-plan.js';
import { childEnvironment } from './run-options.js';

/** Collaborators of the adapter. The defaults are right outside of tests. */
export interface ClaudeCodeAdapterOptions {
  /** For runs without a path of their own. @defaultValue the CLI that is found */
  readonly pathToClaudeCodeExecutable?: string | undefined;
  readonly logger?: AdapterLogger | undefined;
  /** @defaultValue the SDK of this package, loaded at the first call */
  readonly loadRuntime?: LoadRuntime | undefined;
  readonly clock?: Clock | undefined;
  /** @defaultValue `process.env`, read at each call */
  readonly hostEnv?: Readonly<Record<string, string | undefined>> | undefined;
  /** User id: root needs `IS_SANDBOX` to bypass permissions. @defaultValue the user id of the process */
  readonly uid?: number | undefined;
}

/**
 * Claude Code behind {@link AgentAdapter}, as a stream of events. It has no state, so any number of runs can go on at
 * once.
 *
 * Not to be confused with `ClaudeAgentAdapter`, which renders a prompt, runs it and returns one typed answer.
 *
 * @example
 * for await (const event of new ClaudeCodeAdapter().run('What is in this folder?')) {
 *   if (event.type === 'done') console.log(event.payload.status, event.payload.result);
 * }
 */
export class ClaudeCodeAdapter implements AgentAdapter {
  readonly agent = 'claude-code';
  readonly #options: ClaudeCodeAdapterOptions;
  readonly #clock: Clock;

  /** @throws AdapterConfigError an unknown option or an invalid value. */
  constructor(options: ClaudeCodeAdapterOptions = {}) {
    checkAdapterOptions(options);
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  async isAvailable(): Promise<boolean> {
    try {
      const { pathToClaudeCodeExecutable } = this.#options;
      const runtime = await this.#loadRuntime();
      const env = childEnvironment(this.#hostEnv);
      const { path: found } = await runtime.locateExecutable({ pathToClaudeCodeExecutable, env });
      return found !== undefined;
    } catch {
      return false;
    }
  }

  /**
   * @throws AdapterConfigError at the first `next()`: the prompt or an option is invalid, or bypass mode as root
   *   without `IS_SANDBOX`.
   * @throws AdapterError at the first `next()`: the SDK or the CLI is missing; the message says what to install.
   */
  run(prompt: string, options: AgentOptions = {}): AsyncGenerator<AgentEvent, void, void> {
    return leavable((wakeup) => this.#events(prompt, options, wakeup));
  }

  async *#events(prompt: string, options: AgentOptions, wakeup: Wakeup): AsyncGenerator<AgentEvent, void, void> {
    checkAgentOptions(prompt, options);
    const path = options.pathToClaudeCodeExecutable ?? this.#options.pathToClaudeCodeExecutable;
    const env = childEnvironment(this.#hostEnv, options.env);
    const plan = planPermissions(options.permissions, {
      hasHandler: options.onPermissionRequest !== undefined,
      toolCategories: options.toolCategories,
    });
    const redact = createRedact(secretsOf({ hostEnv: this.#hostEnv, env: options.env }));
    const allowed = await readProjectServers(options.cwd, options.projectMcpServers ?? []);
    const mcpServers = { ...allowed, ...options.mcpServers };
    const run = new AgentRun(
      {
        agent: this.agent,
        prompt,
        options: {
          ...options,
          pathToClaudeCodeExecutable: path,
          ...(Object.keys(allowed).length === 0 ? {} : { mcpServers }),
        },
        plan,
        env,
        hasManagedServers: await hasManagedServers(managedFolder(process.platform)),
        clock: this.#clock,
        log: createLog(this.#options.logger, 'claude_code', redact),
        redact: redact.text,
        prepare: async () => {
          refuseBypassAsRoot({
            permissionMode: plan.permissionMode,
            uid: this.#options.uid ?? process.getuid?.(),
            childEnv: env,
          });
          return this.#requireRuntime(path, env);
        },
      },
      wakeup,
    );
    yield* run.events();
  }

  get #hostEnv(): Readonly<Record<string, string | undefined>> {
    return this.#options.hostEnv ?? process.env;
  }

  async #loadRuntime(): Promise<AgentRuntime> {
    return (this.#options.loadRuntime ?? loadRuntime)();
  }

  async #requireRuntime(path: string | undefined, env: Readonly<Record<string, string>>): Promise<AgentRuntime> {
    let runtime: AgentRuntime;
    try {
      runtime = await this.#loadRuntime();
    } catch (cause) {
      throw cannotStart({ found: 'The SDK could not be loaded.', fix: REINSTALL, cause });
    }
    const { path: found, error: cause } = await runtime.locateExecutable({
      pathToClaudeCodeExecutable: path,
      env,
    });
    if (found !== undefined) return runtime;
    throw cannotStart({ ...missingExecutable(cause), cause });
  }
}

function cannotStart(why: { found: string; fix: string; cause: unknown }): AdapterError {
  const { found, fix: hint, cause } = why;
  const errorClass = isClaudeSDKError(cause) ? cause.errorClass : 'executable_not_found';
  return new AdapterError(`${found} ${hint}`, errorClass, {
    ...(cause === undefined ? {} : { cause }),
    hint,
    retryAdvice: { retry: 'after_change', retryAfterMs: null, action: hint },
  });
}

const LEVELS: readonly unknown[] = ['allow', 'ask', 'deny'];

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === 'string';
const isObject: Check = isJsonObject;
const isFunction: Check = (value) => typeof value === 'function';
const isBoolean: Check = (value) => typeof value === 'boolean';
const isEnv: Check = (value) =>
  isJsonObject(value) && Object.values(value).every((each) => each === undefined || isText(each));
const isTextList: Check = (value) => Array.isArray(value) && value.every(isText);

type Checks<T> = { readonly [F in keyof T]-?: readonly [Check, string] };

const hasMethods =
  (...names: readonly string[]): Check =>
  (value) =>
    isJsonObject(value) && names.every((name) => isFunction(value[name]));

const ADAPTER_CHECKS: Checks<ClaudeCodeAdapterOptions> = {
  pathToClaudeCodeExecutable: [isText, 'a string'],
  logger: [hasMethods('debug', 'info', 'warn', 'error'), 'a logger'],
  loadRuntime: [isFunction, 'a function'],
  clock: [hasMethods('now', 'monotonic', 'setTimer'), 'a clock'],
  hostEnv: [isEnv, 'an object of strings'],
  uid: [Number.isSafeInteger, 'a whole number'],
};

const CHECKS: Checks<AgentOptions> = {
  cwd: [isText, 'a string'],
  model: [isText, 'a string'],
  permissions: [isObject, 'an object such as { fileWrite: "allow" }'],
  maxTurns: [(value) => Number.isSafeInteger(value) && Number(value) > 0, 'a whole number above 0'],
  maxBudgetUsd: [(value) => Number.isFinite(value) && Number(value) > 0, 'a number above 0'],
  resume: [isText, 'a string: the resumeToken of an earlier run'],
  abortSignal: [(value) => value instanceof AbortSignal, 'an AbortSignal'],
  allowedTools: [isTextList, 'a list of strings'],
  disallowedTools: [isTextList, 'a list of strings'],
  onPermissionRequest: [isFunction, 'a function'],
  hooks: [isObject, 'an object'],
  mcpServers: [isObject, 'an object'],
  projectMcpServers: [isTextList, 'a list of names'],
  systemPrompt: [(value) => isText(value) || typeof value === 'object', 'a string or an object'],
  includePartialMessages: [isBoolean, 'true or false'],
  includeThinking: [isBoolean, 'true or false'],
  backgroundTasks: [(value) => value === 'wait' || value === 'stop', `'wait' or 'stop'`],
  interpretPrompts: [isBoolean, 'true or false'],
  toolCategories: [isObject, 'an object such as { Deploy: "shellExecute" }'],
  settingSources: [isTextList, 'a list of strings'],
  env: [isEnv, 'an object of strings'],
  pathToClaudeCodeExecutable: [isText, 'a string'],
};

function checkAdapterOptions(options: ClaudeCodeAdapterOptions): void {
  checkFields(options, ADAPTER_CHECKS);
}

/**
 * Refuses unknown fields and invalid values before anything starts: a misspelt limit must not be ignored.
 *
 * @throws AdapterConfigError
 */
function checkAgentOptions(prompt: unknown, options: AgentOptions): void {
  if (typeof prompt !== 'string' || prompt === '') refuse('prompt', 'a text', prompt);
  checkFields(options, CHECKS);
  readFields(options.permissions ?? {}, 'permissions', CAPABILITIES);
  for (const [name, level] of Object.entries(options.permissions ?? {})) {
    if (level !== undefined && !LEVELS.includes(level)) {
      refuse(`permissions.${name}`, `'allow', 'ask' or 'deny'`, level);
    }
  }
  for (const [tool, capability] of Object.entries(options.toolCategories ?? {})) {
    if (![...CAPABILITIES, 'none'].includes(capability)) {
      refuse(`toolCategories.${tool}`, `one of ${CAPABILITIES.join(', ')}, none`, capability);
    }
  }
}

function checkFields<T extends object>(options: T, checks: Checks<T>): void {
  readFields(options, 'options', Object.keys(checks));
  for (const [name, [isGood, expected]] of Object.entries<readonly [Check, string]>(checks)) {
    const value = options[name as keyof T];
    if (value !== undefined && !isGood(value)) refuse(name, expected, value);
  }
}

function refuse(name: string, expected: string, value: unknown): never {
  throw new AdapterConfigError(`\`${name}\` must be ${expected}; got ${describeValue(value)}`, [name]);
}
