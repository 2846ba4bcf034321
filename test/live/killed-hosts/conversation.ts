import { setTimeout as sleep } from 'node:timers/promises';
import type { ConversationEvent, LoggedEvent } from '../../../packages/server/src/index.js';
import type { HostPair } from './host-pair.js';
import { promptOf, reminderOf } from './model.js';

/** What may be open when a host is killed. */
export type Phase = 'call' | 'approval' | 'approved call' | 'task' | 'wake-up';

export interface TurnReport {
  readonly turn: number;
  readonly kind: string;
  readonly end: string;
  /** Whether the tool ran, by what the host says. `undefined`: it does not know. */
  readonly ran: boolean | undefined;
}

const LIMIT_MS = 60_000;

/** One conversation, and what a careful client does in it. */
export class Conversation {
  readonly #hosts: HostPair;
  readonly #random: () => number;
  readonly #key: { readonly tenant: string; readonly id: string };
  readonly reports: TurnReport[] = [];
  readonly faults: string[] = [];
  /** Wake-ups that a host took out of the store, and that it was killed before it could send. Their turns crashed. */
  unheard = 0;
  /** The host that the last request went to. */
  #host = 0;
  /** Turns that planned a wake-up, which is owed. */
  readonly #planned: number[] = [];

  private constructor(hosts: HostPair, random: () => number, id: string) {
    this.#hosts = hosts;
    this.#random = random;
    this.#key = { tenant: 'local', id };
  }

  static async create(hosts: HostPair, random: () => number): Promise<Conversation> {
    const answer = await hosts.request(0, '/conversations', {});
    return new Conversation(hosts, random, String(answer?.body.id));
  }

  /** What is open in it and would be lost with this host. What waits in a store belongs to both. */
  async phaseOn(index: number): Promise<Phase[]> {
    const events = (await this.#events()).map(({ event }) => event);
    const phases: Phase[] = [];
    const approval = events.findLast(({ type }) => type === 'approval' || type === 'approval_closed');
    const isDecided = events.findLast(({ type }) => type === 'approval_decided' || type === 'approval')?.type;
    if (approval?.type === 'approval') phases.push(isDecided === 'approval' ? 'approval' : 'approved call');
    const background = events.findLast(({ type }) => type === 'background');
    if (background?.type === 'background' && background.wakeUps.length > 0) phases.push('wake-up');
    if (this.#host !== index) return phases;
    if (background?.type === 'background' && background.tasks.length > 0) phases.push('task');
    const isOpen = isInTurn(events);
    if (isOpen && /"type":"tool_use"/.test(JSON.stringify(events.at(-1)))) phases.push('call');
    return phases;
  }

  /** One turn to its end, with all that follows from it. */
  async take(turn: number, kind: string): Promise<void> {
    try {
      await this.#take(turn, kind);
    } catch (error) {
      this.faults.push(`turn ${turn} (${kind}): ${String(error)}`);
    }
  }

  async #take(turn: number, kind: string): Promise<void> {
    const text = promptOf(kind, turn);
    const isAsked = (events: readonly ConversationEvent[]) =>
      events.some((event) => event.type === 'user_message' && event.text === text);
    // The host that took it may die before it says so: look before it is sent again.
    await this.#until(`${text} is taken`, async (events) => {
      if (isAsked(events)) return true;
      // A host that looks ends what a dead one has left open.
      if (isInTurn(events)) await this.#get('');
      else await this.#post('messages', { text });
      return false;
    });
    const first = await this.#untilEnd(text);
    if (kind === 'build' || kind === 'wake') {
      if (kind === 'wake' && first.outcome === 'completed') this.#planned.push(turn);
      this.#report({ turn, kind, end: first.outcome, ran: undefined });
      if (kind === 'wake') await this.#wake(turn);
      return;
    }
    if (first.outcome !== 'deferred') {
      // The call was not made, or waits for nobody: it must not have run.
      this.#report({ turn, kind, end: first.outcome, ran: false });
      return;
    }
    const state = await this.#decide(text);
    const ran = state === 'outcome_unknown' ? undefined : state === 'done' || state === 'failed';
    this.#report({ turn, kind, end: state, ran });
  }

  /** Approves what waits. @returns what became of the call. */
  async #decide(text: string): Promise<string> {
    let state = '';
    await this.#until(`the approval of ${text} is over`, async (events) => {
      const after = events.slice(events.findIndex((event) => event.type === 'user_message' && event.text === text));
      const closed = after.filter((event) => event.type === 'approval_closed');
      const announced = after.filter((event) => event.type === 'approval');
      state = closed.at(-1)?.state ?? '';
      // A process that did not start leaves the call waiting under another id.
      if (closed.length > 0 && closed.length === announced.length && !isInTurn(events)) return true;
      const list = await this.#get('approvals');
      const approvals = Array.isArray(list?.approvals) ? (list.approvals as Record<string, unknown>[]) : [];
      const open = approvals.find((each) => each.state === 'open');
      if (open !== undefined) {
        const { approvalId, token } = open;
        await this.#post(`approvals/${String(approvalId)}`, { token, behavior: 'allow' });
      }
      return false;
    });
    return state;
  }

  /** Lets its time come, once no process holds it. */
  async #wake(turn: number): Promise<void> {
    const prompt = reminderOf(turn);
    if (!this.#planned.includes(turn)) return;
    await this.#until(`${prompt} is sent`, async (events) => {
      const { state } = (await this.#get('')) ?? {};
      if (events.some((event) => event.type === 'wake_up' && event.prompt === prompt)) return !isInTurn(events);
      if (state !== 'cold') return false;
      const stored = await this.#hosts.wakeUps.get(this.#key);
      if (stored.some(({ fireAt }) => fireAt > 0)) {
        await this.#hosts.wakeUps.set(
          this.#key,
          stored.map((each) => ({ ...each, dueAt: 0, fireAt: 0 })),
        );
      }
      return false;
    });
  }

  /** At the end: looks for what was lost or came twice. */
  async settle(): Promise<void> {
    await this.#until('nothing runs any more', async (events) => {
      const background = events.findLast(({ type }) => type === 'background');
      await this.#get('');
      return !isInTurn(events) && (background?.type !== 'background' || background.tasks.length === 0);
    }).catch((error: unknown) => this.faults.push(String(error)));
    const events = (await this.#events()).map(({ event }) => event);
    const count = (is: (event: ConversationEvent) => boolean) => events.filter(is).length;
    for (const turn of this.#planned) {
      const begins = events.flatMap((event, index) =>
        event.type === 'wake_up' && event.prompt === reminderOf(turn) ? [index] : [],
      );
      if (begins.length === 0) this.faults.push(`wake-up ${turn} was not sent`);
      // A host that was killed before it took it out leaves it to another one.
      const heard = begins.filter((index) => hasInit(events.slice(index)));
      if (heard.length === 0) this.unheard += 1;
      const ends = begins.map((index) => events.slice(index).find((event) => event.type === 'turn_ended'));
      const isTold = ends.every((end) => end?.type === 'turn_ended' && end.outcome === 'crashed');
      if (heard.length === 0 && !isTold) this.faults.push(`wake-up ${turn} was lost, and nobody was told`);
      if (heard.length > 1) this.faults.push(`wake-up ${turn} was sent ${heard.length} times`);
    }
    for (const { turn, kind } of this.reports) {
      const text = promptOf(kind, turn);
      const sent = count((event) => event.type === 'user_message' && event.text === text);
      if (sent !== 1) this.faults.push(`message ${turn} was taken ${sent} times`);
    }
    let isOpen = false;
    for (const { type } of events) {
      const opens = type === 'user_message' || type === 'wake_up' || type === 'approval_decided';
      if (opens && isOpen) this.faults.push(`${type} in an open turn`);
      // Work that ends by itself opens a turn without an event of its own.
      if (opens) isOpen = true;
      if (type === 'turn_ended') isOpen = false;
    }
  }

  #report(report: TurnReport): void {
    this.reports.push(report);
  }

  async #untilEnd(text: string): Promise<{ readonly outcome: string }> {
    let outcome = '';
    await this.#until(`${text} ends`, async (events) => {
      const from = events.findIndex((event) => event.type === 'user_message' && event.text === text);
      const end = events.slice(from).find((event) => event.type === 'turn_ended');
      outcome = end?.type === 'turn_ended' ? end.outcome : '';
      // A host that looks ends what a dead one has left open.
      if (end === undefined) await this.#get('');
      return end !== undefined;
    });
    return { outcome };
  }

  async #until(what: string, isSo: (events: readonly ConversationEvent[]) => Promise<boolean>): Promise<void> {
    const end = Date.now() + LIMIT_MS;
    while (!(await isSo((await this.#events()).map(({ event }) => event)))) {
      if (Date.now() > end) {
        const last = (await this.#events())
          .slice(-6)
          .map(({ id, event }) => `${id} ${JSON.stringify(event).slice(0, 160)}`);
        throw new Error(`not within ${LIMIT_MS} ms: ${what}\n${last.join('\n')}`);
      }
      await sleep(50 + this.#random() * 50);
    }
  }

  async #events(): Promise<readonly LoggedEvent[]> {
    return (await this.#hosts.eventLog.read(this.#key, 0, 1_000_000)).events;
  }

  /** To either host: a conversation goes on wherever it is asked. */
  async #post(path: string, body: unknown): Promise<void> {
    this.#host = Math.floor(this.#random() * 2);
    await this.#hosts.request(this.#host, `/conversations/${this.#key.id}/${path}`, body);
  }

  async #get(path: string): Promise<Record<string, unknown> | undefined> {
    const at = `/conversations/${this.#key.id}${path === '' ? '' : `/${path}`}`;
    return ((await this.#hosts.request(0, at)) ?? (await this.#hosts.request(1, at)))?.body;
  }
}

function isInTurn(events: readonly ConversationEvent[]): boolean {
  const opener = events.findLastIndex(
    ({ type }) => type === 'user_message' || type === 'wake_up' || type === 'approval_decided' || type === 'message',
  );
  return events.slice(opener).every(({ type }) => type !== 'turn_ended') && opener !== -1;
}

/** Whether Claude Code took up what opens this turn. */
function hasInit(events: readonly ConversationEvent[]): boolean {
  const end = events.findIndex(({ type }) => type === 'turn_ended');
  return events
    .slice(0, end === -1 ? undefined : end)
    .some(({ type, ...event }) => type === 'message' && /"subtype":"init"/.test(JSON.stringify(event)));
}
