import type { Step } from '../../../../src/testing/scenario/scenario-types.js';
import type { JsonObject } from '../../../../src/util/json.js';
import type { Act, ProcessProgram } from '../harness/program.js';
import type { Difference, Json, Look, Row } from '../harness/row.js';
import { asked, differs, EOF, launch, look, RESULT, TURN, USER } from './steps.js';

/** What 0.2.187 has and 0.2.143 has not, or does otherwise; with the time-outs of requests, which no row had. */

const HELLO: Act = { drive: { command: 'send', content: 'Hi' } };
const hook = { $callback: 'hook' };
const preset = { type: 'preset', preset: 'claude_code' };
const init = (more: JsonObject): Step => ({
  out: { type: 'system', subtype: 'init', session_id: 's', uuid: 'u', ...more },
});
const state = (name: string, more: JsonObject = { sdk_host_only: true }): Step => ({
  out: { type: 'system', subtype: 'session_state_changed', state: name, session_id: 's', uuid: 'u', ...more },
});
/** Asks, and does not wait for the answer: a closed input is no failure of the script. */
const question = (id: string): Step => ({
  out: { type: 'control_request', request_id: id, request: { subtype: 'from_the_future' } },
});
/** The SDK looks at the version: without this it is told not to. */
const looksAtVersion = { probe: '2.1.240' };
const NO_VERSION = 'It does not look at the version that `init` says.';

function snapshot(name: string, systemPrompt: JsonObject, value: boolean): Look<ProcessProgram> {
  return look(launch(`release: ${name}`, { systemPrompt: { ...systemPrompt, snapshot: value } }), {
    at: ['initialize/systemPromptSnapshot'],
    both: { initialize: { systemPromptSnapshot: value } },
  });
}

const optionRows: readonly Row<ProcessProgram>[] = [
  {
    id: 'PY-338',
    what: 'a custom system prompt as an object',
    isNew: true,
    looks: [
      look(launch('release: custom prompt', { systemPrompt: { type: 'custom', prompt: 'Be brief' } }), {
        python: { flags: { '--system-prompt': 'Be brief' }, initialize: { systemPromptSnapshot: '$absent' } },
        ours: {
          flags: { '--system-prompt': '$absent' },
          initialize: { systemPrompt: 'Be brief', systemPromptSnapshot: '$absent' },
        },
        differs: [
          differs('official-ts', 'D-61, TS-069', 'flags/--system-prompt', 'The system prompt goes in `initialize`.'),
        ],
      }),
    ],
  },
  {
    id: 'PY-339',
    what: 'whether the session keeps the system prompt goes in `initialize`',
    isNew: true,
    looks: [
      snapshot('preset, kept', preset, true),
      snapshot('preset, not kept', preset, false),
      snapshot('custom, kept', { type: 'custom', prompt: 'p' }, true),
      snapshot('custom, not kept', { type: 'custom', prompt: 'p' }, false),
    ],
  },
  {
    id: 'PY-340',
    what: 'with verbatim prompts every user message is marked, whatever it says itself',
    isNew: true,
    looks: [
      look(launch('release: verbatim text', { verbatimPrompts: true }), {
        at: ['stdin/1/client_composed', 'stdin/2'],
        both: { stdin: ['$any', { type: 'user', client_composed: true }, 'EOF'] },
      }),
      look(
        {
          name: 'release: verbatim, client',
          mode: 'client',
          options: { verbatimPrompts: true },
          cli: [...TURN, ...TURN, EOF],
          acts: [
            HELLO,
            { drive: { command: 'send', content: 'more', fields: { client_composed: false, uuid: 'x' } } },
            { observe: { what: 'message' } },
            { observe: { what: 'message' } },
          ],
        },
        {
          at: ['stdin/1/client_composed', 'stdin/2/client_composed', 'stdin/2/uuid'],
          both: { stdin: ['$any', { client_composed: true }, { client_composed: true }, 'EOF'] },
        },
      ),
    ],
  },
  {
    id: 'PY-341',
    what: 'without them a message keeps the mark that it has',
    looks: [
      look(
        {
          name: 'release: a mark of its own',
          mode: 'query',
          stream: true,
          cli: [...TURN, ...TURN, EOF],
          acts: [
            { drive: { command: 'send', content: 'a', fields: { client_composed: true } } },
            { drive: { command: 'send', content: 'b' } },
            { drive: { command: 'end_input' } },
          ],
        },
        {
          at: ['stdin/1/client_composed', 'stdin/2/client_composed'],
          both: { stdin: ['$any', { client_composed: true }, { client_composed: '$absent' }, 'EOF'] },
        },
      ),
    ],
  },
  {
    id: 'PY-342',
    what: 'verbatim prompts and a CLI that says in `init` that it is older than 2.1.248: the run goes on',
    isNew: true,
    looks: [
      look(
        launch(
          'release: verbatim, an old CLI',
          { verbatimPrompts: true },
          { ...looksAtVersion, cli: [USER, init({ claude_code_version: '2.1.247' }), RESULT] },
        ),
        {
          at: ['said', 'end', 'failure'],
          python: { warnings: ['/verbatim_prompts is enabled.*2\\.1\\.247.*2\\.1\\.248/'] },
          ours: { warnings: [] },
          differs: [differs('official-ts', 'TS-002, D-70', 'warnings', NO_VERSION)],
        },
      ),
      look(
        launch(
          'release: verbatim, a new CLI',
          { verbatimPrompts: true },
          { ...looksAtVersion, cli: [USER, init({ claude_code_version: '2.1.248' }), RESULT] },
        ),
        { at: ['said', 'end', 'failure', 'warnings'], both: { warnings: [] } },
      ),
    ],
  },
  {
    id: 'PY-343',
    what: 'a CLI that says no version in its first `init`: the run goes on',
    looks: [
      look(
        launch('release: init without a version', {}, { ...looksAtVersion, cli: [USER, init({}), init({}), RESULT] }),
        {
          at: ['said', 'end', 'failure'],
          python: { warnings: ['/too old to report its version.*2\\.0\\.0/'] },
          ours: { warnings: [] },
          differs: [differs('official-ts', 'TS-002, D-70', 'warnings', NO_VERSION)],
          before: {
            at: ['said', 'end', 'failure', 'warnings'],
            python: { warnings: [] },
            differs: [differs('official-ts', 'TS-002, D-70', 'probes', 'The TypeScript SDK runs no `-v`.')],
          },
        },
      ),
      look(launch('release: init without a version, not looked at', {}, { cli: [USER, init({}), RESULT] }), {
        name: 'with CLAUDE_AGENT_SDK_SKIP_VERSION_CHECK',
        at: ['warnings', 'said'],
        both: { warnings: [] },
      }),
    ],
  },
];

const guard = (onFailure?: string): JsonObject => ({
  hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [hook], ...(onFailure === undefined ? {} : { onFailure }) }] },
});
/** A client and a CLI that answers `initialize` with this and nothing else. */
const answering = (name: string, response: JsonObject, options: JsonObject): ProcessProgram => ({
  name: `release: ${name}`,
  mode: 'client',
  options,
  cli: [
    { in: { type: 'control_request', request_id: '$id', request: { subtype: 'initialize' } } },
    { out: { type: 'control_response', response: { subtype: 'success', request_id: '$id', response } } },
    EOF,
  ],
});
/** The handshake does not confirm what the guard relies on: nothing may be asked of this CLI. */
function unconfirmed(name: string, initialize: JsonObject, onFailure = 'block'): Look<ProcessProgram> {
  return look(answering(name, initialize, guard(onFailure)), {
    at: ['order', 'said', 'exit/signals', 'end'],
    both: { order: ['request initialize', 'EOF'], start: { error: { classes: '$any' } } },
  });
}

const hookRows: readonly Row<ProcessProgram>[] = [
  {
    id: 'PY-344',
    what: 'what a failure of a hook does goes with its matcher, and not without it',
    isNew: true,
    looks: ['block', 'continue', undefined].map((onFailure) =>
      look(launch(`release: onFailure ${onFailure}`, guard(onFailure)), {
        at: ['initialize/hooks/PreToolUse/0/onFailure', 'said'],
        both: { initialize: { hooks: { PreToolUse: [{ onFailure: onFailure ?? '$absent' }] } }, end: 'end' },
      }),
    ),
  },
  {
    id: 'PY-345',
    what: 'a guard that blocks when it fails, and a CLI that does not confirm it: refused, nothing asked',
    isNew: true,
    looks: [
      unconfirmed('onFailure, not confirmed', { commands: [] }),
      unconfirmed('onFailure, hooks not applied', { hook_on_failure_supported: true, hooks_applied: false }),
      unconfirmed('onFailure, an unknown value', { commands: [] }, 'shout'),
    ],
  },
  {
    id: 'PY-346',
    what: 'a guard that goes on when it fails needs no confirmation',
    isNew: true,
    looks: [
      look(answering('continue, not confirmed', { commands: [] }, guard('continue')), {
        at: ['start', 'order'],
        both: { start: { result: null }, order: ['request initialize', 'EOF'] },
      }),
    ],
  },
  {
    id: 'PY-347',
    what: 'a guard that throws, by what a failure does: the answer',
    isNew: true,
    looks: ['block', 'continue'].map((onFailure) =>
      look(
        launch(`release: a guard throws, ${onFailure}`, guard(onFailure), {
          callbacks: { hook: { throws: 'mine' } },
          cli: [
            USER,
            ...asked('thrown', { subtype: 'hook_callback', callback_id: 'hook_0', input: { tool_name: 'Bash' } }),
            RESULT,
            EOF,
          ],
        }),
        {
          at: ['answers/thrown/subtype', 'answers/thrown/error'],
          both: { answers: { thrown: { subtype: 'error', error: 'mine' } } },
        },
      ),
    ),
  },
];

/** The input of a hook, with every field that the newer release types. */
const INPUT: JsonObject = {
  session_id: 's',
  transcript_path: '/t',
  cwd: '/c',
  prompt_id: 'p',
  effort: { level: 'high' },
  duration_ms: 5,
  last_assistant_message: 'done',
  background_tasks: [{ id: 'b', type: 'shell', status: 'running', description: 'd', command: 'sleep 1' }],
  session_crons: [{ id: 'c', schedule: '0 9 * * 1-5', recurring: true, prompt: 'p' }],
};
/** By event, an output of each of the 17 new types, with every field it has. */
const OUTPUTS: Readonly<Record<string, JsonObject>> = {
  PreToolUse: {
    permissionDecision: 'ask',
    permissionDecisionReason: 'r',
    updatedInput: { command: 'ls' },
    additionalContext: 'c',
  },
  PostToolUse: { additionalContext: 'c', updatedMCPToolOutput: { a: 1 } },
  PostToolBatch: { additionalContext: 'c' },
  UserPromptSubmit: { additionalContext: 'c', sessionTitle: 't', suppressOriginalPrompt: true },
  UserPromptExpansion: { additionalContext: 'c', suppressOriginalPrompt: true },
  SessionStart: {
    additionalContext: 'c',
    initialUserMessage: 'm',
    sessionTitle: 't',
    watchPaths: ['/a'],
    reloadSkills: true,
  },
  Stop: { additionalContext: 'c' },
  SubagentStop: { additionalContext: 'c' },
  PermissionDenied: { retry: true },
  PreModelSwitch: { permissionDecision: 'deny', permissionDecisionReason: 'r' },
  PostModelSwitch: { additionalContext: 'c' },
  Elicitation: { action: 'accept', content: { a: 1 } },
  ElicitationResult: { action: 'cancel' },
  CwdChanged: { watchPaths: ['/a'] },
  FileChanged: { watchPaths: [] },
  WorktreeCreate: { worktreePath: '/w' },
  MessageDisplay: { displayContent: 'text' },
};
const events = Object.keys(OUTPUTS);
const every = launch(
  'release: a hook for each new output',
  { hooks: Object.fromEntries(events.map((event) => [event, [{ hooks: [{ $callback: event }] }]])) },
  {
    callbacks: Object.fromEntries(
      events.map((event) => [
        event,
        { returns: [{ hookSpecificOutput: { hookEventName: event, ...OUTPUTS[event] } }] },
      ]),
    ),
    cli: [
      USER,
      ...events.flatMap((event, at) =>
        asked(event, {
          subtype: 'hook_callback',
          callback_id: `hook_${at}`,
          input: { ...INPUT, hook_event_name: event },
        }),
      ),
      RESULT,
      EOF,
    ],
  },
);

const passingRows: readonly Row<ProcessProgram>[] = [
  {
    id: 'PY-348',
    what: 'a hook gets the new fields of its input as they came: prompt, effort, duration, tasks, wake-ups, last message',
    looks: [
      look(every, {
        at: events.map((_, place) => `callbacks/${place}/input`),
        both: {
          callbacks: events.map((event) => ({ name: event, input: { ...INPUT, hook_event_name: event } as Json })),
        },
      }),
    ],
  },
  {
    id: 'PY-349',
    what: 'each of the 17 new outputs of a hook reaches the CLI as it was returned',
    looks: [
      look(every, {
        at: events.map((event) => `answers/${event}`),
        both: {
          answers: Object.fromEntries(
            events.map((event) => [
              event,
              { response: { hookSpecificOutput: { hookEventName: event, ...OUTPUTS[event] } as Json } },
            ]),
          ),
        },
      }),
    ],
  },
];

const app = (name: string, options: JsonObject, more: Partial<ProcessProgram> = {}) =>
  launch(`release: ${name}`, options, more);
const appIs = (value: string) => ({
  at: ['env/CLAUDE_AGENT_SDK_CLIENT_APP'],
  both: { env: { CLAUDE_AGENT_SDK_CLIENT_APP: value } },
});

const environmentRows: readonly Row<ProcessProgram>[] = [
  {
    id: 'PY-350',
    what: 'the name of the app, which wins over the variable; an empty one is none',
    isNew: true,
    looks: [
      look(app('app', { clientApp: 'my-app/1.0.0' }), appIs('my-app/1.0.0')),
      look(
        app('app, and the variable', { clientApp: 'mine', env: { CLAUDE_AGENT_SDK_CLIENT_APP: 'theirs' } }),
        appIs('mine'),
      ),
      look(app('app, empty', { clientApp: '' }, { hostEnv: { CLAUDE_AGENT_SDK_CLIENT_APP: 'theirs' } }), appIs('')),
    ],
  },
  {
    id: 'PY-351',
    what: 'the name of an app further up',
    looks: [
      look(app('app further up', {}, { hostEnv: { CLAUDE_AGENT_SDK_DERIVED_CLIENT_APP: 'outer/1' } }), {
        python: { env: { CLAUDE_AGENT_SDK_DERIVED_CLIENT_APP: '$absent' } },
        ours: { env: { CLAUDE_AGENT_SDK_DERIVED_CLIENT_APP: 'outer/1' } },
        differs: [
          differs(
            'official-ts',
            'TS-003',
            'env/CLAUDE_AGENT_SDK_DERIVED_CLIENT_APP',
            "The TypeScript SDK passes the host's environment on. No CLI up to 2.1.330 reads the variable.",
          ),
        ],
        before: {
          at: ['env/CLAUDE_AGENT_SDK_DERIVED_CLIENT_APP'],
          python: { env: { CLAUDE_AGENT_SDK_DERIVED_CLIENT_APP: 'outer/1' } },
          differs: [],
        },
      }),
    ],
  },
  {
    id: 'PY-352',
    what: 'session states are asked for, unless the host or the caller says something of them',
    isNew: true,
    looks: [
      look(app('states', {}), {
        at: ['env/CLAUDE_CODE_SDK_READS_SESSION_STATE'],
        both: { env: { CLAUDE_CODE_SDK_READS_SESSION_STATE: '1' } },
      }),
      look(app('states, the host says no', {}, { hostEnv: { CLAUDE_CODE_SDK_READS_SESSION_STATE: '0' } }), {
        at: ['env/CLAUDE_CODE_SDK_READS_SESSION_STATE'],
        both: { env: { CLAUDE_CODE_SDK_READS_SESSION_STATE: '0' } },
      }),
    ],
  },
];

const held = { hooks: { Stop: [{ hooks: [hook] }] } };
const orderIs = (...order: readonly string[]) => ({ order: ['request initialize', 'user', ...order] });
const ENDS_EARLY = 'The older release takes the first result for the end of the run.';

const stateRows: readonly Row<ProcessProgram>[] = [
  {
    id: 'PY-353',
    what: 'session states that only the SDK asked for are not shown; others are',
    looks: [
      look(launch('release: states for the SDK', {}, { cli: [USER, state('running'), RESULT, state('idle'), EOF] }), {
        at: ['said'],
        python: { said: ['result/success'] },
        ours: { said: ['result/success'] },
        before: {
          python: { said: ['system/session_state_changed', 'result/success', 'system/session_state_changed'] },
          differs: [
            differs('official-ts', 'TS-003', 'said', 'The older release never asked for them, and shows what comes.'),
          ],
        },
      }),
      look(
        launch('release: states for all', {}, { cli: [USER, state('running', {}), RESULT, state('idle', {}), EOF] }),
        {
          at: ['said'],
          both: { said: ['system/session_state_changed', 'result/success', 'system/session_state_changed'] },
        },
      ),
    ],
  },
  {
    id: 'PY-354',
    what: 'with callbacks the input stays open beyond the result until the CLI is idle',
    looks: [
      look(
        launch('release: running at the result', held, {
          cli: [
            USER,
            state('running'),
            RESULT,
            { delayMs: 300 },
            question('after'),
            { delayMs: 300 },
            state('idle'),
            EOF,
          ],
        }),
        {
          at: ['order'],
          python: orderIs('answer after', 'EOF'),
          ours: orderIs('answer after', 'EOF'),
          before: { python: orderIs('EOF'), differs: [differs('python-defect', 'D-06', 'order', ENDS_EARLY)] },
        },
      ),
    ],
  },
  {
    id: 'PY-355',
    what: 'idle that comes before the result ends the run with the result',
    looks: [
      look(launch('release: idle first', held, { cli: [USER, state('running'), state('idle'), RESULT, EOF] }), {
        at: ['order', 'verdict'],
        both: { ...orderIs('EOF'), verdict: 'passed' },
      }),
    ],
  },
  {
    id: 'PY-356',
    what: 'a run that never becomes idle: CLAUDE_CODE_PRINT_BG_WAIT_CEILING_MS after its result the input ends',
    isNew: true,
    looks: [
      look(
        launch(
          'release: a ceiling of one second',
          { ...held, env: { CLAUDE_CODE_PRINT_BG_WAIT_CEILING_MS: '1000' } },
          { cli: [USER, state('running'), RESULT, { wait: 'EOF', timeoutMs: 3500 }] },
        ),
        { at: ['order', 'verdict', 'end'], both: { ...orderIs('EOF'), verdict: 'passed' } },
      ),
    ],
  },
  {
    id: 'PY-357',
    what: 'each message of an iterable owes a run: the input stays open for the last one',
    looks: [
      look(
        {
          name: 'release: two messages',
          mode: 'query',
          stream: true,
          options: held,
          cli: [
            USER,
            state('running'),
            RESULT,
            state('idle'),
            USER,
            state('running'),
            { delayMs: 300 },
            question('second'),
            { delayMs: 300 },
            RESULT,
            state('idle'),
            EOF,
          ],
          acts: [
            HELLO,
            { observe: { what: 'message', message: { type: 'result' } } },
            { drive: { command: 'send', content: 'more' } },
            { drive: { command: 'end_input' } },
          ],
        },
        {
          at: ['order'],
          python: orderIs('user', 'answer second', 'EOF'),
          ours: orderIs('user', 'answer second', 'EOF'),
          before: { python: orderIs('user', 'EOF'), differs: [differs('python-defect', 'D-06', 'order', ENDS_EARLY)] },
        },
      ),
    ],
  },
];

/** Methods of the client with their arguments, and the requests they send. */
const METHODS: readonly (readonly [string, string, ...Json[]])[] = [
  ['setPermissionMode', 'set_permission_mode', 'plan'],
  ['setModel', 'set_model', 'm'],
  ['rewindFiles', 'rewind_files', 'u'],
  ['stopTask', 'stop_task', 't'],
  ['get_mcp_status', 'mcp_status'],
  ['interrupt', 'interrupt'],
];
/** Those whose answer comes when the work is done: 600 s here. */
const WORK: typeof METHODS = [['reconnectMcpServer', 'mcp_reconnect', 's']];
const silent = (methods: typeof METHODS): JsonObject => ({
  answers: Object.fromEntries(methods.map(([, subtype]) => [subtype, null])),
});
const calls = (methods: typeof METHODS): readonly Act[] =>
  methods.map(([method, , ...args]): Act => ({ drive: { command: 'call', method, args }, as: method }));
const replies = (methods: typeof METHODS): readonly Act[] => methods.map(([method]): Act => ({ reply: method }));
const perCall = (methods: typeof METHODS, value: (subtype: string) => Json): Json =>
  Object.fromEntries(methods.map(([method, subtype]) => [method, value(subtype)]));
const timedOut = differs(
  'safety',
  'D-04',
  'calls',
  'The text says how long was waited, and what to look at; Python names the request only.',
);

const timeoutRows: readonly Row<ProcessProgram>[] = [
  {
    id: 'PY-358',
    what: 'a request that is never answered: an error after 60 s, and the run goes on',
    looks: [
      look(
        {
          name: 'release: requests without an answer',
          mode: 'client',
          header: silent(METHODS),
          timeScale: 30,
          cli: [...TURN, EOF],
          acts: [...calls(METHODS), ...replies(METHODS), HELLO, { observe: { what: 'message' } }],
        },
        {
          at: ['said', ...METHODS.flatMap(([method]) => [`calls/${method}/error/kind`, `took/${method}`])],
          both: { said: ['result/success'], took: perCall(METHODS, () => 60) },
          python: {
            calls: perCall(METHODS, (subtype) => ({
              error: { kind: 'timeout', message: `Control request timeout: ${subtype}` },
            })),
          },
          ours: {
            calls: perCall(METHODS, (subtype) => ({
              error: { kind: 'timeout', message: `/${subtype}.*within 60000 ms/` },
            })),
          },
          differs: METHODS.map(([method]) => ({ ...timedOut, at: `calls/${method}/error/message` })),
        },
      ),
    ],
  },
  {
    id: 'PY-359',
    what: 'a request whose answer comes when the work is done, and does not come: how long is waited',
    looks: [
      look(
        {
          name: 'release: work without an answer',
          mode: 'client',
          header: silent(WORK),
          timeScale: 30,
          cli: [EOF],
          acts: [...calls(WORK), { reply: 'reconnectMcpServer', timeoutMs: 3000 }],
        },
        {
          at: ['requests/0'],
          python: {
            took: { reconnectMcpServer: 60 },
            calls: { reconnectMcpServer: { error: { message: 'Control request timeout: mcp_reconnect' } } },
          },
          // Ten minutes are 20 s of this clock: the end of the run comes first.
          ours: { missed: ['reply reconnectMcpServer'], calls: { reconnectMcpServer: { error: { kind: 'closed' } } } },
          differs: [
            differs(
              'safety',
              'D-04',
              'calls/reconnectMcpServer/error',
              'Connecting a server may take longer than 60 s: ten minutes are waited.',
            ),
          ],
        },
      ),
    ],
  },
  {
    id: 'PY-360',
    what: 'an answer that comes after the time-out is passed over, and the run goes on',
    looks: [
      look(
        {
          name: 'release: an answer too late',
          mode: 'client',
          timeScale: 30,
          header: { answers: { interrupt: {} } },
          cli: [
            { in: { type: 'control_request', request_id: '$id', request: { subtype: 'set_model' } } },
            { gate: 'late' },
            { out: { type: 'control_response', response: { subtype: 'success', request_id: '$id', response: {} } } },
            ...TURN,
            EOF,
          ],
          acts: [
            ...calls([['setModel', 'set_model', 'm']]),
            { reply: 'setModel' },
            { open: 'late' },
            HELLO,
            { observe: { what: 'message' } },
          ],
        },
        {
          at: ['said', 'failure', 'calls/setModel/error/kind'],
          both: { said: ['result/success'], failure: null, calls: { setModel: { error: { kind: 'timeout' } } } },
        },
      ),
    ],
  },
];

const ask = (id: string): readonly Step[] =>
  asked(id, { subtype: 'can_use_tool', tool_name: 'Bash', input: { command: 'ls' }, tool_use_id: `t-${id}` });
const UPDATES: Readonly<Record<string, readonly JsonObject[]>> = {
  rulesWithoutBehavior: [
    { type: 'addRules', rules: [{ toolName: 'Bash' }], destination: 'session' },
    { type: 'setMode', mode: 'plan', destination: 'session' },
  ],
  modeWithoutMode: [{ type: 'setMode', destination: 'session' }],
  directoriesWithout: [{ type: 'addDirectories', destination: 'session' }],
  nowhere: [{ type: 'setMode', mode: 'plan' }],
};
const updating: ProcessProgram = {
  name: 'release: permission updates',
  mode: 'client',
  options: { canUseTool: { $callback: 'ask' } },
  callbacks: {
    ask: { returns: Object.values(UPDATES).map((updatedPermissions) => ({ behavior: 'allow', updatedPermissions })) },
  },
  cli: [USER, ...Object.keys(UPDATES).flatMap(ask), RESULT, EOF],
  acts: [HELLO, { observe: { what: 'message' } }],
};
const updates = (id: string): string => `answers/${id}/response/updatedPermissions`;
const asItCame = (id: string) => ({ answers: { [id]: { response: { updatedPermissions: UPDATES[id] as Json } } } });
const addsNull = (id: string): Difference =>
  differs(
    'python-defect',
    'PY-225',
    `${updates(id)}/0/rules/0/ruleContent`,
    'The older release adds `ruleContent: null`.',
  );
const PASSED_ON = 'The TypeScript SDK passes it as it came, and the CLI judges it.';

const permissionRows: readonly Row<ProcessProgram>[] = [
  {
    id: 'PY-361',
    what: 'a permission update that lacks what its kind needs: the tool is allowed',
    looks: ['rulesWithoutBehavior', 'modeWithoutMode', 'directoriesWithout'].map((id) =>
      look(updating, {
        name: `release: ${id}`,
        at: [`answers/${id}/response/behavior`],
        python: { answers: { [id]: { response: { updatedPermissions: '$absent' } } } },
        ours: asItCame(id),
        differs: [differs('official-ts', 'TS-114', updates(id), PASSED_ON)],
        before: {
          at: [`answers/${id}/response/behavior`, updates(id)],
          python: id === 'rulesWithoutBehavior' ? {} : asItCame(id),
          differs: id === 'rulesWithoutBehavior' ? [addsNull(id)] : [],
        },
      }),
    ),
  },
  {
    id: 'PY-362',
    what: 'a permission update without a destination',
    looks: [
      look(updating, {
        name: 'release: nowhere',
        python: {
          answers: {
            nowhere: { response: { updatedPermissions: [{ type: 'setMode', mode: 'plan', destination: 'session' }] } },
          },
        },
        ours: asItCame('nowhere'),
        differs: [differs('official-ts', 'TS-114', updates('nowhere'), PASSED_ON)],
        before: { at: [updates('nowhere')], python: asItCame('nowhere'), differs: [] },
      }),
    ],
  },
];

const windows: ProcessProgram = {
  ...launch('Windows: relative folders on PATH', { $construct: true }),
  mode: 'client',
  acts: [
    {
      drive: {
        command: 'call',
        method: 'find',
        args: [
          ['.', 'bin', 'C:\\native'],
          ['.\\claude.exe', 'claude.exe', 'bin\\claude.exe', 'C:\\native\\claude.exe'],
        ],
      },
      as: 'found',
    },
    { reply: 'found' },
  ],
};

const placeRows: readonly Row<ProcessProgram>[] = [
  {
    id: 'PY-363',
    what: 'Windows: only absolute folders of PATH are looked into',
    looks: [
      look(windows, {
        at: ['calls/found/result'],
        python: { processes: 0, calls: { found: { result: 'C:\\native\\claude.exe' } } },
        ours: { processes: 0, calls: { found: { result: 'C:\\native\\claude.exe' } } },
        before: {
          python: { processes: 0, calls: { found: { result: '.\\claude.exe' } } },
          differs: [
            differs(
              'python-defect',
              'PY-363',
              'calls/found/result',
              'What lies in the working directory is not trusted; the older release runs it.',
            ),
          ],
        },
      }),
    ],
  },
];

/** Rows of the newer release. */
export const releaseRows: readonly Row<ProcessProgram>[] = [
  ...optionRows,
  ...hookRows,
  ...passingRows,
  ...environmentRows,
  ...stateRows,
  ...timeoutRows,
  ...permissionRows,
  ...placeRows,
];
