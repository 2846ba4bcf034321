/**
 * A Temporal activity that runs Claude Code: it heartbeats its session, ends when the workflow cancels it, and a retry
 * resumes the session. `docs/beyond-one-machine.md` says what it leaves to you.
 */
import { randomUUID } from 'node:crypto';
import { activityInfo, cancellationSignal, cancelled, heartbeat } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { query, summaryOf, toolCallOutcomes } from 'claudewire';

const GO_ON =
  'Your work on my last request was interrupted. Go on from where this conversation ends.';

/**
 * The worker's part: what jobs may do, and where sessions are. Arguments of the activity are data alone.
 *
 * @param {{ options: object, sessionStore: import('claudewire').SessionStore, projectKey: string }} profile `projectKey`
 *   as `projectKeyForDirectory(options.cwd)`: the same on every worker
 */
export function createActivities({ options, sessionStore, projectKey }) {
  return { runClaude };

  /** @param {{ prompt: string }} job */
  async function runClaude({ prompt }) {
    // What the last attempt said before it ended. Temporal throttles heartbeats, so it may be a little old.
    const known = activityInfo().heartbeatDetails?.sessionId;
    const entries =
      known === undefined ? null : await sessionStore.load({ projectKey, sessionId: known });
    const isResumed = entries?.some(({ type }) => type === 'user') === true;
    const unknown = isResumed ? unknownCalls(entries) : [];
    if (unknown.length > 0) {
      const message = `These tool calls may have taken effect: ${unknown.join(', ')}. Look before you start again.`;
      throw ApplicationFailure.create({ type: 'outcome_unknown', message, nonRetryable: true });
    }
    const sessionId = isResumed ? known : randomUUID();
    heartbeat({ sessionId });

    const abortController = new AbortController();
    const run = query({
      prompt: isResumed ? GO_ON : prompt,
      options: {
        ...options,
        ...(isResumed ? { resume: sessionId } : { sessionId }),
        sessionStore,
        // What a worker that dies has not stored yet would have to be done again.
        sessionStoreFlush: 'eager',
        abortController,
      },
    });
    // Ends the turn, so that it is stored, and the process if that takes too long.
    let timer;
    const stop = () => {
      timer = setTimeout(() => abortController.abort(), 10_000);
      run.interrupt().catch(() => {});
    };
    cancellationSignal().addEventListener('abort', stop, { once: true });
    if (cancellationSignal().aborted) stop();
    try {
      for await (const message of run) heartbeat({ sessionId, last: message.type });
    } catch {
      // The summary says what happened.
    } finally {
      clearTimeout(timer);
      cancellationSignal().removeEventListener('abort', stop);
    }
    const { outcome, text, costUsd } = await summaryOf(run);
    if (outcome.kind === 'completed') return { sessionId, text, costUsd };
    if (cancellationSignal().aborted) await cancelled();
    throw ApplicationFailure.create({
      type: outcome.kind,
      message: outcome.message,
      nonRetryable: !outcome.retryable,
      // When the limit resets, where anything said so. Else the workflow's retry policy decides.
      ...(outcome.retryAfterMs === undefined ? {} : { nextRetryDelay: outcome.retryAfterMs }),
    });
  }
}

/** Tool calls that were cut, or whose result is not stored. */
function unknownCalls(entries) {
  return toolCallOutcomes(entries)
    .filter(({ kind }) => kind === 'unknown')
    .map(({ id, name }) => `${name} (${id})`);
}
