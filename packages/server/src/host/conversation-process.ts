import { getSessionMessages } from 'claudewire';
import type { ConversationKey } from '../stores/conversation-key.js';
import { Agent } from './agent.js';
import type { ConversationLease } from './conversation-lease.js';
import { counted, type HostParts } from './host-parts.js';

/**
 * Claude Code looks for a call that waited before the host's own servers are connected. With this variable it says that the
 * call was dropped, and goes on with the message that it was sent. Without it, it ends with an error.
 */
const DROP_CALL = 'CLAUDE_CODE_DROP_UNAVAILABLE_DEFERRED_TOOL';

export interface ProcessStart {
  /** What it goes on with. */
  readonly sessionId: string | undefined;
  readonly signal: AbortSignal;
  /** Throws when it must not start, or must not be used. */
  readonly assertWanted: () => Promise<void>;
  /** With room for it, after everything that may be refused. */
  readonly beforeStart: (() => Promise<void> | undefined) | undefined;
  /** It goes on with a call that was decided. */
  readonly continuesCall: boolean;
}

/** The process of a conversation, at most one, and the session that it goes on with. */
export class ConversationProcess {
  readonly #key: ConversationKey;
  readonly #parts: HostParts;
  readonly #onGone: () => void;
  #agent: Agent | undefined;
  #stopping: Promise<void> | undefined;
  #sessionId: string | undefined;
  /** It has deferred a call, which another one goes on with, or denies. */
  isSpent = false;

  /** @param onGone - It was stopped, and is gone. */
  constructor(key: ConversationKey, parts: HostParts, onGone: () => void) {
    this.#key = key;
    this.#parts = parts;
    this.#onGone = onGone;
  }

  /** The one that can be used. */
  get agent(): Agent | undefined {
    return this.#agent;
  }

  get isStopping(): boolean {
    return this.#stopping !== undefined;
  }

  /** A spare for what has no session yet, or a new process. @throws what `assertWanted` throws; HostError. */
  async start(params: ProcessStart): Promise<Agent> {
    const { sessionId, assertWanted } = params;
    await this.#stopping;
    this.#sessionId = sessionId;
    this.isSpent = false;
    const agent = this.#spare() ?? (await this.#new(params));
    if (sessionId !== undefined) this.#parts.metrics.resumed += 1;
    try {
      await assertWanted();
    } catch (error) {
      await agent.stop();
      throw error;
    }
    this.#agent = agent;
    return agent;
  }

  /**
   * The process is gone when this resolves, and its transcript is stored.
   * @param isOutdated - Another host has gone on with the conversation, so nothing more is stored.
   */
  async stop(isOutdated = false): Promise<void> {
    const agent = this.#agent;
    if (agent === undefined) return await this.#stopping;
    this.#agent = undefined;
    const stopping = agent.stop({ isOutdated });
    this.#stopping = stopping;
    await stopping;
    if (this.#stopping === stopping) this.#stopping = undefined;
    this.#onGone();
  }

  /** Resolves when no process is ending. */
  async gone(): Promise<void> {
    await this.#stopping;
  }

  /** @returns false when another one has taken its place. */
  hasEnded(agent: Agent): boolean {
    if (this.#agent !== agent && this.#agent !== undefined) return false;
    this.#agent = undefined;
    return true;
  }

  /** Remembers the session once it can be resumed. */
  async keepSession(sessionId: string, lease: ConversationLease): Promise<void> {
    const { store, sessionStore, homes, metrics } = this.#parts;
    if (sessionId === this.#sessionId) return;
    try {
      const { cwd } = await homes.optionsOf(this.#key.tenant);
      const stored = await getSessionMessages(sessionId, { sessionStore, dir: cwd ?? process.cwd(), limit: 1 });
      if (stored.length === 0 || !lease.isHeld) return;
      await lease.write((token) => store.update(this.#key, { sessionId }, token));
      this.#sessionId = sessionId;
    } catch (error) {
      // Asked again at the end of the next turn.
      counted(metrics)(error);
    }
  }

  #spare(): Agent | undefined {
    const { spares, metrics } = this.#parts;
    const spare = this.#sessionId === undefined ? spares.take(this.#key.tenant) : undefined;
    if (spare !== undefined) metrics.sparesUsed += 1;
    return spare;
  }

  async #new({ sessionId: resume, signal, assertWanted, beforeStart, continuesCall }: ProcessStart): Promise<Agent> {
    const { homes, pool, sessionStore, metrics, approvals } = this.#parts;
    const { tenant } = this.#key;
    const options = await homes.optionsOf(tenant);
    const slot = await pool.acquire(tenant, signal);
    try {
      await assertWanted();
      // After everything that may be refused: a decision is taken once.
      await beforeStart?.();
    } catch (error) {
      slot.release();
      throw error;
    }
    metrics.started += 1;
    const isGuarded = approvals !== undefined;
    const env = isGuarded ? { ...options.env, [DROP_CALL]: continuesCall ? undefined : '1' } : options.env;
    return await Agent.start({ tenant, options: { ...options, env }, sessionStore, slot, resume, signal, isGuarded });
  }
}
