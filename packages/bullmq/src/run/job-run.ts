import { randomUUID } from 'node:crypto';
import type { Job } from 'bullmq';
import type { Outcome, SDKMessage, SessionStore } from 'claudewire';
import { JobError, type JobErrorCode, reasonOf } from '../errors.js';
import { type ClaudeJob, parseStoredJob } from '../job/job-data.js';
import { conversationIdOf, dataDigest, derivedUuid } from '../job/job-id.js';
import { type Answer, parseAnswer } from '../queue/answer-data.js';
import type { CancelChannel } from '../redis/cancel-channel.js';
import { JobState, type UnknownCall } from '../redis/job-state.js';
import type { Keys } from '../redis/keys.js';
import { Lease } from '../redis/lease.js';
import { takeRate } from '../redis/tenant-rate.js';
import { settled } from '../redis/time-limit.js';
import { tenantSessionStore, watchedStore } from '../session/tenant-store.js';
import { ClaudeRun, type ClaudeRunEnd } from './claude-run.js';
import { EventWriter } from './event-writer.js';
import { type DelayReason, ProgressReporter } from './job-progress.js';
import { cut, type JobResult } from './job-result.js';
import { isMove, Moves } from './moves.js';
import { newSessionId, type Plan, planOf } from './plan.js';
import { type FullProfile, optionsOf, type ProfileOptions } from './profile.js';
import { Redactor } from './redactor.js';
import { callsText, promptFor } from './resume-prompt.js';
import { rateOf, type Settings } from './settings.js';
import { backoff, verdictOn } from './verdict.js';

/** Why a run was stopped. The first reason counts. */
type StopKind = 'cancelled' | 'handed_back' | 'lost';

/** One job in the hands of this worker, from BullMQ's call to what it throws or returns. */
export class JobRun {
  readonly #settings: Settings;
  readonly #keys: Keys;
  readonly #channel: CancelChannel;
  readonly #job: Job;
  readonly #jobId: string;
  readonly #moves: Moves;
  readonly #state: JobState;
  /** Of this run alone: a token of BullMQ serves several jobs. */
  readonly #owner = randomUUID();
  #redactor = new Redactor(process.env);
  #lease: Lease | undefined;
  #run: ClaudeRun | undefined;
  #stopped: { readonly kind: StopKind; readonly reason: string } | undefined;
  /** Counted for this run already. */
  #isCounted = false;
  #hasGap = false;
  /** Why the session store refused its last append. */
  #refusal: unknown;

  constructor(settings: Settings, keys: Keys, channel: CancelChannel, job: Job, token: string) {
    this.#settings = settings;
    this.#keys = keys;
    this.#channel = channel;
    this.#job = job;
    this.#jobId = String(job.id);
    this.#moves = new Moves(job, token, settings.limits.redisMs, settings.onError);
    this.#state = new JobState(settings.redis, keys.job(this.#jobId), settings.limits);
  }

  /** Interrupts what is running. */
  stop(kind: StopKind, reason = ''): void {
    if (this.#stopped !== undefined) return;
    this.#stopped = { kind, reason };
    if (kind === 'lost') this.#run?.kill();
    else this.#run?.stop();
  }

  /** @throws what BullMQ should do with the job, unless it is completed. */
  async process(): Promise<JobResult> {
    const unlisten = this.#channel.listen(this.#jobId, () => void this.#lookForCancel().catch(this.#settings.onError));
    try {
      return await this.#steps();
    } catch (error) {
      throw isMove(error) ? error : await this.#asMove(error);
    } finally {
      unlisten();
      await this.#lease?.release();
    }
  }

  async #steps(): Promise<JobResult> {
    const data = parseStoredJob(this.#job.data, this.#jobId);
    const state = this.#state;
    await state.load();
    const before = this.#resultOf(data);
    if (before !== undefined) return before;
    await this.#lookForCancel();
    await this.#throwIfStopped();

    const profile = this.#settings.profiles.get(data.profile);
    if (profile === undefined) {
      throw new JobError('unknown_profile', `This worker has no profile ${JSON.stringify(data.profile)}.`);
    }
    const answer = await this.#answerOf(profile);
    const sessionId = newSessionId();
    const known = state.get('sessionId');
    await this.#takeLease(data, sessionId);
    // What is decided from now on must be what the last owner of the session left.
    await state.load();
    const result = this.#resultOf(data);
    if (result !== undefined) return result;
    if (state.get('sessionId') !== known) await this.#delay(this.#settings.limits.busyMs, 'session_busy');
    await this.#takeTurn(data);
    if (state.attempts >= profile.retry.attempts) {
      await this.#fail('crashed', `The job was started ${state.attempts} times, and its workers did not finish it.`);
    }

    const info = { tenant: data.tenant, profile: data.profile, jobId: this.#jobId };
    const labels = data.labels === undefined ? {} : { labels: data.labels };
    const options = await optionsOf(profile, { ...info, ...labels }, this.#settings.limits.storeMs);
    this.#redactor = new Redactor(process.env, options.env ?? {});
    const store = this.#storeOf(data.tenant);
    const wasKilled = state.get('running') !== undefined;
    const attempt = state.attempts + 1;
    const ours = new Set<string>(Array.from({ length: state.prompts + 1 }, (_, index) => this.#promptUuid(index)));
    await state.set({ digest: dataDigest(data), attempts: String(attempt), running: this.#owner });
    this.#isCounted = true;

    const plan = await planOf({
      ...{ job: data, state, store, storeMs: this.#settings.limits.storeMs, newSessionId: sessionId },
      isOurs: (uuid) => ours.has(uuid),
      needsStructuredOutput: options.outputFormat !== undefined,
    });
    const events = this.#eventsOf(data);
    if (wasKilled) events.append({ type: 'turn_ended', outcome: plan.kind === 'completed' ? 'completed' : 'crashed' });
    if (plan.kind === 'completed') return await this.#completed(plan, profile, attempt, events);
    await this.#judgeUnknown(plan.unknownCalls, profile, answer, attempt);
    await this.#throwIfStopped();
    return await this.#runOnce({ data, plan, profile, options, store, answer, attempt, events });
  }

  /** What an earlier run of the job returned. @throws JobError `invalid_job`: it was another job. */
  #resultOf(data: ClaudeJob): JobResult | undefined {
    const digest = this.#state.get('digest');
    if (digest !== undefined && digest !== dataDigest(data)) {
      throw new JobError('invalid_job', 'The data of the job is not what it was when it was first run.');
    }
    const result = this.#state.get('result');
    return result === undefined ? undefined : (JSON.parse(result) as JobResult);
  }

  async #runOnce(params: {
    readonly data: ClaudeJob;
    readonly plan: Extract<Plan, { kind: 'run' }>;
    readonly profile: FullProfile;
    readonly options: ProfileOptions;
    readonly store: SessionStore;
    readonly answer: Answer | undefined;
    readonly attempt: number;
    readonly events: EventWriter;
  }): Promise<JobResult> {
    const { data, plan, profile, options, store, answer, attempt, events } = params;
    const state = this.#state;
    const prompt = promptFor({ prompt: data.prompt, ...plan, note: answer?.note });
    // The first id is the job's own prompt, wherever it is sent; the others tell the model to go on.
    const index = plan.isKnown ? state.prompts + 1 : 0;
    const promptUuid = this.#promptUuid(index);
    await state.set({
      sessionId: plan.sessionId,
      prompts: String(Math.max(index, state.prompts)),
      ask: '',
      answer: '',
    });
    const progress = this.#progressOf(attempt);
    events.append({ type: 'user_message', text: prompt });
    this.#run = new ClaudeRun({
      ...{ profile, options, prompt, promptUuid, sessionId: plan.sessionId, isResumed: plan.isResumed },
      storeMs: this.#settings.limits.storeMs,
      sessionStore: watchedStore(store, {
        onStored: (sessionId, stored) => {
          state.set({ sessionId, stored }).catch(this.#settings.onError);
        },
        onRefused: (error) => {
          this.#refusal = error;
        },
      }),
      onMessage: (message) => this.#onMessage(message, progress, events),
      onToolCall: (call) => state.noteCall(call),
    });
    if (this.#stopped !== undefined) this.#run.stop();
    const end = await this.#run.finish();
    const { kind, retryAfterMs } = end.outcome;
    events.append({ type: 'turn_ended', outcome: kind, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) });
    await events.flush();
    return await this.#conclude({ end, plan, profile, attempt, events, progress });
  }

  async #conclude(params: {
    readonly end: ClaudeRunEnd;
    readonly plan: Extract<Plan, { kind: 'run' }>;
    readonly profile: FullProfile;
    readonly attempt: number;
    readonly events: EventWriter;
    readonly progress: ProgressReporter;
  }): Promise<JobResult> {
    const { end, plan, profile, attempt, events, progress } = params;
    const { outcome, summary } = end;
    if (this.#stopped?.kind === 'lost') throw this.#moves.abandoned();
    if (outcome.kind !== 'completed') await this.#throwIfStopped(progress);
    const verdict = verdictOn(outcome, attempt, profile.retry);
    if (verdict.kind === 'retry') {
      if (this.#hasGap) await this.#fail('session_lost', 'The session store did not take all of the last run.');
      await this.#delay(verdict.delayMs, 'retry', progress, outcome.kind);
    }
    if (outcome.kind !== 'completed') {
      const why = verdict.kind === 'fail' && verdict.why !== undefined ? ` (${verdict.why})` : '';
      return await this.#fail(outcome.kind, `${outcome.message}${why}`);
    }
    const length = profile.limits.resultLength;
    const { structuredOutput, costUsd, usage } = summary ?? {};
    const hasOutput = structuredOutput !== undefined && JSON.stringify(structuredOutput).length <= length;
    const text = this.#redactor.text(summary?.text ?? outcome.message);
    return await this.#finish(progress, {
      outcome: 'completed',
      sessionId: this.#state.get('sessionId') ?? plan.sessionId,
      ...{ text: cut(text, length), isTextCut: text.length > length },
      ...(hasOutput ? { structuredOutput: this.#redactor.value(structuredOutput) } : {}),
      ...(costUsd === undefined ? {} : { costUsd }),
      ...(usage === undefined ? {} : { usage }),
      ...{ attempts: attempt, isResumed: plan.isResumed, isFromTranscript: false },
      ...{ eventsDropped: events.dropped, hasTranscriptGap: this.#hasGap },
    });
  }

  async #completed(
    plan: Extract<Plan, { kind: 'completed' }>,
    profile: FullProfile,
    attempt: number,
    events: EventWriter,
  ): Promise<JobResult> {
    await events.flush();
    const text = this.#redactor.text(plan.text);
    const length = profile.limits.resultLength;
    return await this.#finish(this.#progressOf(attempt), {
      ...{ outcome: 'completed', sessionId: plan.sessionId, text: cut(text, length), isTextCut: text.length > length },
      // This run did nothing.
      ...{ attempts: attempt - 1, isResumed: true, isFromTranscript: true },
      ...{ eventsDropped: events.dropped, hasTranscriptGap: false },
    });
  }

  /** Remembers the result before BullMQ has it: whoever takes the job again returns the same. */
  async #finish(progress: ProgressReporter, result: JobResult): Promise<JobResult> {
    await this.#state.set({ result: JSON.stringify(result), running: '' });
    await progress.end({ state: 'ended', outcome: 'completed', sessionId: result.sessionId });
    return result;
  }

  #onMessage(message: SDKMessage, progress: ProgressReporter, events: EventWriter): void {
    if (message.type === 'system' && message.subtype === 'mirror_error') this.#onGap(message.error);
    progress.onMessage(message);
    events.append({ type: 'message', message });
  }

  /** Said once: a job whose store refuses everything completes, and nobody may look at its result. */
  #onGap(reason: string): void {
    if (this.#hasGap) return;
    this.#hasGap = true;
    const why = this.#refusal === undefined ? reason : reasonOf(this.#refusal);
    const text = `The session store did not take all of the transcript of job ${this.#jobId}, which goes on: ${why}`;
    this.#settings.onError(new JobError('store_failed', text, { cause: this.#refusal }));
  }

  /** What somebody said about unknown calls. @throws while nobody has. */
  async #answerOf(profile: FullProfile): Promise<Answer | undefined> {
    const asked = this.#state.get('ask');
    if (asked === undefined) return undefined;
    const { until, calls } = JSON.parse(asked) as { until: number; calls: UnknownCall[] };
    const answer = parseAnswer(this.#state.get('answer'));
    if (answer === undefined) {
      if (Date.now() < until) throw await this.#moves.toDelayed(until);
      await this.#failUnknown(calls, ` Nobody answered within ${profile.limits.askMs} ms.`);
    }
    if (answer?.behavior === 'stop') await this.#failUnknown(calls, ' Somebody decided to stop.');
    return answer;
  }

  async #judgeUnknown(
    calls: readonly UnknownCall[],
    profile: FullProfile,
    answer: Answer | undefined,
    attempt: number,
  ): Promise<void> {
    if (calls.length === 0) return;
    const asked = this.#state.get('ask');
    const wereAsked = new Set(
      asked === undefined ? [] : (JSON.parse(asked) as { calls: UnknownCall[] }).calls.map(({ id }) => id),
    );
    const isAnswered = answer !== undefined && calls.every(({ id }) => wereAsked.has(id));
    if (profile.onUnknownToolCall === 'retry' || isAnswered) return await this.#state.settleCalls(calls);
    if (profile.onUnknownToolCall === 'stop') await this.#failUnknown(calls, '');
    const until = Date.now() + profile.limits.askMs;
    // Nothing was run: the wait does not count.
    await this.#uncount({ ask: JSON.stringify({ until, calls }), answer: '' });
    await this.#progressOf(attempt).end({ state: 'waiting_for_answer', until, unknownCalls: calls.slice(0, 20) });
    throw await this.#moves.toDelayed(until);
  }

  async #failUnknown(calls: readonly UnknownCall[], more: string): Promise<never> {
    return await this.#fail(
      'outcome_unknown',
      `${callsText(calls)} was cut in the middle and may have taken effect. Look before you ask for it again.${more}`,
    );
  }

  async #takeLease(data: ClaudeJob, newId: string): Promise<void> {
    const { redis, limits } = this.#settings;
    const sessions = new Set([newId, data.sessionId, this.#state.get('sessionId')]);
    const lease = await Lease.acquire({
      redis,
      keys: [
        this.#keys.lease(data.tenant, 'conversation', conversationIdOf(data, this.#jobId)),
        ...[...sessions].flatMap((id) => (id === undefined ? [] : [this.#keys.lease(data.tenant, 'session', id)])),
      ],
      cancelKey: this.#keys.cancel(this.#jobId),
      owner: this.#owner,
      ttlMs: limits.leaseMs,
      redisMs: limits.redisMs,
      onLost: () => this.stop('lost'),
      onCancel: (reason) => this.stop('cancelled', reason),
    });
    if (typeof lease !== 'number') this.#lease = lease;
    else await this.#delay(Math.min(lease, limits.busyMs), 'session_busy');
  }

  async #takeTurn({ tenant }: ClaudeJob): Promise<void> {
    const rate = rateOf(this.#settings, tenant);
    if (rate === undefined) return;
    const { redis, limits } = this.#settings;
    const wait = await takeRate(redis, this.#keys.rate(tenant), rate, limits.redisMs);
    if (wait > 0) await this.#delay(wait, 'tenant_rate');
  }

  /** @throws always. */
  async #delay(ms: number, reason: DelayReason, progress?: ProgressReporter, outcome?: string): Promise<never> {
    const until = Date.now() + ms;
    const reporter = progress ?? this.#progressOf(this.#state.attempts + 1);
    if (this.#isCounted) await this.#state.set({ running: '' });
    await reporter.end({ state: 'delayed', reason, until, ...(outcome === undefined ? {} : { outcome }) });
    await this.#lease?.release();
    throw await this.#moves.toDelayed(until);
  }

  async #throwIfStopped(progress?: ProgressReporter): Promise<void> {
    const stopped = this.#stopped;
    if (stopped === undefined) return;
    if (stopped.kind === 'cancelled') await this.#fail('cancelled', stopped.reason);
    if (stopped.kind === 'lost') throw this.#moves.abandoned();
    await this.#uncount({});
    await (progress ?? this.#progressOf(this.#state.attempts + 1)).end({ state: 'handed_back' });
    // Before the job can be taken: the next worker should not find the session busy.
    await this.#lease?.release();
    throw await this.#moves.toWait();
  }

  /** This run does not count, and has left nothing that looks like a crash. */
  async #uncount(fields: { readonly ask?: string; readonly answer?: string }): Promise<void> {
    if (!this.#isCounted) return;
    this.#isCounted = false;
    await this.#state.set({ ...fields, attempts: String(Math.max(0, this.#state.attempts - 1)), running: '' });
  }

  /** @throws always. */
  async #fail(code: JobErrorCode | Exclude<Outcome['kind'], 'completed'>, message: string): Promise<never> {
    // A retry by hand, from a dashboard, begins to count anew.
    await this.#state.set({ attempts: '0', running: '', ask: '', answer: '' });
    await this.#progressOf(this.#state.attempts).end({ state: 'ended', outcome: code });
    throw this.#moves.failed(code, this.#redactor.text(message));
  }

  /** What a failure outside Claude Code means for the job. */
  async #asMove(error: unknown): Promise<Error> {
    const code = error instanceof JobError ? error.code : undefined;
    if (code === 'redis_failed' || code === undefined) this.#settings.onError(error);
    // Redis has the job: nothing can be said about it now.
    if (code === 'redis_failed' || isRedisError(error)) return this.#moves.abandoned();
    try {
      if (code === 'store_failed') {
        const profile = this.#settings.profiles.get(parseStoredJob(this.#job.data, this.#jobId).profile);
        const attempts = this.#state.attempts;
        if (profile !== undefined && attempts < profile.retry.attempts) {
          this.#settings.onError(error);
          await this.#delay(backoff(attempts, profile.retry), 'retry', undefined, code);
        }
      }
      return await this.#fail(code ?? 'failed', reasonOf(error));
    } catch (move) {
      return isMove(move) ? (move as Error) : this.#moves.abandoned();
    }
  }

  async #lookForCancel(): Promise<void> {
    const { redis, limits } = this.#settings;
    const reason = await settled(limits.redisMs, 'redis_failed', 'Looking for a cancel', () =>
      redis.get(this.#keys.cancel(this.#jobId)),
    );
    if (reason !== null) this.stop('cancelled', reason);
  }

  #storeOf(tenant: string): SessionStore {
    const { sessionStore } = this.#settings;
    return typeof sessionStore === 'function' ? sessionStore(tenant) : tenantSessionStore(sessionStore, tenant);
  }

  #eventsOf(data: ClaudeJob): EventWriter {
    const { events: log, limits, onError } = this.#settings;
    const key = { tenant: data.tenant, id: conversationIdOf(data, this.#jobId) };
    return new EventWriter({ log, key, redactor: this.#redactor, limitMs: limits.storeMs, onError });
  }

  #progressOf(attempt: number): ProgressReporter {
    const { limits, onError } = this.#settings;
    return new ProgressReporter(attempt, {
      send: (progress) =>
        settled(limits.redisMs, 'redis_failed', 'updateProgress', () =>
          this.#job.updateProgress(this.#redactor.value({ ...progress })),
        ),
      everyMs: limits.progressMs,
      onError,
    });
  }

  #promptUuid(index: number): ReturnType<typeof derivedUuid> {
    return derivedUuid(this.#jobId, 'prompt', String(index));
  }
}

/** Of the connection, or of a server that is going or coming. */
function isRedisError(error: unknown): boolean {
  const name = error instanceof Error ? error.name : '';
  return ['ReplyError', 'AbortError', 'MaxRetriesPerRequestError', 'ParserError'].includes(name) || isConnection(error);
}

function isConnection(error: unknown): boolean {
  const text = reasonOf(error);
  return /Connection is closed|ECONN|EPIPE|Stream isn't writeable|LOADING/.test(text);
}
