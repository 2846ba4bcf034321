import type { CanUseToolOptions, Options } from '../../src/index.js';
import type { JsonObject } from '../../src/util/json.js';
import type { Step } from '../helpers/scripted-cli.js';
import { NO_BODY, type SessionCase } from '../helpers/session-case/session-case.js';
import type { Stage } from '../helpers/session-case/session-stage.js';
import {
  answered,
  ask,
  cancel,
  canUseTool,
  EOF,
  hookCallback,
  probe,
  RESULT,
  USER,
} from '../helpers/session-case/steps.js';

const MARKER: Step = { out: { type: 'system', subtype: 'marker' } };

/** A callback that gives these values one after another; `throw` entries throw. */
function script<T>(values: readonly unknown[]): () => T {
  const left = [...values];
  return () => {
    const value = left.shift();
    if (!(value instanceof Thrown)) return value as T;
    if (value.when === 'later') return Promise.reject(value.what) as T;
    throw value.what;
  };
}
class Thrown {
  readonly what: unknown;
  readonly when: 'now' | 'later';
  constructor(what: unknown, when: 'now' | 'later' = 'now') {
    this.what = what;
    this.when = when;
  }
}

/** Asks one question after another, each when the one before is answered. */
function questions(ids: readonly string[], question: (id: string) => Step): readonly Step[] {
  return ids.flatMap((id) => [question(id), answered(id)]);
}

const suggestions = [
  { type: 'setMode', mode: 'acceptEdits', destination: 'session' },
  { type: 'addRules', rules: [{ toolName: 'Bash' }], behavior: 'allow', destination: 'localSettings' },
];

/** Everything in the callback's options but its signal, which no table can state. */
function noteOptions(stage: Stage) {
  return async (name: string, input: JsonObject, { signal, ...rest }: CanUseToolOptions) => {
    stage.note([name, input, signal.aborted, rest]);
    return { behavior: 'allow' } as const;
  };
}

const circular: JsonObject = { behavior: 'allow' };
circular.updatedInput = { circular };

export const inboundCases: readonly SessionCase[] = [
  {
    ids: ['TS-113'],
    name: 'canUseTool gets name, input and camelCase options; the answer has behavior and toolUseID',
    options: (stage) => ({ canUseTool: noteOptions(stage) }),
    cli: [
      USER,
      canUseTool('short'),
      canUseTool('full', {
        permission_suggestions: suggestions,
        blocked_path: '/etc',
        decision_reason: 'outside',
        decision_reason_type: 'workingDir',
        title: 'T',
        display_name: 'D',
        description: 'why',
        default_to_no: true,
        suppress_always_allow_rule: true,
        agent_id: 'a1',
        requires_user_interaction: true,
        mcp_server: { name: 'm' },
        matched_ask_rule: { source: 'userSettings', tool_name: 'Bash', rule_content: 'ls:*' },
        classifier_approvable: true,
      }),
      answered('short'),
      answered('full'),
      RESULT,
      EOF,
    ],
    expect: {
      answers: {
        short: { ok: { behavior: 'allow', toolUseID: 'toolu_1', updatedInput: { command: 'ls' } } },
        full: { ok: { behavior: 'allow', toolUseID: 'toolu_1', updatedInput: { command: 'ls' } } },
      },
      notes: [
        [
          'Bash',
          { command: 'ls' },
          false,
          {
            suggestions: undefined,
            blockedPath: undefined,
            decisionReason: undefined,
            title: undefined,
            displayName: undefined,
            description: undefined,
            defaultToNo: undefined,
            suppressAlwaysAllowRule: undefined,
            toolUseID: 'toolu_1',
            agentID: undefined,
            requestId: 'short',
          },
        ],
        [
          'Bash',
          { command: 'ls' },
          false,
          {
            suggestions,
            blockedPath: '/etc',
            decisionReason: 'outside',
            decisionReasonType: 'workingDir',
            title: 'T',
            displayName: 'D',
            description: 'why',
            defaultToNo: true,
            suppressAlwaysAllowRule: true,
            toolUseID: 'toolu_1',
            agentID: 'a1',
            requestId: 'full',
            requiresUserInteraction: true,
            mcpServer: { name: 'm', source: undefined },
            matchedAskRule: { source: 'userSettings', toolName: 'Bash', ruleContent: 'ls:*' },
          },
        ],
      ],
    },
  },
  {
    ids: ['TS-114', 'TS-115'],
    name: 'allow and deny pass through with all their fields, and toolUseID is the request’s',
    options: {
      canUseTool: script([
        {
          behavior: 'allow',
          updatedInput: { command: 'pwd' },
          updatedPermissions: suggestions,
          decisionClassification: 'user_permanent',
          toolUseID: 'mine',
          extra: 1,
        },
        { behavior: 'deny', message: 'no', interrupt: true, decisionClassification: 'user_reject' },
      ]),
    },
    cli: [USER, ...questions(['allow', 'deny'], (id) => canUseTool(id)), RESULT, EOF],
    expect: {
      answers: {
        allow: {
          ok: {
            behavior: 'allow',
            updatedInput: { command: 'pwd' },
            updatedPermissions: suggestions,
            decisionClassification: 'user_permanent',
            toolUseID: 'toolu_1',
            extra: 1,
          },
        },
        deny: {
          ok: {
            behavior: 'deny',
            message: 'no',
            interrupt: true,
            decisionClassification: 'user_reject',
            toolUseID: 'toolu_1',
          },
        },
      },
    },
  },
  {
    ids: ['TS-116'],
    name: 'null is no answer',
    options: { canUseTool: async () => null },
    cli: [USER, canUseTool('c1'), ...probe(), RESULT, EOF],
    expect: { answers: { c1: 'none' }, diagnostics: ['request_unsupported'] },
  },
  {
    ids: ['TS-117', 'PY-220'],
    name: 'a callback that throws or rejects is answered with its message, and the session goes on',
    options: {
      canUseTool: script([
        new Thrown(new Error('thrown')),
        new Thrown(new Error('rejected'), 'later'),
        new Thrown('text'),
        { behavior: 'allow' },
      ]),
    },
    cli: [USER, ...questions(['a', 'b', 'c', 'd'], (id) => canUseTool(id)), RESULT, EOF],
    expect: {
      answers: {
        a: { error: 'thrown' },
        b: { error: 'rejected' },
        c: { error: 'text' },
        d: { ok: { behavior: 'allow', toolUseID: 'toolu_1', updatedInput: { command: 'ls' } } },
      },
      messages: ['result/success'],
      diagnostics: ['callback_threw', 'callback_threw', 'callback_threw'],
    },
  },
  {
    ids: ['TS-118', 'PY-222'],
    name: 'without a callback the answer is an error',
    cli: [USER, canUseTool('c1'), answered('c1'), RESULT, EOF],
    expect: { answers: { c1: { error: 'canUseTool callback is not provided' } } },
  },
  {
    ids: ['TS-119'],
    name: 'a result that is not JSON is answered with an error',
    options: { canUseTool: script([circular, { behavior: 'allow', updatedInput: { big: 1n } }]) },
    cli: [USER, ...questions(['circular', 'bigint'], (id) => canUseTool(id)), RESULT, EOF],
    expect: {
      answers: { circular: { error: 'cannot be written as JSON' }, bigint: { error: 'cannot be written as JSON' } },
      diagnostics: ['callback_result_invalid', 'callback_result_invalid'],
    },
  },
  {
    ids: ['TS-117', 'PY-221'],
    name: 'a result that is no decision denies',
    differs: 'D-16',
    options: { canUseTool: script([undefined, {}, 'allow', { behavior: 'maybe' }]) },
    cli: [USER, ...questions(['a', 'b', 'c', 'd'], (id) => canUseTool(id)), RESULT, EOF],
    expect: {
      answers: Object.fromEntries(
        [
          ['a', 'undefined'],
          ['b', 'an object with behavior undefined'],
          ['c', 'string "allow"'],
          ['d', 'an object with behavior string "maybe"'],
        ].map(([id, what]) => [
          id,
          {
            ok: {
              behavior: 'deny',
              message: `canUseTool must return {behavior: 'allow', updatedInput?: object}, {behavior: 'deny', message: string} or null; it returned ${what}`,
              toolUseID: 'toolu_1',
            },
          },
        ]),
      ),
      diagnostics: Array.from({ length: 4 }, () => 'callback_result_invalid'),
    },
  },
  {
    ids: ['TS-120', 'PY-131'],
    name: 'two questions in flight: answers leave in the order of completion',
    options: (stage) => ({
      canUseTool: async (_name, _input, { requestId }) => {
        if (requestId === 'first') await stage.opened('first');
        stage.note(requestId);
        return { behavior: 'allow' };
      },
    }),
    cli: [USER, canUseTool('first'), canUseTool('second'), answered('second'), MARKER, answered('first'), RESULT, EOF],
    program: async (stage) => {
      await stage.drain('system/marker');
      stage.open('first');
      await stage.drain();
    },
    expect: {
      notes: ['second', 'first'],
      answers: {
        first: { ok: { behavior: 'allow', toolUseID: 'toolu_1', updatedInput: { command: 'ls' } } },
        second: { ok: { behavior: 'allow', toolUseID: 'toolu_1', updatedInput: { command: 'ls' } } },
      },
    },
  },
  {
    ids: ['TS-121'],
    name: 'the same id in flight is one question; after its answer it is another',
    options: (stage) => ({
      canUseTool: async () => {
        stage.note('asked');
        await stage.opened('decision');
        return { behavior: 'allow' };
      },
    }),
    cli: [
      USER,
      canUseTool('same'),
      canUseTool('same'),
      MARKER,
      answered('same'),
      canUseTool('same'),
      answered('same'),
      RESULT,
      EOF,
    ],
    program: async (stage) => {
      await stage.drain('system/marker');
      stage.open('decision');
      await stage.drain();
    },
    expect: {
      notes: ['asked', 'asked'],
      answers: {
        same: [
          { ok: { behavior: 'allow', toolUseID: 'toolu_1', updatedInput: { command: 'ls' } } },
          { ok: { behavior: 'allow', toolUseID: 'toolu_1', updatedInput: { command: 'ls' } } },
        ],
      },
      diagnostics: ['request_duplicate'],
    },
  },
  {
    ids: ['TS-122', 'TS-123', 'PY-133', 'PY-134'],
    name: 'a cancellation aborts the signal, the answer is still written; unknown ids are ignored',
    options: (stage) => ({
      canUseTool: async (_name, _input, { signal }) => {
        stage.note(signal.aborted);
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        stage.note((signal.reason as Error).name);
        return { behavior: 'deny', message: 'late' };
      },
    }),
    cli: [
      USER,
      canUseTool('c1'),
      cancel('nobody'),
      { out: { type: 'control_cancel_request' } },
      cancel('c1'),
      answered('c1'),
      cancel('c1'),
      RESULT,
      EOF,
    ],
    expect: {
      notes: [false, 'AbortError'],
      answers: { c1: { ok: { behavior: 'deny', message: 'late', toolUseID: 'toolu_1' } } },
      diagnostics: ['cancel_unknown', 'cancel_unknown', 'cancel_unknown'],
    },
  },
  {
    ids: ['TS-124'],
    name: 'a hook gets input, tool use id and a signal; what it returns is the answer',
    options: (stage) => ({
      hooks: {
        PreToolUse: [
          {
            hooks: [
              async (input, toolUseId, { signal }) => {
                stage.note([input, toolUseId, signal.aborted]);
                return { continue: false, stopReason: 'enough', extra: [1] } as object;
              },
              async () => ({ async: true, asyncTimeout: 5 }),
              async () => ({}),
            ],
          },
        ],
      },
    }),
    cli: [USER, ...['hook_0', 'hook_1', 'hook_2'].flatMap((id) => [hookCallback(id, id), answered(id)]), RESULT, EOF],
    expect: {
      notes: [[{ hook_event_name: 'PreToolUse', tool_name: 'Bash' }, 'toolu_1', false]],
      answers: {
        hook_0: { ok: { continue: false, stopReason: 'enough', extra: [1] } },
        hook_1: { ok: { async: true, asyncTimeout: 5 } },
        hook_2: { ok: {} },
      },
    },
  },
  {
    ids: ['TS-125', 'PY-210', 'PY-211'],
    name: 'a hook that throws is answered with its message, an unknown id by name',
    options: { hooks: { PreToolUse: [{ hooks: [script([new Thrown(new Error('broken'))])] }] } },
    cli: [
      USER,
      hookCallback('throws', 'hook_0'),
      hookCallback('unknown', 'hook_9'),
      answered('throws'),
      answered('unknown'),
      RESULT,
      EOF,
    ],
    expect: {
      answers: { throws: { error: 'broken' }, unknown: { error: 'No hook callback found for ID: hook_9' } },
      diagnostics: ['callback_threw'],
    },
  },
  {
    ids: ['TS-125', 'PY-212'],
    name: 'a hook result of a wrong shape blocks what the event guards',
    differs: 'D-16',
    options: {
      hooks: {
        PreToolUse: [{ hooks: [async () => 'deny' as never] }],
        UserPromptSubmit: [{ hooks: [async () => ({ decision: 'no' }) as never] }],
        Stop: [{ hooks: [async () => 7 as never] }],
      },
    },
    cli: [USER, ...['hook_0', 'hook_1', 'hook_2'].flatMap((id) => [hookCallback(id, id), answered(id)]), RESULT, EOF],
    expect: {
      answers: {
        hook_0: {
          ok: {
            hookSpecificOutput: {
              hookEventName: 'PreToolUse',
              permissionDecision: 'deny',
              permissionDecisionReason:
                'The PreToolUse hook hook_0 gave a result that is not a hook output: it returned string "deny"',
            },
          },
        },
        hook_1: {
          ok: {
            decision: 'block',
            reason:
              "The UserPromptSubmit hook hook_1 gave a result that is not a hook output: `decision` must be 'approve' or 'block', got string \"no\"",
          },
        },
        hook_2: { error: 'The Stop hook hook_2 gave a result that is not a hook output' },
      },
      diagnostics: Array.from({ length: 3 }, () => 'callback_result_invalid'),
    },
  },
  {
    ids: ['TS-126'],
    name: 'a hook that is asked before the answer to initialize is answered',
    options: { hooks: { SessionStart: [{ hooks: [async () => ({ systemMessage: 'early' })] }] } },
    cli: [
      { in: { type: 'control_request', request_id: '$init', request: { subtype: 'initialize' } } },
      hookCallback('early', 'hook_0'),
      answered('early'),
      { out: { type: 'control_response', response: { subtype: 'success', request_id: '$init', response: {} } } },
      USER,
      RESULT,
      EOF,
    ],
    expect: { answers: { early: { ok: { systemMessage: 'early' } } } },
  },
  {
    ids: ['TS-127'],
    name: 'without a callback an elicitation is declined',
    cli: [USER, ask('e1', { subtype: 'elicitation', message: 'Who?' }), answered('e1'), RESULT, EOF],
    expect: { answers: { e1: { ok: { action: 'decline' } } } },
  },
  {
    ids: ['TS-127'],
    name: 'onElicitation gets the camelCase request; its value is the answer, null is none',
    options: (stage) => {
      const values = [{ action: 'accept' as const, content: { name: 'x' } }, null];
      return {
        onElicitation: async (request, { requestId, signal }) => {
          stage.note([requestId, signal.aborted, request]);
          return values.shift() ?? null;
        },
      };
    },
    cli: [
      USER,
      ask('e1', {
        subtype: 'elicitation',
        mcp_server_name: 's',
        message: 'Who?',
        mode: 'form',
        url: 'u',
        elicitation_id: 'el',
        requested_schema: { type: 'object' },
        title: 't',
        display_name: 'd',
        description: 'x',
        property_order: ['a'],
      }),
      answered('e1'),
      ask('e2', { subtype: 'elicitation', mcp_server_name: 's', message: 'More?' }),
      ...probe(),
      RESULT,
      EOF,
    ],
    expect: {
      notes: [
        [
          'e1',
          false,
          {
            serverName: 's',
            message: 'Who?',
            mode: 'form',
            url: 'u',
            elicitationId: 'el',
            requestedSchema: { type: 'object' },
            title: 't',
            displayName: 'd',
            description: 'x',
          },
        ],
        [
          'e2',
          false,
          {
            serverName: 's',
            message: 'More?',
            mode: undefined,
            url: undefined,
            elicitationId: undefined,
            requestedSchema: undefined,
            title: undefined,
            displayName: undefined,
            description: undefined,
          },
        ],
      ],
      answers: { e1: { ok: { action: 'accept', content: { name: 'x' } } }, e2: 'none' },
      diagnostics: ['request_unsupported'],
    },
  },
  {
    ids: ['TS-128'],
    name: 'without a callback a dialog gets no answer',
    cli: [USER, ask('d1', { subtype: 'request_user_dialog', dialog_kind: 'k' }), ...probe(), RESULT, EOF],
    expect: { answers: { d1: 'none' }, diagnostics: ['request_unsupported'] },
  },
  {
    ids: ['TS-128'],
    name: 'onUserDialog: its value is the answer, null is none',
    options: (stage) => {
      const values = [{ behavior: 'completed' as const, result: { picked: 2 } }, null];
      return {
        onUserDialog: async (request) => {
          stage.note(request);
          return values.shift() ?? null;
        },
      };
    },
    cli: [
      USER,
      ask('d1', { subtype: 'request_user_dialog', dialog_kind: 'never_declared', payload: { a: 1 }, tool_use_id: 't' }),
      answered('d1'),
      ask('d2', { subtype: 'request_user_dialog', dialog_kind: 'k', payload: {} }),
      ...probe(),
      RESULT,
      EOF,
    ],
    expect: {
      notes: [
        { dialogKind: 'never_declared', payload: { a: 1 }, toolUseID: 't' },
        { dialogKind: 'k', payload: {}, toolUseID: undefined },
      ],
      answers: { d1: { ok: { behavior: 'completed', result: { picked: 2 } } }, d2: 'none' },
      diagnostics: ['request_unsupported'],
    },
  },
  {
    ids: ['TS-128'],
    name: 'onUserDialog that gives nothing: a success without a body',
    options: { onUserDialog: (() => {}) as never },
    cli: [USER, ask('d1', { subtype: 'request_user_dialog' }), answered('d1'), RESULT, EOF],
    expect: { answers: { d1: { ok: NO_BODY } } },
  },
  {
    ids: ['TS-129', 'PY-129'],
    name: 'an unknown subtype is refused with a code, and the session goes on',
    cli: [
      USER,
      ask('u1', { subtype: 'set_permission_mode' }),
      ask('u2', {}),
      answered('u1'),
      answered('u2'),
      RESULT,
      EOF,
    ],
    expect: {
      answers: {
        u1: { error: 'Unsupported control request subtype: set_permission_mode', code: 'unsupported_request' },
        u2: { error: 'Unsupported control request subtype', code: 'unsupported_request' },
      },
      messages: ['result/success'],
      diagnostics: ['request_unsupported', 'request_unsupported'],
    },
  },
  {
    ids: ['TS-130', 'PY-130'],
    name: 'a request without `request` is answered with an error, one without an id is reported',
    differs: 'D-85',
    cli: [
      USER,
      { out: { type: 'control_request', request_id: 'm1' } },
      { out: { type: 'control_request', request_id: 'm2', request: null } },
      { out: { type: 'control_request', request: { subtype: 'can_use_tool' } } },
      answered('m1'),
      answered('m2'),
      RESULT,
      EOF,
    ],
    expect: {
      answers: { m1: { error: 'request is missing' }, m2: { error: 'request is missing' } },
      messages: ['result/success'],
      diagnostics: Array.from({ length: 3 }, () => 'control_frame_malformed'),
    },
  },
  {
    ids: ['TS-131'],
    name: 'questions that were open before, in the answer to initialize, are asked and answered',
    options: { canUseTool: async () => ({ behavior: 'allow' }), onUserDialog: async () => ({ behavior: 'cancelled' }) },
    cli: [
      { in: { type: 'control_request', request_id: '$init', request: { subtype: 'initialize' } } },
      {
        out: {
          type: 'control_response',
          response: {
            subtype: 'success',
            request_id: '$init',
            response: {},
            pending_permission_requests: [(canUseTool('old') as { out: JsonObject }).out],
            pending_user_dialog_requests: [
              (ask('dialog', { subtype: 'request_user_dialog' }) as { out: JsonObject }).out,
            ],
          },
        },
      },
      answered('old'),
      answered('dialog'),
      USER,
      RESULT,
      EOF,
    ],
    expect: {
      answers: {
        old: { ok: { behavior: 'allow', toolUseID: 'toolu_1', updatedInput: { command: 'ls' } } },
        dialog: { ok: { behavior: 'cancelled' } },
      },
    },
  },
  {
    ids: ['TS-132'],
    name: 'messages are delivered while a permission callback is pending',
    options: (stage) => ({
      canUseTool: async () => {
        await stage.opened('decision');
        stage.note('decided');
        return { behavior: 'allow' };
      },
    }),
    cli: [USER, canUseTool('c1'), MARKER, answered('c1'), RESULT, EOF],
    program: async (stage) => {
      await stage.drain('system/marker');
      stage.note('marker');
      stage.open('decision');
      await stage.drain();
    },
    expect: {
      notes: ['marker', 'decided'],
      answers: { c1: { ok: { behavior: 'allow', toolUseID: 'toolu_1', updatedInput: { command: 'ls' } } } },
    },
  },
  {
    ids: ['TS-133', 'PY-127'],
    name: 'callbacks run although nobody iterates, behind any number of unread messages',
    differs: 'D-81',
    options: (stage) => ({
      canUseTool: async () => {
        stage.open('asked');
        return { behavior: 'allow' };
      },
    }),
    cli: [
      USER,
      { repeat: 150, steps: [MARKER] },
      canUseTool('c1'),
      answered('c1'),
      { in: { type: 'control_request', request: { subtype: 'interrupt' } }, answer: {} },
      RESULT,
      EOF,
    ],
    program: async (stage) => {
      const { query } = stage;
      await stage.opened('asked');
      // The answer leaves first: who comes first in the turn of the callback is nobody's promise.
      await new Promise((resolve) => setImmediate(resolve));
      stage.note(await query.request('interrupt'));
      await stage.drain();
      return stage.messages.length;
    },
    expect: {
      value: 151,
      notes: [{}],
      answers: { c1: { ok: { behavior: 'allow', toolUseID: 'toolu_1', updatedInput: { command: 'ls' } } } },
    },
  },
  {
    ids: ['TS-134'],
    name: 'the end of the query aborts all signals; a result that comes later is not written',
    options: (stage) =>
      ({
        canUseTool: async (_name, _input, { signal }) => {
          signal.addEventListener('abort', () => stage.note(['permission', signal.reason.name]));
          stage.open('asked');
          await stage.opened('over');
          return { behavior: 'allow' };
        },
        hooks: {
          Stop: [
            {
              hooks: [
                async (_input, _id, { signal }) => {
                  signal.addEventListener('abort', () => stage.note(['hook', signal.reason.name]));
                  await stage.opened('over');
                  throw new Error('late');
                },
              ],
            },
          ],
        },
      }) satisfies Options,
    cli: [USER, hookCallback('h1', 'hook_0'), canUseTool('c1'), EOF],
    program: async (stage) => {
      const { query } = stage;
      await stage.opened('asked');
      query.close();
      stage.open('over');
      await stage.drain();
    },
    expect: {
      notes: [
        ['hook', 'AbortError'],
        ['permission', 'AbortError'],
      ],
      answers: { h1: 'none', c1: 'none' },
      diagnostics: ['callback_threw', 'answer_dropped', 'answer_dropped'],
    },
  },
];
