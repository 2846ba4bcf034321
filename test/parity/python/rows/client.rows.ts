import type { Json, Look, Row } from '../harness/row.js';
import { differs, pureLook, type Stated } from '../pure/looks.js';
import type { ClientStep, PureCall, PureProgram } from '../pure/program.js';
import { SESSION, TURN } from '../pure/transcripts.js';

type ClientCall = Extract<PureCall, { readonly op: 'client' }>;
type RunCall = Extract<PureCall, { readonly op: 'run' }>;

export const RESULT: Json = {
  type: 'result',
  subtype: 'success',
  duration_ms: 1,
  duration_api_ms: 1,
  is_error: false,
  num_turns: 1,
  session_id: 's',
  result: 'done',
  uuid: 'r',
};
export const say = (text: string): Json => ({
  type: 'assistant',
  message: { id: 'm', role: 'assistant', model: 'm', content: [{ type: 'text', text }] },
  parent_tool_use_id: null,
  session_id: 's',
  uuid: 'u',
});
const turn = (text: string): readonly Json[] => [say(text), RESULT];
const text = (content: Json, sessionId: Json): Json => ({
  type: 'user',
  session_id: sessionId,
  message: { role: 'user', content },
  parent_tool_use_id: null,
});
const item = (content: string): Json => ({
  type: 'user',
  message: { role: 'user', content },
  parent_tool_use_id: null,
});

/** Steps of a client beside a CLI. What each step gave is compared, and what else is named. */
function client(
  name: string,
  steps: readonly ClientStep[],
  {
    cli,
    hooks,
    limitMs,
    also = [],
    ...stated
  }: Stated & Partial<ClientCall> & { readonly also?: readonly string[] } = {},
): Look<PureProgram> {
  const given = {
    ...(cli === undefined ? {} : { cli }),
    ...(hooks === undefined ? {} : { hooks }),
    ...(limitMs === undefined ? {} : { limitMs }),
  };
  return pureLook(`client: ${name}`, [{ op: 'client', steps, ...given }], {
    at: ['results/0/steps', ...also.map((one) => `results/0/${one}`)],
    ...stated,
  });
}

/** A `query()` beside a CLI. */
export function queryRun(
  name: string,
  given: Omit<RunCall, 'op'>,
  { also = [], ...stated }: Stated & { readonly also?: readonly string[] } = {},
): Look<PureProgram> {
  return pureLook(`query: ${name}`, [{ op: 'run', ...given }], {
    at: ['results/0/messages', 'results/0/error', ...also.map((one) => `results/0/${one}`)],
    ...stated,
  });
}

const steps = (...values: readonly Json[]): Json => ({ results: [{ steps: values }] });
const got = (...messages: readonly string[]): Json => ({ value: { messages } });
const NOT_CONNECTED = { error: 'CLIConnectionError', text: 'Not connected. Call connect() first.' };
const METHODS: readonly ClientStep[] = [
  ['call', 'interrupt'],
  ['call', 'setPermissionMode', 'plan'],
  ['call', 'setModel', 'm'],
  ['call', 'rewindFiles', 'u'],
  ['call', 'reconnectMcpServer', 's'],
  ['call', 'toggleMcpServer', 's', true],
  ['call', 'stopTask', 't'],
  ['call', 'getMcpStatus'],
  ['call', 'getContextUsage'],
  ['serverInfo'],
  ['query', 'Hi'],
  ['receive', 1],
  ['receiveResponse'],
];
/** `receive` shows what it got before it failed. */
const REFUSED = METHODS.map(
  ([name]): Json => (name === 'receive' ? { value: { messages: [], error: 'CLIConnectionError' } } : NOT_CONNECTED),
);
/** A prompt in our own `query()` frame is a text block, as in the TypeScript SDK. */
const promptOf = (at: string): ReturnType<typeof differs> =>
  differs(
    'official-ts',
    'TS-081',
    at,
    'A text prompt is sent as one text block, as by the TypeScript SDK; Python sends the text itself. The CLI takes both.',
    [{ type: 'text', text: 'p' }],
  );

/** One of each type that lacks what it needs. */
const BAD_FRAMES: readonly (readonly [string, Json])[] = [
  ['user', { type: 'user', message: {} }],
  ['system', { type: 'system', session_id: 's' }],
  ['result', { type: 'result', subtype: 'success' }],
  ['stream event', { type: 'stream_event', event: {} }],
  ['no type', { session_id: 's' }],
];

export const clientRows: readonly Row<PureProgram>[] = [
  {
    id: 'PY-256',
    what: 'A frame that cannot be parsed is an error of the iteration. The client can go on, and gets the frame after it; `query()` has ended.',
    looks: [
      client('a frame that cannot be parsed', [['connect', 'Hi'], ['receive'], ['receive', 2]], {
        cli: { turns: [[say('one'), { type: 'assistant', message: {} }, say('two'), RESULT, { exit: 0 }]] },
        at: ['results/0/steps/0'],
        python: steps(
          '$any',
          { value: { messages: ['assistant: one'], error: 'MessageParseError' } },
          got('assistant: two', 'result'),
        ),
        ours: steps('$any', got('assistant: one', 'refused', 'assistant: two', 'result'), got()),
        differs: [
          differs(
            'official-ts',
            'TS-168',
            'results/0/steps/1',
            'Frames are delivered as they came; checking one is a call of its own (`parseMessage`), so a bad frame interrupts nobody.',
          ),
          differs('official-ts', 'TS-168', 'results/0/steps/2', 'The same: nothing is left to go on with.'),
        ],
      }),
      ...BAD_FRAMES.map(([what, bad]) => {
        // A result ends the response, whatever it lacks.
        const isEnd = what === 'result';
        return client(
          `a frame that cannot be parsed: ${what}`,
          [['connect', 'Hi'], ['receiveResponse'], ['receiveResponse']],
          {
            cli: { turns: [[say('one'), bad, say('two'), RESULT, { exit: 0 }]] },
            at: isEnd ? ['results/0/steps/0', 'results/0/steps/2'] : ['results/0/steps/0'],
            python: steps('$any', { error: 'MessageParseError' }, got('assistant: two', 'result')),
            ours: isEnd
              ? steps('$any', got('assistant: one', 'refused'), got('assistant: two', 'result'))
              : steps('$any', got('assistant: one', 'refused', 'assistant: two', 'result'), got()),
            differs: [
              differs('official-ts', 'TS-168', 'results/0/steps/1', 'The frame is delivered as it came.'),
              ...(isEnd
                ? []
                : [differs('official-ts', 'TS-168', 'results/0/steps/2', 'The same: nothing is left to go on with.')]),
            ],
          },
        );
      }),
      queryRun(
        'a frame that cannot be parsed',
        { cli: { turns: [[say('one'), { type: 'assistant', message: {} }, say('two'), RESULT, { exit: 0 }]] } },
        {
          at: [],
          python: { results: [{ messages: ['assistant: one'], error: 'MessageParseError' }] },
          ours: {
            results: [{ messages: ['assistant: one', 'refused', 'assistant: two', 'result'], error: '$absent' }],
          },
          differs: [
            differs(
              'official-ts',
              'TS-168',
              'results/0/messages',
              'In Python the rest of the answer and its result are lost: the error ends `query()`. Here the frame comes as it is, and the run goes on to its result.',
            ),
            differs('official-ts', 'TS-168', 'results/0/error', 'The same: nothing is thrown.'),
          ],
        },
      ),
    ],
  },
  {
    id: 'PY-257',
    what: 'Every method but connect and disconnect of a client that was never connected fails with `Not connected. Call connect() first.`',
    looks: [client('never connected', METHODS, { both: steps(...REFUSED) })],
  },
  {
    id: 'PY-258',
    what: 'The same after disconnect.',
    looks: [client('disconnected', [['connect'], ['disconnect'], ...METHODS], { both: steps({}, {}, ...REFUSED) })],
  },
  {
    id: 'PY-259',
    what: '`connect("p")` sends the prompt with `session_id` `default`; stdin stays open.',
    looks: [
      client('connect with a prompt', [['connect', 'p'], ['receiveResponse'], ['query', 'more'], ['receiveResponse']], {
        cli: { turns: [turn('one'), turn('two')] },
        also: ['written/1/session_id', 'written/2/session_id', 'written/3'],
        both: {
          results: [
            {
              steps: [{}, got('assistant: one', 'result'), {}, got('assistant: two', 'result')],
              written: [
                '$any',
                { type: 'user', session_id: 'default', parent_tool_use_id: null },
                { type: 'user', session_id: 'default' },
                'EOF',
              ],
            },
          ],
        },
        differs: [promptOf('results/0/written/1/message/content')],
      }),
    ],
  },
  {
    id: 'PY-260',
    what: '`connect()` without a prompt writes `initialize` and nothing else.',
    looks: [
      client('connect without a prompt', [['connect']], {
        also: ['written'],
        both: { results: [{ written: [{ initialize: { events: [], callbacks: 0 } }, 'EOF'] }] },
      }),
    ],
  },
  {
    id: 'PY-261',
    what: '`connect(iterable)` writes the items, and stdin ends after them; with callbacks only after the run.',
    looks: [
      client('connect with items', [['connectItems', [item('one')]], ['receive']], {
        cli: { turns: [turn('one')] },
        also: ['written'],
        both: { results: [{ steps: [{}, got('assistant: one', 'result')], written: ['$any', item('one'), 'EOF'] }] },
      }),
      client('connect with items and hooks', [['connectItems', [item('one')]], ['receive']], {
        cli: { turns: [turn('one')] },
        hooks: 'matcher',
        also: ['written'],
        both: {
          results: [
            {
              steps: [{}, got('assistant: one', 'result')],
              written: [{ initialize: { events: ['PreToolUse'], callbacks: 1 } }, item('one'), 'EOF'],
            },
          ],
        },
      }),
    ],
  },
  {
    id: 'PY-262',
    what: '`query("p", session_id="s")` sends the prompt with that session id.',
    looks: [
      client('query with a session id', [['connect'], ['query', 'p', 's'], ['receiveResponse']], {
        cli: { turns: [turn('one')] },
        also: ['written/1/session_id', 'written/1/type', 'written/1/parent_tool_use_id'],
        both: { results: [{ written: ['$any', { type: 'user', session_id: 's' }, 'EOF'] }] },
        differs: [promptOf('results/0/written/1/message/content')],
      }),
    ],
  },
  {
    id: 'PY-263',
    what: '`query(iterable)` adds `session_id` to items that lack one, and changes nothing else.',
    looks: [
      client(
        'query with items',
        [
          ['connect'],
          ['queryItems', [{ ...(item('a') as object), extra: [1] }, text('b', 'own')], 's'],
          ['receiveResponse'],
          ['receiveResponse'],
        ],
        {
          cli: { turns: [turn('one'), turn('two')] },
          at: ['results/0/written', 'results/0/steps/2', 'results/0/steps/3'],
          both: {
            results: [
              { written: ['$any', { ...(item('a') as object), extra: [1], session_id: 's' }, text('b', 'own'), 'EOF'] },
            ],
          },
          python: { results: [{ steps: ['$any', { value: [{ session_id: 's' }, '$any'] }, '$any', '$any'] }] },
          ours: { results: [{ steps: ['$any', { value: [{ session_id: '$absent' }, '$any'] }, '$any', '$any'] }] },
          differs: [
            differs(
              'python-defect',
              'D-93',
              'results/0/steps/1/value/0/session_id',
              'The caller’s own objects are not written to; what goes to the CLI is the same.',
            ),
          ],
        },
      ),
    ],
  },
  {
    id: 'PY-264',
    what: 'Several queries go to one process, and stdin stays open.',
    looks: [
      client(
        'three queries',
        [
          ['connect'],
          ...(['a', 'b', 'c'] as const).flatMap((prompt): readonly ClientStep[] => [
            ['query', prompt],
            ['receiveResponse'],
          ]),
        ],
        {
          cli: { turns: [turn('one'), turn('two'), turn('three')] },
          also: ['processes', 'alive'],
          both: {
            results: [
              {
                steps: [
                  {},
                  {},
                  got('assistant: one', 'result'),
                  {},
                  got('assistant: two', 'result'),
                  {},
                  got('assistant: three', 'result'),
                ],
                processes: 1,
                written: ['$any', '$any', '$any', '$any', 'EOF'],
              },
            ],
          },
        },
      ),
    ],
  },
  {
    id: 'PY-265',
    what: '`receive_response()` ends right after the first result, which it includes.',
    looks: [
      client('a response, and what follows', [['connect', 'Hi'], ['receiveResponse'], ['receive', 1]], {
        cli: { turns: [[say('one'), RESULT, say('after')]] },
        both: steps({}, got('assistant: one', 'result'), got('assistant: after')),
      }),
    ],
  },
  {
    id: 'PY-266',
    what: '`receive_messages()` goes on after a result until the CLI ends.',
    looks: [
      client('all messages', [['connect', 'Hi'], ['receive']], {
        cli: { turns: [[say('one'), RESULT, say('two'), RESULT, { exit: 0 }]] },
        both: steps({}, got('assistant: one', 'result', 'assistant: two', 'result')),
      }),
    ],
  },
  {
    id: 'PY-267',
    what: '`get_server_info()` gives the answer to `initialize` without traffic.',
    looks: [
      client('server info', [['connect'], ['serverInfo'], ['serverInfo']], {
        also: ['written'],
        both: {
          results: [
            {
              steps: [{}, { value: { greeting: 'hello' } }, { value: { greeting: 'hello' } }],
              written: ['$any', 'EOF'],
            },
          ],
        },
      }),
    ],
  },
  {
    id: 'PY-268',
    what: 'When the handshake fails, the child is ended and `connect()` fails with that error.',
    looks: [
      client(
        'a handshake that is refused',
        [
          ['connect', 'Hi'],
          ['query', 'x'],
        ],
        {
          cli: { initialize: 'error' },
          at: ['results/0/steps/0/text', 'results/0/steps/1', 'results/0/alive', 'results/0/written'],
          both: {
            results: [{ steps: [{ text: 'not today' }, NOT_CONNECTED], alive: [false], written: ['$any', 'EOF'] }],
          },
        },
      ),
    ],
  },
  {
    id: 'PY-269',
    what: 'Disconnecting before connecting, or twice, is no error.',
    looks: [
      client('disconnect', [['disconnect'], ['connect'], ['disconnect'], ['disconnect'], ['connect'], ['disconnect']], {
        also: ['processes', 'alive'],
        both: { results: [{ steps: [{}, {}, {}, {}, {}, {}], processes: 2, alive: [false, false] }] },
      }),
    ],
  },
  {
    id: 'PY-270',
    what: 'Leaving the scope of a client disconnects it, also by an error, which goes on.',
    looks: [
      client('a scope', [['scope', false], ['serverInfo'], ['scope', true], ['serverInfo']], {
        also: ['processes', 'alive'],
        both: {
          results: [
            { steps: [{ value: 'left' }, NOT_CONNECTED, { value: 'mine' }, NOT_CONNECTED], alive: [false, false] },
          ],
        },
      }),
    ],
  },
  {
    id: 'PY-271',
    what: 'When the loop over `query()` is left early, stdin ends and the CLI is gone.',
    looks: [
      queryRun(
        'an early break',
        { breakAt: 1, cli: { turns: [[say('one'), say('two')]] } },
        {
          also: ['alive', 'written/2'],
          both: { results: [{ messages: ['assistant: one'], alive: [false] }] },
          python: { results: [{ written: ['$any', '$any', 'EOF'] }] },
          ours: { results: [{ written: ['$any', '$any', { request: { subtype: 'interrupt' } }, 'EOF'] }] },
          differs: [
            differs(
              'safety',
              'D-190',
              'results/0/written',
              'A run that is ended at work is told to stop before its input ends; Python ends the input and lets the turn go on.',
            ),
          ],
        },
      ),
    ],
  },
  {
    id: 'PY-272',
    what: 'What was received before closing can still be read.',
    looks: [
      client('messages before the end', [['connect', 'Hi'], ['receive', 1], ['pause', 300], ['receive']], {
        cli: { turns: [[say('one'), say('two'), say('three'), { exit: 0 }]] },
        both: steps({}, got('assistant: one'), {}, got('assistant: two', 'assistant: three')),
      }),
    ],
  },
  {
    id: 'PY-273',
    what: 'A transport of the application’s own is connected, written to, read from and closed, and no process is started.',
    looks: [
      pureLook('a transport of one’s own', [{ op: 'transport' }], {
        both: {
          results: [
            {
              messages: ['system', 'result'],
              written: ['control_request', 'user'],
              called: ['close', 'connect', 'endInput', 'read', 'write'],
            },
          ],
        },
      }),
    ],
  },
  {
    id: 'PY-274',
    what: 'With such a transport nothing is loaded from a store for `resume`.',
    looks: [
      pureLook(
        'a transport of one’s own and a store',
        [
          {
            op: 'transport',
            options: { resume: SESSION },
            store: { sessions: { [SESSION]: { mtime: 1, entries: TURN } } },
          },
        ],
        { both: { results: [{ calls: [], messages: ['system', 'result'] }], left: [] } },
      ),
    ],
  },
  {
    id: 'PY-275',
    what: '`query()` ends when the CLI’s output ends, not at the result.',
    looks: [
      queryRun(
        'frames after the result',
        { cli: { turns: [[say('one'), RESULT, say('two')]] } },
        { both: { results: [{ messages: ['assistant: one', 'result', 'assistant: two'], error: '$absent' }] } },
      ),
    ],
  },
];
