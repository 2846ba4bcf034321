import type { QueryController } from '../control/query-controller.js';
import type { DiagnosticListener } from '../diagnostics.js';
import { SessionClosedError } from '../errors.js';
import type { JsonObject } from '../util/json.js';
import type { LaunchPolicy } from './launch/plan.js';
import { type PromptItems, PromptPump, type PromptSink, userFrame } from './prompt-pump.js';

export interface SessionInputOptions {
  readonly controller: QueryController;
  /** Where frames go; the session counts turns on the way. */
  readonly sink: PromptSink;
  readonly policy: Pick<LaunchPolicy, 'pipelinePrompt' | 'verbatimPrompts'>;
  readonly onDiagnostic: DiagnosticListener;
  /** The prompt could not be sent. */
  readonly onFailed: (error: unknown) => void;
}

/** What goes into a session: the prompt, once, and any number of streams beside it. */
export class SessionInput {
  readonly #options: SessionInputOptions;
  readonly #pumps = new Set<PromptPump>();
  #isStopped = false;

  constructor(options: SessionInputOptions) {
    this.#options = options;
  }

  /**
   * Sends the prompt: a string at once, unless the answer to `initialize` must confirm something first.
   *
   * @param confirmed - Rejects when it did not; the session has then been stopped with that error.
   */
  sendPrompt(prompt: string | PromptItems | undefined, confirmed: Promise<void>): void {
    if (prompt === undefined) return;
    const { pipelinePrompt } = this.#options.policy;
    if (typeof prompt === 'string' && pipelinePrompt) {
      this.#sendString(prompt);
      return;
    }
    const start = pipelinePrompt ? Promise.resolve() : confirmed;
    start.then(
      () => this.#sendLater(prompt),
      () => {},
    );
  }

  /**
   * Writes every item of an iterable, no faster than the CLI reads.
   *
   * @throws PromptError the iterable failed; the session goes on.
   * @throws SessionClosedError the input is over.
   */
  async stream(items: PromptItems): Promise<void> {
    const { controller } = this.#options;
    if (this.#isStopped || !controller.isInputOpen) {
      const { closedBy } = controller;
      throw new SessionClosedError(
        'ProcessTransport is not ready for writing: the input has ended',
        closedBy === undefined ? {} : { cause: closedBy },
      );
    }
    controller.inputStarted();
    try {
      await this.#pump(items);
    } finally {
      controller.inputEnded();
    }
  }

  /** Takes nothing more from anybody's iterable, and returns each of them. */
  stop(): void {
    this.#isStopped = true;
    for (const pump of this.#pumps) pump.stop();
  }

  #sendString(prompt: string): void {
    try {
      this.#options.sink.sendUserMessage(this.#compose(userFrame(prompt)));
    } catch (error) {
      this.#options.onFailed(error);
      return;
    }
    this.#options.controller.inputEnded();
  }

  async #sendLater(prompt: string | PromptItems): Promise<void> {
    if (this.#isStopped) return;
    if (typeof prompt === 'string') {
      this.#sendString(prompt);
      return;
    }
    try {
      await this.#pump(prompt);
    } catch (error) {
      this.#options.onFailed(error);
      return;
    }
    this.#options.controller.inputEnded();
  }

  async #pump(items: PromptItems): Promise<void> {
    const pump = new PromptPump(this.#options.sink, {
      transform: (frame) => this.#compose(frame),
      onReturnFailed: (error) =>
        this.#options.onDiagnostic({
          code: 'prompt_return_failed',
          message: `The prompt iterable's return() failed: ${String(error)}`,
        }),
    });
    this.#pumps.add(pump);
    try {
      await pump.run(items);
    } finally {
      this.#pumps.delete(pump);
    }
  }

  #compose(frame: JsonObject): JsonObject {
    return this.#options.policy.verbatimPrompts ? { ...frame, client_composed: true } : frame;
  }
}
