import { randomUUID } from 'node:crypto';
import type { SessionStore } from 'claudewire';
import { JobError } from '../errors.js';
import type { ClaudeJob } from '../job/job-data.js';
import type { JobState, UnknownCall } from '../redis/job-state.js';
import { loadEntries } from '../session/load-entries.js';
import { readTurn, type StoredTurn } from '../session/read-turn.js';

/** What there is to do, by what the state and the session store say. */
export type Plan =
  /** The turn was completed, by a worker that could not say so any more. */
  | { readonly kind: 'completed'; readonly sessionId: string; readonly text: string }
  | {
      readonly kind: 'run';
      readonly sessionId: string;
      readonly isResumed: boolean;
      /** The prompt is in the session. */
      readonly isKnown: boolean;
      readonly unknownCalls: readonly UnknownCall[];
      /** Of these the model was told that the user refused them. */
      readonly neverStarted: readonly UnknownCall[];
    };

export interface PlanParams {
  readonly job: ClaudeJob;
  readonly state: JobState;
  readonly store: SessionStore;
  readonly storeMs: number;
  readonly isOurs: (uuid: string) => boolean;
  /** For a session that begins. */
  readonly newSessionId: string;
  /** A value that matches a schema is not in the transcript as such, so such a turn is always gone on with. */
  readonly needsStructuredOutput: boolean;
}

/** @throws JobError `session_not_found`, `session_lost`, `store_failed`. */
export async function planOf(params: PlanParams): Promise<Plan> {
  const { job, state, store, storeMs, isOurs, newSessionId } = params;
  const sessionId = state.get('sessionId') ?? job.sessionId;
  const entries = sessionId === undefined ? undefined : await loadEntries(store, sessionId, storeMs);
  const stored = state.get('stored');
  if (stored !== undefined && entries?.some(({ uuid }) => uuid === stored) !== true) {
    throw new JobError(
      'session_lost',
      'The session store does not have what it took from an earlier run of this job, so it is not known what was done.',
    );
  }
  if (sessionId === undefined || entries === undefined) {
    if (job.sessionId !== undefined && job.sessionId === sessionId) {
      throw new JobError('session_not_found', 'The session store of this tenant has no session of this id.');
    }
    // An id that a process was started with is in use on its host, even if nothing of it was stored.
    const begun = { sessionId: newSessionId, isResumed: false, isKnown: false };
    return { kind: 'run', ...begun, unknownCalls: unknownIn(state, undefined), neverStarted: [] };
  }
  const turn = readTurn(entries, isOurs, state);
  if (turn.answer !== undefined && !params.needsStructuredOutput) {
    return { kind: 'completed', sessionId, text: turn.answer };
  }
  // A transcript without a message cannot be resumed.
  const isResumed = entries.some(({ type }) => type === 'user' || type === 'assistant');
  const unknownCalls = unknownIn(state, turn);
  return {
    kind: 'run',
    sessionId: isResumed ? sessionId : newSessionId,
    isResumed,
    isKnown: turn.hasPrompt,
    unknownCalls,
    neverStarted: turn.neverStarted,
  };
}

export function newSessionId(): string {
  return randomUUID();
}

function unknownIn(state: JobState, turn: StoredTurn | undefined): readonly UnknownCall[] {
  const begun = state.calls.filter(({ id }) => turn?.known.has(id) !== true);
  const calls = new Map([...begun, ...(turn?.unknownCalls ?? [])].map((call) => [call.id, call]));
  return [...calls.values()].filter(({ id }) => !state.isSettled(id));
}
