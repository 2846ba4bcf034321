import { SubagentTail, type TranscriptPlace } from '../../transcripts/files/subagent-tail.js';
import { type RecordedAnswer, RecordedAnswers } from '../../transcripts/transcript/recorded-answers.js';
import type { JsonObject } from '../../util/json.js';
import { isSubscribed, type Open, publishEnd, publishStart } from './channels.js';
import type { AgentContext, ChatContext, QueryContext } from './contexts.js';
import type { Ending } from './ending.js';

/** A sub-agent until its end is published. */
export type OpenAgent = Open<AgentContext> & {
  /** What the CLI said of its context when it was done; `undefined`: nothing. */
  contextTokens?: number;
};

export type OpenChat = Open<ChatContext> & { content: unknown[]; lastAt: number; failure?: Ending };

/** Where the answers of sub-agents are recorded. `mirror`: in frames of the CLI. `undefined`: nowhere. */
export type AnswerSource = TranscriptPlace | 'mirror' | undefined;

interface Held {
  readonly agent: OpenAgent;
  /** Answers that are over, by message id. */
  readonly chats: Map<string, OpenChat>;
  recorded: SubagentTail | RecordedAnswers | undefined;
  hasTranscript: boolean;
  end: { readonly at: number; readonly ending: Ending; reads: number } | undefined;
}

/** Milliseconds until each look into the transcripts of agents that are done: the CLI writes them behind its frames. */
const LOOK_AFTER_MS = [150, 400, 1_000, 2_000];
/** Answers that are held at a time. Those before them end without the counts of their transcript. */
const MAX_HELD_CHATS = 1_000;
/** Sub-agents that are done and wait for their transcript. Those before them end without it. */
const MAX_WAITING = 500;
/** Ids of answers that are remembered, against those that a transcript took over from another one. */
const MAX_IDS = 50_000;

/**
 * Ends sub-agents and their answers: their frames have neither all answers nor the final counts, their transcripts do.
 * So the ends are held until the transcript has everything, at the latest until the run is over.
 */
export class SubagentEndings {
  readonly #query: QueryContext;
  readonly #held = new Map<OpenAgent, Held>();
  /** The ids of every answer that has begun in this run. */
  readonly #ids = new Set<string>();
  #source: AnswerSource;
  #chatCount = 0;
  #timer: NodeJS.Timeout | undefined;
  #isLooking = false;

  constructor(query: QueryContext) {
    this.#query = query;
  }

  /** Where to read. Without it, and without subscribers of `chat` and `agent`, nothing is held. */
  readFrom(source: AnswerSource): void {
    this.#source = source;
  }

  /** @returns false for an answer that another transcript or frame had. */
  isNew(messageId: string): boolean {
    if (this.#ids.has(messageId)) return false;
    this.#ids.add(messageId);
    // The oldest: a set keeps the order.
    for (const oldest of this.#ids) {
      if (this.#ids.size <= MAX_IDS) break;
      this.#ids.delete(oldest);
    }
    return true;
  }

  /** An answer of a sub-agent is over. */
  endChat(agent: OpenAgent, chat: OpenChat): void {
    if (!this.#isOn) {
      publishEnd('chat', chat, chat.lastAt, chat.failure);
      return;
    }
    this.#of(agent).chats.set(chat.messageId, chat);
    this.#chatCount += 1;
    if (this.#chatCount > MAX_HELD_CHATS) this.#letGo();
  }

  endAgent(agent: OpenAgent, at: number, ending: Ending): void {
    const held = this.#held.get(agent);
    if (!this.#isOn && held === undefined) {
      publishEnd('agent', agent, at, ending);
      return;
    }
    this.#of(agent).end = { at, ending, reads: 0 };
    const waiting = [...this.#held.values()].filter(({ end }) => end !== undefined);
    if (waiting[0] !== undefined && waiting.length > MAX_WAITING) this.#publish(waiting[0], false);
    this.#lookLater();
  }

  /** Entries of a transcript that the CLI mirrors. */
  onMirror(frame: JsonObject): void {
    const [, agentId] = /[/\\]subagents[/\\](?:.*[/\\])?agent-([^/\\]+)\.jsonl$/.exec(String(frame.filePath)) ?? [];
    if (agentId === undefined || !Array.isArray(frame.entries)) return;
    for (const held of this.#held.values()) {
      if (held.agent.agentId !== agentId || !(held.recorded instanceof RecordedAnswers)) continue;
      held.hasTranscript = true;
      for (const entry of frame.entries) held.recorded.add(entry);
    }
  }

  /** A sub-agent began: its transcript may be mirrored from now on. */
  begin(agent: OpenAgent): void {
    if (this.#isOn) this.#of(agent);
  }

  /** The run is over, and its process gone: reads what is left, and publishes every end. */
  close(): void {
    clearTimeout(this.#timer);
    for (const held of this.#held.values()) {
      const { recorded } = this.#open(held);
      if (recorded instanceof SubagentTail) held.hasTranscript = recorded.readNow();
      this.#publish(held, held.hasTranscript);
    }
  }

  get #isOn(): boolean {
    return this.#source !== undefined && (isSubscribed('chat') || isSubscribed('agent'));
  }

  #of(agent: OpenAgent): Held {
    let held = this.#held.get(agent);
    if (held === undefined) {
      const recorded = this.#source === 'mirror' ? new RecordedAnswers() : undefined;
      held = { agent, chats: new Map(), recorded, hasTranscript: false, end: undefined };
      this.#held.set(agent, held);
    }
    return held;
  }

  /** With the transcript, once its id is known. */
  #open(held: Held): Held {
    const { agentId, sessionId = this.#query.sessionId } = held.agent;
    if (typeof this.#source === 'object' && agentId !== undefined && sessionId !== undefined) {
      held.recorded ??= new SubagentTail(this.#source, sessionId, agentId);
    }
    return held;
  }

  /** The longest held answer goes on without its final counts. */
  #letGo(): void {
    for (const { chats } of this.#held.values()) {
      for (const chat of chats.values()) {
        chats.delete(chat.messageId);
        this.#chatCount -= 1;
        publishEnd('chat', chat, chat.lastAt, chat.failure);
        return;
      }
    }
  }

  #lookLater(): void {
    if (this.#timer !== undefined || this.#isLooking) return;
    const reads = [...this.#held.values()].flatMap(({ end }) => end?.reads ?? []);
    const delay = LOOK_AFTER_MS[Math.min(...reads)];
    if (delay === undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.#look();
    }, delay);
    // It must not keep a program alive.
    this.#timer.unref();
  }

  async #look(): Promise<void> {
    this.#isLooking = true;
    for (const held of [...this.#held.values()]) {
      if (held.end === undefined || held.end.reads >= LOOK_AFTER_MS.length) continue;
      held.end.reads += 1;
      const { recorded } = this.#open(held);
      if (recorded instanceof SubagentTail) held.hasTranscript = (await recorded.read()) || held.hasTranscript;
      // The run may have ended meanwhile.
      if (this.#held.has(held.agent) && this.#isComplete(held)) this.#publish(held, held.hasTranscript);
    }
    this.#isLooking = false;
    this.#lookLater();
  }

  /** Whether there is nothing to wait for: what the CLI said of the agent is there, or will not come. */
  #isComplete({ agent, recorded, hasTranscript, end }: Held): boolean {
    const answers = recorded instanceof SubagentTail ? recorded.answers : recorded;
    const isLast = end !== undefined && end.reads >= LOOK_AFTER_MS.length;
    if (!hasTranscript || agent.contextTokens === undefined) return isLast;
    return answers?.contextTokens === agent.contextTokens;
  }

  #publish(held: Held, isUsageFinal: boolean): void {
    const { agent, chats, recorded, end } = held;
    this.#held.delete(agent);
    this.#chatCount -= chats.size;
    const answers = (recorded instanceof SubagentTail ? recorded.answers : recorded)?.all ?? [];
    for (const answer of isUsageFinal ? answers : []) {
      const chat = chats.get(answer.messageId) ?? this.#unseen(agent, answer);
      if (chat === undefined) continue;
      chats.delete(answer.messageId);
      chat.usage = answer.usage;
      chat.isUsageFinal = true;
      if (answer.stopReason !== undefined) chat.stopReason = answer.stopReason;
      publishEnd('chat', chat, chat.lastAt, chat.failure);
    }
    for (const chat of chats.values()) publishEnd('chat', chat, chat.lastAt, chat.failure);
    agent.isUsageFinal = isUsageFinal;
    if (end !== undefined) publishEnd('agent', agent, end.at, end.ending);
  }

  /** An answer that no frame had; `undefined` for one of an earlier run, or that was counted. */
  #unseen(agent: OpenAgent, { messageId, model, usage, startedAt, endedAt }: RecordedAnswer): OpenChat | undefined {
    const { query, run, sessionId, turn } = agent;
    if (endedAt === undefined || endedAt < this.#query.startedAt || !this.isNew(messageId)) return undefined;
    const chat: OpenChat = {
      ...{ query, run, sessionId, turn, agent, messageId, model, usage },
      startedAt: Math.min(endedAt, Math.max(agent.startedAt, startedAt ?? agent.startedAt)),
      isUsageFinal: true,
      isStreamed: false,
      retries: 0,
      content: [],
      lastAt: endedAt,
    };
    publishStart('chat', chat);
    return chat;
  }
}
