import type { Step } from '../../../../src/testing/scenario/scenario-types.js';
import type { JsonObject } from '../../../../src/util/json.js';
import type { Act, ProcessProgram } from '../harness/program.js';
import type { Json, Row } from '../harness/row.js';
import { asked, assistant, differs, EOF, launch, look, RESULT, TURN, USER } from './steps.js';

function client(
  name: string,
  cli: readonly Step[],
  acts: readonly Act[] = [],
  more: Partial<ProcessProgram> = {},
): ProcessProgram {
  return { name: `control: ${name}`, mode: 'client', cli, acts, ...more };
}

function query(
  name: string,
  options: JsonObject,
  cli: readonly Step[],
  more: Partial<ProcessProgram> = {},
): ProcessProgram {
  return launch(`control: ${name}`, options, { cli, ...more });
}

const HELLO: Act = { drive: { command: 'send', content: 'Hi' } };
const INITIALIZE = { type: 'control_request', request_id: '$id', request: { subtype: 'initialize' } };
const answer = (response: JsonObject): Step => ({
  out: { type: 'control_response', response: { request_id: '$id', ...response } },
});
const preset = { type: 'preset', preset: 'claude_code' };

/** A method, called and waited for. */
function call(as: string, method: string, ...args: readonly Json[]): readonly Act[] {
  return [{ drive: { command: 'call', method, args }, as }, { reply: as }];
}

const request = (subtype: string, step: JsonObject = { answer: {} }): Step =>
  ({ in: { type: 'control_request', request: { subtype } }, ...step }) as Step;

const STATUS = { mcpServers: [{ name: 's', status: 'connected' }], more: 1 };
const USAGE = { categories: [], totalTokens: 1, maxTokens: 2 };
const methods = client(
  'every method of the client',
  [
    USER,
    // The turn is over, so that the end of the run has nothing to stop.
    RESULT,
    request('set_permission_mode'),
    request('set_model'),
    request('set_model'),
    request('rewind_files', { answer: { canRewind: true } }),
    request('mcp_reconnect'),
    request('mcp_toggle'),
    request('stop_task'),
    request('mcp_status', { answer: STATUS }),
    request('get_context_usage', { answer: USAGE }),
    request('interrupt'),
    EOF,
  ],
  [
    HELLO,
    ...call('mode', 'setPermissionMode', 'acceptEdits'),
    ...call('model', 'setModel', 'm'),
    ...call('noModel', 'setModel'),
    ...call('rewind', 'rewindFiles', 'u'),
    ...call('reconnect', 'reconnectMcpServer', 's'),
    ...call('toggle', 'toggleMcpServer', 's', false),
    ...call('stop', 'stopTask', 't'),
    ...call('status', 'get_mcp_status'),
    ...call('usage', 'getContextUsage'),
    ...call('interrupt', 'interrupt'),
  ],
);

/** One method of that run: what it wrote. */
function wrote(id: string, what: string, place: number, payload: JsonObject): Row<ProcessProgram> {
  return {
    id,
    what,
    looks: [
      look(methods, {
        at: [`requests/${place}`, 'verdict'],
        both: {
          verdict: 'passed',
          requests: Array.from({ length: 10 }, (_, at) => (at === place ? (payload as Json) : '$any')),
        },
      }),
    ],
  };
}

const handshakeRows: readonly Row<ProcessProgram>[] = [
  {
    id: 'PY-103',
    what: 'the first line is `initialize`',
    looks: [
      look(query('first line', {}, TURN), {
        name: 'query',
        at: ['order'],
        both: { order: ['request initialize', 'user', 'EOF'] },
      }),
      look(client('first line of a client', []), {
        name: 'client, and the id',
        at: ['order'],
        both: { order: ['request initialize', 'EOF'] },
        python: { ids: ['req_1_<8 hex>'] },
        ours: { ids: ['<9 to 12 characters>'] },
        differs: [differs('official-ts', 'TS-100, D-79', 'ids', 'Ids are random, in the form of the TypeScript SDK.')],
      }),
    ],
  },
  {
    id: 'PY-104',
    what: 'no hooks: `hooks` in `initialize`',
    looks: [
      look(query('no hooks', {}, TURN), {
        python: { initialize: { hooks: null } },
        ours: { initialize: { hooks: '$absent' } },
        differs: [differs('official-ts', 'TS-071, D-73', 'initialize/hooks', 'The TypeScript SDK leaves it out.')],
      }),
    ],
  },
  {
    id: 'PY-105',
    what: 'with none of these options `initialize` has nothing but them',
    looks: [
      look(query('bare initialize', { systemPrompt: preset }, TURN), {
        at: ['initialize'],
        python: { initialize: { hooks: null } },
        ours: { initialize: { hooks: '$absent' } },
        differs: [differs('official-ts', 'TS-071, D-73', 'initialize/hooks', 'The TypeScript SDK leaves it out.')],
      }),
    ],
  },
  {
    id: 'PY-106',
    what: 'agents under their names; empty lists and `false` are kept',
    looks: [
      look(
        query(
          'agents',
          {
            agents: {
              a: {
                description: 'd',
                prompt: 'p',
                tools: [],
                disallowedTools: ['x'],
                background: false,
                maxTurns: 0,
                permissionMode: 'plan',
                mcpServers: ['s', { t: { command: 'c' } }],
                initialPrompt: 'go',
              },
            },
          },
          TURN,
        ),
        {
          at: ['initialize/agents'],
          both: { initialize: { agents: { a: { tools: [], background: false, maxTurns: 0, model: '$absent' } } } },
        },
      ),
    ],
  },
  {
    id: 'PY-107',
    what: 'a preset without its dynamic sections',
    looks: [true, false, undefined].map((value) =>
      look(
        query(
          `excludeDynamicSections ${value}`,
          { systemPrompt: { ...preset, ...(value === undefined ? {} : { excludeDynamicSections: value }) } },
          TURN,
        ),
        {
          at: ['initialize/excludeDynamicSections'],
          both: { initialize: { excludeDynamicSections: value ?? '$absent' } },
        },
      ),
    ),
  },
  {
    id: 'PY-108',
    what: 'a list of skills is sent, an empty one too; `all` is not',
    looks: [
      { skills: ['pdf'], sent: ['pdf'] },
      { skills: [], sent: [] },
      { skills: 'all', sent: '$absent' },
      { skills: null, sent: '$absent' },
    ].map(({ skills, sent }) =>
      look(query(`skills ${JSON.stringify(skills)}`, { skills }, TURN), {
        at: ['initialize/skills'],
        both: { initialize: { skills: sent } },
      }),
    ),
  },
  {
    id: 'PY-109',
    what: 'text of subagents',
    looks: [
      look(query('text of subagents', { forwardSubagentText: true }, TURN), {
        at: ['initialize/forwardSubagentText'],
        both: { initialize: { forwardSubagentText: true } },
      }),
      look(query('no text of subagents', { forwardSubagentText: false }, TURN), {
        python: { initialize: { forwardSubagentText: '$absent' } },
        ours: { initialize: { forwardSubagentText: false } },
        differs: [
          differs('official-ts', 'TS-074', 'initialize/forwardSubagentText', 'The TypeScript SDK sends `false` too.'),
        ],
      }),
    ],
  },
  {
    id: 'PY-110',
    what: '`initialize` is refused: the call fails with that text, and the CLI is ended',
    looks: [
      look(client('initialize is refused', [{ in: INITIALIZE }, answer({ subtype: 'error', error: 'no' }), EOF]), {
        at: ['start/error/kind', 'start/error/message', 'exit/code', 'exit/signals', 'verdict'],
        both: { start: { error: { kind: 'control', message: 'no' } }, exit: { code: 0 } },
      }),
      look(client('initialize is refused without a text', [{ in: INITIALIZE }, answer({ subtype: 'error' }), EOF]), {
        at: ['start/error/kind', 'start/error/message'],
        both: { start: { error: { kind: 'control', message: 'Unknown error' } } },
      }),
    ],
  },
  {
    id: 'PY-111',
    what: 'an answer to `initialize` that is no object counts as an empty one',
    looks: [
      look(
        client(
          'initialize is answered with text',
          [{ in: INITIALIZE }, answer({ subtype: 'success', response: 'text' }), ...TURN, EOF],
          [HELLO, { observe: { what: 'message' } }, ...call('info', 'initializationResult')],
        ),
        { at: ['start', 'said', 'calls/info'], both: { start: { result: null }, calls: { info: { result: {} } } } },
      ),
    ],
  },
  {
    id: 'PY-112',
    what: 'no answer to `initialize`: an error after 60 s',
    looks: [
      look(
        client('initialize is never answered', [EOF], [], { header: { answers: { initialize: null } }, timeScale: 30 }),
        {
          at: ['start/error/kind', 'exit/signals'],
          both: { start: { error: { kind: 'timeout' } } },
          python: { start: { error: { message: 'Control request timeout: initialize' } } },
          ours: { start: { error: { message: '/60000ms: initialize/' } } },
          differs: [
            differs('safety', 'D-04', 'start/error/message', 'The text says how long was waited, and what to look at.'),
          ],
        },
      ),
    ],
  },
  {
    id: 'PY-113',
    what: 'a variable that lengthens the wait for `initialize`',
    looks: [
      look(
        client(
          'a slow start with CLAUDE_CODE_STREAM_CLOSE_TIMEOUT=120000',
          [{ in: INITIALIZE }, { delayMs: 3000 }, answer({ subtype: 'success', response: {} }), EOF],
          [],
          { hostEnv: { CLAUDE_CODE_STREAM_CLOSE_TIMEOUT: '120000' }, timeScale: 30 },
        ),
        {
          name: 'answered after 90 s',
          python: { start: { result: null } },
          ours: { start: { error: { kind: 'timeout' } }, verdict: '/steps to go$/' },
          differs: [
            differs(
              'safety',
              'D-83',
              'start',
              'No variable changes how long is waited, and a bad one cannot leave a process behind (D4): `initializeTimeoutMs` does.',
            ),
          ],
        },
      ),
      look(
        client(
          'a slow start with CLAUDE_CODE_STREAM_CLOSE_TIMEOUT=3000',
          [{ in: INITIALIZE }, { delayMs: 1000 }, answer({ subtype: 'success', response: {} }), EOF],
          [],
          { hostEnv: { CLAUDE_CODE_STREAM_CLOSE_TIMEOUT: '3000' }, timeScale: 30 },
        ),
        { name: 'answered after 30 s', at: ['start'], both: { start: { result: null } } },
      ),
    ],
  },
];

const requestRows: readonly Row<ProcessProgram>[] = [
  {
    id: 'PY-114',
    what: 'each request has an id of its own',
    looks: [
      look(methods, {
        at: ['verdict', 'areIdsUnique'],
        both: { verdict: 'passed', areIdsUnique: true },
        python: { ids: Array.from({ length: 11 }, (_, at) => `req_${at + 1}_<8 hex>`) },
        ours: { ids: Array.from({ length: 11 }, () => '<9 to 12 characters>') },
        differs: [differs('official-ts', 'TS-100, D-79', 'ids', 'Ids are random, in the form of the TypeScript SDK.')],
      }),
    ],
  },
  wrote('PY-115', 'the permission mode', 0, { subtype: 'set_permission_mode', mode: 'acceptEdits' }),
  wrote('PY-116', 'no model is `null`', 2, { subtype: 'set_model', model: null }),
  wrote('PY-117', 'rewinding files', 3, { subtype: 'rewind_files', user_message_id: 'u' }),
  wrote('PY-118', 'reconnecting a server', 4, { subtype: 'mcp_reconnect', serverName: 's' }),
  wrote('PY-119', 'switching a server off', 5, { subtype: 'mcp_toggle', serverName: 's', enabled: false }),
  wrote('PY-120', 'stopping a task', 6, { subtype: 'stop_task', task_id: 't' }),
  {
    id: 'PY-121',
    what: 'status and usage give the answer unchanged',
    looks: [
      look(methods, {
        at: ['requests/7', 'requests/8', 'calls/status', 'calls/usage'],
        both: { calls: { status: { result: STATUS }, usage: { result: USAGE } } },
      }),
    ],
  },
  wrote('PY-122', 'interrupting', 9, { subtype: 'interrupt' }),
  {
    id: 'PY-123',
    what: 'an answer that is an error: the method rejects with its text',
    looks: [
      look(
        client(
          'an error answer',
          [USER, request('set_model', { error: 'no such model' }), EOF],
          [HELLO, ...call('model', 'setModel', 'x')],
        ),
        {
          at: ['calls/model/error/kind', 'calls/model/error/message'],
          both: { calls: { model: { error: { kind: 'control', message: 'no such model' } } } },
        },
      ),
    ],
  },
  {
    id: 'PY-124',
    what: 'answers for unknown ids, and without an id, are ignored',
    looks: [
      look(
        query('answers nobody waits for', {}, [
          USER,
          { out: { type: 'control_response', response: { subtype: 'success', request_id: 'nobody', response: {} } } },
          { out: { type: 'control_response', response: { subtype: 'success', response: {} } } },
          { out: { type: 'control_response' } },
          RESULT,
        ]),
        { at: ['said', 'failure', 'end'], both: { said: ['result/success'], failure: null } },
      ),
    ],
  },
  {
    id: 'PY-125',
    what: 'a request that is pending when the CLI dies rejects at once, as the loop does',
    looks: [
      look(
        client(
          'a bad exit while a request is pending',
          [USER, request('set_model', {}), { exit: 4 }],
          [HELLO, ...call('model', 'setModel', 'x')],
        ),
        {
          at: [
            ...['kind', 'classes', 'exit_code'].map((field) => `calls/model/error/${field}`),
            ...['kind', 'classes', 'exit_code'].map((field) => `failure/${field}`),
          ],
          both: {
            calls: { model: { error: { kind: 'process_exit', exit_code: 4 } } },
            failure: { kind: 'process_exit', exit_code: 4 },
          },
        },
      ),
    ],
  },
  {
    id: 'PY-126',
    what: 'a request that is pending when the CLI leaves with 0',
    looks: [
      look(
        client(
          'a clean exit while a request is pending',
          [USER, request('set_model', {}), { exit: 0 }],
          [
            HELLO,
            { drive: { command: 'call', method: 'setModel', args: ['x'] }, as: 'model' },
            { observe: { what: 'end' } },
            { reply: 'model' },
          ],
          { timeScale: 30 },
        ),
        {
          python: { calls: { model: { error: { kind: 'timeout' } } } },
          ours: { calls: { model: { error: { kind: 'closed' } } } },
          differs: [
            differs(
              'python-defect',
              'D1',
              'calls/model/error',
              'It rejects at once; Python waits 60 s and says that it was a time-out.',
            ),
          ],
        },
      ),
    ],
  },
  {
    id: 'PY-127',
    what: 'a request while 150 messages are unread',
    looks: [
      look(
        client(
          'a request while 150 messages are unread',
          [USER, { repeat: 150, steps: [{ out: assistant('$i') }] }, { mark: 'written' }, request('set_model'), EOF],
          [
            { drive: { command: 'pause' } },
            HELLO,
            { reached: 'written' },
            { drive: { command: 'call', method: 'setModel', args: ['x'] }, as: 'model' },
            { reply: 'model', timeoutMs: 1500 },
            { drive: { command: 'resume' } },
            { reply: 'model' },
          ],
        ),
        {
          at: ['calls/model'],
          both: { calls: { model: { result: null } } },
          python: { missed: ['reply model'] },
          ours: { missed: [] },
          differs: [
            differs(
              'python-defect',
              'D2',
              'missed',
              'The answer comes whether or not messages are read; in Python it waits behind 100 unread ones.',
            ),
          ],
        },
      ),
    ],
  },
  {
    id: 'PY-128',
    what: 'control frames are not delivered',
    looks: [
      look(
        query(
          'control frames',
          { canUseTool: { $callback: 'ask' } },
          [
            USER,
            ...asked('q', { subtype: 'can_use_tool', tool_name: 'Bash', input: {} }),
            { out: { type: 'control_cancel_request', request_id: 'other' } },
            { out: { type: 'control_response', response: { subtype: 'success', request_id: 'x' } } },
            RESULT,
          ],
          { callbacks: { ask: { returns: [{ behavior: 'deny', message: 'no' }] } } },
        ),
        { at: ['said', 'end'], both: { said: ['result/success'], end: 'end' } },
      ),
    ],
  },
  {
    id: 'PY-129',
    what: 'a request of an unknown kind gets an error answer',
    looks: [
      look(
        client(
          'an unknown request',
          [USER, ...asked('q', { subtype: 'from_the_future' }), RESULT, EOF],
          [HELLO, { observe: { what: 'message' } }],
        ),
        {
          at: ['answers/q/subtype', 'answers/q/error', 'said'],
          both: { answers: { q: { subtype: 'error', error: 'Unsupported control request subtype: from_the_future' } } },
        },
      ),
    ],
  },
  {
    id: 'PY-130',
    what: 'a request without its `request`',
    looks: [
      look(
        client(
          'an empty request',
          [USER, { out: { type: 'control_request', request_id: 'q' } }, { delayMs: 200 }, RESULT, EOF],
          [HELLO, { observe: { what: 'message' } }],
        ),
        {
          at: ['said'],
          both: { said: ['result/success'] },
          python: { answers: { q: '$absent' } },
          ours: { answers: { q: { subtype: 'error' } } },
          differs: [
            differs(
              'official-ts',
              'TS-130',
              'answers/q',
              'It is answered with an error: the CLI must not wait for ever (D7).',
            ),
          ],
        },
      ),
    ],
  },
  {
    id: 'PY-131',
    what: 'slow requests run side by side, and are answered as they are done',
    looks: [
      look(
        client(
          'two slow requests',
          [
            USER,
            ...['a', 'b'].map(
              (id): Step => ({
                out: {
                  type: 'control_request',
                  request_id: id,
                  request: { subtype: 'hook_callback', callback_id: id === 'a' ? 'hook_0' : 'hook_1', input: {} },
                },
              }),
            ),
            { inAny: ['a', 'b'].map((id) => ({ in: { type: 'control_response', response: { request_id: id } } })) },
            RESULT,
            EOF,
          ] as readonly Step[],
          [
            HELLO,
            { observe: { what: 'callback', name: 'first' } },
            { observe: { what: 'callback', name: 'second' } },
            { drive: { command: 'cue', name: 'two' } },
            { drive: { command: 'cue', name: 'one' } },
            { observe: { what: 'message' } },
          ],
          {
            options: { hooks: { Stop: [{ hooks: [{ $callback: 'first' }, { $callback: 'second' }] }] } },
            callbacks: { first: { waitFor: 'one', returns: [{}] }, second: { waitFor: 'two', returns: [{}] } },
          },
        ),
        {
          at: ['order', 'missed', 'verdict'],
          both: { order: ['request initialize', 'user', 'answer b', 'answer a', 'EOF'], missed: [] },
        },
      ),
    ],
  },
  {
    id: 'PY-132',
    what: 'a request that is cancelled while its callback runs',
    looks: [
      look(
        client(
          'a cancelled request',
          [
            USER,
            {
              out: {
                type: 'control_request',
                request_id: 'q',
                request: { subtype: 'can_use_tool', tool_name: 'Bash', input: {} },
              },
            },
            { gate: 'asked' },
            { out: { type: 'control_cancel_request', request_id: 'q' } },
            { delayMs: 300 },
            RESULT,
            EOF,
          ],
          [HELLO, { observe: { what: 'callback' } }, { open: 'asked' }, { observe: { what: 'message' } }],
          {
            options: { canUseTool: { $callback: 'ask' } },
            callbacks: { ask: { waitFor: 'never', returns: [{ behavior: 'allow' }] } },
          },
        ),
        {
          at: ['cancelled', 'said', 'failure', 'answers'],
          both: { cancelled: [{ name: 'ask', call: 0 }], said: ['result/success'], answers: { q: '$absent' } },
        },
      ),
    ],
  },
  {
    id: 'PY-133',
    what: 'a cancellation of nothing is ignored',
    looks: [
      look(
        query('a cancellation of nothing', {}, [
          USER,
          { out: { type: 'control_cancel_request', request_id: 'nobody' } },
          { out: { type: 'control_cancel_request' } },
          RESULT,
        ]),
        { at: ['said', 'failure', 'end'], both: { said: ['result/success'], failure: null } },
      ),
    ],
  },
  {
    id: 'PY-134',
    what: 'a request that was answered can no longer be cancelled',
    looks: [
      look(
        query(
          'a cancellation too late',
          { canUseTool: { $callback: 'ask' } },
          [
            USER,
            ...asked('q', { subtype: 'can_use_tool', tool_name: 'Bash', input: {} }),
            { out: { type: 'control_cancel_request', request_id: 'q' } },
            // Nothing of the first is left: its id can be used again.
            ...asked('q', { subtype: 'can_use_tool', tool_name: 'Bash', input: {} }),
            RESULT,
          ],
          { callbacks: { ask: { returns: [{ behavior: 'deny', message: 'no' }] } } },
        ),
        {
          at: ['cancelled', 'order', 'failure'],
          both: { cancelled: [], order: ['request initialize', 'user', 'answer q', 'answer q', 'EOF'] },
        },
      ),
    ],
  },
];

export const controlRows: readonly Row<ProcessProgram>[] = [...handshakeRows, ...requestRows];
