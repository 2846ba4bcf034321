/** JSON Schemas of bodies: what is checked, and what the OpenAPI description says. */

import { NEXT } from '../approvals/approval.js';
import { MAX_TITLE } from '../host/argument-checks.js';
import { STATUS } from './problem.js';

const strict = (properties: Readonly<Record<string, object>>, optional: readonly string[] = []) => ({
  type: 'object',
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  additionalProperties: false,
});

export const APPROVAL_STATES: readonly string[] = Object.keys(NEXT);

const TOKEN = { type: 'string', maxLength: 3_000 };

export const PROBLEM = strict({
  type: { type: 'string' },
  title: { type: 'string' },
  status: { type: 'integer' },
  code: { enum: Object.keys(STATUS) },
  detail: { type: 'string' },
});

/** Something besides blanks. */
const FILLED = { type: 'string', minLength: 1, pattern: '\\S' };

export const CREATE = strict({ title: { ...FILLED, maxLength: MAX_TITLE } }, ['title']);
export const MESSAGE = strict({ text: FILLED });
export const ACCEPTED = strict({ eventId: { type: 'integer' } });
export const INTERRUPTED = strict({ interrupted: { type: 'boolean' } });

export const ANSWER = {
  oneOf: [
    strict({ behavior: { const: 'allow' }, updatedInput: { type: 'object' } }, ['updatedInput']),
    strict({ behavior: { const: 'deny' }, message: { type: 'string', maxLength: 2_000 } }, ['message']),
  ],
};

export const DECISION = {
  oneOf: [
    strict({ token: TOKEN, behavior: { const: 'allow' }, updatedInput: { type: 'object' } }, ['updatedInput']),
    strict({ token: TOKEN, behavior: { const: 'deny' }, message: { type: 'string', maxLength: 2_000 } }, ['message']),
  ],
};

export const APPROVALS = strict({
  approvals: {
    type: 'array',
    items: strict(
      {
        approvalId: { type: 'string', format: 'uuid' },
        toolName: { type: 'string' },
        toolUseId: { type: 'string' },
        input: { type: 'object' },
        createdAt: { type: 'integer' },
        expiresAt: { type: 'integer' },
        state: { enum: APPROVAL_STATES },
        decision: { type: 'object' },
        token: TOKEN,
      },
      ['decision', 'token'],
    ),
  },
});

export const TASKS = {
  type: 'array',
  items: strict({ taskId: { type: 'string' }, kind: { type: 'string' }, description: { type: 'string' } }),
};
export const WAKE_UPS = {
  type: 'array',
  items: strict({
    ...{ wakeUpId: { type: 'string' }, prompt: { type: 'string' }, dueAt: { type: 'integer' } },
    recurring: { type: 'boolean' },
  }),
};

export const CONVERSATION = strict(
  {
    id: { type: 'string', format: 'uuid' },
    createdAt: { type: 'integer' },
    updatedAt: { type: 'integer' },
    title: { type: 'string' },
    state: { enum: ['cold', 'starting', 'busy', 'idle'] },
    tasks: TASKS,
    wakeUps: WAKE_UPS,
  },
  ['title', 'tasks', 'wakeUps'],
);
export const CONVERSATIONS = strict(
  { conversations: { type: 'array', items: CONVERSATION }, next: { type: 'string' } },
  ['next'],
);

export const TRANSCRIPT = strict({
  messages: {
    type: 'array',
    items: {
      type: 'object',
      properties: { type: { enum: ['user', 'assistant', 'system'] }, uuid: { type: 'string' }, message: {} },
      required: ['type', 'uuid', 'message'],
    },
  },
});
