import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { getSessionMessages, type SessionMessage } from 'claudewire';
import type { Decision } from '../approvals/approval.js';
import { ApprovalTokens } from '../approvals/approval-token.js';
import { type ApprovalInfo, noApproval, TenantApprovals } from '../approvals/tenant-approvals.js';
import { assertUpdatedInput } from '../approvals/updated-input.js';
import { promptOf } from '../background/conversation-background.js';
import { WakeUpClock } from '../background/wake-up-clock.js';
import { assertOptions } from '../checks.js';
import { draining, HostError, notFound } from '../errors.js';
import type { BackgroundTask, LoggedEvent, ScheduledPrompt } from '../events/conversation-event.js';
import { assertTenant, type ConversationKey, isConversationId } from '../stores/conversation-key.js';
import type { ConversationRecord } from '../stores/conversation-store.js';
import { StoreTimeout } from '../stores/time-limit.js';
import { assertArguments } from './argument-checks.js';
import type { Conversation } from './conversation.js';
import { Conversations } from './conversations.js';
import { HOST_CHECKS } from './host-checks.js';
import type { SessionHostOptions } from './host-options.js';
import { createParts, type HostCounters, type HostParts } from './host-parts.js';
import { cursorOf, placeOf } from './list-cursor.js';
import { MemoryWatch } from './memory.js';
import type { Answer } from './questions.js';
import { removeConversation } from './remove-conversation.js';
import { assertRoomToStore } from './stored-bytes.js';
import type { ConversationState } from './turns.js';
import { Viewers } from './viewers.js';

export interface ConversationInfo {
  readonly id: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly title?: string;
  /** On this host. */
  readonly state: ConversationState;
  /** What runs on this host after its turn. Absent: nothing. */
  readonly tasks?: readonly BackgroundTask[];
  /** Prompts that it will send itself. Absent: none, or in a list. */
  readonly wakeUps?: readonly ScheduledPrompt[];
}

export interface ConversationListOptions {
  readonly tenant: string;
  /** At most so many, up to 500. @defaultValue 100 */
  readonly limit?: number | undefined;
  readonly after?: string | undefined;
}

export interface ConversationList {
  readonly conversations: readonly ConversationInfo[];
  /** For `after` of the next page. Absent: this was the last one. */
  readonly next?: string;
}

export interface HostMetrics extends Readonly<HostCounters> {
  /** Running, starting and ending. */
  readonly processes: number;
  readonly spares: number;
  /** Processes that are kept because something runs in them. */
  readonly kept: number;
  /** Messages that wait for a process. */
  readonly waiting: number;
  readonly viewers: number;
  readonly openQuestions: number;
  readonly conversations: Readonly<Record<ConversationState, number>>;
}

/** Makes a host. `close()` it, or use `await using`. @throws HostError `invalid`: it names the option. */
export function createSessionHost(options: SessionHostOptions): SessionHost {
  return new SessionHost(options);
}

/**
 * Many conversations of many tenants on few processes. Every call names a tenant and a conversation: one of another
 * tenant is `not_found`, as one that does not exist.
 */
export class SessionHost implements AsyncDisposable {
  readonly #parts: HostParts;
  readonly #conversations: Conversations;
  readonly #viewers: Viewers;
  readonly #approvals: TenantApprovals | undefined;
  readonly #memory: MemoryWatch<Conversation>;
  readonly #clock: WakeUpClock;
  readonly #grace = new AbortController();
  #closing: Promise<void> | undefined;

  constructor(options: SessionHostOptions) {
    assertOptions('createSessionHost()', options, HOST_CHECKS);
    const tokens = options.approvals && new ApprovalTokens(options.approvals.keys);
    this.#parts = createParts(options, (tenant) => this.#conversations.evictIdle(tenant));
    const { limits, approvals } = this.#parts;
    this.#conversations = new Conversations(this.#parts);
    this.#viewers = new Viewers(limits, this.#conversations);
    this.#approvals = approvals && tokens && new TenantApprovals(approvals.store, tokens);
    this.#memory = new MemoryWatch({
      ...{ limitMb: limits.processMemoryMb, everyMs: limits.memoryCheckMs },
      processes: () => this.#conversations.byPid(),
      onOver: (conversation) => void conversation.endBig(),
    });
    this.#clock = new WakeUpClock({
      ...{ store: this.#parts.wakeUps, everyMs: limits.wakeUpMs },
      fire: (key) => this.#fire(key),
      onFailure: () => {
        this.#parts.metrics.storeFailures += 1;
      },
    });
  }

  /**
   * A new conversation. No process is started for it yet.
   * @param title - Up to 200 characters, not blank. Without one it is called by the first line of its first message.
   * @throws HostError `limit_reached`: the tenant has as many as `limits.conversationsPerTenant`.
   */
  async create({ tenant, title }: { tenant: string; title?: string | undefined }): Promise<ConversationInfo> {
    assertTenant(tenant);
    assertArguments({ title });
    this.#assertAccepting();
    const createdAt = Date.now();
    const record: ConversationRecord = {
      ...{ tenant, id: randomUUID(), createdAt, updatedAt: createdAt },
      ...(title === undefined ? {} : { title }),
    };
    const { conversationsPerTenant } = this.#parts.limits;
    await this.#parts.store.create(record, conversationsPerTenant === 0 ? undefined : conversationsPerTenant);
    this.#parts.spares.refill(tenant);
    return this.#infoOf(record);
  }

  /**
   * One page of the conversations of a tenant, the last changed first. One that is changed between two pages moves to the
   * front; every other one comes once.
   * @param after - `next` of the page before. Without it, the first page.
   * @throws HostError `invalid`: `after` is not the `next` of a page.
   */
  async list({ tenant, limit = 100, after }: ConversationListOptions): Promise<ConversationList> {
    assertArguments({ pageLimit: limit });
    // One more says whether there are more.
    const options = { limit: limit + 1, after: after === undefined ? undefined : placeOf(after) };
    const records = await this.#parts.store.list(tenant, options);
    const page = records.slice(0, limit);
    const last = records.length > limit ? page.at(-1) : undefined;
    const conversations = page.map((record) => this.#infoOf(record));
    return { conversations, ...(last === undefined ? {} : { next: cursorOf(last) }) };
  }

  /** One conversation, as in the list. A turn whose host has died is ended. */
  async get(key: ConversationKey): Promise<ConversationInfo> {
    const record = await this.#find(key);
    // An event log that fails hides no conversation.
    await this.#conversations
      .using(key, (conversation) => conversation.endLost())
      .catch(() => {
        this.#parts.metrics.storeFailures += 1;
      });
    const info = this.#infoOf(record);
    const wakeUps = (await this.#parts.wakeUps.get(key)).map(promptOf);
    return wakeUps.length === 0 ? info : { ...info, wakeUps };
  }

  /**
   * Sends a message, and opens a turn. Resolves when Claude Code has it.
   * @returns the id of the message's event: `events({ after: eventId })` is the answer.
   * @throws HostError `conflict`: a turn is open, here or on another host. `busy`: no process was free in time.
   * `limit_reached`: the tenant stores as much as `limits.storedBytesPerTenant`.
   */
  async send({ text, ...key }: ConversationKey & { text: string }): Promise<{ eventId: number }> {
    const { messageLength } = this.#parts.limits;
    if (typeof text !== 'string' || text.trim() === '' || text.length > messageLength) {
      throw new HostError('invalid', `A message must be a text of 1 to ${messageLength} characters that is not blank.`);
    }
    await this.#find(key);
    this.#assertAccepting();
    await assertRoomToStore(this.#parts, key.tenant);
    return await this.#conversations.using(key, async (conversation) => ({ eventId: await conversation.send(text) }));
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
  }: ConversationKey & {
    after?: number | undefined;
    signal?: AbortSignal | undefined;
    isPassive?: boolean | undefined;
  }): Promise<AsyncIterableIterator<LoggedEvent>> {
    assertArguments({ after });
    await this.#find(key);
    this.#viewers.assertRoomFor(key.tenant);
    return await this.#viewers.open(this.#conversations.of(key), { after, signal, isPassive });
  }

  /**
   * Ends an open turn. One whose process still starts, or that waits for one, fails with `conflict`.
   * @returns false when no turn is open on this host.
   */
  async interrupt(key: ConversationKey): Promise<boolean> {
    await this.#find(key);
    return await this.#conversations.using(key, (conversation) => conversation.turns.interrupt());
  }

  /**
   * Ends one task that runs on after its turn, on this host. An interrupt leaves tasks alone.
   * @throws HostError `not_found`: it has ended, or its process is not on this host.
   */
  async stopTask({ taskId, ...key }: ConversationKey & { taskId: string }): Promise<void> {
    await this.#find(key);
    await this.#conversations.using(key, (conversation) => conversation.turns.stopTask(taskId));
  }

  /** Answers a question that is open now, on this host. @throws HostError `not_found`: it is not. */
  async answer({
    questionId,
    answer,
    ...key
  }: ConversationKey & { questionId: string; answer: Answer }): Promise<void> {
    await this.#find(key);
    await this.#conversations.using(key, (conversation) => conversation.tools.answer(questionId, answer));
  }

  /** The calls of a conversation that wait for a decision, or waited, the oldest first. */
  async approvals(key: ConversationKey): Promise<readonly ApprovalInfo[]> {
    await this.#find(key);
    if (this.#approvals === undefined) return [];
    await this.#conversations.using(key, (conversation) => conversation.endLost());
    return await this.#approvals.list(key);
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
    assertArguments({ token, decision });
    await this.#find(key);
    this.#assertAccepting();
    if (decision.behavior === 'allow' && decision.updatedInput !== undefined) assertUpdatedInput(decision.updatedInput);
    if (this.#approvals === undefined) throw noApproval();
    const approval = await this.#approvals.open(key, approvalId, token);
    return await this.#conversations.using(key, async (conversation) => ({
      eventId: await conversation.decide(approval, decision),
    }));
  }

  /** What was said, from the session store. */
  async transcript({
    limit = 200,
    offset = 0,
    ...key
  }: ConversationKey & { limit?: number | undefined; offset?: number | undefined }): Promise<
    readonly SessionMessage[]
  > {
    assertArguments({ limit, offset });
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
    await this.#conversations.using(key, (conversation) => removeConversation(record, conversation, this.#parts));
  }

  metrics(): HostMetrics {
    const { pool, spares, kept, metrics } = this.#parts;
    const counts = {
      processes: pool.used,
      kept: kept.count,
      spares: spares.count,
      waiting: pool.waiting,
      viewers: this.#viewers.count,
    };
    return { ...metrics, turns: { ...metrics.turns }, ...counts, ...this.#conversations.counts() };
  }

  /**
   * Hands over: refuses new messages, gives open turns `graceMs` to end, interrupts the others, and ends every process
   * and viewer. Everything is stored when it resolves. To be called on SIGTERM.
   */
  async drain({ graceMs = 20_000 }: { graceMs?: number | undefined } = {}): Promise<void> {
    assertArguments({ graceMs });
    this.#closing ??= this.#drain(graceMs);
    await this.#closing;
  }

  /** As {@link drain}, without grace, also for one that is under way. */
  async close(): Promise<void> {
    this.#grace.abort();
    await this.drain({ graceMs: 0 });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #drain(graceMs: number): Promise<void> {
    const { pool, spares, limits } = this.#parts;
    pool.close(draining());
    this.#clock.close();
    const { all } = this.#conversations;
    const ended = Promise.all(all.map((conversation) => conversation.turns.ended()));
    await within(graceMs, ended, this.#grace);
    // Who waits for a start is told to send the message to another host.
    const end = (each: Conversation): unknown =>
      each.turns.state === 'starting' ? each.turns.cancelStart(draining()) : each.turns.interrupt();
    await Promise.all(all.map(end));
    await within(limits.interruptMs, ended);
    await Promise.all(all.map((conversation) => conversation.turns.stop()));
    await this.#clock.settled();
    await spares.close();
    this.#memory.close();
    await this.#viewers.close();
  }

  /** @throws HostError `not_found`, also for an id that is none. */
  async #find(key: ConversationKey): Promise<ConversationRecord> {
    assertTenant(key.tenant);
    const record = isConversationId(key.id) ? await this.#parts.store.get(key) : undefined;
    if (record === undefined) throw notFound();
    return record;
  }

  #infoOf({ id, createdAt, updatedAt, title, tenant }: ConversationRecord): ConversationInfo {
    const state = this.#conversations.stateOf({ tenant, id });
    const tasks = this.#conversations.tasksOf({ tenant, id });
    const running = tasks.length === 0 ? {} : { tasks };
    return { id, createdAt, updatedAt, ...(title === undefined ? {} : { title }), state, ...running };
  }

  /** Sends what is due in a conversation. False: it is tried again at the next look. */
  async #fire(key: ConversationKey): Promise<boolean> {
    const { store, wakeUps, metrics, onCrash } = this.#parts;
    try {
      if ((await store.get(key)) === undefined) {
        await wakeUps.set(key, []);
        return true;
      }
      await assertRoomToStore(this.#parts, key.tenant);
      this.#assertAccepting();
      return await this.#conversations.using(key, (conversation) => conversation.fireDue());
    } catch (error) {
      const code = error instanceof HostError ? error.code : undefined;
      if (code === 'store_failed') metrics.storeFailures += 1;
      // The others pass: the tenant stores too much, a turn is open, no process is free, another host has sent it.
      if (code === 'start_failed' || code === undefined) onCrash?.(key, error);
      return false;
    }
  }

  #assertAccepting(): void {
    if (this.#closing !== undefined) throw draining();
  }
}

/** @param timer - Ends the wait. */
async function within(ms: number, promise: Promise<unknown>, timer = new AbortController()): Promise<void> {
  await Promise.race([promise, sleep(ms, undefined, { signal: timer.signal }).catch(() => {})]);
  timer.abort();
}
