import {
  type HookInput,
  type HookJSONOutput,
  type Options,
  type Outcome,
  outcomeOf,
  type Query,
  query,
  type RunSummary,
  type SDKMessage,
  type SDKUserMessage,
  type SessionStore,
  summaryOf,
} from 'claudewire';
import { reasonOf } from '../errors.js';
import type { UUID } from '../job/job-id.js';
import type { CallEnd, UnknownCall } from '../redis/job-state.js';
import type { FullProfile, ProfileOptions } from './profile.js';

export interface ClaudeRunParams {
  readonly profile: FullProfile;
  readonly options: ProfileOptions;
  readonly sessionStore: SessionStore;
  readonly storeMs: number;
  readonly prompt: string;
  readonly promptUuid: UUID;
  readonly sessionId: string;
  readonly isResumed: boolean;
  readonly onMessage: (message: SDKMessage) => void;
  /** Resolves when the call is on record. Until then the tool does not run, and not at all if it rejects. */
  readonly onToolCall: (call: UnknownCall) => Promise<void>;
  /** The call ended by itself. */
  readonly onToolEnd: (id: string, end: CallEnd) => Promise<void>;
}

/** How a run ended. */
export interface ClaudeRunEnd {
  readonly outcome: Outcome;
  /** Absent where nothing was started. */
  readonly summary?: RunSummary;
}

/** One run of Claude Code. It always ends: by itself, at its deadline, or after {@link stop}. */
export class ClaudeRun {
  readonly #params: ClaudeRunParams;
  readonly #abort = new AbortController();
  #query: Query | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;

  constructor(params: ClaudeRunParams) {
    this.#params = params;
  }

  /** Interrupts, so that the turn is stored as far as it came, and ends the process if that takes too long. */
  stop(): void {
    if (this.#isOver || this.#timer !== undefined) return;
    this.#timer = setTimeout(() => this.kill(), this.#params.profile.limits.interruptMs);
    // A process that does not take it is ended by the timer.
    this.#query?.interrupt().catch(() => {});
  }

  /** Ends the process now. */
  kill(): void {
    if (!this.#isOver) this.#abort.abort();
  }

  /** Runs it, once. Never rejects. */
  async finish(): Promise<ClaudeRunEnd> {
    let run: Query;
    try {
      run = query({ prompt: this.#prompt(), options: this.#options() });
    } catch (error) {
      return { outcome: outcomeOf(error) };
    }
    this.#query = run;
    if (this.#timer !== undefined) this.kill();
    try {
      for await (const message of run) this.#params.onMessage(message);
    } catch {
      // The summary says what happened.
    } finally {
      this.#isOver = true;
      clearTimeout(this.#timer);
    }
    const summary = await summaryOf(run);
    return { outcome: summary.outcome, summary };
  }

  #options(): Options {
    const { options, profile, sessionStore, storeMs, sessionId, isResumed } = this.#params;
    return {
      ...options,
      hooks: {
        ...options.hooks,
        PreToolUse: [{ hooks: [(input) => this.#journal(input)] }, ...(options.hooks?.PreToolUse ?? [])],
        PostToolUse: [{ hooks: [(input) => this.#noteEnd(input)] }, ...(options.hooks?.PostToolUse ?? [])],
        PostToolUseFailure: [
          { hooks: [(input) => this.#noteEnd(input)] },
          ...(options.hooks?.PostToolUseFailure ?? []),
        ],
      },
      abortController: this.#abort,
      deadlineMs: profile.limits.turnMs,
      sessionStore,
      // What a worker that is killed has not stored yet would have to be done again.
      sessionStoreFlush: 'eager',
      loadTimeoutMs: storeMs,
      ...(isResumed ? { resume: sessionId } : { sessionId }),
    };
  }

  /** Its id makes the turn recognizable in the transcript. */
  async *#prompt(): AsyncGenerator<SDKUserMessage> {
    const { prompt, promptUuid } = this.#params;
    yield { type: 'user', uuid: promptUuid, message: { role: 'user', content: prompt }, parent_tool_use_id: null };
  }

  /** A subagent's calls belong to the call that started it. */
  async #journal(input: HookInput): Promise<HookJSONOutput> {
    if (input.hook_event_name !== 'PreToolUse' || input.agent_id !== undefined) return {};
    try {
      await this.#params.onToolCall({ id: input.tool_use_id, name: input.tool_name });
      return {};
    } catch (error) {
      return {
        hookSpecificOutput: {
          hookEventName: 'PreToolUse',
          permissionDecision: 'deny',
          permissionDecisionReason: `This call could not be recorded, so it was not made: ${reasonOf(error)}`,
        },
      };
    }
  }

  /** An end that is not recorded makes the call unknown if the turn is cut before the model goes on. */
  async #noteEnd(input: HookInput): Promise<HookJSONOutput> {
    const { hook_event_name: event } = input;
    if (event !== 'PostToolUse' && event !== 'PostToolUseFailure') return {};
    if (input.agent_id !== undefined) return {};
    // The CLI says of a call that it cut that it failed.
    if (event === 'PostToolUseFailure' && input.is_interrupt === true) return {};
    await this.#params.onToolEnd(input.tool_use_id, event === 'PostToolUse' ? 'ran' : 'failed').catch(() => {});
    return {};
  }
}
