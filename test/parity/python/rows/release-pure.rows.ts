import type { Json, Row } from '../harness/row.js';
import { differs, pureLook } from '../pure/looks.js';
import type { JsonRecord, PureProgram } from '../pure/program.js';
import { assistant, HI, messages, transcript, user, uuid } from '../pure/transcripts.js';

/** Rows of the newer release that are shown by the same calls. */

const TYPES = `BackgroundTaskSummary CwdChangedHookSpecificOutput ElicitationHookSpecificOutput
  ElicitationResultHookSpecificOutput FastModeDisabledReason FastModeState FileChangedHookSpecificOutput HookEffort
  MessageDisplayHookSpecificOutput PermissionDeniedHookSpecificOutput PostModelSwitchHookSpecificOutput
  PostToolBatchHookSpecificOutput PostToolUseHookSpecificOutput PreModelSwitchHookSpecificOutput
  PreToolUseHookSpecificOutput SessionCronSummary SessionStartHookSpecificOutput StopHookSpecificOutput
  SubagentStopHookSpecificOutput SystemInitData SystemInitMcpServer SystemInitPlugin SystemInitPluginError
  UserPromptExpansionHookSpecificOutput UserPromptSubmitHookSpecificOutput WorktreeCreateHookSpecificOutput`.split(
  /\s+/,
);

/** Types of the TypeScript SDK with more optional fields. */
/** All fields of the types that have more here. */
const WIDER: Readonly<Record<string, string>> = {
  PostToolUseHookSpecificOutput:
    'additionalContext classifierContext hookEventName updatedMCPToolOutput updatedToolOutput',
  SystemInitData: `additional_directories agents apiKeySource betas capabilities claude_code_version cwd effort
    fast_mode_disabled_reason fast_mode_state mcp_servers model original_cwd output_style permissionMode plugin_errors plugins
    session_id skills slash_commands subtype terminal_slash_commands tools type user_message_uuids uuid view_mode`,
  SystemInitPlugin: 'name path source version',
  SystemInitPluginError: 'managed_lock message path plugin type',
};

const ids = { uuid: 'u', session_id: 's' };
const answered = { user_message_uuid: 'm1', user_message_uuids: ['m1', 'm2'] };
const shown: Json = { userMessageUuid: 'm1', userMessageUuids: ['m1', 'm2'] };
const unset: Json = { userMessageUuid: '$absent', userMessageUuids: '$absent' };
const FRAMES: readonly JsonRecord[] = [
  { type: 'assistant', message: { role: 'assistant', model: 'm', content: [] }, ...ids },
  {
    type: 'result',
    subtype: 'success',
    duration_ms: 1,
    duration_api_ms: 1,
    is_error: false,
    num_turns: 1,
    session_id: 's',
  },
  { type: 'stream_event', event: { type: 'ping' }, ...ids },
];
const ANSWERED = FRAMES.map((frame): Json => ({ ...frame, ...answered }));

const INIT: JsonRecord = {
  type: 'system',
  subtype: 'init',
  ...ids,
  apiKeySource: 'none',
  claude_code_version: '2.1.330',
  cwd: '/w',
  tools: ['Bash'],
  mcp_servers: [{ name: 'x', status: 'connected', source: 'user' }],
  model: 'm',
  permissionMode: 'default',
  slash_commands: [],
  terminal_slash_commands: ['exit'],
  output_style: 'default',
  skills: [],
  plugins: [{ name: 'p', path: '/p', version: '1' }],
  plugin_errors: [{ plugin: 'inline[0]', type: 'path-not-found', message: 'm', path: '/q' }],
  fast_mode_state: 'off',
  fast_mode_disabled_reason: 'pending',
  capabilities: ['interrupt_receipt_v1'],
};

/** One response with parallel calls is one entry a call, each below the last; each result is below its own call. */
const call = (n: number, parent: number, id: string, response = 'msg'): JsonRecord =>
  assistant(n, parent, '', {
    message: { id: response, role: 'assistant', content: [{ type: 'tool_use', id, name: 'Read', input: {} }] },
  });
const result = (n: number, parent: number, ...ofCalls: readonly string[]): JsonRecord =>
  user(
    n,
    parent,
    ofCalls.map((id): Json => ({ type: 'tool_result', tool_use_id: id, content: 'x' })),
  );

function recovered(name: string, entries: readonly Json[], now: readonly number[], before: readonly number[]) {
  const pattern = (numbers: readonly number[]): Json => ({
    results: [{ value: numbers.map((number) => ({ uuid: uuid(number) })) }],
  });
  const place = now.findIndex((number, at) => number !== before[at]);
  return pureLook(`messages: ${name}`, [messages()], {
    files: [transcript(entries)],
    at: now.map((_, at) => `results/0/value/${at}/uuid`),
    python: pattern(now),
    ours: pattern(now),
    before: {
      at: [`results/0/value/${place}/uuid`],
      python: pattern(before),
      differs: [
        differs(
          'official-ts',
          'TS-182',
          `results/0/value/${place}/uuid`,
          'Calls and results of a parallel turn are all shown, as by the newer release.',
        ),
      ],
    },
  });
}

export const releasePureRows: readonly Row<PureProgram>[] = [
  {
    id: 'PY-364',
    what: 'Which user messages a turn took in is on assistant messages, results and stream events; unset where the frame does not say.',
    looks: [
      pureLook('answered messages', [{ op: 'parse', frames: ANSWERED }], {
        python: { results: [[shown, shown, shown]] },
        ours: { results: [[shown, shown, shown]] },
        before: {
          python: { results: [[unset, unset, unset]] },
          differs: FRAMES.map((_, place) =>
            differs('python-defect', 'PY-364', `results/0/${place}`, 'The older release drops both fields.'),
          ),
        },
      }),
      pureLook('no answered messages', [{ op: 'parse', frames: FRAMES }], {
        both: { results: [[unset, unset, unset]] },
      }),
    ],
  },
  {
    id: 'PY-365',
    what: 'The 26 types that are exported newly have the same fields, required or not, and the same values; some have more here.',
    isNew: true,
    looks: TYPES.map((name) => {
      const all = WIDER[name]?.split(/\s+/);
      return pureLook(`type ${name}`, [{ op: 'type', name }], {
        both: { results: ['$any'] },
        differs:
          all === undefined
            ? []
            : [differs('official-ts', 'sdk.d.ts', 'results/0/fields', 'The TypeScript SDK types more fields.', all)],
      });
    }),
  },
  {
    id: 'PY-366',
    what: 'An `init` frame with every field that is typed newly keeps all of them.',
    looks: [
      pureLook('init, all fields', [{ op: 'parse', frames: [INIT] }], {
        both: { results: [[{ kind: 'system', subtype: 'init', data: INIT }]] },
      }),
    ],
  },
  {
    id: 'PY-367',
    what: 'Messages of a session: calls and results that a parallel turn left off the branch are put back behind their response.',
    looks: [
      recovered(
        'three parallel calls, the first goes on',
        [
          HI,
          call(2, 1, 'a'),
          call(3, 2, 'b'),
          call(4, 3, 'c'),
          result(5, 2, 'a'),
          result(6, 3, 'b'),
          result(7, 4, 'c'),
          assistant(8, 5, 'd'),
        ],
        [1, 2, 3, 4, 6, 7, 5, 8],
        [1, 2, 5, 8],
      ),
      recovered(
        'three parallel calls, the last goes on',
        [
          HI,
          call(2, 1, 'a'),
          call(3, 2, 'b'),
          call(4, 3, 'c'),
          result(5, 2, 'a'),
          result(6, 3, 'b'),
          result(7, 4, 'c'),
          assistant(8, 7, 'd'),
        ],
        [1, 2, 3, 4, 5, 6, 7, 8],
        [1, 2, 3, 4, 7, 8],
      ),
      recovered(
        'two parallel turns',
        [
          HI,
          call(2, 1, 'a'),
          call(3, 2, 'b'),
          result(4, 2, 'a'),
          result(5, 3, 'b'),
          call(6, 5, 'c', 'next'),
          call(7, 6, 'd', 'next'),
          result(8, 6, 'c'),
          result(9, 7, 'd'),
          assistant(10, 9, 'e', { message: { id: 'last', role: 'assistant', content: [] } }),
        ],
        [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
        [1, 2, 3, 5, 6, 7, 9, 10],
      ),
      recovered(
        'a result below another entry',
        [HI, call(2, 1, 'a'), call(3, 2, 'b'), result(4, 3, 'a'), result(5, 3, 'b'), assistant(6, 5, 'd')],
        [1, 2, 3, 4, 5, 6],
        [1, 2, 3, 5, 6],
      ),
    ],
  },
];
