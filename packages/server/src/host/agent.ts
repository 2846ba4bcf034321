import { setImmediate as immediate } from 'node:timers/promises';
import {
  type CanUseTool,
  ClaudeClient,
  type HookInput,
  type HookJSONOutput,
  type Options,
  type SDKMessage,
  type SessionStore,
} from 'claudewire';
import { HostError } from '../errors.js';
import { asTenant } from './current-tenant.js';
import { guardedStore } from './guarded-store.js';
import type { Slot } from './process-pool.js';
import type { TenantOptions } from './tenant-options.js';

export interface AgentParams {
  readonly tenant: string;
  readonly options: TenantOptions;
  readonly sessionStore: SessionStore;
  readonly slot: Slot;
  readonly resume?: string | undefined;
  /** Ends a start that nobody waits for any more. */
  readonly signal?: AbortSignal;
  /** Its owner is asked before each tool, and nothing runs before that is set up. */
  readonly isGuarded: boolean;
}

/** Who an agent works for. */
export interface AgentOwner {
  onMessage(message: SDKMessage): Promise<void>;
  /** The process has ended, by itself or by {@link Agent.stop}. */
  onEnd(error: unknown): Promise<void>;
  readonly ask: CanUseTool;
  hook(input: HookInput): Promise<HookJSONOutput>;
  /** Stores entries of its transcript, or returns false: another host has gone on with the conversation. */
  store(append: () => Promise<void>): Promise<boolean>;
  /** Entries of its transcript were stored. */
  onStored(entries: unknown): void;
  /** Claude Code ends a turn. */
  onStop(input: HookInput): void;
}

/**
 * One Claude Code process that has started. A `ClaudeClient` that is connected waits for its first message, so it is a
 * spare and a conversation's process alike, and its `disconnect()` resolves when the process is really gone.
 */
export class Agent {
  readonly #client: ClaudeClient;
  readonly #isLocal: boolean;
  readonly #slot: Slot;
  readonly #timeZone: string | undefined;
  #owner: AgentOwner | undefined;
  #handling: Promise<void> | undefined;
  #stopped: Promise<void> | undefined;
  #pid: number | undefined;
  #isStopped = false;
  #isOutdated = false;
  /** Settles when there is an owner, or never will be. A resumed call is asked about before. */
  readonly #served: Promise<void>;
  #onServed = (): void => {};

  private constructor({ options, sessionStore, slot, resume, isGuarded }: AgentParams) {
    this.#slot = slot;
    this.#timeZone = options.env.TZ;
    this.#isLocal = (options.spawnClaudeCodeProcess ?? options.transport) === undefined;
    this.#served = new Promise((resolve) => {
      this.#onServed = resolve;
    });
    this.#client = new ClaudeClient({
      // Ctrl-C is for the host, which drains.
      ownProcessGroup: this.#isLocal,
      ...options,
      ...this.#hooked(options, isGuarded),
      sessionStore: guardedStore(
        sessionStore,
        (append) => this.#store(append),
        (entries) => this.#owner?.onStored(entries),
      ),
      ...(resume === undefined ? {} : { resume }),
      canUseTool: async (...question) => {
        await this.#caughtUp();
        return (await this.#owner?.ask(...question)) ?? { behavior: 'deny', message: 'Nobody can be asked.' };
      },
    });
  }

  /** Takes over the slot, also when it fails. @throws HostError `start_failed`. */
  static async start(params: AgentParams): Promise<Agent> {
    const { signal, tenant } = params;
    let stop = (): void => {};
    try {
      signal?.throwIfAborted();
      const agent = new Agent(params);
      stop = () => void agent.#client.disconnect().catch(() => {});
      signal?.addEventListener('abort', stop, { once: true });
      await asTenant(tenant, () => agent.#client.connect());
      // Of a process elsewhere, the number would be that of a stranger here.
      agent.#pid = agent.#isLocal ? (await agent.#client.getServerInfo()).pid : undefined;
      return agent;
    } catch (error) {
      params.slot.release();
      const reason = error instanceof Error ? error.message : String(error);
      throw new HostError('start_failed', `Claude Code did not start: ${reason}`, { cause: error });
    } finally {
      signal?.removeEventListener('abort', stop);
    }
  }

  /** What Claude Code says of itself. Older releases do not. */
  get pid(): number | undefined {
    return this.#pid;
  }

  /** What schedules are read in. `undefined`: as in this process. */
  get timeZone(): string | undefined {
    return this.#timeZone;
  }

  /** False when its process is known to be gone. */
  get isAlive(): boolean {
    if (this.#pid === undefined) return true;
    try {
      return process.kill(this.#pid, 0);
    } catch (error) {
      // Without the right to signal it, it is there.
      return error instanceof Error && 'code' in error && error.code === 'EPERM';
    }
  }

  /** Its owner has ended it. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Begins to read, once. */
  serve(owner: AgentOwner): void {
    if (this.#owner !== undefined) return;
    this.#owner = owner;
    this.#onServed();
    void this.#read(owner);
  }

  async send(text: string): Promise<void> {
    await this.#client.query(text);
  }

  /** Sends what no user said: the model is told so, and no transcript shows it as the user's. */
  async wake(text: string): Promise<void> {
    const message = { role: 'user', content: text } as const;
    await this.#client.query(
      (async function* () {
        yield { type: 'user', message, parent_tool_use_id: null, isSynthetic: true } as const;
      })(),
    );
  }

  async stopTask(taskId: string): Promise<void> {
    await this.#client.stopTask(taskId);
  }

  async interrupt(): Promise<void> {
    await this.#client.interrupt();
  }

  /** Resolves when the process is gone. @param isOutdated - The conversation has gone on without it: it stores nothing more. */
  stop({ isOutdated = false } = {}): Promise<void> {
    this.#isStopped = true;
    this.#isOutdated ||= isOutdated;
    return this.#stop();
  }

  /** Without an owner it works for nobody else, or a turn of it is being opened. */
  async #store(append: () => Promise<void>): Promise<boolean> {
    if (this.#isOutdated) return false;
    if (this.#owner !== undefined) return await this.#owner.store(append);
    await append();
    return true;
  }

  #stop(): Promise<void> {
    this.#onServed();
    this.#stopped ??= this.#client
      .disconnect()
      .catch(() => {})
      .finally(() => this.#slot.release());
    return this.#stopped;
  }

  /**
   * The hooks of the tenant, and those of the host. Without `--await-initialize` Claude Code may run a call that was deferred
   * before it knows the hook.
   */
  #hooked({ hooks, extraArgs }: TenantOptions, isGuarded: boolean): Pick<Options, 'hooks' | 'extraArgs'> {
    const stop = async (input: HookInput): Promise<HookJSONOutput> => {
      this.#owner?.onStop(input);
      return {};
    };
    const watched = { ...hooks, Stop: [{ hooks: [stop] }, ...(hooks?.Stop ?? [])] };
    if (!isGuarded) return { hooks: watched };
    const hook = async (input: HookInput): Promise<HookJSONOutput> => {
      await this.#served;
      await this.#caughtUp();
      return (await this.#owner?.hook(input)) ?? NOBODY;
    };
    return {
      hooks: { ...watched, PreToolUse: [{ hooks: [hook] }, ...(hooks?.PreToolUse ?? [])] },
      extraArgs: { ...extraArgs, 'await-initialize': null },
    };
  }

  /** The messages before a question may still be on their way to a log: the question waits until they are there. */
  async #caughtUp(): Promise<void> {
    while (this.#handling !== undefined) {
      await this.#handling;
      await immediate();
    }
  }

  async #read(owner: AgentOwner): Promise<void> {
    let failure: unknown;
    try {
      for await (const message of this.#client.receiveMessages()) {
        this.#handling = owner.onMessage(message);
        await this.#handling;
        this.#handling = undefined;
      }
    } catch (error) {
      failure = error;
      this.#handling = undefined;
    }
    await this.#stop();
    await owner.onEnd(failure);
  }
}

const NOBODY: HookJSONOutput = {
  hookSpecificOutput: {
    hookEventName: 'PreToolUse',
    permissionDecision: 'deny',
    permissionDecisionReason: 'Nobody can be asked.',
  },
};
