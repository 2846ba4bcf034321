import { EvaluationAbortedError, PromptEvaluationError } from '../errors/evaluation-errors.js';
import type { RenderedPrompt } from '../prompt/rendered-prompt.js';
import type { EvaluatingAdapter } from '../prompt/tool-context.js';
import { takeTurn } from './evaluate.js';
import type { LiveRun } from './live-run.js';
import { openRun } from './open-run.js';
import type { PromptResponse } from './prompt-response.js';
import type { Run } from './run.js';
import { refuseAtOnce } from './run-request.js';
import { settle } from './settle.js';
import { TurnFacts } from './turn-facts.js';

/** A process of Claude Code that stays, for several turns. Hooks, tools and limits hold in all of them. */
export interface Conversation<T> extends AsyncDisposable {
  /**
   * Sends a message and waits for its result. The rendered prompt stands before the first one, unless it is the system prompt.
   * Calls made at once are sent one after the other. After an interrupted or failed turn the conversation goes on; it is over
   * when the process is.
   *
   * @throws what `evaluate()` throws, about this turn.
   */
  send(text: string): Promise<PromptResponse<T>>;
  /** Stops the turn that runs: its `send` rejects with `EvaluationAbortedError`. Does nothing between turns. */
  interrupt(): Promise<void>;
  /** Ends the process and removes what was made for it. A `send` that waits rejects. Safe to call twice. */
  close(): Promise<void>;
}

/** Opens a run for several turns. */
export async function converse<T>(
  run: Run<T>,
  adapter: EvaluatingAdapter,
): Promise<Conversation<T>> {
  try {
    const { live, rendered } = await openRun(run, adapter);
    return new OpenConversation(run, live, rendered);
  } catch (error) {
    await run.close();
    throw run.toError(error);
  }
}

/** A conversation over a run that is open. */
class OpenConversation<T> implements Conversation<T> {
  readonly #run: Run<T>;
  readonly #live: LiveRun;
  readonly #rendered: RenderedPrompt<T>;
  /** Settles when every `send` before is done. */
  #queue: Promise<unknown> = Promise.resolve();
  #isFirst = true;
  #wasInterrupted = false;

  constructor(run: Run<T>, live: LiveRun, rendered: RenderedPrompt<T>) {
    this.#run = run;
    this.#live = live;
    this.#rendered = rendered;
    // What stops it may come between two turns. A turn that runs is told first, and ends by itself.
    const end = (): void => void this.#queue.then(() => run.close());
    void run.watch.stopped.then(end);
    void live.over.then(end);
  }

  send(text: string): Promise<PromptResponse<T>> {
    const sent = this.#queue.then(() => this.#send(text));
    this.#queue = sent.catch(() => {});
    return sent;
  }

  async interrupt(): Promise<void> {
    if (!this.#live.isInTurn) return;
    this.#wasInterrupted = true;
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

  async #send(text: string): Promise<PromptResponse<T>> {
    const run = this.#run;
    if (typeof text !== 'string' || text === '') {
      throw run.toError(new TypeError('send() takes a text that is not empty'));
    }
    try {
      this.#refuse();
      this.#begin();
      const before = run.elapsedMs;
      await takeTurn(run, this.#live, this.#message(text));
      const durationMs = run.elapsedMs - before;
      await run.noteFiles();
      return await settle(run, this.#rendered, {
        durationMs,
        interruptedBy: this.#wasInterrupted ? this.#interruption() : undefined,
      });
    } catch (error) {
      if (this.#isOver) await run.close();
      throw run.toError(error);
    }
  }

  get #isOver(): boolean {
    return this.#live.isOver || this.#run.watch.reason !== undefined;
  }

  /** @throws {@link PromptEvaluationError} */
  #refuse(): void {
    const { watch, request } = this.#run;
    watch.check();
    refuseAtOnce(request);
    if (!this.#live.isOver) return;
    throw new PromptEvaluationError('The conversation is over: its process has ended', {
      promptName: request.promptName,
      phase: 'request',
      cause: this.#live.failure?.error,
      partial: this.#run.partial(),
      retryAdvice: {
        retry: 'after_change',
        retryAfterMs: null,
        action: 'Open another conversation, with `resume` to go on where this one was.',
      },
    });
  }

  #begin(): void {
    const run = this.#run;
    const { cliSessionId } = run.turn;
    run.turn = new TurnFacts();
    run.turn.cliSessionId = cliSessionId;
    run.visibility = undefined;
    this.#wasInterrupted = false;
    const { hookState } = run;
    if (hookState === undefined) return;
    hookState.stopReason = undefined;
    hookState.limitStop = undefined;
    hookState.structuredOutput = undefined;
  }

  #message(text: string): string {
    const isFirst = this.#isFirst;
    this.#isFirst = false;
    const prompt = this.#rendered.text;
    const isApart = this.#run.config.client.promptPlacement === 'system' || prompt === '';
    return isFirst && !isApart ? `${prompt}\n\n${text}` : text;
  }

  #interruption(): EvaluationAbortedError {
    const { request } = this.#run;
    return new EvaluationAbortedError('The turn was interrupted', {
      promptName: request.promptName,
      phase: 'response',
      partial: this.#run.partial(),
    });
  }
}
