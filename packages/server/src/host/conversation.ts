import { setImmediate as immediate, setTimeout as sleep } from 'node:timers/promises';
import { getSessionMessages, isResultMessage, outcomeOf, type SDKMessage } from 'claudewire';
import type { Approval, Decision } from '../approvals/approval.js';
import { ConversationApprovals, denial } from '../approvals/conversation-approvals.js';
import { assertUpdatedInput } from '../approvals/updated-input.js';
import { draining, HostError, notFound } from '../errors.js';
import type { ConversationEvent, TurnOutcome } from '../events/conversation-event.js';
import { EventFeed } from '../events/event-feed.js';
import type { ConversationKey } from '../stores/conversation-key.js';
import type { ConversationRecord } from '../stores/conversation-store.js';
import { Agent } from './agent.js';
import { Audience } from './audience.js';
import type { HostParts } from './host-parts.js';
import { Lease } from './lease.js';
import { endsInTurn, LOST } from './lost-turn.js';
import { type Answer, Questions } from './questions.js';
import { titleOf } from './title.js';

/**
 * `cold`: no process. `starting`: a message waits for its process. `busy`: a turn is open. `idle`: a process waits for
 * the next message.
 */
export type ConversationState = 'cold' | 'starting' | 'busy' | 'idle';

interface Opening {
  /** What the turn begins with. */
  readonly event: ConversationEvent;
  /** A process that goes on from the store, not one that is here. */
  readonly isResumed?: boolean;
  /** With the lease and room for a process, and before one is started. */
  readonly beforeStart?: () => Promise<void> | undefined;
  /** When there is a process, and before anything is written about the turn. */
  readonly beforeTurn?: () => Promise<void> | undefined;
  readonly run?: (agent: Agent) => Promise<void>;
}

/**
 * A turn is one message here, so what is said of others does not count: a process that goes on with a call begins the
 * message before again, and no result answers it.
 */
function isPassing(message: SDKMessage): boolean {
  // Newer than the types.
  const type: string = message.type;
  return type === 'stream_event' || type === 'command_lifecycle';
}

/** What `outcomeOf()` needs of a turn is at its end. */
const RECENT = 50;

/** One conversation on this host: at most one process, one turn, one writer. */
export class Conversation {
  readonly key: ConversationKey;
  readonly feed: EventFeed;
  readonly questions: Questions;
  readonly approvals: ConversationApprovals | undefined;
  readonly audience: Audience;
  state: ConversationState = 'cold';
  /** When it became idle, for eviction. */
  idleSince = 0;
  /** Calls and viewers that need this object. */
  users = 0;
  readonly #parts: HostParts;
  #agent: Agent | undefined;
  #lease: Lease | undefined;
  /** Of the turn before. Without a gap to the next one nobody else has written. */
  #lastToken = 0;
  #recent: SDKMessage[] = [];
  /** Claude Code has begun this turn: it says `init`. */
  #hasBegun = false;
  /** This process has ended a turn before. */
  #hasAnswered = false;
  #sessionId: string | undefined;
  #stopReason: TurnOutcome | undefined;
  #stopping: Promise<void> | undefined;
  /** The end of a turn, while it is stored. */
  #ending: Promise<void> | undefined;
  /** The process has deferred a call, which another one goes on with, or denies. */
  #isSpent = false;
  #isStopped = false;
  #isUntitled = false;
  #timer: NodeJS.Timeout | undefined;
  /** Until an interrupted turn has to be over. */
  #interruptTimer: NodeJS.Timeout | undefined;
  /** Ends a turn that has not begun, with the error that its caller gets. */
  #starting: AbortController | undefined;
  #endWaiters: (() => void)[] = [];

  constructor(key: ConversationKey, parts: HostParts) {
    this.key = key;
    this.#parts = parts;
    // What cannot be read or written now is tried again at the next look, and by the next message.
    const look = (): void => void this.#look().catch(() => {});
    this.feed = new EventFeed(parts.eventLog, key, () => this.#lease?.isHeld === true, look);
    this.questions = new Questions((event) => void this.#report(event), parts.limits.questionMs);
    this.approvals =
      parts.approvals && new ConversationApprovals(parts.approvals, key, (event) => void this.#report(event));
    const { abandonMs, leaseMs } = parts.limits;
    this.audience = new Audience({
      abandonMs,
      lookMs: leaseMs,
      onAbandoned: () => void this.interrupt(),
      onLook: look,
    });
  }

  get hasOpenTurn(): boolean {
    return this.state === 'starting' || this.state === 'busy';
  }

  /** Of its process, where that is known. */
  get pid(): number | undefined {
    return this.#agent?.pid;
  }

  /** The turn is over, and its end is being stored. */
  get isEnding(): boolean {
    return this.#ending !== undefined;
  }

  get isUnused(): boolean {
    const isQuiet = this.#stopping === undefined && this.#ending === undefined;
    return this.state === 'cold' && this.users === 0 && isQuiet;
  }

  /**
   * Opens a turn. Resolves when Claude Code has the message.
   * @returns the id of the event of this message.
   * @throws HostError `conflict`, `not_found`, `busy`, `draining`, `start_failed`, `store_failed`.
   */
  async send(text: string): Promise<number> {
    return await this.#openTurn({
      event: { type: 'user_message', text },
      // A message that is refused withdraws nothing.
      beforeTurn: async () => {
        await this.approvals?.withdrawOpen();
        if (this.#isUntitled) await this.#entitle(text);
      },
      run: (agent) => agent.send(text),
    });
  }

  /**
   * Opens a turn that goes on with a call that was deferred. No message is sent: it would be a turn more.
   * @returns as {@link send}. @throws HostError as {@link send}; `conflict` also when it was decided already.
   */
  async decide(approval: Approval, decision: Decision): Promise<number> {
    return await this.#openTurn({
      event: { type: 'approval_decided', approvalId: approval.approvalId, behavior: decision.behavior },
      isResumed: true,
      beforeStart: () => this.approvals?.consume(approval, decision),
    });
  }

  async #openTurn(opening: Opening): Promise<number> {
    // Whoever has read that the turn is over may send at once.
    await this.#ending?.catch(() => {});
    if (this.hasOpenTurn) throw turnIsOpen();
    clearTimeout(this.#timer);
    this.state = 'starting';
    const starting = new AbortController();
    this.#starting = starting;
    const { turnMs } = this.#parts.limits;
    const timer = setTimeout(() => starting.abort(startTooLong(turnMs)), turnMs);
    let isSent = false;
    try {
      const agent = await this.#open(opening, starting.signal);
      await opening.beforeTurn?.();
      starting.signal.throwIfAborted();
      clearTimeout(timer);
      void this.#report(opening.event);
      const eventId = await this.feed.flush();
      if (this.#lease === undefined) throw this.#heldElsewhere();
      this.#beginTurn();
      isSent = true;
      this.#serve(agent);
      await opening.run?.(agent);
      // From its event on it is a turn, which is interrupted as such.
      if (starting.signal.aborted) void this.interrupt();
      return eventId;
    } catch (error) {
      const isUnfit = !(error instanceof HostError) || error.code === 'store_failed' || opening.isResumed === true;
      if (isUnfit) await this.#stopAgent();
      if (isSent) await this.#endTurn('failed');
      else await this.#abandon();
      if (error instanceof HostError) throw error;
      const reason = error instanceof Error ? error.message : String(error);
      throw new HostError('start_failed', `Claude Code did not take the message: ${reason}`, { cause: error });
    } finally {
      clearTimeout(timer);
      if (this.#starting === starting) this.#starting = undefined;
    }
  }

  /** Ends the turn, with its process where it does not obey in time, or its start. Resolves at once. */
  async interrupt(reason: TurnOutcome = 'interrupted'): Promise<boolean> {
    if (this.state === 'starting' && this.cancelStart()) return true;
    const agent = this.#agent;
    if (this.state !== 'busy' || agent === undefined || this.#ending !== undefined) return false;
    // The first one counts: an interrupt that is repeated must not put off the end.
    if (this.#interruptTimer === undefined) {
      this.#interruptTimer = setTimeout(() => void this.stopTurn(reason), this.#parts.limits.interruptMs);
      if (reason !== 'interrupted') this.#stopReason = reason;
    }
    // One that cannot be interrupted is stopped by the timer.
    await agent.interrupt().catch(() => {});
    return true;
  }

  /**
   * Answers a question that is open now.
   * @throws HostError `not_found`; `invalid`, `forbidden`: `updatedInput` cannot be used, or needs an approval itself.
   */
  async answer(questionId: string, answer: Answer): Promise<void> {
    await this.#leaseSettled();
    const toolName = this.questions.toolOf(questionId);
    if (answer.behavior === 'allow' && answer.updatedInput !== undefined) {
      assertUpdatedInput(answer.updatedInput);
      const call = { toolName, input: answer.updatedInput };
      if (this.approvals !== undefined && !(await this.approvals.allows(call))) {
        throw new HostError('forbidden', 'With this input the call needs an approval. Deny it, or allow it as it is.');
      }
    }
    this.questions.answer(questionId, answer);
  }

  /** Ends a turn that has not begun. False when there is none, or it is one that Claude Code has opened by itself. */
  cancelStart(reason = startInterrupted()): boolean {
    this.#starting?.abort(reason);
    return this.#starting !== undefined;
  }

  /** Ends the turn by ending its process. */
  async stopTurn(reason: TurnOutcome): Promise<void> {
    this.#stopReason ??= reason;
    await this.#stopAgent();
  }

  /** Resolves when no turn is open. */
  async ended(): Promise<void> {
    if (this.hasOpenTurn) await new Promise<void>((resolve) => this.#endWaiters.push(resolve));
  }

  /** Ends what a host left open that died, so that nobody waits for its end. */
  async endLost(): Promise<void> {
    if (this.hasOpenTurn || this.#ending !== undefined) return;
    await this.#end(this.#storeLost());
  }

  /** What other hosts did: one may have died in a turn, or have removed the conversation. */
  async #look(): Promise<void> {
    if (this.hasOpenTurn || this.#ending !== undefined) return;
    if ((await this.#parts.store.get(this.key)) !== undefined) return await this.endLost();
    this.endViewers();
    await this.evict();
  }

  /** After what is stored, and for good. */
  endViewers(): void {
    this.feed.close();
    this.audience.close();
  }

  /** Ends an idle process. `undefined` when there is none. Resolves when it is gone. */
  evict(): Promise<void> | undefined {
    if (this.state !== 'idle') return undefined;
    this.state = 'cold';
    return this.#stopAgent();
  }

  /** Ends a process that has grown too big, with its turn. A message that waits for it is left alone. */
  async endBig(): Promise<void> {
    if (this.state === 'busy') await this.stopTurn('memory_limit');
    else await this.evict();
  }

  /** Ends the process, whatever it is doing, for good. Resolves when it is gone. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.cancelStart(draining());
    await this.#stopAgent();
    await this.ended();
  }

  /** With the lease, with a process that knows everything that was said. */
  async #open({ isResumed = false, beforeStart }: Opening, signal: AbortSignal): Promise<Agent> {
    const { store, metrics } = this.#parts;
    const record = await store.get(this.key);
    this.#lease = record && (await this.#takeLease());
    if (record === undefined || this.#lease === undefined) {
      // Another host has gone on, or the conversation is gone: what this process knows is out of date.
      await this.#stopAgent();
      throw record === undefined ? notFound() : this.#heldElsewhere();
    }
    this.#isUntitled = record.title === undefined;
    if (this.#lease.token !== this.#lastToken + 1) {
      await this.#stopAgent();
      if (await endsInTurn(this.#parts.eventLog, this.key)) void this.#report(LOST);
    }
    this.#lastToken = this.#lease.token;
    if (isResumed && record.sessionId === undefined) {
      throw new HostError('conflict', 'What was said before this approval was not stored, so it cannot go on.');
    }
    if (isResumed || this.#isSpent) await this.#stopAgent();
    if (this.#agent !== undefined) return this.#agent;
    await this.#stopping;
    const agent = await this.#newAgent(record, signal, beforeStart).catch((error: unknown) => {
      throw this.#isStopped ? draining() : signal.aborted ? signal.reason : error;
    });
    if (record.sessionId !== undefined) metrics.resumed += 1;
    if ((await this.#lease?.settled()) !== true || this.#isStopped || signal.aborted) {
      await agent.stop();
      throw this.#isStopped ? draining() : signal.aborted ? signal.reason : this.#heldElsewhere();
    }
    this.#agent = agent;
    return agent;
  }

  #serve(agent: Agent): void {
    agent.serve({
      onMessage: (message) => this.#onMessage(message),
      onEnd: (error) => this.#onEnd(agent, error),
      ask: async (...question) => {
        await this.#leaseSettled();
        if (!this.#isServing) return { behavior: 'deny', message: 'No turn is open, so nobody can be asked.' };
        const [, input, { toolUseID }] = question;
        return this.approvals?.permission(toolUseID, input) ?? (await this.questions.ask(...question));
      },
      hook: async (input) => {
        if (this.approvals === undefined) return {};
        // The store is asked: a call must not run beside what another host makes of it.
        const mayAnswer = (await this.#lease?.confirm()) === true && this.#isServing;
        return mayAnswer
          ? await this.approvals.hook(input)
          : denial('This host does not hold the conversation any more.');
      },
    });
  }

  /** The end of a turn is seen a moment before its host gives the lease back. */
  async #takeLease(): Promise<Lease | undefined> {
    const { store, eventLog, limits } = this.#parts;
    for (let left = 10; ; left -= 1) {
      const lease = await Lease.take({
        store,
        key: this.key,
        ttlMs: limits.leaseMs,
        onLost: () => void this.#onLost(),
      });
      if (lease !== undefined || left === 0 || (await endsInTurn(eventLog, this.key))) return lease;
      await sleep(50);
    }
  }

  async #newAgent(
    { sessionId }: ConversationRecord,
    signal: AbortSignal,
    beforeStart: Opening['beforeStart'],
  ): Promise<Agent> {
    const { homes, spares, pool, sessionStore, metrics } = this.#parts;
    this.#sessionId = sessionId;
    this.#isSpent = false;
    this.#hasAnswered = false;
    const spare = sessionId === undefined ? spares.take(this.key.tenant) : undefined;
    if (spare !== undefined) {
      metrics.sparesUsed += 1;
      return spare;
    }
    const options = await homes.optionsOf(this.key.tenant);
    const slot = await pool.acquire(this.key.tenant, signal);
    try {
      if (this.#isStopped) throw draining();
      signal.throwIfAborted();
      if ((await this.#lease?.settled()) !== true) throw this.#heldElsewhere();
      // After everything that may be refused: a decision is taken once.
      await beforeStart?.();
    } catch (error) {
      slot.release();
      throw error;
    }
    metrics.started += 1;
    return await Agent.start({
      ...{ options, sessionStore, slot, resume: sessionId, signal },
      isGuarded: this.#parts.approvals !== undefined,
    });
  }

  #beginTurn(): void {
    this.state = 'busy';
    this.#recent = [];
    this.#hasBegun = false;
    this.#stopReason = undefined;
    this.#timer = setTimeout(() => void this.interrupt('deadline'), this.#parts.limits.turnMs);
    this.#parts.spares.refill(this.key.tenant);
    this.audience.turnBegan();
  }

  async #onMessage(message: SDKMessage): Promise<void> {
    await this.#leaseSettled();
    const isInit = message.type === 'system' && message.subtype === 'init';
    // Claude Code opens turns of its own, when a background task has ended.
    if (isInit && this.state === 'idle' && !(await this.#openOwnTurn())) return;
    if (isInit) this.#hasBegun = true;
    // Of a turn before: a result may be held back until a background task has ended. Only the first may lack an `init`,
    // when the process could not start its work.
    const isLate = isResultMessage(message) && this.#hasAnswered && !this.#hasBegun;
    if (!isPassing(message) && !isLate) this.#recent = [...this.#recent, message].slice(-RECENT);
    this.approvals?.onMessage(message);
    await this.#report({ type: 'message', message });
    if (!isResultMessage(message) || isLate || this.state !== 'busy') return;
    this.#hasAnswered = true;
    const outcome = outcomeOf(this.#recent);
    await this.#keepSession(message.session_id);
    this.#isSpent = outcome.kind === 'deferred';
    await this.#endTurn(this.#stopReason ?? outcome.kind, outcome.retryAfterMs);
    if (this.#isSpent) void this.evict();
  }

  async #openOwnTurn(): Promise<boolean> {
    const { store, limits } = this.#parts;
    clearTimeout(this.#timer);
    this.state = 'starting';
    const onLost = (): void => void this.#onLost();
    const lease = await Lease.take({ store, key: this.key, ttlMs: limits.leaseMs, onLost }).catch(() => undefined);
    this.#lease = lease;
    if (lease === undefined || lease.token !== this.#lastToken + 1) {
      void this.#stopAgent();
      await this.#abandon();
      return false;
    }
    this.#lastToken = lease.token;
    this.#beginTurn();
    return true;
  }

  async #onEnd(agent: Agent, error: unknown): Promise<void> {
    if (this.#agent !== agent && this.#agent !== undefined) return;
    this.#agent = undefined;
    if (this.state === 'busy') {
      const { kind } = outcomeOf(this.#recent, error);
      await this.#endTurn(this.#stopReason ?? kind);
    } else if (this.state === 'idle') {
      clearTimeout(this.#timer);
      this.state = 'cold';
    }
    this.#parts.onQuiet(this);
  }

  /** When the clocks do not agree, the store says whether this host may still write. */
  #leaseSettled(): Promise<boolean> | undefined {
    return this.#lease?.isHeld === false ? this.#lease.settled() : undefined;
  }

  /** Only the holder of the lease writes: what comes in between turns is in the transcript alone. */
  #report(event: ConversationEvent): Promise<void> | undefined {
    return this.#lease?.isHeld === true ? this.feed.append(event) : undefined;
  }

  /** A turn is open, and this host may write and answer for it. */
  get #isServing(): boolean {
    return this.state === 'busy' && this.#ending === undefined && this.#lease?.isHeld === true;
  }

  /** Before the turn, so that it is found in the list whatever becomes of the turn. A message does not fail for it. */
  async #entitle(text: string): Promise<void> {
    if (this.#lease?.isHeld !== true) return;
    await this.#parts.store.update(this.key, { title: titleOf(text) }).catch(() => {
      this.#parts.metrics.storeFailures += 1;
    });
  }

  /** Remembers the session once it can be resumed. */
  async #keepSession(sessionId: string): Promise<void> {
    const { store, sessionStore, homes, metrics } = this.#parts;
    if (sessionId === this.#sessionId) return;
    try {
      const { cwd } = await homes.optionsOf(this.key.tenant);
      const stored = await getSessionMessages(sessionId, { sessionStore, dir: cwd ?? process.cwd(), limit: 1 });
      if (stored.length === 0 || this.#lease?.isHeld !== true) return;
      await store.update(this.key, { sessionId });
      this.#sessionId = sessionId;
    } catch {
      // Asked again at the end of the next turn.
      metrics.storeFailures += 1;
    }
  }

  async #endTurn(outcome: TurnOutcome, retryAfterMs?: number): Promise<void> {
    if (this.#lease === undefined || this.#ending !== undefined) return await this.#ending;
    await this.#end(this.#storeEnd(outcome, retryAfterMs));
  }

  async #end(ending: Promise<void>): Promise<void> {
    this.#ending = ending;
    try {
      await ending;
    } finally {
      this.#ending = undefined;
      // Whoever had it end a lost turn may have gone.
      this.#parts.onQuiet(this);
    }
  }

  async #storeEnd(outcome: TurnOutcome, retryAfterMs?: number): Promise<void> {
    const { store, metrics } = this.#parts;
    await this.#leaseSettled();
    this.questions.withdrawAll();
    await this.#endApprovals();
    void this.#report({ type: 'turn_ended', outcome, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) });
    metrics.turns[outcome] = (metrics.turns[outcome] ?? 0) + 1;
    const isHeld = this.#lease?.isHeld === true;
    const stored = [this.feed.flush(), ...(isHeld ? [store.update(this.key, { updatedAt: Date.now() })] : [])];
    for (const { status } of await Promise.allSettled(stored)) if (status === 'rejected') metrics.storeFailures += 1;
    await this.#close();
  }

  /** A message that never became a turn. */
  async #abandon(): Promise<void> {
    if (this.state !== 'starting') return;
    await this.approvals?.abandoned().catch(() => {
      this.#parts.metrics.storeFailures += 1;
    });
    await this.#close();
  }

  /** One whose end cannot be stored is `outcome_unknown` for whoever looks at it next. */
  async #endApprovals(): Promise<void> {
    await this.approvals?.turnEnded(this.#recent.at(-1)).catch(() => {
      this.#parts.metrics.storeFailures += 1;
    });
  }

  async #storeLost(): Promise<void> {
    const { store, eventLog, limits } = this.#parts;
    const isTurnLost = (): Promise<boolean> => endsInTurn(eventLog, this.key);
    if (!(await isTurnLost()) && (await this.approvals?.hasConsumed()) !== true) return;
    const lease = await Lease.take({ store, key: this.key, ttlMs: limits.leaseMs, onLost: () => {} });
    // Its host is alive.
    if (lease === undefined) return;
    this.#lease = lease;
    try {
      await this.approvals?.endLost();
      // The host may have ended the turn between the two.
      if (await isTurnLost()) void this.#report(LOST);
      await this.feed.flush();
    } finally {
      this.#lease = undefined;
      await lease.release();
    }
  }

  async #close(): Promise<void> {
    clearTimeout(this.#timer);
    const lease = this.#lease;
    this.#lease = undefined;
    await lease?.release();
    if (lease !== undefined) this.#lastToken = lease.token;
    this.#settle();
  }

  /** Another host may be writing by now. */
  async #onLost(): Promise<void> {
    const lease = this.#lease;
    this.#lease = undefined;
    this.approvals?.forget();
    this.questions.withdrawAll();
    this.#parts.metrics.leasesLost += 1;
    const released = lease?.release();
    // Questions are denied before the process goes, which must not work on for as long as a store hangs.
    await immediate();
    await Promise.all([released, this.#stopAgent()]);
    if (this.state === 'busy') this.#settle();
  }

  #settle(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#interruptTimer);
    this.#interruptTimer = undefined;
    this.audience.turnEnded();
    this.state = this.#agent === undefined ? 'cold' : 'idle';
    this.idleSince = performance.now();
    if (this.state === 'idle') this.#timer = setTimeout(() => void this.evict(), this.#parts.limits.idleMs);
    for (const resolve of this.#endWaiters.splice(0)) resolve();
    this.#parts.onQuiet(this);
  }

  /** It may be at work, or dead: then its lease passes. */
  #heldElsewhere(): HostError {
    const { leaseMs: retryAfterMs } = this.#parts.limits;
    const text = `Another host has this conversation, or ended with it. Try again in ${retryAfterMs} ms at the latest.`;
    return new HostError('conflict', text, { retryAfterMs });
  }

  /** The process is gone when this resolves, and its transcript is stored. */
  async #stopAgent(): Promise<void> {
    const agent = this.#agent;
    if (agent === undefined) return await this.#stopping;
    this.#agent = undefined;
    clearTimeout(this.#timer);
    const stopping = agent.stop();
    this.#stopping = stopping;
    await stopping;
    if (this.#stopping === stopping) this.#stopping = undefined;
    this.#parts.onQuiet(this);
  }
}

function turnIsOpen(): HostError {
  return new HostError('conflict', 'A turn is open. Wait for its `turn_ended`, or interrupt it.');
}

function startInterrupted(): HostError {
  return new HostError('conflict', 'The turn was interrupted before Claude Code had the message. Send it again.');
}

function startTooLong(ms: number): HostError {
  return new HostError('start_failed', `Claude Code has not started within ${ms} ms, which is \`limits.turnMs\`.`);
}
