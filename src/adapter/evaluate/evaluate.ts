import type { SDKResultMessage } from '../../index.js';
import { fieldsOf } from '../../parser/read-message.js';
import { tokenCount } from '../../parser/token-usage.js';
import { advise } from '../errors/adapter-error.js';
import { BudgetExhaustedError, PromptEvaluationError } from '../errors/evaluation-errors.js';
import { errorOfResult } from '../errors/result-errors.js';
import { deliver } from '../logging/log.js';
import { extractOutput, parseOutput, type RawOutput, requireSomething } from '../output/parse-output.js';
import type { EvaluatingAdapter, RenderedPrompt } from '../prompt/index.js';
import { refusalsText } from '../report/output-refusals.js';
import type { PromptResponse } from '../report/run-report.js';
import { requireVerbatim } from '../runtime/require-verbatim.js';
import { createPromptExecuted } from '../state/internal.js';
import type { LiveRun } from './live-run.js';
import { openRun } from './open-run.js';
import type { Run } from './run.js';
import { RunStopped } from './stop-monitor.js';

/** The user message when the prompt is the system prompt. */
const BEGIN = 'Begin.';

/** One prompt, one response. When it settles, the process is gone and the home removed. */
export async function evaluateRun<T>(run: Run<T>, adapter: EvaluatingAdapter): Promise<PromptResponse<T>> {
  try {
    const { live, rendered } = await openRun(run, adapter);
    await takeTurn(run, live, firstMessage(run, rendered.text));
    const durationMs = run.elapsedMs;
    await finishWork(run, live);
    await run.close();
    await run.noteFiles();
    return await settle(run, rendered, { durationMs });
  } catch (error) {
    await run.close();
    if (run.recorder.files === undefined) await run.noteFiles();
    throw run.toError(error);
  }
}

/** The rendered prompt, or the message that goes with it when it is the system prompt. */
function firstMessage({ config, request }: Run<unknown>, text: string): string {
  return config.client.promptPlacement === 'system' ? (request.options.userPrompt ?? BEGIN) : text;
}

/** Resolves with the result, or when none will come. A run that is stopped meanwhile is interrupted first. */
export async function takeTurn(run: Run<unknown>, live: LiveRun, text: string): Promise<void> {
  if (!run.config.client.interpretPrompts) await run.watch.race(requireVerbatim(text, live.query));
  const stop = await Promise.race([live.ask(text).then(() => undefined), run.watch.stopped]);
  if (stop !== undefined) await live.stop();
}

/** Waits until the CLI exits by itself. The result of its background work counts. */
async function finishWork(run: Run<unknown>, live: LiveRun): Promise<void> {
  if (run.watch.reason !== undefined || run.visibility !== undefined) return;
  live.endInput();
  const stop = await Promise.race([live.over, run.watch.stopped]);
  // Background agents would go on until the process ends.
  if (stop !== undefined) await live.stop();
}

/** What a turn ended with. */
interface TurnEnd {
  /** By the monotonic clock. */
  readonly durationMs: number;
  /** The error of an interrupted turn. */
  readonly interruptedBy?: PromptEvaluationError | undefined;
}

/** Makes the response of a finished turn and publishes it, or throws why there is none. Checks the budget last. */
export async function settle<T>(
  run: Run<T>,
  rendered: RenderedPrompt<T>,
  { durationMs, interruptedBy }: TurnEnd,
): Promise<PromptResponse<T>> {
  const result = resultFor(run, interruptedBy);
  const raw = extractOutput({ rendered, result: fieldsOf(result), hookOutput: run.turns.hooks?.structuredOutput });
  refuseErrorResult(run, result, raw, interruptedBy);
  // No Stop hook fires when another hook ended the turn.
  const response = await responseOf(run, rendered, raw, run.turns.hooks?.stopReason ?? 'end_turn');
  publish(run, response, result, durationMs);
  checkBudget(run, response);
  return response;
}

/** The result that counts. */
function resultFor(run: Run<unknown>, interruptedBy: PromptEvaluationError | undefined): SDKResultMessage {
  const { watch, live } = run;
  const { result, counts } = run.turns;
  if (run.visibility !== undefined) throw run.visibility;
  const stop = watch.reason;
  const isLimit = stop?.kind === 'deadline' || stop?.kind === 'budget';
  if (stop !== undefined && !isLimit) throw new RunStopped(stop);
  // A result from before the limit stopped the run counts.
  if (result !== undefined) return result;
  if (stop !== undefined) throw new RunStopped(stop);
  if (interruptedBy !== undefined) throw interruptedBy;
  if (live?.failure !== undefined) throw live.failure.error;
  throw new PromptEvaluationError('Claude Code ended without a result', {
    ...run.facts,
    phase: 'response',
    providerPayload: { messageCounts: counts, stderr: run.stderr.lines.join('\n') },
    retryAdvice: advise('unsafe', 'Look at `providerPayload.stderr`; tools that ran may have changed something.'),
  });
}

function refuseErrorResult(
  run: Run<unknown>,
  result: SDKResultMessage,
  raw: RawOutput | undefined,
  interruptedBy: PromptEvaluationError | undefined,
): void {
  const { request, watch, usage } = run;
  const { facts, hooks } = run.turns;
  const error = errorOfResult(result, {
    ...run.facts,
    turn: facts,
    interruptedBy: watch.reason === undefined ? interruptedBy : run.stopError(watch.reason),
    limitStop: hooks?.limitStop,
    hasOutput: raw !== undefined,
    refusals: refusalsText(run.recorder.refusedOutputs),
    consumed: request.tracker?.consumed ?? usage.usage,
    budget: request.tracker?.budget,
    maxBudgetUsd: run.config.client.maxBudgetUsd,
    defaultModel: run.config.isDefaultModel ? run.config.model : undefined,
    stderrTail: run.stderr.lines,
    redact: run.redact,
    now: run.config.clock.now(),
  });
  if (error !== undefined) throw error;
}

async function responseOf<T>(
  run: Run<T>,
  rendered: RenderedPrompt<T>,
  raw: RawOutput | undefined,
  stopReason: string,
): Promise<PromptResponse<T>> {
  const { request, config, log } = run;
  const { promptName } = request;
  const { text, counts, cliSessionId } = run.turns;
  requireSomething({ rendered, text, output: raw, promptName, messageCounts: counts, stderrTail: run.stderr.lines });
  const mode = config.client.outputValidation;
  const output = await parseOutput(rendered, raw, { promptName, mode, log, partial: run.partial() });
  return {
    promptName,
    text,
    output,
    usage: run.turns.usage,
    cliSessionId,
    stopReason,
    isolation: run.recorder.isolation,
    report: run.recorder.finish({ stopReason }),
  };
}

function publish<T>(run: Run<T>, response: PromptResponse<T>, result: SDKResultMessage, durationMs: number): void {
  const { config, request } = run;
  const { prompt, session, promptName } = request;
  const { text, output, usage, stopReason, cliSessionId } = response;
  const { total_cost_usd: cost, duration_api_ms: apiMs, session_id: named } = fieldsOf(result);
  const totalCostUsd = tokenCount(cost);
  const numTurns = response.report.outcome.turns ?? undefined;
  deliver(run.log, { handler: 'bus', type: 'promptExecuted' }, () =>
    session.bus.publish(
      createPromptExecuted({
        adapter: config.adapterName,
        sessionId: session.sessionId,
        promptName,
        promptNs: prompt.ns,
        promptKey: prompt.key,
        result: response,
        text,
        output,
        value: output ?? undefined,
        usage,
        durationMs,
        durationApiMs: tokenCount(apiMs),
        totalCostUsd,
        numTurns,
        stopReason,
        cliSessionId: typeof named === 'string' ? named : cliSessionId,
        now: config.clock.now(),
        outputSlice: prompt.template.outputSlice,
      }),
    ),
  );
  run.log.info('sdk.evaluate.complete', {
    promptName,
    durationMs,
    inputTokens: usage.inputTokens,
    outputTokens: usage.outputTokens,
    totalCostUsd,
    sessionId: cliSessionId,
    numTurns,
    stopReason,
  });
}

/** Last, so that the error of a shared budget carries the response that was paid for. */
function checkBudget(run: Run<unknown>, response: PromptResponse<unknown>): void {
  const { passedLimit: passed, recorder, request } = run;
  if (passed === undefined) return;
  const error = new BudgetExhaustedError(
    `The budget is used up: ${passed.text}. The response is in \`partial\`.`,
    passed,
    { promptName: request.promptName, partial: response },
  );
  error.report = recorder.finish({ error, stopReason: response.stopReason });
  throw error;
}
