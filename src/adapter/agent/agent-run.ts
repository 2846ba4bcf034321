import type { SDKMessage, SDKUserMessage } from '../../index.js';
import { isResultMessage } from '../../parser/guards.js';
import { createDeferred, ignoreRejection } from '../../util/deferred.js';
import { errorText } from '../../util/error-text.js';
import { onAbort } from '../../util/on-abort.js';
import type { Clock } from '../limits/clock.js';
import type { Log } from '../logging/log.js';
import type { AgentRuntime, RuntimeOptions, RuntimeQuery } from '../runtime/agent-runtime.js';
import { lackError } from '../runtime/guarantees.js';
import { requireVerbatim } from '../runtime/require-verbatim.js';
import { type AgentEvent, generateSessionId } from './agent-event.js';
import type { AgentOptions, AgentPermissionRequest } from './agent-types.js';
import { permissionCallback, policyHooks } from './enforce-policy.js';
import { EventNormalizer } from './event-normalizer.js';
import { Pull, type Wakeup } from './merge-iterators.js';
import type { PermissionPlan } from './permission-plan.js';
import { toRuntimeOptions } from './runtime-options.js';
import type { RunEnd } from './turn-results.js';

interface AgentRunInput {
  readonly agent: string;
  readonly prompt: string;
  readonly options: AgentOptions;
  readonly plan: PermissionPlan;
  readonly env: Readonly<Record<string, string>>;
  readonly hasManagedServers: boolean;
  readonly clock: Clock;
  readonly log: Log;
  /** Removes secrets from error texts, which may quote the CLI's stderr. */
  readonly redact: (text: string) => string;
  /** Checks the preconditions and loads the runtime. The run throws what it throws. */
  readonly prepare: () => Promise<AgentRuntime>;
}

/** One run: merges the messages of the CLI and the questions of the callback into one stream of events. */
export class AgentRun {
  readonly #input: AgentRunInput;
  readonly #wakeup: Wakeup;
  readonly #normalizer: EventNormalizer;
  /** Ends the process and every wait for a handler. */
  readonly #abort = new AbortController();
  /** Questions without an event yet: the event must not overtake the `tool_use` of its call. */
  #questions: AgentPermissionRequest[] = [];

  constructor(input: AgentRunInput, wakeup: Wakeup) {
    this.#input = input;
    this.#wakeup = wakeup;
    const { agent, options, clock, redact } = input;
    const resume = options.resume === '' ? undefined : options.resume;
    this.#normalizer = new EventNormalizer({
      agent,
      sessionId: resume ?? generateSessionId(),
      resume,
      requested: { model: options.model, cwd: options.cwd ?? currentDirectory() },
      includeThinking: options.includeThinking ?? true,
      clock,
      redact,
    });
  }

  async *events(): AsyncGenerator<AgentEvent, void, void> {
    const { abortSignal } = this.#input.options;
    if (abortSignal?.aborted === true) return yield* this.#normalizer.finish({ kind: 'interrupted' });
    const abort = (): void => {
      this.#abort.abort(abortSignal?.reason);
      this.#wakeup.wake();
    };
    const off = abortSignal && onAbort(abortSignal, abort);
    try {
      yield* this.#run();
    } finally {
      off?.();
      // Tells handlers that are still at work that their answers are no longer needed.
      this.#abort.abort();
    }
  }

  get #isAborted(): boolean {
    return this.#abort.signal.aborted;
  }

  async *#run(): AsyncGenerator<AgentEvent, void, void> {
    const runtime = await this.#prepared();
    if (this.#wakeup.isLeft) return;
    if (runtime === undefined || this.#isAborted) return yield* this.#normalizer.finish({ kind: 'interrupted' });
    let query: RuntimeQuery;
    let runtimeOptions: RuntimeOptions;
    const sent = createDeferred<void>();
    try {
      runtimeOptions = this.#runtimeOptions();
      query = runtime.query(oneMessage(this.#input.prompt, sent.promise), runtimeOptions);
    } catch (error) {
      return yield* this.#normalizer.finish({ kind: 'failed', error });
    }
    let closing: Promise<void> | undefined;
    const close = (): Promise<void> => {
      closing ??= this.#close(query);
      return closing;
    };
    let unfit: { readonly error: unknown } | undefined;
    this.#requireFitting(query, runtimeOptions).then(sent.resolve, (error: unknown) => {
      unfit = { error };
      ignoreRejection(close());
    });
    try {
      let end = yield* this.#messages(query);
      if (unfit !== undefined && !this.#isAborted) end = { kind: 'failed', ...unfit };
      if (end === undefined) return;
      // Close already: the consumer may read the last events and not come back.
      ignoreRejection(close());
      yield* this.#normalizer.finish(end);
    } finally {
      await close();
    }
  }

  /** @throws AdapterConfigError this release would not keep what the run promises. */
  async #requireFitting(query: RuntimeQuery, { checksOnFailure }: RuntimeOptions): Promise<void> {
    const { prompt, options } = this.#input;
    if (options.interpretPrompts !== true) await requireVerbatim(prompt, query);
    if (checksOnFailure !== true || (await query.confirmsOnFailure?.()) !== false) return;
    throw lackError({ name: 'hook_failure_blocks', neededBy: ['permissions'] }, await query.cliVersion?.());
  }

  /** `undefined` when the run was aborted or left before the runtime was ready. */
  async #prepared(): Promise<AgentRuntime | undefined> {
    let isSettled = false;
    const settle = (): void => {
      isSettled = true;
      this.#wakeup.wake();
    };
    const prepared = this.#input.prepare();
    prepared.then(settle, settle);
    while (!isSettled) {
      if (this.#wakeup.isLeft || this.#isAborted) return undefined;
      await this.#wakeup.wait();
    }
    return prepared;
  }

  /** @returns how the stream ended; `undefined` when the consumer has left */
  async *#messages(query: RuntimeQuery): AsyncGenerator<AgentEvent, RunEnd | undefined, void> {
    const pull = new Pull<SDKMessage>(query[Symbol.asyncIterator](), () => this.#wakeup.wake());
    for (;;) {
      if (this.#wakeup.isLeft) return undefined;
      if (this.#isAborted) return { kind: 'interrupted' };
      // One at a time, and none while the consumer is busy, so that the SDK's back-pressure works.
      pull.start();
      if (!pull.hasArrived) {
        yield* this.#toldQuestions((request) => this.#normalizer.knowsCall(request.toolUseId));
        if (this.#questions.length > 0) {
          // By the next turn of the event loop, everything sent before the question has arrived.
          await new Promise((resolve) => setImmediate(resolve));
          if (!pull.hasArrived) yield* this.#toldQuestions(() => true);
        } else if (!pull.hasArrived) {
          await this.#wakeup.wait();
        }
        continue;
      }
      const arrival = pull.take();
      // All questions get their event before the end.
      if (arrival?.kind !== 'item' || isResultMessage(arrival.value)) yield* this.#toldQuestions(() => true);
      if (arrival?.kind === 'failed') {
        return this.#isAborted ? { kind: 'interrupted' } : { kind: 'failed', error: arrival.error };
      }
      if (arrival === undefined || arrival.kind === 'end') return { kind: 'ended' };
      yield* this.#normalizer.accept(arrival.value);
      if (this.#normalizer.hasResult) query.endInput();
      if (this.#isOver) return { kind: 'ended' };
    }
  }

  get #isOver(): boolean {
    const { isOver, hasResult } = this.#normalizer;
    return isOver || (hasResult && this.#input.options.backgroundTasks === 'stop');
  }

  *#toldQuestions(isDue: (request: AgentPermissionRequest) => boolean): Generator<AgentEvent> {
    const due = this.#questions.filter(isDue);
    this.#questions = this.#questions.filter((request) => !due.includes(request));
    for (const request of due) yield this.#normalizer.question(request);
  }

  #runtimeOptions(): RuntimeOptions {
    const { options, plan, env, hasManagedServers, log } = this.#input;
    const onRefused = (toolUseId: string): void => this.#normalizer.refused(toolUseId);
    const canUseTool = plan.attachesCallback
      ? permissionCallback(plan, {
          onPermissionRequest: options.onPermissionRequest,
          signal: this.#abort.signal,
          sessionId: () => this.#normalizer.sessionId,
          onQuestion: (request) => {
            this.#questions.push(request);
            this.#wakeup.wake();
          },
          onRefused,
          onInterrupt: () => this.#normalizer.interruptRequested(),
          log,
        })
      : undefined;
    return toRuntimeOptions(options, plan, {
      env,
      hasManagedServers,
      abortController: this.#abort,
      canUseTool,
      policyHooks: policyHooks(plan, { onRefused, log }),
    });
  }

  async #close(query: RuntimeQuery): Promise<void> {
    try {
      await query.close();
    } catch (error) {
      this.#input.log.error('agent.close_failed', { error: errorText(error) });
    }
  }
}

/** `process.cwd()` throws when the directory is gone; a run with its own `cwd` does not need it. */
function currentDirectory(): string {
  try {
    return process.cwd();
  } catch {
    return '';
  }
}

/**
 * The prompt, sent when `mayGo` resolves. The input stays open until `endInput()`: it carries the answers to questions.
 */
function oneMessage(prompt: string, mayGo: Promise<unknown>): AsyncIterable<SDKUserMessage> {
  const message: SDKUserMessage = {
    type: 'user',
    message: { role: 'user', content: prompt },
    parent_tool_use_id: null,
    session_id: '',
  };
  const ended = createDeferred<IteratorResult<SDKUserMessage, undefined>>();
  let isSent = false;
  return {
    [Symbol.asyncIterator]: () => ({
      next: async () => {
        if (isSent) return ended.promise;
        isSent = true;
        await mayGo;
        return { done: false, value: message };
      },
      return: async () => {
        const end = { done: true, value: undefined } as const;
        ended.resolve(end);
        return end;
      },
    }),
  };
}
