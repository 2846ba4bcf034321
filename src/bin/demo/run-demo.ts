import {
  isClaudeSDKError,
  type Options,
  type Outcome,
  outcomeOf,
  type Query,
  query,
  type SDKMessage,
} from '../../index.js';
import type { DemoEvent, DemoListener } from './demo-events.js';
import { demoServer, permissionPolicy, watchingHook } from './demo-tools.js';
import { MessageEvents } from './message-events.js';

export interface DemoRun {
  readonly prompt: string;
  /** Where the session runs. Everything else is the same for scripted and live sessions. */
  readonly options: Pick<
    Options,
    'pathToClaudeCodeExecutable' | 'spawnClaudeCodeProcess' | 'maxTurns' | 'idleTimeoutMs'
  >;
  /** Interrupts the turn after so many pieces of text. */
  readonly interruptAfterDeltas: number | undefined;
  /** Ends the session when it aborts. */
  readonly abortController: AbortController;
  readonly emit: DemoListener;
}

/**
 * One session through the public API: streamed text, permission questions, a hook, an in-process tool.
 * Never rejects for what the session does: failures become events, and the outcome says which.
 * Resolves when the CLI is gone.
 */
export async function runDemo(run: DemoRun): Promise<Outcome> {
  const startedAt = performance.now();
  const messages: SDKMessage[] = [];
  let failure: { readonly error: unknown } | undefined;
  try {
    await follow(run, messages);
  } catch (error) {
    failure = { error };
    // A stop that the user asked for is an outcome, not an error.
    if (!run.abortController.signal.aborted) run.emit(errorEvent(error));
  }
  const outcome = failure === undefined ? outcomeOf(messages) : outcomeOf(messages, failure.error);
  run.emit(summaryEvent(outcome, messages, performance.now() - startedAt));
  return outcome;
}

async function follow(run: DemoRun, messages: SDKMessage[]): Promise<void> {
  const { emit } = run;
  const session = query({
    prompt: run.prompt,
    options: {
      ...run.options,
      abortController: run.abortController,
      includePartialMessages: true,
      canUseTool: permissionPolicy(emit),
      hooks: { PreToolUse: [{ hooks: [watchingHook(emit)] }] },
      mcpServers: { demo: demoServer(emit) },
      stderr: (text) => emit({ type: 'stderr', text }),
    },
  });
  try {
    await showMessages(session, run, messages);
  } finally {
    await session[Symbol.asyncDispose]();
  }
}

async function showMessages(session: Query, run: DemoRun, messages: SDKMessage[]): Promise<void> {
  const events = new MessageEvents();
  let deltas = 0;
  for await (const message of session) {
    // Deltas say nothing about the outcome, and a long answer has thousands.
    if (message.type !== 'stream_event') messages.push(message);
    for (const event of events.of(message)) {
      run.emit(event);
      if (event.type !== 'text') continue;
      deltas += 1;
      if (deltas === run.interruptAfterDeltas) {
        run.emit({ type: 'interrupt' });
        await session.interrupt();
      }
    }
  }
}

function errorEvent(error: unknown): DemoEvent {
  if (!(error instanceof Error)) return { type: 'error', name: 'Error', message: String(error) };
  const { name, message } = error;
  if (!isClaudeSDKError(error)) return { type: 'error', name, message };
  const { errorClass, hint } = error;
  return { type: 'error', name, errorClass, message, ...(hint === undefined ? {} : { hint }) };
}

function summaryEvent(
  outcome: Outcome,
  messages: readonly SDKMessage[],
  durationMs: number,
): DemoEvent {
  const result = messages.findLast((message) => message.type === 'result');
  return {
    type: 'summary',
    outcome: outcome.kind,
    message: outcome.message,
    turns: result?.num_turns ?? 0,
    // A scripted CLI may send a result with less than the real one does.
    inputTokens: result?.usage?.input_tokens ?? 0,
    outputTokens: result?.usage?.output_tokens ?? 0,
    costUsd: result?.total_cost_usd ?? 0,
    durationMs: Math.round(durationMs),
  };
}
