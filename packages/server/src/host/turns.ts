import { setImmediate as immediate } from 'node:timers/promises';
import { isResultMessage, type SDKMessage, type SDKResultMessage } from 'claudewire';
import { draining, HostError, notFound } from '../errors.js';
import type { BackgroundEnd, ConversationEvent, TurnOutcome } from '../events/conversation-event.js';
import type { ConversationRecord } from '../stores/conversation-store.js';
import type { Agent } from './agent.js';
import type { Audience } from './audience.js';
import { removeLate } from './conversation-contents.js';
import type { ConversationLease } from './conversation-lease.js';
import { ConversationProcess } from './conversation-process.js';
import { counted } from './host-parts.js';
import { LOST } from './lost-turn.js';
import type { ToolGate } from './tool-gate.js';
import { reportBackground, storeTurnEnd, type TurnEndParams } from './turn-end.js';
import { isInit, TurnMessages } from './turn-messages.js';
import { TurnStart } from './turn-start.js';
import { TurnTimers } from './turn-timers.js';

/**
 * `cold`: no process. `starting`: a message waits for its process. `busy`: a turn is open. `idle`: a process waits for
 * the next message.
 */
export type ConversationState = 'cold' | 'starting' | 'busy' | 'idle';

export interface Opening {
  /** What the turn begins with. */
  readonly event: ConversationEvent;
  /** A process that goes on from the store, not one that is here. */
  readonly isResumed?: boolean;
  /** With the lease and room for a process, and before one is started. */
  readonly beforeStart?: () => Promise<void> | undefined;
  /** When there is a process, and before anything is written about the turn. */
  readonly beforeTurn?: (record: ConversationRecord) => Promise<void>;
  readonly run?: (agent: Agent) => Promise<void>;
}

export interface TurnsParams extends TurnEndParams {
  readonly tools: ToolGate;
  readonly audience: Audience;
  /** There is an idle process, or none any more, or the end of a turn is stored. */
  readonly onQuiet: () => void;
}

const DECIDED = 'Somebody has decided about the tool call that waited. Go on with it.';
const NOT_DECIDED = 'The tool call that waited is not made. Go on with what was said after it.';

/** The turns of one conversation, one at a time, and the process that works on them. */
export class Turns {
  state: ConversationState = 'cold';
  /** The end of the last turn, if the log may not have taken it. */
  unsaidEnd: ConversationEvent | undefined;
  /** When it became idle, for eviction. */
  idleSince = 0;
  readonly #params: TurnsParams;
  readonly #lease: ConversationLease;
  readonly #process: ConversationProcess;
  readonly #messages = new TurnMessages();
  readonly #timers: TurnTimers;
  /** While a process waits, it is of interest what other hosts write. */
  #leave: (() => void) | undefined;
  /** Of a turn that has not begun, and that a caller waits for. */
  #start: TurnStart | undefined;
  #stopReason: TurnOutcome | undefined;
  /** Claude Code was told in this turn to look again for a call that waited. */
  #isWoken = false;
  /** The end of a turn, or a look at one that was lost, while it is stored. */
  #ending: Promise<void> | undefined;
  #isStopped = false;
  #endWaiters: (() => void)[] = [];

  constructor(params: TurnsParams) {
    const { key, parts, lease, onQuiet } = params;
    this.#params = params;
    this.#lease = lease;
    this.#process = new ConversationProcess(key, parts, onQuiet);
    this.#timers = new TurnTimers({
      limits: parts.limits,
      onDeadline: () => void this.interrupt('deadline'),
      onIdle: () => void this.evict('limit'),
    });
  }

  get hasOpenTurn(): boolean {
    return this.state === 'starting' || this.state === 'busy';
  }

  /** Of its process, where that is known. */
  get pid(): number | undefined {
    return this.#process.agent?.pid;
  }

  /** The turn is over, or one of another host is looked at, and no turn begins before that is stored. */
  get isEnding(): boolean {
    return this.#ending !== undefined;
  }

  /** No process, and nothing on its way. */
  get isOver(): boolean {
    return this.state === 'cold' && !this.#process.isStopping && !this.isEnding;
  }

  /** A turn is open, and this host may write and answer for it. */
  get isServing(): boolean {
    return this.state === 'busy' && !this.isEnding && this.#lease.isHeld;
  }

  /**
   * Opens a turn. Resolves when Claude Code has what it begins with.
   * @returns the id of its first event.
   * @throws HostError `conflict`, `not_found`, `busy`, `draining`, `start_failed`, `store_failed`.
   */
  async open(opening: Opening): Promise<number> {
    // Whoever has read that the turn is over may send at once.
    await this.stored();
    if (this.hasOpenTurn) throw turnIsOpen();
    this.#timers.pause();
    this.state = 'starting';
    const start = new TurnStart(this.#params.parts.limits.turnMs);
    this.#start = start;
    let isSent = false;
    try {
      const { agent, record } = await this.#prepare(opening, start.signal);
      await this.#params.background.load(agent.timeZone);
      await opening.beforeTurn?.(record);
      start.signal.throwIfAborted();
      start.stopClock();
      await reportBackground(this.#params);
      void this.#report(opening.event);
      const eventId = await this.#params.feed.flush();
      if (!this.#lease.isTaken) throw this.#lease.heldElsewhere();
      this.#beginTurn();
      isSent = true;
      this.#serve(agent);
      await opening.run?.(agent);
      // From its event on it is a turn, which is interrupted as such.
      if (start.signal.aborted) void this.interrupt();
      return eventId;
    } catch (error) {
      const isUnfit = !(error instanceof HostError) || error.code === 'store_failed' || opening.isResumed === true;
      if (isUnfit) await this.#stopProcess();
      if (isSent) await this.#endTurn('failed');
      else await this.#abandon();
      if (error instanceof HostError) throw error;
      const reason = error instanceof Error ? error.message : String(error);
      throw new HostError('start_failed', `Claude Code did not take the message: ${reason}`, { cause: error });
    } finally {
      start.stopClock();
      if (this.#start === start) this.#start = undefined;
    }
  }

  /** Ends the turn, with its process where it does not obey in time, or its start. Does not wait for the end. */
  async interrupt(reason: TurnOutcome = 'interrupted'): Promise<boolean> {
    if (this.state === 'starting' && this.cancelStart()) return true;
    const { agent } = this.#process;
    if (this.state !== 'busy' || agent === undefined || this.#ending !== undefined) return false;
    const isFirst = this.#timers.interrupted(() => void this.stopTurn(reason));
    if (isFirst && reason !== 'interrupted') this.#stopReason = reason;
    // One that cannot be interrupted is stopped by the timer.
    await agent.interrupt().catch(() => {});
    return true;
  }

  /** Ends a turn that has not begun. False when there is none, or it is one that Claude Code has opened by itself. */
  cancelStart(reason?: HostError): boolean {
    this.#start?.cancel(reason);
    return this.#start !== undefined;
  }

  /** Ends the turn by ending its process. */
  async stopTurn(reason: TurnOutcome): Promise<void> {
    this.#stopReason ??= reason;
    await this.#stopProcess();
  }

  /** Resolves when no turn is open. */
  async ended(): Promise<void> {
    if (this.hasOpenTurn) await new Promise<void>((resolve) => this.#endWaiters.push(resolve));
  }

  /** Resolves when no end of a turn is being stored, of this host or of one that died. */
  async stored(): Promise<void> {
    while (this.#ending !== undefined) await this.#ending.catch(() => {});
  }

  /** Ends an idle process. `undefined` when there is none. Resolves when it is gone. */
  evict(reason: BackgroundEnd = 'evicted'): Promise<void> | undefined {
    if (this.state !== 'idle') return undefined;
    this.state = 'cold';
    return this.#stopProcess(reason);
  }

  /** Ends an idle process, and waits for one that is ending. */
  async gone(): Promise<void> {
    await this.evict();
    await this.#process.gone();
  }

  /** Somebody else has written to the log. A process that waits is ended if another host has gone on, or the conversation is gone. */
  async othersWrote(): Promise<void> {
    if (this.state !== 'idle') return;
    let isLatest = true;
    await this.between(async () => {
      isLatest = await this.#lease.ifLatest();
    });
    if (isLatest || this.state !== 'idle') return;
    this.state = 'cold';
    await this.#stopProcess('evicted', true);
    await this.#removeLate();
  }

  /** Ends one task that runs in the process. @throws HostError `not_found`: it has ended, or never was. */
  async stopTask(taskId: string): Promise<void> {
    const { agent } = this.#process;
    if (agent === undefined || !this.#params.background.tasks.some((task) => task.taskId === taskId)) {
      throw new HostError('not_found', 'There is no such task: it has ended, or its process is on another host.');
    }
    await agent.stopTask(taskId);
  }

  /** Ends the process, whatever it is doing, for good. Resolves when it is gone. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.cancelStart(draining());
    await this.#stopProcess('drained');
    await this.ended();
    await this.#tell();
  }

  /** Does what must not be beside a turn. Nothing, where one is open or ends. */
  async between(task: () => Promise<void>): Promise<void> {
    if (!this.hasOpenTurn && !this.isEnding) await this.#end(task());
  }

  /** With the lease, with a process that knows everything that was said. */
  async #prepare(
    { isResumed = false, beforeStart }: Opening,
    signal: AbortSignal,
  ): Promise<{ readonly agent: Agent; readonly record: ConversationRecord }> {
    const { key, parts } = this.#params;
    const record = await parts.store.get(key);
    if (record === undefined || !(await this.#lease.take())) {
      // Another host has gone on, or the conversation is gone: what this process knows is out of date.
      await this.#stopProcess('turn_ended', true);
      throw record === undefined ? notFound() : this.#lease.heldElsewhere();
    }
    this.#params.stored.begin(record.bytes);
    if (!this.#lease.followsLast()) {
      await this.#stopProcess('turn_ended', true);
      const { feed, background } = this.#params;
      // Before anything is read or started: the host before may only have stood still, and go on.
      await feed.takeOver();
      const isInTurn = await feed.endsInTurn();
      await this.#params.approvals?.sayClosed(await feed.openApprovals());
      await background.takeOver(await feed.lastTasks());
      if (isInTurn) {
        await reportBackground(this.#params);
        void this.#report(LOST);
      }
    } else if (this.unsaidEnd !== undefined && (await this.#params.feed.endsInTurn())) {
      void this.#params.feed.append(this.unsaidEnd, true);
    }
    this.unsaidEnd = undefined;
    const { sessionId } = record;
    if (isResumed && sessionId === undefined) {
      throw new HostError('conflict', 'What was said before this approval was not stored, so it cannot go on.');
    }
    if (isResumed || this.#process.isSpent) await this.#stopProcess();
    if (this.#process.agent !== undefined) return { agent: this.#process.agent, record };
    this.#messages.processStarted(sessionId !== undefined);
    const assertWanted = async (): Promise<void> => {
      const isHeld = await this.#lease.settled();
      if (this.#isStopped) throw draining();
      signal.throwIfAborted();
      if (!isHeld) throw this.#lease.heldElsewhere();
    };
    try {
      const start = { sessionId, signal, assertWanted, beforeStart, continuesCall: isResumed };
      return { agent: await this.#process.start(start), record };
    } catch (error) {
      throw this.#isStopped ? draining() : signal.aborted ? signal.reason : error;
    }
  }

  #serve(agent: Agent): void {
    const { tools } = this.#params;
    agent.serve({
      onMessage: (message) => this.#onMessage(message),
      onEnd: (error) => this.#onEnd(agent, error),
      ask: tools.ask,
      hook: (input) => tools.hook(input),
      store: (append) => this.#lease.ifLatest(append),
      onStored: (entries) => this.#params.stored.add(entries),
      onStop: (input) => this.#params.background.onStop(input),
    });
  }

  #beginTurn(): void {
    this.state = 'busy';
    this.#messages.turnBegan();
    this.#stopReason = undefined;
    this.#isWoken = false;
    this.#timers.turnBegan();
    const { key, parts, audience } = this.#params;
    parts.spares.refill(key.tenant);
    parts.kept.release(this);
    this.#leaveLog();
    audience.turnBegan();
  }

  async #onMessage(message: SDKMessage): Promise<void> {
    await this.#lease.doubtSettled();
    // Claude Code opens turns of its own, when a background task has ended.
    if (isInit(message) && this.state === 'idle' && !(await this.#openOwnTurn())) return;
    if (this.#params.background.onMessage(message) && this.state === 'idle') this.#taskChanged();
    // It was asked for while Claude Code still settled a call of an earlier turn, and ended that alone.
    if (isInit(message) && this.#timers.isInterrupted) void this.#process.agent?.interrupt().catch(() => {});
    const { approvals } = this.#params;
    if (approvals?.isEndOfOldCall(message) === true) this.#messages.skipResult();
    const isLate = this.#messages.take(message);
    approvals?.onMessage(message);
    await this.#report({ type: 'message', message });
    if (!isResultMessage(message) || isLate || this.state !== 'busy' || (await this.#hasWoken(message))) return;
    const outcome = this.#messages.ended();
    await this.#process.keepSession(message.session_id, this.#lease);
    this.#process.isSpent = outcome.kind === 'deferred';
    await this.#endTurn(this.#stopReason ?? outcome.kind, outcome.retryAfterMs);
    if (this.#process.isSpent) void this.evict('turn_ended');
  }

  /**
   * Claude Code looks for a call that was deferred before it does anything else, and before the host's own servers are
   * connected. It finds none, and ends with what it was sent. It looks again with the next message: to go on with the call
   * where it was decided, and to have it denied otherwise. Else no message of this conversation would get an answer.
   */
  async #hasWoken(result: SDKResultMessage): Promise<boolean> {
    const { agent } = this.#process;
    if (result.terminal_reason !== 'tool_deferred_unavailable') return false;
    if (this.#timers.isInterrupted) this.#stopReason ??= 'interrupted';
    else if (agent !== undefined && this.isServing && !this.#isWoken) return await this.#wake(agent);
    return false;
  }

  async #wake(agent: Agent): Promise<boolean> {
    this.#isWoken = true;
    // That result is none of this turn's.
    this.#messages.turnBegan();
    // Where it fails the process is gone, which ends the turn.
    await agent.wake(this.#params.approvals?.isGranting === true ? DECIDED : NOT_DECIDED).catch(() => {});
    return true;
  }

  async #openOwnTurn(): Promise<boolean> {
    this.#timers.pause();
    this.state = 'starting';
    // A look at a lost turn, which began while this conversation was idle.
    await this.stored();
    if (!(await this.#lease.takeNow()) || !this.#lease.followsLast()) {
      void this.#stopProcess('turn_ended', true);
      await this.#abandon();
      return false;
    }
    this.#beginTurn();
    const { background, parts } = this.#params;
    for (const { wakeUpId, prompt } of background.ownTurnBegan())
      void this.#report({ type: 'wake_up', wakeUpId, prompt });
    await background.save().catch(counted(parts.metrics));
    return true;
  }

  async #onEnd(agent: Agent, error: unknown): Promise<void> {
    if (!this.#process.hasEnded(agent)) return;
    const { parts, background, key } = this.#params;
    this.#leaveLog();
    parts.kept.release(this);
    background.processEnded('crashed');
    if (error !== undefined && !agent.isStopped && this.#stopReason === undefined) parts.onCrash?.(key, error);
    if (this.state === 'busy') {
      await this.#endTurn(this.#stopReason ?? this.#messages.outcome(error).kind);
    } else if (this.state === 'idle') {
      this.#timers.pause();
      this.state = 'cold';
      await this.#tell();
    }
    this.#params.onQuiet();
  }

  /** A process that waits: it may be kept now, or need not be any more. */
  #taskChanged(): void {
    this.#wait();
    void this.#tell();
  }

  #wait(): void {
    const { background, parts, key, feed } = this.#params;
    this.#leave ??= feed.attend();
    const isKept = background.isRunning && parts.kept.keep(this, key.tenant);
    if (!isKept) parts.kept.release(this);
    this.#timers.waits(isKept);
    parts.pool.makeRoom();
  }

  #leaveLog(): void {
    this.#leave?.();
    this.#leave = undefined;
  }

  /** What has changed between two turns. One that begins meanwhile says it itself. */
  async #tell(): Promise<void> {
    const { background, feed, parts } = this.#params;
    await this.stored();
    if (!background.hasNews) return;
    const report = async (follows: boolean): Promise<void> => {
      if (!follows) await background.takeOver(await feed.lastTasks());
      await reportBackground(this.#params);
      await feed.flush();
    };
    await this.between(() => this.#lease.takeFor(report)).catch(counted(parts.metrics));
  }

  /** Only the holder of the lease writes: what comes in between turns is in the transcript alone. */
  #report(event: ConversationEvent): Promise<void> | undefined {
    return this.#lease.isHeld ? this.#params.feed.append(event) : undefined;
  }

  async #endTurn(outcome: TurnOutcome, retryAfterMs?: number): Promise<void> {
    if (!this.#lease.isTaken || this.#ending !== undefined) return await this.#ending;
    await this.#end(this.#storeEnd(outcome, retryAfterMs));
  }

  async #end(ending: Promise<void>): Promise<void> {
    this.#ending = ending;
    try {
      await ending;
    } finally {
      this.#ending = undefined;
      // Whoever had it end a lost turn may have gone.
      this.#params.onQuiet();
    }
  }

  async #storeEnd(outcome: TurnOutcome, retryAfterMs: number | undefined): Promise<void> {
    const costUsd = this.#messages.takeCost();
    const end = { outcome, costUsd, retryAfterMs, last: this.#messages.last };
    const { unsaid, isRemoved } = await storeTurnEnd(this.#params, end);
    this.unsaidEnd = unsaid;
    await this.#close();
    if (isRemoved) await this.#removeLate();
  }

  /** A message that never became a turn. */
  async #abandon(): Promise<void> {
    if (this.state !== 'starting') return;
    const { approvals, feed, parts } = this.#params;
    await approvals?.abandoned().catch(counted(parts.metrics));
    // With the lease, which is given back next.
    await feed.flush().catch(counted(parts.metrics));
    await this.#close();
  }

  async #close(): Promise<void> {
    this.#timers.pause();
    await this.#lease.release();
    this.#settle();
  }

  /** Another host may be writing by now. */
  async leaseLost(): Promise<void> {
    const released = this.#lease.drop();
    this.#params.approvals?.forget();
    this.#params.questions.withdrawAll();
    this.#params.parts.metrics.leasesLost += 1;
    // Questions are denied before the process goes, which must not work on for as long as a store hangs.
    await immediate();
    // What was not written yet comes too late.
    await Promise.all([released, this.#stopProcess(), this.#params.feed.flush().catch(() => {})]);
    if (this.state === 'busy') this.#settle();
    await this.#removeLate();
  }

  /** What this host wrote after another one had removed the conversation. */
  async #removeLate(): Promise<void> {
    const { key, parts } = this.#params;
    await removeLate(key, parts, this.#messages.last?.session_id);
  }

  #settle(): void {
    const hasProcess = this.#process.agent !== undefined;
    this.#timers.turnEnded();
    this.#params.audience.turnEnded();
    this.state = hasProcess ? 'idle' : 'cold';
    this.idleSince = performance.now();
    if (hasProcess) this.#wait();
    for (const resolve of this.#endWaiters.splice(0)) resolve();
    this.#params.onQuiet();
  }

  /** The process is gone when this resolves, and its transcript is stored. */
  async #stopProcess(reason: BackgroundEnd = 'turn_ended', isOutdated = false): Promise<void> {
    const { background, parts } = this.#params;
    this.#leaveLog();
    if (this.#process.agent !== undefined) {
      this.#timers.pause();
      parts.kept.release(this);
      background.processEnded(reason);
    }
    await this.#process.stop(isOutdated);
    if (this.state === 'cold') await this.#tell();
  }
}

function turnIsOpen(): HostError {
  return new HostError('conflict', 'A turn is open. Wait for its `turn_ended`, or interrupt it.');
}
