import type { BackgroundEnd, ConversationEvent, TurnOutcome } from '../events/conversation-event.js';
import { APPROVAL_STATES, TASKS, WAKE_UPS } from './schemas.js';

/** Clients should pass over events of a type that they do not know, and over fields that they do not know. */
const event = (type: string, properties: Readonly<Record<string, object>>, optional: readonly string[] = []) => ({
  type: 'object',
  properties: { at: { type: 'integer', description: 'Epoch milliseconds.' }, type: { const: type }, ...properties },
  required: ['at', 'type', ...Object.keys(properties).filter((name) => !optional.includes(name))],
});

const text = { type: 'string' };
/** Does not compile without one that a turn can have. */
const OUTCOMES: Readonly<Record<TurnOutcome, true>> = {
  ...{
    completed: true,
    deferred: true,
    hook_stopped: true,
    max_turns: true,
    max_budget: true,
    max_output_tokens: true,
  },
  ...{ rate_limited: true, overloaded: true, auth: true, billing: true, invalid_request: true, context_overflow: true },
  ...{ model_not_found: true, server_error: true, connection_failed: true, structured_output_failed: true },
  ...{ refused: true, interrupted: true, deadline: true, idle_timeout: true, crashed: true, not_started: true },
  ...{ incomplete: true, failed: true, memory_limit: true },
};
/** As {@link OUTCOMES}. */
const ENDS: Readonly<Record<BackgroundEnd, true>> = {
  ...{ limit: true, evicted: true, memory_limit: true, turn_ended: true, drained: true, crashed: true },
};
const call = { toolName: text, toolUseId: text, input: { type: 'object' } };

/** The `data` of each event of the stream, by its type. */
export const EVENTS: Readonly<Record<ConversationEvent['type'], object>> = {
  user_message: event('user_message', { text }),
  message: event('message', {
    message: { type: 'object', description: 'A message of Claude Code, as it came.', required: ['type'] },
  }),
  question: event(
    'question',
    { questionId: text, ...call, title: text, description: text, suggestions: { type: 'array' } },
    ['title', 'description', 'suggestions'],
  ),
  question_closed: event('question_closed', {
    questionId: text,
    answer: { enum: ['allow', 'deny', 'expired', 'withdrawn'] },
  }),
  approval: event('approval', { approvalId: text, ...call, expiresAt: { type: 'integer' } }),
  approval_decided: event('approval_decided', { approvalId: text, behavior: { enum: ['allow', 'deny'] } }),
  approval_closed: event('approval_closed', { approvalId: text, ...call, state: { enum: APPROVAL_STATES } }, [
    ...['toolName', 'input'],
  ]),
  turn_ended: event(
    'turn_ended',
    {
      outcome: { enum: Object.keys(OUTCOMES), description: '`completed`, or why not.' },
      costUsd: { type: 'number', description: 'US dollars of this turn, where Claude Code said it.' },
      retryAfterMs: { type: 'number' },
    },
    ['costUsd', 'retryAfterMs'],
  ),
  wake_up: event('wake_up', { wakeUpId: text, prompt: text }),
  background: event('background', { tasks: TASKS, wakeUps: WAKE_UPS }),
  background_ended: event('background_ended', { reason: { enum: Object.keys(ENDS) }, tasks: TASKS }),
  events_dropped: event('events_dropped', {
    before: { type: 'integer', description: 'Events with a smaller id are lost: load the transcript.' },
  }),
};

/** One event of any type. */
export const EVENT = {
  oneOf: Object.values(EVENTS),
  description: '`data` of one server-sent event. Its `id` counts from 1 in each conversation.',
};
