import { EXIT_AFTER_BROKEN_PIPE_MS } from '../control/outbound-queue.js';
import type { QueryController } from '../control/query-controller.js';
import { tooLate } from '../control/request-errors.js';
import type { DiagnosticListener } from '../diagnostics.js';
import { CLIConnectionError, isClaudeSDKError, SessionClosedError } from '../errors.js';
import { NOT_READY } from '../transport/frame-writer.js';
import { errorText } from '../util/error-text.js';
import type { JsonObject } from '../util/json.js';
import type { LaunchPolicy } from './launch/launch-plan.js';
import { assertPrompt, notJson, type PromptItems, PromptPump, type PromptSink, userFrame } from './prompt.js';

const INPUT_HAS_ENDED =
  'The input ends with the prompt: keep the iterable open, or connect a ClaudeClient without a prompt to send more later.';

interface SessionInputOptions {
  readonly controller: QueryController;
  /** Where frames go; the session counts turns on the way. */
  readonly sink: PromptSink;
  readonly policy: Pick<LaunchPolicy, 'verbatimPrompts'>;
  readonly onDiagnostic: DiagnosticListener;
  /** The prompt could not be sent. */
  readonly onFailed: (error: Error) => void;
}

/** What goes into a session: the prompt, once, and any number of streams beside it. */
export class SessionInput {
  readonly #options: SessionInputOptions;
  readonly #pumps = new Set<PromptPump>();
  #isStopped = false;
  #writeFailureTimer: NodeJS.Timeout | undefined;

  constructor(options: SessionInputOptions) {
    this.#options = options;
  }

  /**
   * Sends the prompt: a string at once, unless something must be confirmed first.
   * @param confirmed - Rejects when it was not; the session has then been stopped.
   */
  sendPrompt(prompt: string | PromptItems, confirmed: Promise<void> | undefined): void {
    if (typeof prompt === 'string' && confirmed === undefined) this.#sendString(prompt);
    else void this.#sendWhen(confirmed, prompt);
  }

  /**
   * Writes every item of an iterable, no faster than the CLI reads.
   * @param decorate - Completes each item before it is written.
   * @throws InvalidOptionError `items` cannot be iterated. PromptError it failed; the session goes on.
   * @throws SessionClosedError the input is over, or ended before the iterable did.
   */
  async stream(items: PromptItems, decorate: (frame: JsonObject) => JsonObject = (frame) => frame): Promise<void> {
    assertPrompt(items, 'query');
    const { controller } = this.#options;
    if (this.#isStopped || !controller.isInputOpen) throw await this.#inputOver();
    controller.stdin.inputStarted();
    try {
      await this.#pump(items, decorate);
    } catch (error) {
      if (error instanceof CLIConnectionError) throw await this.#inputOver(error);
      throw error;
    } finally {
      controller.stdin.inputEnded();
    }
    // Stopped, not exhausted: not every item was written.
    if (this.#isStopped) throw await this.#inputOver();
  }

  /** Takes nothing more from anybody's iterable, and returns each of them. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#writeFailureTimer);
    for (const pump of this.#pumps) pump.stop();
  }

  #sendString(prompt: string): void {
    try {
      this.#options.sink.sendUserMessage(this.#compose(userFrame(prompt)));
    } catch (error) {
      this.#fail(isClaudeSDKError(error) ? error : notJson('The prompt', error));
      return;
    }
    this.#options.controller.stdin.inputEnded();
  }

  async #sendWhen(confirmed: Promise<void> | undefined, prompt: string | PromptItems): Promise<void> {
    try {
      await confirmed;
    } catch {
      return;
    }
    if (this.#isStopped) return;
    if (typeof prompt === 'string') {
      this.#sendString(prompt);
      return;
    }
    try {
      await this.#pump(prompt);
    } catch (error) {
      this.#fail(error);
      return;
    }
    this.#options.controller.stdin.inputEnded();
  }

  #fail(error: unknown): void {
    const { onFailed } = this.#options;
    if (!(error instanceof CLIConnectionError)) {
      if (error instanceof Error) onFailed(error);
      return;
    }
    clearTimeout(this.#writeFailureTimer);
    this.#writeFailureTimer = setTimeout(() => onFailed(error), EXIT_AFTER_BROKEN_PIPE_MS).unref();
  }

  async #pump(items: PromptItems, decorate: (frame: JsonObject) => JsonObject = (frame) => frame): Promise<void> {
    const pump = new PromptPump(this.#options.sink, {
      transform: (frame) => this.#compose(decorate(frame)),
      onReturnFailed: (error) =>
        this.#options.onDiagnostic({
          code: 'prompt_return_failed',
          message: `The prompt iterable's return() failed: ${errorText(error)}`,
        }),
    });
    this.#pumps.add(pump);
    try {
      await pump.run(items);
    } finally {
      this.#pumps.delete(pump);
    }
  }

  /** @param failure - Of a write. It is the error for a session that goes on. */
  async #inputOver(failure?: CLIConnectionError): Promise<CLIConnectionError> {
    const closedBy = await this.#options.controller.whyClosed();
    if (closedBy !== undefined) return tooLate(NOT_READY, closedBy);
    return failure ?? new SessionClosedError(`${NOT_READY}: the input has ended`, { hint: INPUT_HAS_ENDED });
  }

  #compose(frame: JsonObject): JsonObject {
    return this.#options.policy.verbatimPrompts ? { ...frame, client_composed: true } : frame;
  }
}
