import { isClaudeSDKError } from '../../errors/claude-sdk-error.js';
import { managedFolder } from '../../util/managed-folder.js';
import { AdapterError } from '../errors/adapter-error.js';
import { missingExecutable, REINSTALL } from '../errors/missing-executable.js';
import { hasManagedServers } from '../isolation/managed-machine.js';
import { readProjectServers } from '../isolation/project-servers.js';
import { refuseBypassAsRoot } from '../isolation/refuse-bypass-as-root.js';
import { type Clock, systemClock } from '../limits/clock.js';
import type { AdapterLogger } from '../logging/log.js';
import { createLog } from '../logging/log.js';
import { createRedact, secretsOf } from '../logging/redact.js';
import type { AgentRuntime, LoadRuntime } from '../runtime/agent-runtime.js';
import { loadRuntime } from '../runtime/load-runtime.js';
import type { AgentEvent } from './agent-event.js';
import { AgentRun } from './agent-run.js';
import type { AgentAdapter, AgentOptions } from './agent-types.js';
import { checkAdapterOptions, checkAgentOptions } from './check-agent-options.js';
import { planPermissions } from './permissions/permission-plan.js';
import { childEnvironment } from './run-options.js';
import { leavable, type Wakeup } from './wakeup.js';

/** Collaborators of the adapter; every one has a default that is right outside of tests. */
export interface ClaudeCodeAdapterOptions {
  /** For runs that name none. @defaultValue the CLI that is found */
  readonly pathToClaudeCodeExecutable?: string | undefined;
  readonly logger?: AdapterLogger | undefined;
  /** @defaultValue the SDK of this package, loaded at the first call */
  readonly loadRuntime?: LoadRuntime | undefined;
  readonly clock?: Clock | undefined;
  /** @defaultValue `process.env`, read at each call */
  readonly hostEnv?: Readonly<Record<string, string | undefined>> | undefined;
  /** User id, for the rule that root needs `IS_SANDBOX` to bypass permissions. @defaultValue that of the process */
  readonly uid?: number | undefined;
}

/**
 * Claude Code behind {@link AgentAdapter}. Holds nothing of a run: any number may go on at once.
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

  /** @throws AdapterConfigError an option that does not exist, or cannot be used. */
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
   * @throws AdapterConfigError at the first `next()`: the prompt or an option cannot be used, or bypass mode as root
   *   without `IS_SANDBOX`.
   * @throws AdapterError at the first `next()`: the SDK or the CLI is not there; the message says what to install.
   */
  run(prompt: string, options: AgentOptions = {}): AsyncGenerator<AgentEvent, void, void> {
    return leavable((wakeup) => this.#events(prompt, options, wakeup));
  }

  async *#events(
    prompt: string,
    options: AgentOptions,
    wakeup: Wakeup,
  ): AsyncGenerator<AgentEvent, void, void> {
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

  async #requireRuntime(
    path: string | undefined,
    env: Readonly<Record<string, string>>,
  ): Promise<AgentRuntime> {
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
