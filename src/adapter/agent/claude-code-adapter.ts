import { isClaudeSDKError } from '../../errors/claude-sdk-error.js';
import { managedFolder } from '../../util/managed-folder.js';
import {
  arrayOf,
  boolean,
  custom,
  func,
  integerFrom,
  nonEmptyString,
  object,
  oneOf,
  positive,
  problemOf,
  recordOf,
  secretString,
  string,
  type Validator,
} from '../../util/validate.js';
import { AdapterError } from '../errors/adapter-error.js';
import { missingExecutable, REINSTALL } from '../errors/missing-executable.js';
import { readProjectServers } from '../isolation/project-servers.js';
import { hasManagedServers, refuseBypassAsRoot } from '../isolation/start-checks.js';
import { type Clock, systemClock } from '../limits/clock.js';
import { type AdapterLogger, createLog } from '../logging/log.js';
import { createRedact, secretsOf } from '../logging/redact.js';
import { checkFields, checkValue, havingMethods, readFields } from '../options/read-fields.js';
import type { AgentRuntime, LoadRuntime } from '../runtime/agent-runtime.js';
import { loadRuntime } from '../runtime/load-runtime.js';
import type { AgentEvent } from './agent-event.js';
import { AgentRun } from './agent-run.js';
import type { AgentAdapter, AgentOptions } from './agent-types.js';
import { leavable, type Wakeup } from './merge-iterators.js';
import { CAPABILITIES, isToolKey, type PermissionPolicy, planPermissions } from './permission-plan.js';
import { childEnvironment } from './runtime-options.js';

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
 * once. Not to be confused with `ClaudeAgentAdapter`, which renders a prompt, runs it and returns one typed answer.
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
    checkOptions(options, ADAPTER_OPTIONS);
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
    checkRun(prompt, options);
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
    const { path: found, error: cause } = await runtime.locateExecutable({ pathToClaudeCodeExecutable: path, env });
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

type Validators<T> = { readonly [Field in keyof T]-?: Validator };

/** The problem shows no values, which may be secrets. */
const environment = recordOf((value, path) => (value === undefined ? undefined : secretString(value, path)));

const ADAPTER_OPTIONS: Validators<ClaudeCodeAdapterOptions> = {
  pathToClaudeCodeExecutable: string,
  logger: havingMethods('a logger', 'debug', 'info', 'warn', 'error'),
  loadRuntime: func,
  clock: havingMethods('a clock', 'now', 'monotonic', 'setTimer'),
  hostEnv: environment,
  uid: custom('a whole number', Number.isSafeInteger),
};

const CATEGORIES = recordOf(oneOf(...CAPABILITIES, 'none'));

const KEY_HINT =
  'Name a tool without a rule (`Bash`, `mcp__server__tool`), or all tools of a server (`mcp__server__*`); no other pattern works.';

function toolKeys(value: object, path: string): ReturnType<Validator> {
  const key = Object.keys(value).find((each) => !isToolKey(each));
  return key === undefined ? undefined : problemOf(path, 'an object with names of tools as keys', key, KEY_HINT);
}

const RUN_OPTIONS: Validators<AgentOptions> = {
  cwd: string,
  model: string,
  permissions: object,
  maxTurns: integerFrom(1),
  maxBudgetUsd: positive,
  resume: string,
  abortSignal: custom('an AbortSignal', (value) => value instanceof AbortSignal),
  allowedTools: arrayOf(string),
  disallowedTools: arrayOf(string),
  onPermissionRequest: func,
  hooks: object,
  mcpServers: object,
  projectMcpServers: arrayOf(string),
  systemPrompt: custom('a string or an object', (value) => typeof value === 'string' || typeof value === 'object'),
  includePartialMessages: boolean,
  includeThinking: boolean,
  backgroundTasks: oneOf('wait', 'stop'),
  interpretPrompts: boolean,
  toolCategories: (value, path) => CATEGORIES(value, path) ?? toolKeys(value as object, path),
  settingSources: arrayOf(string),
  env: environment,
  pathToClaudeCodeExecutable: string,
};

const LEVEL = oneOf('allow', 'ask', 'deny');
const POLICY: Validators<PermissionPolicy> = { fileWrite: LEVEL, shellExecute: LEVEL, networkAccess: LEVEL };

/**
 * Refuses unknown fields and invalid values before anything starts: a misspelt limit must not be ignored.
 * @throws AdapterConfigError
 */
function checkRun(prompt: unknown, options: AgentOptions): void {
  checkValue(prompt, 'prompt', nonEmptyString);
  checkOptions(options, RUN_OPTIONS);
  checkFields(options.permissions ?? {}, 'permissions', POLICY);
}

function checkOptions<T extends object>(options: T, validators: Validators<T>): void {
  readFields(options, 'options', Object.keys(validators));
  for (const [name, validator] of Object.entries<Validator>(validators)) {
    const value = options[name as keyof T];
    if (value !== undefined) checkValue(value, name, validator);
  }
}
