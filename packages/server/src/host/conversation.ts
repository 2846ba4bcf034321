import type { Approval, Decision } from '../approvals/approval.js';
import { ConversationApprovals } from '../approvals/conversation-approvals.js';
import { ConversationBackground } from '../background/conversation-background.js';
import { HostError } from '../errors.js';
import type { ConversationEvent } from '../events/conversation-event.js';
import { EventFeed } from '../events/event-feed.js';
import type { ConversationKey } from '../stores/conversation-key.js';
import type { ConversationRecord } from '../stores/conversation-store.js';
import { Audience } from './audience.js';
import { ConversationLease } from './conversation-lease.js';
import { counted, type HostParts } from './host-parts.js';
import { endLostTurn } from './lost-turn.js';
import { Questions } from './questions.js';
import { StoredBytes } from './stored-bytes.js';
import { titleOf } from './title.js';
import { ToolGate } from './tool-gate.js';
import { Turns } from './turns.js';

/** One conversation on this host: its turns, its viewers, and the only writer of its events. */
export class Conversation {
  readonly key: ConversationKey;
  readonly feed: EventFeed;
  readonly questions: Questions;
  readonly audience: Audience;
  readonly tools: ToolGate;
  readonly turns: Turns;
  readonly background: ConversationBackground;
  /** Calls and viewers that need this object. */
  users = 0;
  readonly #parts: HostParts;
  readonly #lease: ConversationLease;
  readonly #approvals: ConversationApprovals | undefined;

  /** @param onQuiet - It has become idle, or has no process any more, or nobody may need it. */
  constructor(key: ConversationKey, parts: HostParts, onQuiet: () => void) {
    const { limits } = parts;
    this.key = key;
    this.#parts = parts;
    // What cannot be read or written now is tried again at the next look, and by the next message.
    const look = (): void => void this.#look().catch(() => {});
    const lease = new ConversationLease(key, parts, {
      endsInTurn: () => feed.endsInTurn(),
      onLost: () => void this.turns.leaseLost(),
    });
    const feed = new EventFeed(parts.eventLog, key, {
      ...{ mayRetry: () => lease.isHeld, withLease: lease.write, onShrunk: look },
      onForeign: () => void this.turns.othersWrote().catch(() => {}),
      onEvent: (event) => {
        stored.add(event);
        parts.onEvent?.(key, event);
      },
    });
    const stored = new StoredBytes();
    const report = (event: ConversationEvent): void => void (lease.isHeld && feed.append(event));
    const questions = new Questions(report, limits.questionMs);
    const approvals = parts.approvals && new ConversationApprovals(parts.approvals, key, report);
    const tools = new ToolGate({ questions, approvals, lease, isServing: () => this.turns.isServing });
    const audience = new Audience({
      ...{ abandonMs: limits.abandonMs, lookMs: limits.leaseMs },
      onAbandoned: () => void this.turns.interrupt(),
      onLook: look,
    });
    const background = new ConversationBackground(parts.wakeUps, key, lease.write);
    const shared = { key, parts, feed, lease, questions, approvals, background, stored };
    this.turns = new Turns({ ...shared, tools, audience, onQuiet });
    this.background = background;
    this.feed = feed;
    this.questions = questions;
    this.audience = audience;
    this.tools = tools;
    this.#lease = lease;
    this.#approvals = approvals;
  }

  get isUnused(): boolean {
    return this.users === 0 && this.turns.isOver;
  }

  /**
   * Opens a turn. Resolves when Claude Code has the message.
   * @returns the id of the event of this message.
   * @throws HostError as {@link Turns.open}.
   */
  async send(text: string): Promise<number> {
    return await this.turns.open({
      event: { type: 'user_message', text },
      // A message that is refused withdraws nothing.
      beforeTurn: async (record) => {
        await this.#approvals?.withdrawOpen();
        await this.#entitle(record, text);
      },
      run: (agent) => agent.send(text),
    });
  }

  /**
   * Opens a turn that goes on with a call that was deferred. No message is sent: it would be a turn more.
   * @returns as {@link send}. @throws HostError as {@link send}; `conflict` also when it was decided already.
   */
  async decide(approval: Approval, decision: Decision): Promise<number> {
    let isUsedUp = false;
    try {
      return await this.turns.open({
        event: { type: 'approval_decided', approvalId: approval.approvalId, behavior: decision.behavior },
        isResumed: true,
        beforeStart: async () => {
          // A decision is used up by this, and nothing would come of it on a host whose lease has passed.
          await this.#lease.assertConfirmed();
          await this.#approvals?.consume(approval, decision);
          isUsedUp = true;
        },
      });
    } catch (error) {
      if (!isUsedUp || !(error instanceof HostError)) throw error;
      const { code, message, retryAfterMs } = error;
      const again = retryAfterMs === undefined ? {} : { retryAfterMs };
      const hint = 'The decision is used up. If the call did not run, it waits again as a new approval.';
      throw new HostError(code, `${message} ${hint}`, { cause: error, ...again });
    }
  }

  /**
   * Opens a turn with a prompt that is due and that no process sends, if there is one. It waits for an open turn, and for a
   * call that waits for a decision.
   * @returns false when it has to wait.
   * @throws HostError as {@link send}; `conflict` also when another host has sent it.
   */
  async fireDue(): Promise<boolean> {
    const { background, turns } = this;
    const [due] = await background.due();
    if (due === undefined) return true;
    if (turns.hasOpenTurn || turns.isEnding || (await this.#approvals?.isWaiting()) === true) return false;
    const { wakeUpId, prompt } = due;
    const assertDue = async (): Promise<void> => {
      const isDue = (await background.due()).some((each) => each.wakeUpId === wakeUpId);
      if (!isDue) throw new HostError('conflict', 'Another host has sent this prompt.');
    };
    await turns.open({
      event: { type: 'wake_up', wakeUpId, prompt },
      // With the lease, in both cases: a process may be there already.
      beforeStart: assertDue,
      beforeTurn: async () => {
        await assertDue();
        // What has expired is over, as with a message.
        await this.#approvals?.withdrawOpen();
      },
      run: async (agent) => {
        await background.fired(due);
        await agent.wake(prompt);
      },
    });
    return true;
  }

  /** Ends what a host left open that died, so that nobody waits for its end. */
  async endLost(): Promise<void> {
    const { feed, background } = this;
    // Whoever has read that the turn is over may ask at once.
    await this.turns.stored();
    const lost = { feed, background, approvals: this.#approvals, lease: this.#lease, end: this.turns.unsaidEnd };
    await this.turns.between(() => endLostTurn(lost));
  }

  /** After what is stored, and for good. */
  endViewers(): void {
    this.feed.close();
    this.audience.close();
  }

  /** Ends a process that has grown too big, with its turn. A message that waits for it is left alone. */
  async endBig(): Promise<void> {
    if (this.turns.state === 'busy') await this.turns.stopTurn('memory_limit');
    else await this.turns.evict('memory_limit');
  }

  /** What other hosts did: one may have died in a turn, or have removed the conversation. */
  async #look(): Promise<void> {
    if (this.turns.hasOpenTurn || this.turns.isEnding) return;
    if ((await this.#parts.store.get(this.key)) !== undefined) return await this.endLost();
    this.endViewers();
    await this.turns.evict();
  }

  /** Before the turn, so that it is found in the list whatever becomes of the turn. A message does not fail for it. */
  async #entitle({ title }: ConversationRecord, text: string): Promise<void> {
    if (title !== undefined || !this.#lease.isHeld) return;
    const { store, metrics } = this.#parts;
    const update = (token?: number): Promise<void> => store.update(this.key, { title: titleOf(text) }, token);
    await this.#lease.write(update).catch(counted(metrics));
  }
}
