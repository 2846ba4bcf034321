import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { getSessionMessages, type SessionMessage, type SessionStore } from 'claudewire';
import type { Approval, Decision } from '../approvals/approval.js';
import type { ApprovalStore } from '../approvals/approval-store.js';
import { type ApprovalKey, ApprovalTokens } from '../approvals/approval-token.js';
import { assertLifetime, type ToolCall } from '../approvals/conversation-approvals.js';
import { assertUpdatedInput } from '../approvals/updated-input.js';
import { draining, HostError, notFound, storeFailure } from '../errors.js';
import type { LoggedEvent } from '../events/conversation-event.js';
import type { EventLog } from '../events/event-log.js';
import { InMemoryEventLog } from '../events/memory-event-log.js';
import { assertTenant, type ConversationKey, isConversationId, keyText } from '../stores/conversation-key.js';
import type { ConversationRecord, ConversationStore } from '../stores/conversation-store.js';
import { StoreTimeout, settled, timeLimited } from '../stores/time-limit.js';
import { Conversation } from './conversation.js';
import type { HostCounters, HostParts } from './host-parts.js';
import { type HostLimits, resolveLimits } from './limits.js';
import { MemoryWatch } from './memory.js';
import { ProcessPool } from './process-pool.js';
import type { Answer } from './questions.js';
import { removeConversation } from './remove-conversation.js';
import { Spares } from './spares.js';
import { type OptionsFor, TenantHomes } from './tenant-options.js';
import type { ConversationState } from './turns.js';

export interface SessionHostOptions {
  /** Which conversations there are, and who writes to them. */
  readonly store: ConversationStore;
  /** What was said: Claude Code's transcripts. */
  readonly sessionStore: SessionStore;
  /** What viewers missed. @defaultValue one in memory */
  readonly eventLog?: EventLog;
  readonly limits?: HostLimits;
  /** Tools that wait for a decision, longer than a process lives. @defaultValue none */
  readonly approvals?: ApprovalOptions;
  /** The options of a tenant's processes. Called for each process. */
  readonly optionsFor: OptionsFor;
}

export interface ApprovalOptions {
  readonly store: ApprovalStore;
  /** What tokens are signed with. The first signs, all check. */
  readonly keys: readonly ApprovalKey[];
  /** How long a decision is waited for, in milliseconds. @defaultValue 86_400_000, a day */
  readonly expiresMs?: number;
  /**
   * Whether a call has to wait. It is asked before each tool. One that throws, or has not settled after
   * `limits.storeMs`, keeps the tool from running.
   */
  readonly needsApproval: (call: ToolCall, key: ConversationKey) => boolean | Promise<boolean>;
}

/** An approval as its tenant sees it. */
export interface ApprovalInfo extends Omit<Approval, 'tenant' | 'id' | 'inputDigest' | 'finalDigest'> {
  /** To decide with. Of open ones. */
  readonly token?: string;
}

export interface ConversationInfo {
  readonly id: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly title?: string;
  /** On this host. */
  readonly state: ConversationState;
}

export interface HostMetrics extends Readonly<HostCounters> {
  /** Running, starting and ending. */
  readonly processes: number;
  readonly spares: number;
  /** Messages that wait for a process. */
  readonly waiting: number;
  readonly viewers: number;
  readonly openQuestions: number;
  readonly conversations: Readonly<Record<ConversationState, number>>;
}

const DAY_MS = 86_400_000;

/** Makes a host. `close()` it, or use `await using`. */
export function createSessionHost(options: SessionHostOptions): SessionHost {
  return new SessionHost(options);
}

/**
 * Many conversations of many tenants on few processes. Every call names a tenant and a conversation: one of another
 * tenant is `not_found`, as one that does not exist.
 */
export class SessionHost implements AsyncDisposable {
  readonly #parts: HostParts;
  readonly #conversations = new Map<string, Conversation>();
  /** What ends each, with its tenant. */
  readonly #viewers = new Map<() => void, string>();
  readonly #tokens: ApprovalTokens | undefined;
  readonly #memory: MemoryWatch<Conversation>;
  #closing: Promise<void> | undefined;
  #isDrained = false;

  constructor(options: SessionHostOptions) {
    const { optionsFor } = options;
    const { keys = [], expiresMs = DAY_MS } = options.approvals ?? {};
    this.#tokens = options.approvals && new ApprovalTokens(keys);
    assertLifetime(expiresMs);
    const resolved = resolveLimits(options.limits);
    const limited = <T extends object>(store: T, name: string): T => timeLimited(store, name, resolved.storeMs);
    const store = limited(options.store, 'store');
    const sessionStore = limited(options.sessionStore, 'sessionStore');
    const eventLog = limited(options.eventLog ?? new InMemoryEventLog(), 'eventLog');
    const approvals = options.approvals && {
      expiresMs,
      needsApproval: boundedRule(options.approvals.needsApproval, resolved.storeMs),
      store: limited(options.approvals.store, 'approvals.store'),
    };
    const homes = new TenantHomes(optionsFor, resolved.storeMs);
    const pool = new ProcessPool({ ...resolved, evict: (tenant) => this.#evict(tenant) });
    const spares = new Spares({
      ...{ perTenant: resolved.spares, idleMs: resolved.idleMs, pool, homes, sessionStore },
      isGuarded: approvals !== undefined,
    });
    const metrics = { started: 0, resumed: 0, sparesUsed: 0, evicted: 0, storeFailures: 0, leasesLost: 0, turns: {} };
    this.#parts = { store, sessionStore, eventLog, approvals, limits: resolved, homes, pool, spares, metrics };
    this.#memory = new MemoryWatch({
      ...{ limitMb: resolved.processMemoryMb, everyMs: resolved.memoryCheckMs },
      processes: () => this.#processes(),
      onOver: (conversation) => void conversation.endBig(),
    });
  }

  /**
   * A new conversation. No process is started for it yet.
   * @param title - Without one it is called by the first line of its first message.
   */
  async create({ tenant, title }: { tenant: string; title?: string }): Promise<ConversationInfo> {
    assertTenant(tenant);
    this.#assertAccepting();
    const createdAt = Date.now();
    const record: ConversationRecord = {
      ...{ tenant, id: randomUUID(), createdAt, updatedAt: createdAt },
      ...(title === undefined ? {} : { title }),
    };
    await this.#parts.store.create(record);
    this.#parts.spares.refill(tenant);
    return this.#infoOf(record);
  }

  /** The conversations of a tenant, the last changed first. */
  async list({ tenant, limit = 100 }: { tenant: string; limit?: number }): Promise<readonly ConversationInfo[]> {
    const records = await this.#parts.store.list(tenant, limit);
    return records.map((record) => this.#infoOf(record));
  }

  /** One conversation, as in the list. */
  async get(key: ConversationKey): Promise<ConversationInfo> {
    return this.#infoOf(await this.#find(key));
  }

  /**
   * Sends a message, and opens a turn. Resolves when Claude Code has it.
   * @returns the id of the message's event: `events({ after: eventId })` is the answer.
   * @throws HostError `conflict`: a turn is open, here or on another host. `busy`: no process was free in time.
   */
  async send({ text, ...key }: ConversationKey & { text: string }): Promise<{ eventId: number }> {
    const { messageLength } = this.#parts.limits;
    if (typeof text !== 'string' || text.trim() === '' || text.length > messageLength) {
      throw new HostError('invalid', `A message must be a text of 1 to ${messageLength} characters.`);
    }
    await this.#find(key);
    this.#assertAccepting();
    return await this.#using(key, async (conversation) => ({ eventId: await conversation.send(text) }));
  }

  /**
   * What happens after an event, without a gap or a repetition. Ends when the host is drained, or with `signal`.
   * @param after - 0: from the beginning.
   * @param isPassive - Such as a meter: nobody who looks, so it does not keep `limits.abandonMs` from ending a turn.
   */
  async events({
    after = 0,
    signal,
    isPassive = false,
    ...key
  }: ConversationKey & { after?: number; signal?: AbortSignal; isPassive?: boolean }): Promise<
    AsyncIterableIterator<LoggedEvent>
  > {
    await this.#find(key);
    this.#assertRoomFor(key.tenant);
    const conversation = this.#conversation(key);
    const abort = new AbortController();
    const leave = (): void => {
      abort.abort();
      signal?.removeEventListener('abort', leave);
      if (!this.#viewers.delete(leave)) return;
      if (!isPassive) conversation.audience.leave();
      conversation.users -= 1;
      this.#forget(conversation);
    };
    conversation.users += 1;
    this.#viewers.set(leave, key.tenant);
    if (!isPassive) conversation.audience.enter();
    signal?.addEventListener('abort', leave, { once: true });
    try {
      await conversation.feed.assertReached(after);
      await conversation.endLost();
      if (this.#isDrained) conversation.endViewers();
    } catch (error) {
      leave();
      throw error;
    }
    if (signal?.aborted === true) leave();
    const events = conversation.feed.follow(after, abort.signal);
    const step = async (): Promise<IteratorResult<LoggedEvent, void>> => {
      try {
        const result = await events.next();
        if (result.done === true) leave();
        return result;
      } catch (error) {
        leave();
        throw error;
      }
    };
    const viewer: AsyncIterableIterator<LoggedEvent> = {
      next: step,
      return: async () => {
        leave();
        return { done: true, value: undefined };
      },
      [Symbol.asyncIterator]: () => viewer,
    };
    return viewer;
  }

  /**
   * Ends an open turn. One whose process still starts, or that waits for one, fails with `conflict`.
   * @returns false when no turn is open on this host.
   */
  async interrupt(key: ConversationKey): Promise<boolean> {
    await this.#find(key);
    return await this.#using(key, (conversation) => conversation.turns.interrupt());
  }

  /** Answers a question that is open now, on this host. @throws HostError `not_found`: it is not. */
  async answer({
    questionId,
    answer,
    ...key
  }: ConversationKey & { questionId: string; answer: Answer }): Promise<void> {
    await this.#find(key);
    await this.#using(key, (conversation) => conversation.tools.answer(questionId, answer));
  }

  /** The calls of a conversation that wait for a decision, or waited, the oldest first. */
  async approvals(key: ConversationKey): Promise<readonly ApprovalInfo[]> {
    await this.#find(key);
    const { approvals } = this.#parts;
    if (approvals === undefined) return [];
    await this.#using(key, (conversation) => conversation.endLost());
    return (await approvals.store.list(key)).map((approval) => this.#approvalInfo(approval));
  }

  /**
   * Decides about a call that waits. Claude Code goes on with it in a new process, with no message of the user, and
   * with exactly the input that was shown, or with `updatedInput`. The decision is stored before the process starts,
   * and is never taken a second time.
   * @returns the id of the event: `events({ after: eventId })` is what follows.
   * @throws HostError `forbidden`: the token is of another approval, or forged. `expired`. `conflict`: it was decided
   * already, or a turn is open.
   */
  async decide({
    approvalId,
    token,
    decision,
    ...key
  }: ConversationKey & { approvalId: string; token: string; decision: Decision }): Promise<{ eventId: number }> {
    await this.#find(key);
    this.#assertAccepting();
    if (decision.behavior === 'allow' && decision.updatedInput !== undefined) assertUpdatedInput(decision.updatedInput);
    const { approvals } = this.#parts;
    const approval = isConversationId(approvalId) ? await approvals?.store.get(key, approvalId) : undefined;
    if (approval === undefined) throw new HostError('not_found', 'There is no such approval in this conversation.');
    if (this.#tokens?.fits(token, approval) !== true) {
      throw new HostError('forbidden', 'This is not the token of this approval. Take the one that is listed with it.');
    }
    if (approval.state !== 'open') throw new HostError('conflict', `This approval is ${approval.state} already.`);
    if (approval.expiresAt <= Date.now()) {
      throw new HostError('expired', 'The time to decide is over. Send a message to go on.');
    }
    return await this.#using(key, async (conversation) => ({ eventId: await conversation.decide(approval, decision) }));
  }

  /** What was said, from the session store. */
  async transcript({
    limit = 200,
    offset = 0,
    ...key
  }: ConversationKey & { limit?: number; offset?: number }): Promise<readonly SessionMessage[]> {
    const { sessionId } = await this.#find(key);
    if (sessionId === undefined) return [];
    const { sessionStore, homes } = this.#parts;
    const { cwd } = await homes.optionsOf(key.tenant);
    return await getSessionMessages(sessionId, { sessionStore, dir: cwd ?? process.cwd(), limit, offset });
  }

  /**
   * Removes a conversation with its events, approvals and transcripts. One that failed can be repeated. A record that
   * cannot be read is removed too.
   * @throws HostError `conflict`: a turn is open. One that has not begun is ended.
   */
  async remove(key: ConversationKey): Promise<void> {
    const record = await this.#find(key).catch((error: unknown) => {
      if (!(error instanceof HostError) || error.code !== 'store_failed' || error instanceof StoreTimeout) throw error;
      // Its events name its sessions. A store that is down fails again when the lease is taken.
      return { tenant: key.tenant, id: key.id, createdAt: 0, updatedAt: 0 };
    });
    await this.#using(key, (conversation) => removeConversation(record, conversation, this.#parts));
  }

  metrics(): HostMetrics {
    const { pool, spares, metrics } = this.#parts;
    const conversations = { cold: 0, starting: 0, busy: 0, idle: 0 };
    let openQuestions = 0;
    for (const { turns, questions } of this.#conversations.values()) {
      conversations[turns.state] += 1;
      openQuestions += questions.count;
    }
    const counts = { processes: pool.used, spares: spares.count, waiting: pool.waiting, viewers: this.#viewers.size };
    return { ...metrics, turns: { ...metrics.turns }, ...counts, openQuestions, conversations };
  }

  #assertRoomFor(viewerOf: string): void {
    const { viewers, viewersPerTenant } = this.#parts.limits;
    const own = [...this.#viewers.values()].filter((tenant) => tenant === viewerOf).length;
    const [limit, who] = own >= viewersPerTenant ? [own, ' of this tenant'] : [viewers, ''];
    if (own < viewersPerTenant && this.#viewers.size < viewers) return;
    throw new HostError('busy', `${limit} viewers${who} are here already.`, { retryAfterMs: 5_000 });
  }

  /**
   * Hands over: refuses new messages, gives open turns `graceMs` to end, interrupts the others, and ends every process
   * and viewer. Everything is stored when it resolves. To be called on SIGTERM.
   */
  drain({ graceMs = 20_000 }: { graceMs?: number } = {}): Promise<void> {
    this.#closing ??= this.#drain(graceMs);
    return this.#closing;
  }

  /** As {@link drain}, without grace. */
  async close(): Promise<void> {
    await this.drain({ graceMs: 0 });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #drain(graceMs: number): Promise<void> {
    const { pool, spares, limits } = this.#parts;
    pool.close(draining());
    const all = [...this.#conversations.values()];
    const ended = Promise.all(all.map((conversation) => conversation.turns.ended()));
    await within(graceMs, ended);
    // Who waits for a start is told to send the message to another host.
    const end = (each: Conversation): unknown =>
      each.turns.state === 'starting' ? each.turns.cancelStart(draining()) : each.turns.interrupt();
    await Promise.all(all.map(end));
    await within(limits.interruptMs, ended);
    await Promise.all(all.map((conversation) => conversation.turns.stop()));
    await spares.close();
    this.#memory.close();
    this.#isDrained = true;
    for (const conversation of this.#conversations.values()) {
      // Counted as a failure of the store when its turn ended.
      await conversation.feed.flush().catch(() => {});
      conversation.endViewers();
    }
  }

  /** @throws HostError `not_found`, also for an id that is none. */
  async #find(key: ConversationKey): Promise<ConversationRecord> {
    assertTenant(key.tenant);
    const record = isConversationId(key.id) ? await this.#parts.store.get(key) : undefined;
    if (record === undefined) throw notFound();
    return record;
  }

  #conversation(key: ConversationKey): Conversation {
    const name = keyText(key);
    const known = this.#conversations.get(name);
    if (known !== undefined) return known;
    const made: Conversation = new Conversation({ tenant: key.tenant, id: key.id }, this.#parts, () => {
      this.#parts.pool.makeRoom();
      this.#forget(made);
    });
    this.#conversations.set(name, made);
    return made;
  }

  async #using<T>(key: ConversationKey, task: (conversation: Conversation) => Promise<T>): Promise<T> {
    const conversation = this.#conversation(key);
    conversation.users += 1;
    try {
      return await task(conversation);
    } finally {
      conversation.users -= 1;
      this.#forget(conversation);
    }
  }

  /** Nothing is kept in memory about a conversation that nobody uses. */
  #forget(conversation: Conversation): void {
    const name = keyText(conversation.key);
    // One that was forgotten before may still be ending, while another has taken its place.
    if (conversation.isUnused && this.#conversations.get(name) === conversation) this.#conversations.delete(name);
  }

  /** A spare, or the process that has been idle for longest. @param tenant - Of this one, if given. */
  #evict(tenant?: string): Promise<void> | undefined {
    let oldest: Conversation | undefined;
    for (const each of this.#conversations.values()) {
      if (tenant !== undefined && each.key.tenant !== tenant) continue;
      if (each.turns.state !== 'idle') continue;
      if (oldest === undefined || each.turns.idleSince < oldest.turns.idleSince) oldest = each;
    }
    const gone = this.#parts.spares.evict(tenant) ?? oldest?.turns.evict();
    if (gone !== undefined) this.#parts.metrics.evicted += 1;
    return gone;
  }

  #processes(): ReadonlyMap<number, Conversation> {
    const all = [...this.#conversations.values()];
    return new Map(all.flatMap((each) => (each.turns.pid === undefined ? [] : [[each.turns.pid, each] as const])));
  }

  #approvalInfo(approval: Approval): ApprovalInfo {
    const { tenant: _, id: __, inputDigest: ___, finalDigest: ____, ...info } = approval;
    if (info.state !== 'open') return info;
    if (info.expiresAt <= Date.now()) return { ...info, state: 'expired' };
    const token = this.#tokens?.sign(approval);
    return { ...info, ...(token === undefined ? {} : { token }) };
  }

  #infoOf({ id, createdAt, updatedAt, title, tenant }: ConversationRecord): ConversationInfo {
    const state = this.#conversations.get(keyText({ tenant, id }))?.turns.state ?? 'cold';
    return { id, createdAt, updatedAt, ...(title === undefined ? {} : { title }), state };
  }

  #assertAccepting(): void {
    if (this.#closing !== undefined) throw draining();
  }
}

/** A rule that hangs must not keep a turn open: as one that throws, it keeps the tool from running. */
function boundedRule(needsApproval: ApprovalOptions['needsApproval'], ms: number): ApprovalOptions['needsApproval'] {
  const name = '`approvals.needsApproval()`';
  return async (call, key) => {
    try {
      return await settled(ms, name, async () => needsApproval(call, key));
    } catch (error) {
      throw storeFailure(name, error);
    }
  };
}

async function within(ms: number, promise: Promise<unknown>): Promise<void> {
  const timer = new AbortController();
  await Promise.race([promise, sleep(ms, undefined, { signal: timer.signal }).catch(() => {})]);
  timer.abort();
}
