import type { SDKMessage } from 'claudewire';
import type { UnknownCall } from '../redis/job-state.js';

/** Why a job waits in BullMQ's set of delayed jobs. */
export type DelayReason =
  /** Another job has the session, or a run that was killed still has its lease. */
  | 'session_busy'
  /** The tenant has started as many as it may. */
  | 'tenant_rate'
  /** The last run failed with an outcome that may end otherwise. */
  | 'retry';

/** `progress` of a job: small, and without any text of a user, a model or a tool. */
export interface JobProgress {
  readonly state: 'running' | 'delayed' | 'waiting_for_answer' | 'handed_back' | 'ended';
  /** Counts from 1. */
  readonly attempt: number;
  readonly sessionId?: string;
  readonly messages: number;
  readonly toolCalls: number;
  /** Name of the newest tool call. */
  readonly lastTool?: string;
  readonly reason?: DelayReason;
  /** Kind of the outcome that is retried, or that the job ended with. */
  readonly outcome?: string;
  /** Epoch milliseconds. */
  readonly until?: number;
  /** At most 20. */
  readonly unknownCalls?: readonly UnknownCall[];
}

/** Reports at most once in `everyMs`, one report at a time, and the newest state last. */
export class ProgressReporter {
  readonly #send: (progress: JobProgress) => Promise<void>;
  readonly #everyMs: number;
  readonly #onError: (error: unknown) => void;
  #current: JobProgress;
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;
  #sentAt = Number.NEGATIVE_INFINITY;

  constructor(
    attempt: number,
    params: {
      readonly send: (progress: JobProgress) => Promise<void>;
      readonly everyMs: number;
      readonly onError: (error: unknown) => void;
    },
  ) {
    this.#send = params.send;
    this.#everyMs = params.everyMs;
    this.#onError = params.onError;
    this.#current = { state: 'running', attempt, messages: 0, toolCalls: 0 };
  }

  get current(): JobProgress {
    return this.#current;
  }

  onMessage(message: SDKMessage): void {
    const { messages, toolCalls } = this.#current;
    const tools = message.type === 'assistant' ? toolNames(message.message.content) : [];
    const lastTool = tools.at(-1)?.slice(0, 64);
    this.#current = {
      ...this.#current,
      ...(typeof message.session_id === 'string' ? { sessionId: message.session_id.slice(0, 64) } : {}),
      ...(lastTool === undefined ? {} : { lastTool }),
      messages: messages + 1,
      toolCalls: toolCalls + tools.length,
    };
    this.#plan();
  }

  /** Sends this at once, as the last word of the run. Never rejects. */
  async end(changes: Partial<JobProgress>): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#sending;
    this.#current = { ...this.#current, ...changes };
    await this.#report();
  }

  #plan(): void {
    if (this.#timer !== undefined || this.#sending !== undefined) return;
    const wait = Math.max(0, this.#sentAt + this.#everyMs - performance.now());
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#sending = this.#report().finally(() => {
        this.#sending = undefined;
      });
    }, wait);
  }

  async #report(): Promise<void> {
    this.#sentAt = performance.now();
    await this.#send(this.#current).catch(this.#onError);
  }
}

function toolNames(content: unknown): readonly string[] {
  if (!Array.isArray(content)) return [];
  return content.flatMap((block: { type?: unknown; name?: unknown }) =>
    block?.type === 'tool_use' && typeof block.name === 'string' ? [block.name] : [],
  );
}
