import type { HookInput, SDKMessage } from 'claudewire';
import type {
  BackgroundEnd,
  BackgroundTask,
  ConversationEvent,
  ScheduledPrompt,
} from '../events/conversation-event.js';
import type { ConversationKey } from '../stores/conversation-key.js';
import { type WithLease, withoutLease } from '../stores/lease-token.js';
import { sessionCronsOf } from './stop-input.js';
import { afterFiring, type WakeUp, wakeUpOf } from './wake-up.js';
import type { WakeUpStore } from './wake-up-store.js';

/**
 * What goes on in a conversation between turns: tasks that run in its process, and prompts that it has scheduled. A process
 * that resumes restores the crons that are not yet due, and nothing else. Hosts send what no process holds.
 */
export class ConversationBackground {
  readonly #store: WakeUpStore;
  readonly #key: ConversationKey;
  readonly #withLease: WithLease;
  #tasks: readonly BackgroundTask[] = [];
  #wakeUps: readonly WakeUp[] = [];
  /** Ids that the process holds, or has held. */
  readonly #held = new Set<string>();
  #timeZone: string | undefined;
  /** What viewers were told last. */
  #shown = shownAs([], []);
  /** What the store has. */
  #stored = '[]';
  #unsaid: Extract<ConversationEvent, { type: 'background_ended' }>[] = [];

  /** @param withLease - Gives each write the token of the lease. */
  constructor(store: WakeUpStore, key: ConversationKey, withLease: WithLease = withoutLease) {
    this.#store = store;
    this.#key = key;
    this.#withLease = withLease;
  }

  get tasks(): readonly BackgroundTask[] {
    return this.#tasks;
  }

  get isRunning(): boolean {
    return this.#tasks.length > 0;
  }

  /** There is something that viewers or the store do not know. */
  get hasNews(): boolean {
    return this.#unsaid.length > 0 || this.#isShownOld() || this.#isStoredOld();
  }

  /** With the lease, before a turn: other hosts may have sent some. */
  async load(timeZone: string | undefined): Promise<void> {
    this.#timeZone = timeZone;
    if (this.#held.size === 0) await this.#reload();
  }

  /**
   * With the lease, after another host may have had it, which from now on changes nothing. What is known here is out of date.
   * Tasks that viewers were told of, and that are not of the process here, have ended with their host.
   * @param told - Of the log.
   */
  async takeOver(told: readonly BackgroundTask[]): Promise<void> {
    await this.#reload();
    await this.#write();
    const isTold = ({ taskId }: BackgroundTask): boolean => told.some((task) => task.taskId === taskId);
    // Another host has said it of the others.
    this.#unsaid = this.#unsaid.flatMap((end) => {
      const tasks = end.tasks.filter(isTold);
      return tasks.length === 0 ? [] : [{ ...end, tasks }];
    });
    const known = [...this.#tasks, ...this.#unsaid.flatMap(({ tasks }) => tasks)];
    const lost = told.filter(({ taskId }) => known.every((task) => task.taskId !== taskId));
    if (lost.length > 0) this.#unsaid.push({ type: 'background_ended', reason: 'crashed', tasks: lost });
    this.#shown = shownAs(told, this.#wakeUps);
  }

  async #reload(): Promise<void> {
    this.#held.clear();
    this.#wakeUps = await this.#store.get(this.#key);
    this.#stored = JSON.stringify(this.#wakeUps);
  }

  /** @returns whether the tasks have changed. */
  onMessage(message: SDKMessage): boolean {
    if (message.type !== 'system' || message.subtype !== 'background_tasks_changed') return false;
    this.#tasks = message.tasks.map(({ task_id: taskId, task_type: kind, description }) => ({
      ...{ taskId, kind, description },
    }));
    return true;
  }

  /** The end of a turn: the process says what it holds. */
  onStop(input: HookInput, now = Date.now()): void {
    const crons = sessionCronsOf(input);
    if (crons === undefined) return;
    const own = crons.flatMap((cron) => wakeUpOf(cron, now, this.#timeZone) ?? []);
    for (const { id } of crons) this.#held.add(id);
    this.#wakeUps = [...this.#wakeUps.filter(({ wakeUpId }) => !this.#held.has(wakeUpId)), ...own];
  }

  /** Those that a host has to send now, as the store has them. With the lease. */
  async due(now = Date.now()): Promise<readonly WakeUp[]> {
    const known = await this.#store.get(this.#key);
    return known.filter(({ fireAt, wakeUpId }) => fireAt <= now && !this.#held.has(wakeUpId));
  }

  /**
   * The process has opened a turn by itself. A prompt that it holds and that is due counts as sent: a turn that is cut does
   * not say what is left.
   * @returns those that count as sent.
   */
  ownTurnBegan(now = Date.now()): readonly WakeUp[] {
    const sent = this.#wakeUps.filter(({ wakeUpId, dueAt }) => this.#held.has(wakeUpId) && dueAt <= now);
    this.#wakeUps = this.#wakeUps.flatMap((each) =>
      sent.includes(each) ? (afterFiring(each, now, this.#timeZone) ?? []) : [each],
    );
    return sent;
  }

  /** Takes one out, or puts it off to its next time. With the lease, and before it is sent. */
  async fired({ wakeUpId }: WakeUp, now = Date.now()): Promise<void> {
    this.#wakeUps = this.#wakeUps.flatMap((each) =>
      each.wakeUpId === wakeUpId ? (afterFiring(each, now, this.#timeZone) ?? []) : [each],
    );
    await this.save();
  }

  /** The process is gone. Its tasks have ended with it, and what it held is sent by hosts from now on. */
  processEnded(reason: BackgroundEnd): void {
    if (this.#tasks.length > 0) this.#unsaid.push({ type: 'background_ended', reason, tasks: this.#tasks });
    this.#tasks = [];
    this.#held.clear();
    this.#wakeUps = this.#wakeUps.map((each) => ({ ...each, fireAt: each.dueAt }));
  }

  /**
   * What is to be reported. Once: with the lease.
   * @param isTurnEnd - What runs on is said again, so that it is found near the end of the log.
   */
  takeNews(isTurnEnd = false): readonly ConversationEvent[] {
    const news = this.#unsaid;
    this.#unsaid = [];
    if (!this.#isShownOld() && !(isTurnEnd && this.isRunning)) return news;
    this.#shown = shownAs(this.#tasks, this.#wakeUps);
    return [...news, { type: 'background', tasks: this.#tasks, wakeUps: this.#wakeUps.map(promptOf) }];
  }

  /** With the lease. */
  async save(): Promise<void> {
    if (this.#isStoredOld()) await this.#write();
  }

  async #write(): Promise<void> {
    const wakeUps = this.#wakeUps;
    await this.#withLease((token) => this.#store.set(this.#key, wakeUps, token));
    this.#stored = JSON.stringify(wakeUps);
  }

  #isShownOld(): boolean {
    return this.#shown !== shownAs(this.#tasks, this.#wakeUps);
  }

  #isStoredOld(): boolean {
    return this.#stored !== JSON.stringify(this.#wakeUps);
  }
}

export function promptOf({ wakeUpId, prompt, dueAt, recurring }: WakeUp): ScheduledPrompt {
  return { wakeUpId, prompt, dueAt, recurring };
}

function shownAs(tasks: readonly BackgroundTask[], wakeUps: readonly WakeUp[]): string {
  return JSON.stringify([tasks, wakeUps.map(promptOf)]);
}
