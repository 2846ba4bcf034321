import type { Json, Look, Reason, Row } from '../harness/row.js';
import { differs, pureLook, type Stated } from '../pure/looks.js';
import type { ClientStep, PureCall, PureProgram } from '../pure/program.js';
import { call, HI, SESSION, TURN, transcript, user } from '../pure/transcripts.js';
import { RESULT, say } from './client.rows.js';

type WithCli = Omit<Extract<PureCall, { readonly op: 'run' }>, 'op'>;

/** A defect of the Python SDK: what it does, and what this package does in the same program. */
function defect(
  id: string,
  what: string,
  name: string,
  calls: readonly PureCall[],
  stated: Stated & { readonly at: readonly string[]; readonly why: string; readonly reason?: Reason },
): Row<PureProgram> {
  const { at, why, reason = 'python-defect', ...rest } = stated;
  const look: Look<PureProgram> = pureLook(`defect ${id}: ${name}`, calls, {
    ...rest,
    at: [],
    differs: at.map((path) => differs(reason, id, path, why)),
  });
  return { id: `PY-${id}`, what, looks: [look] };
}

const run = (given: WithCli): PureCall => ({ op: 'run', ...given });
const client = (steps: readonly ClientStep[], given: WithCli = {}): PureCall => ({ op: 'client', steps, ...given });
const FAILED: Json = {
  ...(RESULT as { readonly [key: string]: Json }),
  subtype: 'error_during_execution',
  is_error: true,
  errors: ['a'],
};
const system = (subtype: string, more: { readonly [key: string]: Json }): Json => ({
  type: 'system',
  subtype,
  session_id: 's',
  uuid: 'u',
  ...more,
});
const one = (pattern: Json): Json => ({ results: [pattern] });

/** Frames after which Python's session is over, or its request never answered. */
const MALFORMED: readonly (readonly [string, Json, Json])[] = [
  [
    'a request without an id',
    { type: 'control_request', request: { subtype: 'can_use_tool', tool_name: 'x', input: {} } },
    'KeyError',
  ],
  ['an answer that is none', { type: 'control_response', response: null }, 'AttributeError'],
];

/** The defects that the checklist lists, each shown on Python's side, beside what this package does. */
export const defectRows: readonly Row<PureProgram>[] = [
  defect(
    'D1',
    'A CLI that leaves with exit 0 leaves pending requests waiting for 60 s; here they fail at once.',
    'a clean exit before the answer to initialize',
    [client([['connect']], { cli: { initialize: [{ exit: 0 }] }, limitMs: 1500 })],
    {
      at: ['results/0/steps/0'],
      python: one({ steps: [{ hung: true }] }),
      ours: one({ steps: [{ hung: '$absent', error: '$any' }] }),
      why: 'Nobody will answer any more: a typed error at once.',
    },
  ),
  defect(
    'D2',
    'A client that does not read its messages gets no answers to requests either; here answers do not depend on reading.',
    'a request beside 200 unread messages',
    [
      client(
        [
          ['connect', 'Hi'],
          ['call', 'getContextUsage'],
        ],
        { cli: { turns: [Array.from({ length: 200 }, () => say('x'))] }, limitMs: 1500 },
      ),
    ],
    {
      at: ['results/0/steps/1'],
      python: one({ steps: [{}, { hung: true }] }),
      ours: one({ steps: [{}, { value: true }] }),
      why: 'Control frames do not wait behind messages.',
    },
  ),
  defect(
    'D3',
    'A hidden frame between an error result and the exit loses the typed error; here only results decide.',
    'keep_alive after an error result',
    [run({ cli: { turns: [[FAILED, { type: 'keep_alive' }, { exit: 1 }]] } })],
    {
      at: ['results/0/error'],
      python: one({ error: 'ProcessError' }),
      ours: one({ error: 'ResultError' }),
      why: 'A heartbeat says nothing about the run.',
    },
  ),
  defect(
    'D4',
    'A `CLAUDE_CODE_STREAM_CLOSE_TIMEOUT` that is no number fails after the spawn and leaves the child; here it is not read.',
    'a variable that is no number',
    [run({ cli: { isLate: true } })],
    {
      environment: { CLAUDE_CODE_STREAM_CLOSE_TIMEOUT: 'soon' },
      at: ['results/0/error', 'results/0/alive'],
      python: one({ error: 'value', spawned: true, alive: [true] }),
      ours: one({ error: '$absent', messages: ['system', 'result'], alive: [false] }),
      why: 'How long to wait is the option `initializeTimeoutMs`.',
    },
  ),
  defect(
    'D5',
    'A fork loses messages with a raw U+2028, U+2029 or U+0085; here lines end at newlines only.',
    'forks with line separators',
    [call('forkSession', { sessionId: SESSION })],
    {
      files: [
        transcript([
          HI,
          ...['\u2028', '\u2029', '\u0085'].map((separator, n) => user(n + 2, n + 1, `a${separator}b`)),
          user(5, 4, 'last'),
        ]),
      ],
      shows: ['config'],
      at: ['files/0/lines'],
      python: { files: [{ lines: ['$any', '$any', '$any'] }, '$any'] },
      ours: { files: [{ lines: ['$any', '$any', '$any', '$any', '$any', '$any'] }, '$any'] },
      why: 'JSON may hold these characters; none is lost.',
    },
  ),
  defect(
    'D6',
    '`connect()` on a connected client starts a second process and forgets the first; here it is refused.',
    'connecting twice',
    [client([['connect'], ['connect'], ['serverInfo']])],
    {
      at: ['results/0/steps/1', 'results/0/processes'],
      python: one({ steps: [{}, {}, '$any'], processes: 2 }),
      ours: one({ steps: [{}, { error: 'CLIConnectionError' }, '$any'], processes: 1 }),
      why: 'The first process would be left alone.',
    },
  ),
  {
    id: 'PY-D7',
    what: 'One malformed frame ends the session, and a request without `subtype` is never answered; here both are passed over with a diagnostic or answered with an error.',
    looks: [
      ...MALFORMED.map(([name, frame, error]) =>
        pureLook(`defect D7: ${name}`, [run({ cli: { turns: [[frame, say('after'), RESULT]] } })], {
          at: [],
          python: one({ error, messages: [] }),
          ours: one({ error: '$absent', messages: ['assistant: after', 'result'] }),
          differs: ['results/0/error', 'results/0/messages'].map((at) =>
            differs('python-defect', 'D7', at, 'One bad line must not cost the session.'),
          ),
        }),
      ),
      pureLook(
        'defect D7: a request without a subtype',
        [
          run({
            cli: { turns: [[{ type: 'control_request', request_id: 'r1', request: {} }, RESULT]] },
            hooks: 'matcher',
          }),
        ],
        {
          at: ['results/0/messages'],
          python: one({ written: ['$any', { type: 'user' }, 'EOF'] }),
          ours: one({
            written: ['$any', { type: 'user' }, { type: 'control_response', response: { subtype: 'error' } }, 'EOF'],
          }),
          differs: [differs('python-defect', 'D7', 'results/0/written', 'Every request is answered.')],
        },
      ),
    ],
  },
  {
    id: 'PY-D8',
    what: 'Frames of the types `end` and `error` are taken for marks of the SDK’s own; here they are frames of an unknown type.',
    looks: [
      pureLook(
        'defect D8: a frame of the type end',
        [run({ cli: { turns: [[say('one'), { type: 'end' }, RESULT]] } })],
        {
          at: ['results/0/error'],
          python: one({ messages: ['assistant: one'] }),
          ours: one({ messages: ['assistant: one', 'unknown', 'result'] }),
          differs: [differs('python-defect', 'D8', 'results/0/messages', 'The stream goes on.')],
        },
      ),
      pureLook(
        'defect D8: a frame of the type error',
        [run({ cli: { turns: [[say('one'), { type: 'error', error: 'x' }, RESULT]] } })],
        {
          at: [],
          python: one({ messages: ['assistant: one'], error: 'Exception' }),
          ours: one({ messages: ['assistant: one', 'unknown', 'result'], error: '$absent' }),
          differs: ['results/0/messages', 'results/0/error'].map((at) =>
            differs('python-defect', 'D8', at, 'The stream goes on.'),
          ),
        },
      ),
    ],
  },
  defect(
    'D9',
    'A prompt that is a list is ignored, and the query hangs; here it is sent, or refused with a typed error.',
    'a list as the prompt',
    [run({ prompt: [5], limitMs: 1500 })],
    {
      at: ['results/0/hung'],
      python: one({ hung: true, messages: [] }),
      ours: one({ hung: '$absent', error: '$any' }),
      why: 'A mistake is told.',
    },
  ),
  defect(
    'D10',
    'A session id that ends with a newline passes for a UUID; here it is refused.',
    'an id with a newline',
    [call('deleteSession', { sessionId: `${SESSION}\n` })],
    {
      files: [transcript(TURN)],
      at: ['results/0/error'],
      python: one({ error: 'not-found' }),
      ours: one({ error: 'value' }),
      why: 'The id becomes a file name.',
    },
  ),
  defect(
    'D11',
    'When a store takes too long to append, the mirror error has an empty text; here it says so.',
    'an append that never ends',
    [
      run({
        minuteMs: 1500,
        store: { delayMs: { append: 6000 } },
        cli: {
          turns: [
            [
              { type: 'transcript_mirror', filePath: `<root>/config/projects/-w/${SESSION}.jsonl`, entries: [HI] },
              RESULT,
            ],
          ],
        },
      }),
    ],
    {
      at: ['results/0/lost'],
      python: one({ lost: [''], messages: ['mirror_error', 'result'] }),
      ours: one({ lost: ['/append/'], messages: ['mirror_error', 'result'] }),
      why: 'The reason is what the message is for.',
    },
  ),
  defect(
    'D12',
    'Appending nothing to a new key of the in-memory store makes a session that is then listed; here nothing is nothing.',
    'an append of nothing',
    [
      {
        op: 'memoryStore',
        steps: [
          ['append', { projectKey: 'p', sessionId: 's' }, []],
          ['listSessions', 'p'],
          ['load', { projectKey: 'p', sessionId: 's' }],
          ['size'],
        ],
      },
    ],
    {
      at: ['results/0/1', 'results/0/2', 'results/0/3'],
      python: one([null, [{ sessionId: 's' }], [], 1]),
      ours: one([null, [], null, 0]),
      why: 'A session without entries cannot be resumed.',
    },
  ),
  defect(
    'D13',
    'Stdin that a background task held is closed only by another result; here the end of the last task is enough.',
    'a task that is stopped after the result',
    [
      run({
        hooks: 'matcher',
        limitMs: 2500,
        cli: {
          turns: [
            [
              system('session_state_changed', { state: 'running' }),
              system('task_started', { task_id: 't', task_type: 'local_agent', description: 'd' }),
              RESULT,
              system('session_state_changed', { state: 'idle' }),
              system('task_notification', { task_id: 't', status: 'stopped', output_file: '/o', summary: 's' }),
            ],
          ],
        },
      }),
    ],
    {
      at: ['results/0/hung'],
      python: one({ hung: true }),
      ours: one({ hung: '$absent', written: ['$any', '$any', 'EOF'] }),
      why: 'The run is over when nothing runs any more.',
    },
  ),
  {
    id: 'PY-D14',
    what: 'A frame whose `message` is no object escapes as a raw `TypeError`, and values of a wrong type pass; here both are parse errors or left out.',
    looks: [
      pureLook(
        'defect D14: a message that is no object',
        [
          {
            op: 'parse',
            frames: [
              { type: 'user', message: 5 },
              { type: 'assistant', message: null },
              { type: 'rate_limit_event', rate_limit_info: 5, uuid: 'u', session_id: 's' },
            ],
          },
        ],
        {
          at: [],
          python: one([{ error: 'TypeError' }, { error: 'TypeError' }, { error: 'TypeError' }]),
          ours: one(Array.from({ length: 3 }, () => ({ error: 'MessageParseError', hasFrame: true }))),
          differs: [0, 1, 2].map((n) =>
            differs('python-defect', 'D14', `results/0/${n}`, 'One class of error, with the frame.'),
          ),
        },
      ),
      pureLook(
        'defect D14: values of a wrong type',
        [
          {
            op: 'parse',
            frames: [
              { type: 'user', message: { content: { a: 1 } } },
              { ...(RESULT as { readonly [key: string]: Json }), num_turns: 'three' },
              { ...(RESULT as { readonly [key: string]: Json }), total_cost_usd: 'free' },
              { type: 'stream_event', event: 'x', uuid: 'u', session_id: 's' },
              { type: 'user', message: { content: 'x' }, uuid: 5 },
              { type: 5 },
            ],
          },
        ],
        {
          at: [],
          python: one([
            { content: { a: 1 } },
            { numTurns: 'three' },
            { totalCostUsd: 'free' },
            { event: 'x' },
            { uuid: 5 },
            { kind: 'unknown' },
          ]),
          ours: one([
            { error: 'MessageParseError' },
            { error: 'MessageParseError' },
            { kind: 'result', totalCostUsd: '$absent' },
            { error: 'MessageParseError' },
            { kind: 'user', uuid: '$absent' },
            { error: 'MessageParseError' },
          ]),
          differs: [0, 1, 2, 3, 4, 5].map((n) =>
            differs(
              'safety',
              'D14',
              `results/0/${n}`,
              'A field is of the type it is declared with, or the frame is refused; the frame itself is always there.',
            ),
          ),
        },
      ),
    ],
  },
  {
    id: 'PY-D15',
    what: 'The version probe runs outside `cwd` and without `env`, and waits without limit at its end; the newer release has no probe, and neither has this package.',
    looks: [
      pureLook('defect D15: the probe', [run({})], {
        environment: { CLAUDE_AGENT_SDK_SKIP_VERSION_CHECK: '' },
        at: ['results/0/probes', 'results/0/messages'],
        python: one({ probes: [], messages: ['system', 'result'] }),
        ours: one({ probes: [], messages: ['system', 'result'] }),
        before: {
          python: one({ probes: [{ cwd: '<cwd>', mark: null }], messages: ['system', 'result'] }),
          differs: [
            differs(
              'python-defect',
              'D15',
              'results/0/probes',
              'Starting the CLI twice to warn of old versions is not worth it (D-70).',
            ),
          ],
        },
      }),
    ],
  },
  defect(
    'D16',
    'A hook matcher that is a plain mapping registers nothing, silently; here plain objects are the form.',
    'a plain hook matcher',
    [run({ hooks: 'mapping' })],
    {
      at: ['results/0/written/0/initialize'],
      python: one({ written: [{ initialize: { callbacks: 0 } }, '$any', 'EOF'] }),
      ours: one({ written: [{ initialize: { callbacks: 1 } }, '$any', 'EOF'] }),
      why: 'A guard that is not asked guards nothing.',
    },
  ),
  defect(
    'D17',
    'An import stops at one corrupt line, after batches were appended; here the line is left out.',
    'an import with a corrupt line',
    [call('importSessionToStore', { sessionId: SESSION, dir: '/w', batchSize: 1 }, {})],
    {
      files: [transcript([HI, '{"type":', user(2, 1, 'b')])],
      at: ['results/0/calls', 'results/0/error'],
      python: one({ error: 'JSONDecodeError', calls: ['$any'] }),
      ours: one({ error: '$absent', calls: ['$any', '$any'] }),
      why: 'What can be read is imported.',
    },
  ),
];
