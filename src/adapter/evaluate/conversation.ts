import { describeValue } from '../../util/describe-value.js';
import { AdapterConfigError, advise } from '../errors/adapter-error.js';
import { EvaluationAbortedError, type EvaluationPhase, PromptEvaluationError } from '../errors/evaluation-errors.js';
import type { EvaluatingAdapter, RenderedPrompt } from '../prompt/index.js';
import type { PromptResponse } from '../report/run-report.js';
import { settle, takeTurn } from './evaluate.js';
import type { LiveRun } from './live-run.js';
import { openRun } from './open-run.js';
import type { Run } from './run.js';
import { assertNotOver } from './run-request.js';

/** A process of Claude Code that stays, for several turns. Hooks, tools and limits hold in all of them. */
export interface Conversation<T> extends AsyncDisposable {
  /**
   * Sends a message and waits for its result. The rendered prompt precedes the first one, unless it is the system
   * prompt. Calls made at once are sent one after the other. After an interrupted or failed turn the conversation goes
   * on; it is over when the process is.
   * @throws what `evaluate()` throws, about this turn. {@link AdapterConfigError} the text is empty, or none.
   */
  send(text: string): Promise<PromptResponse<T>>;
  /**
   * Stops the current or next turn: its `send` rejects with `EvaluationAbortedError`. Does nothing between turns. If
   * the CLI does not react within 2 seconds, the conversation ends.
   */
  interrupt(): Promise<void>;
  /** Ends the process and removes what was made for it. A `send` that waits rejects. Safe to call twice. */
  close(): Promise<void>;
}

/** Opens a run for several turns. */
export async function converse<T>(run: Run<T>, adapter: EvaluatingAdapter): Promise<Conversation<T>> {
  run.turns.isConversation = true;
  try {
    const { live, rendered } = await openRun(run, adapter);
    return new OpenConversation(run, live, rendered);
  } catch (error) {
    await run.close();
    throw run.toError(error);
  }
}

/** A message that waits for its result. */
interface Sent {
  isInterrupted: boolean;
}

/** A conversation over a run that is open. */
class OpenConversation<T> implements Conversation<T> {
  readonly #run: Run<T>;
  readonly #live: LiveRun;
  readonly #rendered: RenderedPrompt<T>;
  /** Settles when every `send` before is done. */
  #queue: Promise<unknown> = Promise.resolve();
  #isFirst = true;
  /** In order. The first is that of the turn that runs, or is the next to run. */
  readonly #waiting: Sent[] = [];

  constructor(run: Run<T>, live: LiveRun, rendered: RenderedPrompt<T>) {
    this.#run = run;
    this.#live = live;
    this.#rendered = rendered;
    // A stop may come between two turns.
    const end = (): void => void this.#queue.then(() => run.close());
    void run.watch.stopped.then(() => {
      // During a turn, `takeTurn()` stops it.
      if (!live.isInTurn) void live.stop();
      end();
    });
    void live.over.then(end);
  }

  send(text: string): Promise<PromptResponse<T>> {
    const turn: Sent = { isInterrupted: false };
    this.#waiting.push(turn);
    const sent = this.#queue.then(() => this.#send(text, turn));
    this.#queue = sent.catch(() => {});
    return sent;
  }

  async interrupt(): Promise<void> {
    const [turn] = this.#waiting;
    if (turn === undefined) return;
    turn.isInterrupted = true;
    await this.#live.interrupt();
  }

  async close(): Promise<void> {
    this.#run.watch.stop({ kind: 'closed' });
    await this.#queue;
    await this.#run.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #send(text: string, turn: Sent): Promise<PromptResponse<T>> {
    const run = this.#run;
    try {
      refuseNoText(text);
      this.#refuse();
      run.turns.begin();
      run.visibility = undefined;
      if (turn.isInterrupted) throw this.#interruption('request');
      const before = run.elapsedMs;
      await takeTurn(run, this.#live, this.#message(text));
      this.#forget(turn);
      const durationMs = run.elapsedMs - before;
      await run.noteFiles();
      return await settle(run, this.#rendered, {
        durationMs,
        interruptedBy: turn.isInterrupted ? this.#interruption('response') : undefined,
      });
    } catch (error) {
      if (this.#isOver) await run.close();
      if (run.recorder.files === undefined) await run.noteFiles();
      throw run.toError(error);
    } finally {
      this.#forget(turn);
      run.turns.end();
    }
  }

  #forget(turn: Sent): void {
    const index = this.#waiting.indexOf(turn);
    if (index !== -1) this.#waiting.splice(index, 1);
  }

  get #isOver(): boolean {
    return this.#live.isOver || this.#run.watch.reason !== undefined;
  }

  /** @throws {@link PromptEvaluationError} */
  #refuse(): void {
    const { watch, request } = this.#run;
    watch.check();
    assertNotOver(request);
    if (!this.#live.isOver) return;
    throw new PromptEvaluationError('The conversation is over: its process has ended', {
      ...this.#run.facts,
      phase: 'request',
      cause: this.#live.failure?.error,
      retryAdvice: advise('after_change', 'Open another conversation, with `resume` to go on where this one was.'),
    });
  }

  #message(text: string): string {
    const isFirst = this.#isFirst;
    this.#isFirst = false;
    const prompt = this.#rendered.text;
    const isApart = this.#run.config.client.promptPlacement === 'system' || prompt === '';
    return isFirst && !isApart ? `${prompt}\n\n${text}` : text;
  }

  #interruption(phase: EvaluationPhase): EvaluationAbortedError {
    return new EvaluationAbortedError('The turn was interrupted', { ...this.#run.facts, phase });
  }
}

/** @throws {@link AdapterConfigError} */
function refuseNoText(text: unknown): void {
  if (typeof text === 'string' && text !== '') return;
  throw new AdapterConfigError(`send() takes a non-empty string, got ${describeValue(text)}`, ['text']);
}
