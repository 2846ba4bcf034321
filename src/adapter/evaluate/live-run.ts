import type { SDKMessage, SDKUserMessage } from '../../index.js';
import {
  isInitMessage,
  isResultMessage,
  isTaskNotificationMessage,
  isTaskStartedMessage,
  isTaskUpdatedMessage,
} from '../../parser/guards.js';
import { fieldsOf, isSystemMessage } from '../../parser/read-message.js';
import { createDeferred, type Deferred } from '../../util/deferred.js';
import { isJsonObject } from '../../util/json.js';
import { firstOf } from '../../util/race.js';
import { UnaskedTurns } from '../../util/unasked-turns.js';
import type { Clock } from '../limits/clock.js';
import type { RuntimeQuery } from '../runtime/agent-runtime.js';
import type { StopReason } from './stop-monitor.js';

/** How long an interrupted turn may take to end. */
const INTERRUPT_GRACE_MS = 2_000;

/** Drops queued messages with the turn. */
const EVERYTHING = { cancelQueued: true };

interface LiveRunOptions {
  readonly query: RuntimeQuery;
  readonly input: UserInput;
  readonly clock: Clock;
  /** Called with every message first. Must not throw. */
  readonly onMessage: (message: SDKMessage) => void;
  /** Why the run was stopped; `undefined`: it was not. */
  readonly stopReason?: () => StopReason | undefined;
}

/** What is a failure of the run, as `outcomeOf()` names it. */
const FAILURES: { readonly [Kind in StopReason['kind']]?: string } = {
  aborted: 'interrupted',
  deadline: 'deadline',
  budget: 'max_budget',
};

/** A process that runs, with one reader of its messages. */
export class LiveRun {
  /** Resolves when there will be no more messages. Never rejects. */
  readonly over: Promise<void>;
  /** What the messages ended with, if it was an error. */
  failure: { readonly error: unknown } | undefined;
  readonly #options: LiveRunOptions;
  readonly #tasks = new LiveTasks();
  readonly #unasked = new UnaskedTurns();
  #turn: Deferred<'result' | 'over'> | undefined;
  /** Resolves at the next result of any turn. */
  #heard = createDeferred<'result'>();
  #isOver = false;
  #isStopping = false;
  #closing: Promise<void> | undefined;

  constructor(options: LiveRunOptions) {
    this.#options = options;
    this.over = this.#pump();
  }

  get query(): RuntimeQuery {
    return this.#options.query;
  }

  /** There will be no more messages. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** A message was sent, and its result has not come. */
  get isInTurn(): boolean {
    return this.#turn !== undefined && !this.#isOver;
  }

  /** Sends a user message; resolves when its result is there, or when none will come. */
  ask(text: string): Promise<'result' | 'over'> {
    this.#turn = createDeferred();
    this.#options.input.send(text);
    void this.over.then(() => this.#turn?.resolve('over'));
    return this.#turn.promise;
  }

  /** Ends the input: the CLI exits when its work is done. */
  endInput(): void {
    this.#options.input.end();
    this.query.endInput();
  }

  /**
   * Stops the current turn and waits a moment for the CLI to confirm. Without a confirmation the process is ended,
   * since its late messages could be taken for the answer to another one. Never rejects.
   */
  async interrupt(options?: { readonly cancelQueued: boolean }): Promise<void> {
    const turn = this.#turn;
    // What is stopped first may be a turn that a background task began, with ours after it.
    while (turn !== undefined && this.#turn === turn && !this.#isOver) {
      this.query.interrupt(options).catch(() => {});
      if ((await this.#hearing(turn.promise)) !== 'nothing') continue;
      void this.close();
      return;
    }
  }

  /**
   * Stops the turn, the queued messages and every task, whose agents would go on calling the model. Waits for the turn
   * as `interrupt()` does. Never rejects.
   */
  async stop(): Promise<void> {
    if (this.#isOver) return;
    this.#isStopping = true;
    const { query } = this;
    // The interrupt first: the CLI starts a turn about an agent that `stop_task` ended, but not after an interrupt.
    const interrupted = this.isInTurn ? this.interrupt(EVERYTHING) : query.interrupt(EVERYTHING).catch(() => {});
    for (const id of this.#tasks.ids) query.stopTask?.(id).catch(() => {});
    if (this.isInTurn) await interrupted;
  }

  async #hearing(turn: Promise<unknown>): Promise<unknown> {
    return firstOf<unknown, unknown>(
      () => turn,
      ({ resolve }) => {
        void this.#heard.promise.then(resolve);
        return this.#options.clock.setTimer(INTERRUPT_GRACE_MS, () => resolve('nothing'));
      },
    );
  }

  /** Ends the process because of an error in its output. The first error counts; `undefined` is ignored. */
  fail(error: Error | undefined): void {
    if (error === undefined) return;
    this.failure ??= { error };
    void this.close();
  }

  /** Resolves when the process is gone. Safe to call twice. Never rejects. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#options.input.end();
    // Bounded by the exit ladder. Its errors say nothing about the run.
    const reason = this.#options.stopReason?.();
    await this.query.close(reason && FAILURES[reason.kind]).catch(() => {});
  }

  async #pump(): Promise<void> {
    try {
      for await (const message of this.query) {
        this.#tasks.onMessage(message);
        // The CLI started a turn about a task that was stopped.
        if (this.#isStopping && isInitMessage(message)) this.query.interrupt(EVERYTHING).catch(() => {});
        this.#options.onMessage(message);
        const isUnasked = this.#unasked.note(message);
        if (!isResultMessage(message)) continue;
        if (!isUnasked) {
          this.#turn?.resolve('result');
          this.#turn = undefined;
        }
        this.#heard.resolve('result');
        this.#heard = createDeferred();
      }
    } catch (error) {
      this.failure ??= { error };
    } finally {
      this.#isOver = true;
    }
  }
}

const ENDED: ReadonlySet<unknown> = new Set(['completed', 'failed', 'stopped', 'killed', 'cancelled']);

/** Tasks that were reported as started and not as ended: agents and commands, in the background or not. */
class LiveTasks {
  readonly #ids = new Set<string>();

  get ids(): readonly string[] {
    return [...this.#ids];
  }

  onMessage(message: SDKMessage): void {
    if (isTaskStartedMessage(message)) this.#add(fieldsOf(message).task_id);
    else if (isTaskNotificationMessage(message)) this.#remove(fieldsOf(message).task_id);
    else if (isTaskUpdatedMessage(message)) {
      const { task_id: id, patch } = fieldsOf(message);
      if (isJsonObject(patch) && ENDED.has(patch.status)) this.#remove(id);
    } else if (isSystemMessage(message, 'background_tasks_changed')) {
      const { tasks } = fieldsOf(message);
      for (const task of Array.isArray(tasks) ? tasks : []) {
        if (isJsonObject(task)) this.#add(task.task_id);
      }
    }
  }

  #add(id: unknown): void {
    if (typeof id === 'string') this.#ids.add(id);
  }

  #remove(id: unknown): void {
    if (typeof id === 'string') this.#ids.delete(id);
  }
}

/** User messages, one at a time, until `end()`. */
export class UserInput implements AsyncIterable<SDKUserMessage> {
  readonly #queue: SDKUserMessage[] = [];
  readonly #sessionId: string;
  #wake = (): void => {};
  #ended = false;

  /** @param sessionId - Goes into each frame. The CLI does not act on it. */
  constructor(sessionId: string) {
    this.#sessionId = sessionId;
  }

  send(content: string): void {
    this.#queue.push({
      type: 'user',
      message: { role: 'user', content },
      parent_tool_use_id: null,
      session_id: this.#sessionId,
    });
    this.#wake();
  }

  end(): void {
    this.#ended = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncIterator<SDKUserMessage> {
    for (;;) {
      const next = this.#queue.shift();
      if (next !== undefined) yield next;
      else if (this.#ended) return;
      else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    }
  }
}

/** Asks the CLI for the usage of its session, one request at a time. */
export class UsageProbe {
  readonly #query: Pick<RuntimeQuery, 'getUsage'>;
  readonly #onTable: (table: unknown) => void;
  #running: Promise<void> | undefined;
  #isWanted = false;
  /** The CLI does not know the request, or did not answer: it is not asked again. */
  #isSilent: boolean;

  constructor(query: Pick<RuntimeQuery, 'getUsage'>, onTable: (table: unknown) => void) {
    this.#query = query;
    this.#onTable = onTable;
    this.#isSilent = query.getUsage === undefined;
  }

  /** Resolves when an answer requested after this call was counted, or none will come. Never rejects. */
  ask(): Promise<void> {
    this.#isWanted = true;
    this.#running ??= this.#run();
    return this.#running;
  }

  async #run(): Promise<void> {
    while (this.#isWanted && !this.#isSilent) {
      this.#isWanted = false;
      try {
        const table = await this.#query.getUsage?.();
        if (table === undefined) this.#isSilent = true;
        else this.#onTable(table);
      } catch {
        this.#isSilent = true;
      }
    }
    this.#running = undefined;
  }
}
