import type { Job } from 'bullmq';
import type { SDKMessage, SessionStore } from 'claudewire';
import { JobError, reasonOf } from '../errors.js';
import { type ClaudeJob, parseStoredJob } from '../job/job-data.js';
import { conversationIdOf, dataDigest } from '../job/job-id.js';
import type { Answer } from '../queue/answer-data.js';
import type { CancelChannel } from '../redis/cancel-channel.js';
import type { Keys } from '../redis/keys.js';
import { Lease } from '../redis/lease.js';
import { takeRate } from '../redis/tenant-rate.js';
import { settled } from '../redis/time-limit.js';
import { watchedStore } from '../session/tenant-store.js';
import { ClaudeRun, type ClaudeRunEnd } from './claude-run.js';
import { asMove, delay, fail, finish, handBack } from './endings.js';
import type { EventWriter } from './event-writer.js';
import { JobContext } from './job-context.js';
import type { ProgressReporter } from './job-progress.js';
import { type JobResult, resultOfRun, resultOfTranscript, storedResult } from './job-result.js';
import { isMove } from './moves.js';
import { newSessionId, type Plan, planOf } from './plan.js';
import { type FullProfile, optionsOf, type ProfileOptions } from './profile.js';
import { Redactor } from './redactor.js';
import { promptFor } from './resume-prompt.js';
import { rateOf, type Settings } from './settings.js';
import { answerOf, judgeUnknown } from './unknown-calls.js';
import { verdictOn } from './verdict.js';

/** Why a run was stopped. The first reason counts, but for a lost lease, which leaves no time for anything else. */
type StopKind = 'cancelled' | 'handed_back' | 'lost';

/** One run of a job, with all that was decided before it. */
interface Turn {
  readonly data: ClaudeJob;
  readonly plan: Extract<Plan, { kind: 'run' }>;
  readonly profile: FullProfile;
  readonly options: ProfileOptions;
  readonly store: SessionStore;
  readonly answer: Answer | undefined;
  readonly attempt: number;
  readonly events: EventWriter;
}

/** One job in the hands of this worker, from BullMQ's call to what it throws or returns. */
export class JobRun {
  readonly #context: JobContext;
  readonly #channel: CancelChannel;
  #run: ClaudeRun | undefined;
  #stopped: { readonly kind: StopKind; readonly reason: string } | undefined;
  /** Why the session store refused its last append. */
  #refusal: unknown;

  constructor(settings: Settings, keys: Keys, channel: CancelChannel, job: Job, token: string) {
    this.#context = new JobContext(settings, keys, job, token);
    this.#channel = channel;
  }

  /** Interrupts what is running; ends it at once when the session is no longer ours. */
  stop(kind: StopKind, reason = ''): void {
    if (this.#stopped !== undefined && kind !== 'lost') return;
    this.#stopped = { kind, reason };
    if (kind === 'lost') this.#run?.kill();
    else this.#run?.stop();
  }

  /** @throws what BullMQ should do with the job, unless it is completed. */
  async process(): Promise<JobResult> {
    const { jobId, settings } = this.#context;
    const unlisten = this.#channel.listen(jobId, () => void this.#lookForCancel().catch(settings.onError));
    try {
      return await this.#steps();
    } catch (error) {
      throw isMove(error) ? error : await asMove(this.#context, error);
    } finally {
      unlisten();
      await this.#context.lease?.release();
    }
  }

  async #steps(): Promise<JobResult> {
    const context = this.#context;
    const { state, jobId, settings } = context;
    const { limits } = settings;
    const data = parseStoredJob(context.job.data, jobId);
    await state.load();
    const before = this.#resultOf(data);
    if (before !== undefined) return before;
    await this.#lookForCancel();
    await this.#throwIfStopped();

    const profile = settings.profiles.get(data.profile);
    if (profile === undefined) {
      throw new JobError('unknown_profile', `This worker has no profile ${JSON.stringify(data.profile)}.`);
    }
    const answer = await answerOf(context, profile);
    const sessionId = newSessionId();
    const known = state.get('sessionId');
    await this.#takeLease(data, sessionId);
    // What is decided from now on must be what the last owner of the session left.
    await state.load();
    const result = this.#resultOf(data);
    if (result !== undefined) return result;
    if (state.get('sessionId') !== known) await delay(context, limits.busyMs, 'session_busy');
    await this.#takeTurn(data);
    if (state.attempts >= profile.retry.attempts) {
      await fail(context, 'crashed', `The job was started ${state.attempts} times, and its workers did not finish it.`);
    }

    const info = { tenant: data.tenant, profile: data.profile, jobId };
    const labels = data.labels === undefined ? {} : { labels: data.labels };
    const options = await optionsOf(profile, { ...info, ...labels }, limits.storeMs);
    context.redactor = new Redactor(process.env, options.env ?? {});
    const store = context.storeOf(data.tenant);
    const wasKilled = state.get('running') !== undefined;
    const attempt = state.attempts + 1;
    await state.take(context.owner, { digest: dataDigest(data), attempts: String(attempt) });
    context.isCounted = true;

    const ours = new Set<string>(Array.from({ length: state.prompts + 1 }, (_, index) => context.promptUuid(index)));
    const plan = await planOf({
      ...{ job: data, state, store, storeMs: limits.storeMs, newSessionId: sessionId },
      isOurs: (uuid) => ours.has(uuid),
      needsStructuredOutput: options.outputFormat !== undefined,
    });
    const events = context.eventsOf(data);
    if (wasKilled) events.append({ type: 'turn_ended', outcome: plan.kind === 'completed' ? 'completed' : 'crashed' });
    if (plan.kind === 'completed') return await this.#completed(plan, profile, attempt, events);
    await judgeUnknown(context, plan.unknownCalls, profile, answer, attempt);
    await this.#throwIfStopped();
    return await this.#runOnce({ data, plan, profile, options, store, answer, attempt, events });
  }

  /** What an earlier run of the job returned. @throws JobError `invalid_job`: it was another job. */
  #resultOf(data: ClaudeJob): JobResult | undefined {
    const { state } = this.#context;
    const digest = state.get('digest');
    if (digest !== undefined && digest !== dataDigest(data)) {
      throw new JobError('invalid_job', 'The data of the job is not what it was when it was first run.');
    }
    const result = state.get('result');
    return result === undefined ? undefined : storedResult(result);
  }

  async #runOnce(turn: Turn): Promise<JobResult> {
    const { data, plan, profile, options, store, answer, attempt, events } = turn;
    const { state, settings } = this.#context;
    const prompt = promptFor({ prompt: data.prompt, ...plan, note: answer?.note });
    // The first id is the job's own prompt, wherever it is sent; the others tell the model to go on.
    const index = plan.isKnown ? state.prompts + 1 : 0;
    const promptUuid = this.#context.promptUuid(index);
    const prompts = String(Math.max(index, state.prompts));
    await state.set({ sessionId: plan.sessionId, prompts, ask: '', answer: '' });
    const progress = this.#context.progressOf(attempt);
    events.append({ type: 'user_message', text: prompt });
    this.#run = new ClaudeRun({
      ...{ profile, options, prompt, promptUuid, sessionId: plan.sessionId, isResumed: plan.isResumed },
      storeMs: settings.limits.storeMs,
      sessionStore: watchedStore(store, {
        onStored: (sessionId, stored) => {
          this.#recorded(state.set({ sessionId, stored })).catch(settings.onError);
        },
        onRefused: (error) => {
          this.#refusal = error;
        },
      }),
      onMessage: (message) => this.#onMessage(message, progress, events),
      onToolCall: (call) => this.#recorded(state.noteCall(call)),
      onToolEnd: (id, end) => this.#recorded(state.noteEnd(id, end)),
    });
    if (this.#stopped !== undefined) this.#run.stop();
    const end = await this.#run.finish();
    const { kind, retryAfterMs } = end.outcome;
    events.append({ type: 'turn_ended', outcome: kind, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) });
    await events.flush();
    return await this.#conclude(end, progress, turn);
  }

  /** A run whose job has another owner by now is ended. */
  async #recorded(write: Promise<void>): Promise<void> {
    try {
      await write;
    } catch (error) {
      if (error instanceof JobError && error.code === 'taken') this.stop('lost');
      throw error;
    }
  }

  async #conclude(end: ClaudeRunEnd, progress: ProgressReporter, turn: Turn): Promise<JobResult> {
    const { plan, profile, attempt, events } = turn;
    const context = this.#context;
    const { outcome } = end;
    if (this.#stopped?.kind === 'lost') throw context.moves.abandoned();
    if (outcome.kind !== 'completed') await this.#throwIfStopped(progress);
    const verdict = verdictOn(outcome, attempt, profile.retry);
    if (verdict.kind === 'retry') {
      if (context.hasGap) await fail(context, 'session_lost', 'The session store did not take all of the last run.');
      await delay(context, verdict.delayMs, 'retry', progress, outcome.kind);
    }
    if (outcome.kind !== 'completed') {
      const why = verdict.kind === 'fail' && verdict.why !== undefined ? ` (${verdict.why})` : '';
      return await fail(context, outcome.kind, `${outcome.message}${why}`);
    }
    const sessionId = context.state.get('sessionId') ?? plan.sessionId;
    const counts = { attempts: attempt, eventsDropped: events.dropped, hasTranscriptGap: context.hasGap };
    const params = { sessionId, isResumed: plan.isResumed, ...counts };
    return await finish(context, progress, resultOfRun(end, params, context.redactor, profile.limits.resultLength));
  }

  async #completed(
    plan: Extract<Plan, { kind: 'completed' }>,
    profile: FullProfile,
    attempt: number,
    events: EventWriter,
  ): Promise<JobResult> {
    await events.flush();
    const { redactor } = this.#context;
    // This run did nothing.
    const params = { sessionId: plan.sessionId, attempts: attempt - 1, eventsDropped: events.dropped };
    const result = resultOfTranscript(plan.text, params, redactor, profile.limits.resultLength);
    return await finish(this.#context, this.#context.progressOf(attempt), result);
  }

  #onMessage(message: SDKMessage, progress: ProgressReporter, events: EventWriter): void {
    if (message.type === 'system' && message.subtype === 'mirror_error') this.#onGap(message.error);
    progress.onMessage(message);
    events.append({ type: 'message', message });
  }

  /** Said once: a job whose store refuses everything completes, and nobody may look at its result. */
  #onGap(reason: string): void {
    const { settings, jobId } = this.#context;
    if (this.#context.hasGap) return;
    this.#context.hasGap = true;
    const why = this.#refusal === undefined ? reason : reasonOf(this.#refusal);
    const text = `The session store did not take all of the transcript of job ${jobId}, which goes on: ${why}`;
    settings.onError(new JobError('store_failed', text, { cause: this.#refusal }));
  }

  async #takeLease(data: ClaudeJob, newId: string): Promise<void> {
    const { settings, keys, state, jobId, owner } = this.#context;
    const { redis, limits } = settings;
    const sessions = new Set([newId, data.sessionId, state.get('sessionId')]);
    const lease = await Lease.acquire({
      redis,
      keys: [
        keys.lease(data.tenant, 'conversation', conversationIdOf(data, jobId)),
        ...[...sessions].flatMap((id) => (id === undefined ? [] : [keys.lease(data.tenant, 'session', id)])),
      ],
      cancelKey: keys.cancel(jobId),
      owner,
      ttlMs: limits.leaseMs,
      redisMs: limits.redisMs,
      onLost: () => this.stop('lost'),
      onCancel: (reason) => this.stop('cancelled', reason),
    });
    if (typeof lease !== 'number') this.#context.lease = lease;
    else await delay(this.#context, Math.min(lease, limits.busyMs), 'session_busy');
  }

  async #takeTurn({ tenant }: ClaudeJob): Promise<void> {
    const { settings, keys } = this.#context;
    const rate = rateOf(settings, tenant);
    if (rate === undefined) return;
    const wait = await takeRate(settings.redis, keys.rate(tenant), rate, settings.limits.redisMs);
    if (wait > 0) await delay(this.#context, wait, 'tenant_rate');
  }

  async #throwIfStopped(progress?: ProgressReporter): Promise<void> {
    const stopped = this.#stopped;
    if (stopped === undefined) return;
    if (stopped.kind === 'cancelled') await fail(this.#context, 'cancelled', stopped.reason);
    if (stopped.kind === 'lost') throw this.#context.moves.abandoned();
    await handBack(this.#context, progress);
  }

  async #lookForCancel(): Promise<void> {
    const { settings, keys, jobId } = this.#context;
    const reason = await settled(settings.limits.redisMs, 'redis_failed', 'Looking for a cancel', () =>
      settings.redis.get(keys.cancel(jobId)),
    );
    if (reason !== null) this.stop('cancelled', reason);
  }
}
