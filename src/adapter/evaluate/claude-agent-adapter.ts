import type { CheckReport } from '../doctor/check-report.js';
import type { EvaluatingAdapter, Prompt } from '../prompt/index.js';
import type { PromptResponse } from '../report/run-report.js';
import { Session } from '../state/index.js';
import {
  type AdapterConfig,
  type ClaudeAgentAdapterOptions,
  resolveAdapterConfig,
  rulesWithoutEffect,
  warnOfDefaultMode,
} from './adapter-config.js';
import { type Conversation, converse } from './conversation.js';
import { evaluateRun } from './evaluate.js';
import { Run } from './run.js';
import { assertApplicable, assertNotOver, type EvaluateOptions, ignoredLimits, readRequest } from './run-request.js';

/**
 * Evaluates prompts with Claude Code. Keeps no state of a run, so any number of evaluations may run at once.
 * @throws {@link AdapterConfigError}, {@link UnsupportedParameterError} in the constructor: an option that cannot be
 * used.
 */
export class ClaudeAgentAdapter implements EvaluatingAdapter, AsyncDisposable {
  readonly adapterName: string;
  readonly #config: AdapterConfig;
  /** What `dispose()` has to end. */
  readonly #open = new Set<Run<unknown>>();
  #hasWarned = false;

  constructor(options: ClaudeAgentAdapterOptions = {}) {
    this.#config = resolveAdapterConfig(options);
    this.adapterName = this.#config.adapterName;
  }

  /**
   * Renders the prompt, runs Claude Code with it, and gives text and typed output. When it settles, the process is gone
   * and what was made for it is removed.
   * @throws {@link PromptEvaluationError} and its subclasses, {@link AdapterConfigError}, the errors of the prompt, and
   * {@link VisibilityExpansionRequired}. Each has `retryAdvice`, those of a run a `report`, and `partial` when
   * something had been produced.
   */
  async evaluate<T>(prompt: Prompt<T>, options: EvaluateOptions = {}): Promise<PromptResponse<T>> {
    return evaluateRun(this.#begin(prompt, options, false), this);
  }

  /**
   * Renders the prompt and starts Claude Code, for several turns. The process and what was made for it live until
   * `close()`, or until a limit, the signal or `dispose()` ends them.
   * @throws what `evaluate()` throws before its first message.
   */
  async openConversation<T>(prompt: Prompt<T>, options: EvaluateOptions = {}): Promise<Conversation<T>> {
    return converse(this.#begin(prompt, options, true), this);
  }

  /**
   * Says whether a run could start on this machine, without calling a model: the CLI, a credential, the temporary
   * directory, a trial sandbox. Every problem comes with a remedy.
   * @throws what `loadRuntime` throws.
   */
  async check(): Promise<CheckReport> {
    const { checkAdapter } = await import('../doctor/check-adapter.js');
    return checkAdapter(this.#config);
  }

  /** Ends all evaluations and conversations and removes their homes. The adapter can still be used afterwards. */
  async dispose(): Promise<void> {
    const runs = [...this.#open];
    for (const run of runs) run.watch.stop({ kind: 'disposed' });
    await Promise.all(runs.map((run) => run.ended));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.dispose();
  }

  /** Starts the bookkeeping of a run, which leaves `#open` when it has ended. */
  #begin<T>(prompt: Prompt<T>, options: EvaluateOptions, isConversation: boolean): Run<T> {
    const { logger, adapterName, client } = this.#config;
    const request = readRequest(prompt, options, () => new Session({ logger, label: adapterName }));
    assertApplicable(request.options, client, isConversation);
    const run = new Run(this.#config, request);
    try {
      assertNotOver(request);
    } catch (error) {
      run.watch.end();
      throw run.toError(error);
    }
    const entry = run as Run<unknown>;
    this.#open.add(entry);
    void run.ended.then(() => this.#open.delete(entry));
    this.#warnOnce(entry);
    const limits = ignoredLimits(request);
    if (limits.length > 0) run.log.warn('config.budget_ignored', { limits });
    return run;
  }

  #warnOnce({ log }: Run<unknown>): void {
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    const { ignoredParameters } = this.#config;
    if (ignoredParameters.length > 0) log.warn('config.parameter_ignored', { names: ignoredParameters });
    const rules = rulesWithoutEffect(this.#config);
    if (rules.length > 0) log.warn('config.rule_without_effect', { rules });
    warnOfDefaultMode(this.#config, log);
  }
}
