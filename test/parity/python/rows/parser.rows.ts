import type { Json, Look, Row } from '../harness/row.js';
import { madeFrames, recordedFrames } from '../pure/frames.js';
import { differs, pureLook, type Stated } from '../pure/looks.js';
import type { JsonRecord, PureProgram } from '../pure/program.js';

const recorded = recordedFrames();
/** Types that both parsers know. */
const KNOWN: readonly string[] = [
  'user',
  'assistant',
  'system',
  'result',
  'stream_event',
  'rate_limit_event',
  'conversation_reset',
];
const ids = { uuid: 'u', session_id: 's' };
const user = (content: Json, more: JsonRecord = {}): Json => ({
  type: 'user',
  message: { role: 'user', content },
  ...more,
});
const assistant = (content: Json, message: JsonRecord = {}, more: JsonRecord = {}): Json => ({
  type: 'assistant',
  message: { role: 'assistant', model: 'm', content, ...message },
  ...more,
});
const system = (subtype: string, more: JsonRecord = {}): Json => ({ type: 'system', subtype, ...more });
const RESULT = {
  type: 'result',
  subtype: 'success',
  duration_ms: 1,
  duration_api_ms: 2,
  is_error: false,
  num_turns: 3,
  session_id: 's',
};
const refused = (message: string): Json => ({ error: 'MessageParseError', message, hasFrame: true });
const missing = (type: string, key: string): Json => refused(`Missing required field in ${type} message: '${key}'`);

function parse(name: string, frames: readonly Json[], stated: Stated = {}): Look<PureProgram> {
  return pureLook(name, [{ op: 'parse', frames }], stated);
}

/** Each frame with what both must make of it. */
function each(name: string, pairs: readonly (readonly [Json, Json])[]): Look<PureProgram> {
  return parse(
    name,
    pairs.map(([frame]) => frame),
    { both: { results: [pairs.map(([, pattern]) => pattern)] } },
  );
}

/** The same of all frames of a type that were recorded, and of frames made by chance. */
function many(type: string, isMade = true): readonly Look<PureProgram>[] {
  const frames = recorded.get(type) ?? [];
  if (frames.length === 0 && !isMade) throw new Error(`no recorded frame of type ${type}`);
  return [
    ...(frames.length === 0 ? [] : [parse(`${type}: every recorded frame`, frames, ANSWERED[type])]),
    ...(isMade ? [parse(`${type}: frames made by chance`, madeFrames(type), ANSWERED[type])] : []),
  ];
}

/** What the older release does not take over: the ids of the user messages that a frame answers. */
const withoutIds: Stated = {
  before: {
    differs: [
      differs(
        'python-defect',
        'PY-364',
        'results/0',
        'The older release drops `user_message_uuid` and `user_message_uuids`.',
      ),
    ],
  },
};
const ANSWERED: Readonly<Record<string, Stated>> = {
  assistant: withoutIds,
  result: withoutIds,
  stream_event: withoutIds,
};

/** Without each of these keys in turn. */
function without(frame: JsonRecord, keys: readonly string[]): readonly Json[] {
  return keys.map((key) => {
    const { [key]: _, ...rest } = frame;
    return rest;
  });
}

const task: Readonly<Record<string, JsonRecord>> = {
  task_started: { task_id: 't', description: 'd', ...ids },
  task_progress: { task_id: 't', description: 'd', usage: { total_tokens: 1 }, ...ids },
  task_notification: { task_id: 't', status: 'completed', output_file: '/o', summary: 'x', ...ids },
};

export const parserRows: readonly Row<PureProgram>[] = [
  {
    id: 'PY-232',
    what: 'A user frame’s text content is that text; its blocks become a list of typed blocks.',
    looks: [
      each('user content', [
        [user('hi'), { kind: 'user', content: 'hi' }],
        [user(''), { kind: 'user', content: '' }],
        [user([]), { kind: 'user', content: [] }],
        [
          user([
            { type: 'text', text: 'a', citations: [] },
            { type: 'tool_use', id: 'i', name: 'n', input: { a: 1 } },
            { type: 'tool_result', tool_use_id: 'i', content: 'c', is_error: true },
          ]),
          {
            content: [
              { type: 'text', text: 'a', citations: '$absent' },
              { type: 'tool_use', id: 'i', name: 'n', input: { a: 1 } },
              { type: 'tool_result', toolUseId: 'i', content: 'c', isError: true },
            ],
          },
        ],
      ]),
      ...many('user'),
    ],
  },
  {
    id: 'PY-233',
    what: 'Image, document and thinking blocks of a user frame are left out.',
    looks: [
      each('user blocks that are left out', [
        [
          user([
            { type: 'image', source: {} },
            { type: 'text', text: 'a' },
            { type: 'thinking', thinking: 't', signature: 's' },
            { type: 'server_tool_use', id: 'i', name: 'n', input: {} },
            { type: 'advisor_tool_result', tool_use_id: 'i', content: {} },
            { type: 'document' },
          ]),
          { content: [{ type: 'text', text: 'a' }] },
        ],
        [user([{ type: 'image' }]), { content: [] }],
      ]),
    ],
  },
  {
    id: 'PY-234',
    what: '`tool_use_result`, `uuid` and `parent_tool_use_id` are on the user message.',
    looks: [
      each('user fields', [
        [
          user('x', { uuid: 'u', parent_tool_use_id: 'p', tool_use_result: { a: [1] } }),
          { uuid: 'u', parentToolUseId: 'p', toolUseResult: { a: [1] } },
        ],
        [user('x', { tool_use_result: 'Error: no' }), { toolUseResult: 'Error: no' }],
        [
          user('x', { uuid: null, parent_tool_use_id: null, tool_use_result: null }),
          { uuid: '$absent', parentToolUseId: '$absent', toolUseResult: '$absent' },
        ],
      ]),
    ],
  },
  {
    id: 'PY-235',
    what: '`origin` is passed on with unknown keys when it has a text `kind`, else it is absent.',
    looks: [
      each('origin', [
        [
          user('x', { origin: { kind: 'peer', from: 'f', aNewKey: [1] } }),
          { origin: { kind: 'peer', from: 'f', aNewKey: [1] } },
        ],
        [user('x', { origin: { kind: 5 } }), { origin: '$absent' }],
        [user('x', { origin: {} }), { origin: '$absent' }],
        [user('x', { origin: 'human' }), { origin: '$absent' }],
        [user('x', { origin: null }), { origin: '$absent' }],
        [{ ...RESULT, origin: { kind: 'human' } }, { origin: { kind: 'human' } }],
        [{ ...RESULT, origin: [] }, { origin: '$absent' }],
      ]),
    ],
  },
  {
    id: 'PY-236',
    what: 'An assistant frame needs `model`; `usage`, `id` and `stop_reason` come from inside `message`.',
    looks: [
      each('assistant fields', [
        [
          assistant(
            [{ type: 'text', text: 'a' }],
            { usage: { input_tokens: 1 }, id: 'msg', stop_reason: 'end_turn' },
            { ...ids, parent_tool_use_id: 'p' },
          ),
          {
            kind: 'assistant',
            model: 'm',
            usage: { input_tokens: 1 },
            messageId: 'msg',
            stopReason: 'end_turn',
            uuid: 'u',
            sessionId: 's',
            parentToolUseId: 'p',
          },
        ],
        [{ type: 'assistant', message: { content: [] }, id: 'top', usage: {} }, missing('assistant', 'model')],
        [{ type: 'assistant', message: { model: 'm' } }, missing('assistant', 'content')],
        [{ type: 'assistant' }, missing('assistant', 'message')],
      ]),
      ...many('assistant'),
    ],
  },
  {
    id: 'PY-237',
    what: 'A top-level `error` of an assistant frame is on the message.',
    looks: [
      each('assistant error', [
        [assistant([], {}, { error: 'rate_limit' }), { error: 'rate_limit' }],
        [assistant([], {}, { error: 'a_new_one' }), { error: 'a_new_one' }],
        [assistant([], { error: 'inside' }), { error: '$absent' }],
      ]),
    ],
  },
  {
    id: 'PY-238',
    what: 'A `thinking` block without `signature` is a parse error.',
    looks: [
      each('thinking', [
        [
          assistant([{ type: 'thinking', thinking: 't', signature: 's' }]),
          { content: [{ type: 'thinking', thinking: 't', signature: 's' }] },
        ],
        [assistant([{ type: 'thinking', thinking: 't' }]), missing('assistant', 'signature')],
        [assistant([{ type: 'thinking', signature: 's' }]), missing('assistant', 'thinking')],
      ]),
    ],
  },
  {
    id: 'PY-239',
    what: '`redacted_thinking`, `web_search_tool_result` and unknown blocks are left out; the list may be empty.',
    looks: [
      each('assistant blocks that are left out', [
        [assistant([{ type: 'redacted_thinking', data: 'x' }]), { content: [] }],
        [
          assistant([
            { type: 'web_search_tool_result', tool_use_id: 'i', content: [] },
            { type: 'text', text: 'a' },
            { type: 'of_the_future' },
          ]),
          { content: [{ type: 'text', text: 'a' }] },
        ],
      ]),
    ],
  },
  {
    id: 'PY-240',
    what: '`server_tool_use` and `advisor_tool_result` become typed blocks.',
    looks: [
      each('server tools', [
        [
          assistant([
            { type: 'server_tool_use', id: 'i', name: 'advisor', input: { q: 1 } },
            { type: 'advisor_tool_result', tool_use_id: 'i', content: { type: 'x' } },
          ]),
          {
            content: [
              { type: 'server_tool_use', id: 'i', name: 'advisor', input: { q: 1 } },
              { type: 'advisor_tool_result', toolUseId: 'i', content: { type: 'x' } },
            ],
          },
        ],
        [assistant([{ type: 'advisor_tool_result', tool_use_id: 'i' }]), missing('assistant', 'content')],
      ]),
    ],
  },
  {
    id: 'PY-241',
    what: 'Assistant content that is no list, and a block that is no object, are parse errors.',
    looks: [
      parse(
        'content of a wrong kind',
        [assistant('text'), assistant(null), assistant(['x']), user([5]), assistant([{}])],
        {
          // The words name types, and the languages name them differently.
          at: ['results/0/0/error', 'results/0/1/error', 'results/0/2/error', 'results/0/3/error', 'results/0/4'],
          both: {
            results: [
              [
                ...Array.from({ length: 4 }, () => ({ error: 'MessageParseError', hasFrame: true })),
                missing('assistant', 'type'),
              ],
            ],
          },
        },
      ),
    ],
  },
  {
    id: 'PY-242',
    what: 'A `tool_result` that does not say `is_error` leaves it unset, not false.',
    looks: [
      each('tool_result', [
        [
          user([{ type: 'tool_result', tool_use_id: 'i' }]),
          { content: [{ toolUseId: 'i', isError: '$absent', content: '$absent' }] },
        ],
        [
          user([{ type: 'tool_result', tool_use_id: 'i', is_error: false, content: [] }]),
          { content: [{ isError: false, content: [] }] },
        ],
        [assistant([{ type: 'tool_result', tool_use_id: 'i', is_error: null }]), { content: [{ isError: '$absent' }] }],
      ]),
    ],
  },
  {
    id: 'PY-243',
    what: 'Task frames without a required field are parse errors that name it.',
    looks: Object.entries(task).map(([subtype, fields]) => {
      const keys = Object.keys(fields);
      const frame = system(subtype, fields) as JsonRecord;
      return parse(`${subtype}: required fields`, [frame, ...without(frame, keys)], {
        both: { results: [[{ kind: subtype, taskId: 't' }, ...keys.map((key) => missing('system', key))]] },
      });
    }),
  },
  {
    id: 'PY-244',
    what: '`task_updated` without a task id, without a patch, or with one that is no object still parses.',
    looks: [
      each('task_updated', [
        [system('task_updated'), { kind: 'task_updated', taskId: '', patch: {}, status: '$absent' }],
        [system('task_updated', { task_id: 't', patch: 'x' }), { taskId: 't', patch: {}, status: '$absent' }],
        [
          system('task_updated', { task_id: 't', patch: { status: 'killed', end_time: 1 }, ...ids }),
          { patch: { status: 'killed', end_time: 1 }, status: 'killed', uuid: 'u', sessionId: 's' },
        ],
      ]),
    ],
  },
  {
    id: 'PY-245',
    what: 'An unknown `system` subtype is a generic system message with the raw object.',
    looks: [
      each('unknown subtype', [
        [
          system('of_the_future', { a: 1 }),
          { kind: 'system', subtype: 'of_the_future', data: system('of_the_future', { a: 1 }) },
        ],
        [{ type: 'system' }, missing('system', 'subtype')],
      ]),
    ],
  },
  {
    id: 'PY-246',
    what: '`hook_started` and `hook_response` are hook events; `hook_progress` is a generic system message.',
    looks: [
      each('hook events', [
        [
          system('hook_started', { hook_event: 'PreToolUse', hook_name: 'n', ...ids }),
          { kind: 'hook_event', hookEventName: 'PreToolUse', uuid: 'u', sessionId: 's' },
        ],
        [system('hook_response', { hook_name: 'n' }), { kind: 'hook_event', hookEventName: 'n' }],
        [system('hook_response', { hook_event: '', hook_event_name: 'e' }), { hookEventName: 'e', uuid: '$absent' }],
        [system('hook_started'), { hookEventName: '' }],
        [system('hook_progress', { hook_event: 'Stop' }), { kind: 'system', hookEventName: '$absent' }],
      ]),
    ],
  },
  {
    id: 'PY-247',
    what: 'Every typed system message is also a system message: it keeps `subtype` and the raw `data`.',
    looks: [
      pureLook(
        'system messages',
        [
          {
            op: 'isSystem',
            frames: [
              system('init'),
              system('hook_started'),
              system('mirror_error'),
              system('task_updated'),
              ...Object.entries(task).map(([subtype, fields]) => system(subtype, fields)),
            ],
          },
        ],
        { both: { results: [Array.from({ length: 7 }, () => true)] } },
      ),
      each('mirror_error', [
        [
          system('mirror_error', { error: 'e', key: { project_key: 'p' } }),
          { kind: 'mirror_error', error: 'e', key: { project_key: 'p' } },
        ],
        [system('mirror_error'), { error: '', key: '$absent' }],
      ]),
      ...many('system'),
    ],
  },
  {
    id: 'PY-248',
    what: 'A result frame needs its six fields; `modelUsage` is taken over, absent fields are unset.',
    looks: [
      parse('required fields of a result', [RESULT, ...without(RESULT, Object.keys(RESULT).slice(1))], {
        both: {
          results: [
            [
              {
                kind: 'result',
                durationMs: 1,
                durationApiMs: 2,
                numTurns: 3,
                usage: '$absent',
                modelUsage: '$absent',
                result: '$absent',
              },
              ...Object.keys(RESULT)
                .slice(1)
                .map((key) => missing('result', key)),
            ],
          ],
        },
      }),
      each('model usage', [[{ ...RESULT, modelUsage: { m: { costUSD: 1 } } }, { modelUsage: { m: { costUSD: 1 } } }]]),
      ...many('result'),
    ],
  },
  {
    id: 'PY-249',
    what: 'An empty `deferred_tool_use` is unset; one that lacks a key is a parse error.',
    looks: [
      each('deferred tool use', [
        [{ ...RESULT, deferred_tool_use: {} }, { deferredToolUse: '$absent' }],
        [{ ...RESULT, deferred_tool_use: null }, { deferredToolUse: '$absent' }],
        [
          { ...RESULT, deferred_tool_use: { id: 'i', name: 'n', input: { a: 1 } } },
          { deferredToolUse: { id: 'i', name: 'n', input: { a: 1 } } },
        ],
        [{ ...RESULT, deferred_tool_use: { id: 'i', name: 'n' } }, missing('result', 'input')],
      ]),
    ],
  },
  {
    id: 'PY-250',
    what: '`terminal_reason`, `api_error_status`, `errors`, `structured_output` and `permission_denials` are on the result unchanged.',
    looks: [
      each('further fields of a result', [
        [
          {
            ...RESULT,
            terminal_reason: 'api_error',
            api_error_status: 529,
            errors: [' a ', 5, ''],
            structured_output: { x: [null, false] },
            permission_denials: [{ tool_name: 'Bash' }],
            stop_reason: 'end_turn',
            total_cost_usd: 0.25,
          },
          {
            terminalReason: 'api_error',
            apiErrorStatus: 529,
            errors: [' a ', 5, ''],
            structuredOutput: { x: [null, false] },
            permissionDenials: [{ tool_name: 'Bash' }],
            stopReason: 'end_turn',
            totalCostUsd: 0.25,
          },
        ],
        [{ ...RESULT, structured_output: false }, { structuredOutput: false }],
        [{ ...RESULT, structured_output: null }, { structuredOutput: '$absent' }],
      ]),
    ],
  },
  {
    id: 'PY-251',
    what: 'A stream event is the raw `event`; `uuid` and `session_id` are required.',
    looks: [
      each('stream events', [
        [
          { type: 'stream_event', event: { type: 'ping', a: 1 }, ...ids, parent_tool_use_id: 'p' },
          { kind: 'stream_event', event: { type: 'ping', a: 1 }, parentToolUseId: 'p' },
        ],
        [{ type: 'stream_event', event: {}, session_id: 's' }, missing('stream_event', 'uuid')],
        [{ type: 'stream_event', event: {}, uuid: 'u' }, missing('stream_event', 'session_id')],
        [{ type: 'stream_event', ...ids }, missing('stream_event', 'event')],
      ]),
      ...many('stream_event'),
    ],
  },
  {
    id: 'PY-252',
    what: 'The camelCase fields of a rate-limit event are mapped, and `raw` keeps all of them.',
    looks: [
      each('rate limits', [
        [
          {
            type: 'rate_limit_event',
            ...ids,
            rate_limit_info: {
              status: 'rejected',
              resetsAt: 5,
              rateLimitType: 'five_hour',
              utilization: 1,
              overageStatus: 'rejected',
              overageResetsAt: 6,
              overageDisabledReason: 'none',
              isNew: true,
            },
          },
          {
            kind: 'rate_limit_event',
            rateLimitInfo: {
              status: 'rejected',
              resetsAt: 5,
              rateLimitType: 'five_hour',
              overageDisabledReason: 'none',
              raw: { isNew: true },
            },
          },
        ],
        [{ type: 'rate_limit_event', ...ids, rate_limit_info: {} }, missing('rate_limit_event', 'status')],
        [{ type: 'rate_limit_event', ...ids }, missing('rate_limit_event', 'rate_limit_info')],
      ]),
      ...many('rate_limit_event'),
    ],
  },
  {
    id: 'PY-253',
    what: 'A conversation reset needs its three fields.',
    looks: [
      each('conversation resets', [
        [
          { type: 'conversation_reset', new_conversation_id: 'n', ...ids },
          { kind: 'conversation_reset', newConversationId: 'n', uuid: 'u', sessionId: 's' },
        ],
        [{ type: 'conversation_reset', ...ids }, missing('conversation_reset', 'new_conversation_id')],
        [
          { type: 'conversation_reset', new_conversation_id: 'n', uuid: 'u' },
          missing('conversation_reset', 'session_id'),
        ],
      ]),
      ...many('conversation_reset'),
    ],
  },
  {
    id: 'PY-254',
    what: 'A frame of an unknown type is no error: it is skipped, and the stream goes on.',
    looks: [
      each('unknown types', [
        [{ type: 'keep_alive' }, { kind: 'unknown' }],
        [{ type: 'tool_progress', ...ids }, { kind: 'unknown' }],
        [{ type: 'auth_status' }, { kind: 'unknown' }],
        [{ type: 'of_the_future', message: 5 }, { kind: 'unknown' }],
      ]),
      ...[...recorded.keys()].filter((type) => !KNOWN.includes(type)).flatMap((type) => many(type, false)),
    ],
  },
  {
    id: 'PY-255',
    what: 'A frame without `type` is a parse error whose `data` is the frame.',
    looks: [
      each('no type', [
        [{ a: 1 }, refused("Message missing 'type' field")],
        [{ type: '' }, refused("Message missing 'type' field")],
        [{ type: null }, refused("Message missing 'type' field")],
        [{ subtype: 'hook_started' }, refused("Message missing 'type' field")],
      ]),
      parse('not an object', [[1], 'text', 5, true, null], {
        at: [0, 1, 2, 3].flatMap((place) => [`results/0/${place}/error`, `results/0/${place}/hasFrame`]),
        both: {
          results: [
            Array.from({ length: 5 }, () => ({
              error: 'MessageParseError',
              message: '/^Invalid message data type \\(expected /',
            })),
          ],
        },
      }),
    ],
  },
];
