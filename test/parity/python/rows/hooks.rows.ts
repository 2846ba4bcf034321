import type { Step } from '../../../../src/testing/scenario/scenario-types.js';
import type { JsonObject } from '../../../../src/util/json.js';
import type { ProcessProgram } from '../harness/program.js';
import type { Json, Look, Row } from '../harness/row.js';
import { asked, differs, EOF, launch, look, RESULT, USER } from './steps.js';

const INPUT = {
  session_id: 's',
  transcript_path: '/t',
  cwd: '/c',
  permission_mode: 'default',
  hook_event_name: 'Stop',
  stop_hook_active: false,
  more: { deep: [1] },
};
const hook = { $callback: 'hook' };
const ask = (id: string, callback: string, more: JsonObject = {}): readonly Step[] =>
  asked(id, { subtype: 'hook_callback', callback_id: callback, input: INPUT, ...more });

const registered = launch('hooks: registered', {
  hooks: {
    PreToolUse: [{ hooks: [hook, hook] }, { matcher: 'Bash', hooks: [hook], timeout: 3 }],
    Stop: [],
    Notification: [{ hooks: [hook] }],
    SubagentStart: [{ hooks: [hook] }],
    PermissionRequest: [{ hooks: [hook] }],
    FromTheFuture: [{ hooks: [hook] }],
  },
});

/** What hooks return, by the id of the question. The last ones throw, return nothing, or what JSON cannot say. */
const RETURNS: Readonly<Record<string, JsonObject>> = {
  empty: {},
  async: { async: true, asyncTimeout: 5 },
  stop: { continue: false, stopReason: 'x' },
  nested: { hookSpecificOutput: { hookEventName: 'Stop', continue_: false, async_: 1 } },
  others: {
    suppressOutput: true,
    decision: 'block',
    systemMessage: 'm',
    reason: 'r',
    hookSpecificOutput: { hookEventName: 'PostToolUse', additionalContext: 'c' },
  },
};
const names = [...Object.keys(RETURNS), 'throws', 'nothing', 'odd'];
const called = launch(
  'hooks: called',
  { hooks: { Stop: [{ hooks: names.map((name) => ({ $callback: name })) }] } },
  {
    callbacks: {
      ...Object.fromEntries(Object.entries(RETURNS).map(([name, value]) => [name, { returns: [value] }])),
      throws: { throws: 'mine' },
      nothing: {},
      odd: { returns: [{ $unserialisable: true }] },
    },
    cli: [
      USER,
      ...names.flatMap((name, at) => ask(name, `hook_${at}`, at === 0 ? { tool_use_id: 't' } : {})),
      ...ask('unknown', 'hook_99'),
      RESULT,
      EOF,
    ],
  },
);

/** Events whose hooks guard something: after an error answer the CLI goes on as if the hook had no opinion. */
const GUARDS = ['PreToolUse', 'PermissionRequest', 'UserPromptSubmit'];
const guarding = launch(
  'hooks: guards',
  { hooks: Object.fromEntries(GUARDS.map((name) => [name, [{ hooks: [{ $callback: name }] }]])) },
  {
    callbacks: Object.fromEntries(GUARDS.map((name) => [name, { returns: [{ $unserialisable: true }] }])),
    cli: [USER, ...GUARDS.flatMap((name, index) => ask(name, `hook_${index}`)), RESULT, EOF],
  },
);
/** The same where the hook returns nothing, and what is no mapping. */
const returning = (name: string, spec: JsonObject): ProcessProgram => ({
  ...guarding,
  name: `hooks: guards that return ${name}`,
  callbacks: Object.fromEntries(GUARDS.map((event) => [event, spec])),
});
const failsClosed = (event: string): ReturnType<typeof differs> =>
  differs(
    'safety',
    'D-16',
    `answers/${event}`,
    'At PreToolUse, PermissionRequest and UserPromptSubmit the answer here is a denial, or a block: after an error answer the CLI goes on as if the hook had no opinion.',
  );

const at = (id: string, below = ''): string => `answers/${id}${below}`;

/** Both send what the hook returned, and so. */
function sent(id: string, value: Json): Look<ProcessProgram> {
  return look(called, {
    name: `hooks: ${id}`,
    at: [at(id, '/subtype'), at(id, '/response')],
    both: { answers: { [id]: { subtype: 'success', response: value } } },
  });
}

/** Hooks. */
export const hookRows: readonly Row<ProcessProgram>[] = [
  {
    id: 'PY-199',
    what: 'callbacks are numbered over all events',
    looks: [
      look(registered, {
        at: [
          'initialize/hooks/PreToolUse/0/hookCallbackIds',
          'initialize/hooks/PreToolUse/1/hookCallbackIds',
          'initialize/hooks/Notification/0/hookCallbackIds',
        ],
        both: {
          initialize: {
            hooks: {
              PreToolUse: [{ hookCallbackIds: ['hook_0', 'hook_1'] }, { hookCallbackIds: ['hook_2'] }],
              Notification: [{ hookCallbackIds: ['hook_3'] }],
            },
          },
        },
      }),
    ],
  },
  {
    id: 'PY-200',
    what: 'a matcher without a pattern',
    looks: [
      look(registered, {
        at: ['initialize/hooks/PreToolUse/1/matcher'],
        python: { initialize: { hooks: { Notification: [{ matcher: null }] } } },
        ours: { initialize: { hooks: { Notification: [{ matcher: '$absent' }] } } },
        differs: [
          differs(
            'official-ts',
            'TS-071, D-73',
            'initialize/hooks/Notification/0/matcher',
            'The TypeScript SDK leaves it out.',
          ),
        ],
      }),
    ],
  },
  {
    id: 'PY-201',
    what: 'a time-out passes as it was given; none, no key',
    looks: [
      look(registered, {
        at: ['initialize/hooks/PreToolUse/0/timeout', 'initialize/hooks/PreToolUse/1/timeout'],
        both: { initialize: { hooks: { PreToolUse: [{ timeout: '$absent' }, { timeout: 3 }] } } },
      }),
    ],
  },
  {
    id: 'PY-202',
    what: 'an event with an empty list is left out',
    looks: [look(registered, { at: ['initialize/hooks/Stop'], both: { initialize: { hooks: { Stop: '$absent' } } } })],
  },
  {
    id: 'PY-203',
    what: 'the callback gets the input as it came, and the id of the tool use',
    looks: [
      look(called, {
        at: ['callbacks/0'],
        both: {
          callbacks: [{ name: 'empty', call: 0, input: INPUT, tool_use_id: 't' }, ...names.slice(1).map(() => '$any')],
        },
      }),
    ],
  },
  {
    id: 'PY-204',
    what: 'no id of a tool use: none is given',
    looks: [
      look(called, {
        at: ['callbacks/1'],
        both: { callbacks: names.map((_, place) => (place === 1 ? { tool_use_id: '$absent' } : '$any')) },
      }),
    ],
  },
  { id: 'PY-205', what: 'an empty result', looks: [sent('empty', {})] },
  {
    id: 'PY-206',
    what: 'a result that comes later (`async_` is how Python spells it)',
    looks: [sent('async', { async: true, asyncTimeout: 5 })],
  },
  {
    id: 'PY-207',
    what: 'a result that stops the run (`continue_` is how Python spells it)',
    looks: [sent('stop', { continue: false, stopReason: 'x' })],
  },
  {
    id: 'PY-208',
    what: 'names further down are not changed',
    looks: [sent('nested', { hookSpecificOutput: { continue_: false, async_: 1 } })],
  },
  { id: 'PY-209', what: 'all other keys pass', looks: [sent('others', RETURNS.others as Json)] },
  {
    id: 'PY-210',
    what: 'a callback that does not exist: an error that names it',
    looks: [
      look(called, {
        at: [at('unknown', '/subtype'), at('unknown', '/error')],
        both: { answers: { unknown: { subtype: 'error', error: 'No hook callback found for ID: hook_99' } } },
      }),
    ],
  },
  {
    id: 'PY-211',
    what: 'a hook that throws: an error with its text',
    looks: [
      look(called, {
        at: [at('throws', '/subtype'), at('throws', '/error')],
        both: { answers: { throws: { subtype: 'error', error: 'mine' } } },
      }),
    ],
  },
  {
    id: 'PY-212',
    what: 'A hook that returns what JSON cannot say is answered with an error, and so is one that returns nothing.',
    looks: [
      look(called, {
        name: 'hooks: what JSON cannot say',
        at: [at('odd', '/subtype')],
        both: { answers: { odd: { subtype: 'error' } } },
      }),
      look(guarding, {
        name: 'hooks: what JSON cannot say, at an event that guards',
        python: { answers: Object.fromEntries(GUARDS.map((name) => [name, { subtype: 'error' }])) },
        ours: {
          answers: {
            PreToolUse: { subtype: 'success', response: { hookSpecificOutput: { permissionDecision: 'deny' } } },
            PermissionRequest: {
              subtype: 'success',
              response: { hookSpecificOutput: { decision: { behavior: 'deny' } } },
            },
            UserPromptSubmit: { subtype: 'success', response: { decision: 'block' } },
          },
        },
        differs: GUARDS.map(failsClosed),
      }),
      look(returning('nothing', {}), {
        name: 'hooks: nothing, at an event that guards',
        python: { answers: Object.fromEntries(GUARDS.map((name) => [name, { subtype: 'error' }])) },
        ours: { answers: Object.fromEntries(GUARDS.map((name) => [name, { subtype: 'success', response: {} }])) },
        differs: GUARDS.map((event) =>
          differs(
            'official-ts',
            'TS-124, D-17',
            `answers/${event}`,
            'In the TypeScript SDK a hook may return nothing, at these events too: it has no opinion.',
          ),
        ),
      }),
      ...(['text', 'a list', 'a number'] as const).map((name) =>
        look(returning(name, { returns: [{ $raw: { text: 'yes', 'a list': [1], 'a number': 1 }[name] }] }), {
          name: `hooks: ${name}, at an event that guards`,
          python: { answers: Object.fromEntries(GUARDS.map((event) => [event, { subtype: 'error' }])) },
          ours: { answers: Object.fromEntries(GUARDS.map((event) => [event, { subtype: 'success' }])) },
          differs: GUARDS.map(failsClosed),
        }),
      ),
      look(called, {
        name: 'hooks: nothing',
        python: { answers: { nothing: { subtype: 'error' } } },
        ours: { answers: { nothing: { subtype: 'success', response: {} } } },
        differs: [
          differs(
            'official-ts',
            'TS-124, D-17',
            at('nothing'),
            'In the TypeScript SDK a hook may return nothing: one that only observes has no opinion.',
          ),
        ],
      }),
    ],
  },
  {
    id: 'PY-213',
    what: 'an event of the future is registered',
    looks: [
      look(registered, {
        at: ['initialize/hooks/FromTheFuture/0/hookCallbackIds'],
        both: { initialize: { hooks: { FromTheFuture: [{ hookCallbackIds: ['hook_6'] }] } } },
      }),
    ],
  },
  {
    id: 'PY-214',
    what: 'Notification, SubagentStart and PermissionRequest are registered',
    looks: [
      look(registered, {
        at: ['Notification', 'SubagentStart', 'PermissionRequest'].map(
          (event) => `initialize/hooks/${event}/0/hookCallbackIds`,
        ),
        both: {
          initialize: {
            hooks: {
              SubagentStart: [{ hookCallbackIds: ['hook_4'] }],
              PermissionRequest: [{ hookCallbackIds: ['hook_5'] }],
            },
          },
        },
      }),
    ],
  },
];
