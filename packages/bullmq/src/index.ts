/** The entry point `claudewire-bullmq`. */

export { failureOf, JobError, type JobErrorCode, type JobFailure, type JobFailureCode } from './errors.js';
export type { ClaudeJob } from './job/job-data.js';
export { answer } from './queue/answer.js';
export type { Answer } from './queue/answer-data.js';
export { type CancelRequest, cancel } from './queue/cancel.js';
export { type Enqueued, type EnqueueOptions, enqueue } from './queue/enqueue.js';
export type { JobAddress, JobQueue } from './queue/job-address.js';
export type { UnknownCall } from './redis/job-state.js';
export type { TenantRate } from './redis/tenant-rate.js';
export type { DelayReason, JobProgress } from './run/job-progress.js';
export type { JobResult } from './run/job-result.js';
export { createProcessor, type Processor } from './run/processor.js';
export type { JobInfo, Profile, ProfileLimits, ProfileOptions, RetryPolicy } from './run/profile.js';
export type { ProcessorLimits, ProcessorOptions } from './run/settings.js';
export { tenantSessionStore } from './session/tenant-store.js';
export { type ClaudeWorker, type ClaudeWorkerOptions, createWorker } from './worker/create-worker.js';
