import type { Step } from '../../../../src/testing/scenario/scenario-types.js';
import type { JsonObject } from '../../../../src/util/json.js';
import type { Act, ProcessProgram } from '../harness/program.js';
import type { Difference, Json, Row } from '../harness/row.js';
import { asked, differs, EOF, launch, look, RESULT, USER } from './steps.js';

const message = (id: string, server: string, rpc: JsonObject): JsonObject => ({
  type: 'control_request',
  request_id: id,
  request: { subtype: 'mcp_message', server_name: server, message: { jsonrpc: '2.0', ...rpc } },
});
/** A JSON-RPC message for the server `calc`, and the wait for the answer to its control request. */
const rpc = (id: string, given: JsonObject): readonly Step[] =>
  asked(id, { subtype: 'mcp_message', server_name: 'calc', message: { jsonrpc: '2.0', ...given } });
const method = (id: string, name: string, params?: JsonObject): readonly Step[] =>
  rpc(id, { id, method: name, ...(params === undefined ? {} : { params }) });
const call = (id: string, name = id, args?: JsonObject): readonly Step[] =>
  method(id, 'tools/call', { name, ...(args === undefined ? {} : { arguments: args }) });

const HELLO = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'c', version: '1' } };
const handshake: readonly Step[] = [
  ...method('init', 'initialize', HELLO),
  ...rpc('noted', { method: 'notifications/initialized' }),
];

const text = (value: string): JsonObject => ({ type: 'text', text: value });
/** What the tools of the big program return, by their names. */
const RETURNS: Readonly<Record<string, JsonObject>> = {
  text: { content: [text('hi')] },
  image: { content: [{ type: 'image', data: 'aGk=', mimeType: 'image/png' }] },
  link: { content: [{ type: 'resource_link', name: 'n', uri: 'file:///a', description: 'd' }] },
  embedded: { content: [{ type: 'resource', resource: { uri: 'file:///a', text: 'x' } }] },
  binary: { content: [{ type: 'resource', resource: { uri: 'file:///a', blob: 'aGk=' } }] },
  audio: { content: [{ type: 'audio', data: 'aGk=', mimeType: 'audio/wav' }] },
  failed: { content: [text('no')], isError: true },
  camel: { $raw: { content: [text('no')], isError: true } },
  extra: { content: [text('yes')], structuredContent: { a: 1 }, _meta: { b: 2 } },
  empty: {},
};
const tool = (name: string, inputSchema?: JsonObject, annotations?: JsonObject): JsonObject => ({
  name,
  description: `The ${name}`,
  ...(inputSchema === undefined ? {} : { inputSchema }),
  ...(annotations === undefined ? {} : { annotations }),
  handler: { $callback: name },
});
const json = { type: 'object', properties: { a: { type: 'number' } }, required: ['a'], additionalProperties: false };

const tools = launch(
  'mcp: tools',
  {
    mcpServers: {
      calc: {
        $server: {
          version: '1.2.3',
          tools: [
            ...Object.keys(RETURNS).map((name) => tool(name)),
            tool('throws'),
            tool('nothing'),
            tool('json', json, { title: 'T', readOnlyHint: true, maxResultSizeChars: 500 }),
          ],
        },
      },
    },
  },
  {
    callbacks: {
      ...Object.fromEntries(Object.entries(RETURNS).map(([name, value]) => [name, { returns: [value] }])),
      throws: { throws: 'mine' },
      nothing: {},
      json: { returns: [{ content: [] }] },
    },
    cli: [
      USER,
      ...method('early', 'ping'),
      ...handshake,
      ...rpc('zero', { id: 0, method: 'ping' }),
      ...rpc('text id', { id: 'a-b', method: 'ping' }),
      ...method('list', 'tools/list'),
      ...Object.keys(RETURNS).flatMap((name) => call(name)),
      ...call('throws'),
      ...call('nothing'),
      ...call('unknown'),
      ...call('invalid', 'json', { a: 'text' }),
      ...call('noArgs', 'text'),
      ...method('nameless', 'tools/call', {}),
      ...method('prompts', 'prompts/list'),
      ...method('resources', 'resources/list'),
      ...asked('no server', { subtype: 'mcp_message', message: { jsonrpc: '2.0', id: 1, method: 'ping' } }),
      ...asked('no message', { subtype: 'mcp_message', server_name: 'calc' }),
      ...asked('other server', {
        subtype: 'mcp_message',
        server_name: 'other',
        message: { jsonrpc: '2.0', id: 7, method: 'ping' },
      }),
      ...rpc('shapeless', { id: 9 }),
      ...call('after', 'text'),
      RESULT,
      EOF,
    ],
  },
);

/** The JSON-RPC answer, as a path and in a pattern. */
const path = (id: string, below: string): string => `answers/${id}/response/mcp_response/${below}`;
const rpcAnswer = (id: string, value: Json): Json => ({ answers: { [id]: { response: { mcp_response: value } } } });
const passed = (why: string, at: string): Difference => differs('official-ts', 'TS-136', at, why);
const AS_IT_IS = 'The TypeScript SDK passes the result of a tool as it is.';

function client(
  name: string,
  cli: readonly Step[],
  acts: readonly Act[],
  more: Partial<ProcessProgram> = {},
): ProcessProgram {
  return {
    name: `mcp: ${name}`,
    mode: 'client',
    options: { mcpServers: { calc: { $server: { tools: [tool('slow'), tool('other')] } } } },
    cli: [USER, ...handshake, ...cli],
    acts: [{ drive: { command: 'send', content: 'Hi' } }, ...acts],
    ...more,
  };
}

const out = (id: string, given: JsonObject): Step => ({ out: message(id, 'calc', given) });
const callOf = (id: string, name: string): Step =>
  out(id, { id, method: 'tools/call', params: { name, arguments: {} } });
const answered = (id: string): Step => ({ in: { type: 'control_response', response: { request_id: id } } });
const cue = (name: string): Act => ({ drive: { command: 'cue', name } });
const done: Act = { observe: { what: 'message' } };
const waiting: ProcessProgram['callbacks'] = {
  slow: { waitFor: 'slow', returns: [{ content: [text('slow')] }] },
  other: { waitFor: 'other', returns: [{ content: [text('other')] }] },
};

const heard = (name: string): { readonly [key: string]: Json } => ({
  answers: { resources: { response: { mcp_response: { result: { resources: [{ name }] } } } } },
});
const said = (what: string): Json => ({ subtype: 'mcp_message', message: { method: what } });

/** In-process servers. */
export const mcpRows: readonly Row<ProcessProgram>[] = [
  {
    id: 'PY-161',
    what: 'initialize: name and version of the server, the version of the protocol that was asked for',
    looks: [
      look(tools, {
        at: [path('init', 'result/serverInfo'), path('init', 'result/protocolVersion')],
        both: rpcAnswer('init', {
          result: { serverInfo: { name: 'calc', version: '1.2.3' }, protocolVersion: '2025-06-18' },
        }),
      }),
    ],
  },
  {
    id: 'PY-162',
    what: 'a notification is acknowledged',
    looks: [
      look(tools, {
        at: [path('noted', 'result'), path('noted', 'jsonrpc')],
        both: rpcAnswer('noted', { jsonrpc: '2.0', result: {} }),
        python: rpcAnswer('noted', { id: '$absent' }),
        ours: rpcAnswer('noted', { id: 0 }),
        differs: [differs('official-ts', 'TS-140', path('noted', 'id'), 'The TypeScript SDK adds the id 0.')],
      }),
    ],
  },
  {
    id: 'PY-163',
    what: 'ping before initialize',
    looks: [look(tools, { at: [path('early', 'result')], both: rpcAnswer('early', { result: {} }) })],
  },
  {
    id: 'PY-164',
    what: 'ids of JSON-RPC come back as they were, 0 and texts too',
    looks: [
      look(tools, { name: 'mcp: id 0', at: [path('zero', 'id')], both: rpcAnswer('zero', { id: 0, result: {} }) }),
      look(tools, {
        name: 'mcp: id that is text',
        at: [path('text id', 'id')],
        both: rpcAnswer('text id', { id: 'a-b', result: {} }),
      }),
    ],
  },
  {
    id: 'PY-165',
    what: 'a server that does not exist',
    looks: [
      look(tools, {
        python: rpcAnswer('other server', { id: 7, error: { code: -32601, message: "Server 'other' not found" } }),
        ours: { answers: { 'other server': { subtype: 'error', error: '/other/' } } },
        differs: [
          differs(
            'official-ts',
            'TS-145',
            'answers/other server',
            'The TypeScript SDK answers the control request with an error.',
          ),
        ],
      }),
    ],
  },
  {
    id: 'PY-166',
    what: 'a request without a server or a message',
    looks: ['no server', 'no message'].map((id) =>
      look(tools, {
        name: `mcp: ${id}`,
        at: [`answers/${id}/subtype`, `answers/${id}/error`],
        both: { answers: { [id]: { subtype: 'error', error: 'Missing server_name or message for MCP request' } } },
      }),
    ),
  },
  {
    id: 'PY-167',
    what: 'tools are listed in their order, with schema, hints and what is meant for Claude Code',
    looks: [
      look(tools, {
        at: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12].flatMap((at) =>
          ['name', 'description', 'inputSchema/type', 'annotations', '_meta'].map((key) =>
            path('list', `result/tools/${at}/${key}`),
          ),
        ),
        both: rpcAnswer('list', { result: { tools: '$any' } }),
      }),
    ],
  },
  {
    id: 'PY-168',
    what: 'the size of a result that stays inline',
    looks: [
      look(tools, {
        at: [path('list', 'result/tools/12/_meta'), path('list', 'result/tools/12/annotations')],
        both: rpcAnswer('list', {
          result: {
            tools: [
              ...Array.from({ length: 12 }, () => '$any'),
              {
                _meta: { 'anthropic/maxResultSizeChars': 500 },
                annotations: { title: 'T', readOnlyHint: true, maxResultSizeChars: '$absent' },
              },
            ],
          },
        }),
      }),
    ],
  },
  {
    id: 'PY-169',
    what: 'without that hint there is no `_meta`',
    looks: [
      look(tools, {
        at: [path('list', 'result/tools/0/_meta')],
        both: rpcAnswer('list', {
          result: { tools: [{ _meta: '$absent' }, ...Array.from({ length: 12 }, () => '$any')] },
        }),
      }),
    ],
  },
  ...schemaRows(),
  {
    id: 'PY-175',
    what: 'a text',
    looks: [
      look(tools, {
        at: [path('text', 'result/content')],
        both: rpcAnswer('text', { result: { content: [text('hi') as Json] } }),
        python: rpcAnswer('text', { result: { isError: false } }),
        ours: rpcAnswer('text', { result: { isError: '$absent' } }),
        differs: [passed(`${AS_IT_IS} No error is no \`isError\`.`, path('text', 'result/isError'))],
      }),
    ],
  },
  {
    id: 'PY-176',
    what: 'an image',
    looks: [
      look(tools, {
        at: [path('image', 'result/content')],
        both: rpcAnswer('image', { result: { content: [{ type: 'image', data: 'aGk=', mimeType: 'image/png' }] } }),
      }),
    ],
  },
  {
    id: 'PY-177',
    what: 'a link to a resource',
    looks: [
      look(tools, {
        python: rpcAnswer('link', { result: { content: [text('n\nfile:///a\nd') as Json] } }),
        ours: rpcAnswer('link', { result: { content: [{ type: 'resource_link' }] } }),
        differs: [passed(AS_IT_IS, path('link', 'result/content'))],
      }),
    ],
  },
  {
    id: 'PY-178',
    what: 'resources inside a result, and audio',
    looks: [
      look(tools, {
        python: rpcAnswer('embedded', { result: { content: [text('x') as Json] } }),
        ours: rpcAnswer('embedded', { result: { content: [{ type: 'resource' }] } }),
        differs: [passed(AS_IT_IS, path('embedded', 'result/content'))],
      }),
      ...['binary', 'audio'].map((name) =>
        look(tools, {
          name: `mcp: ${name}`,
          python: rpcAnswer(name, { result: { content: [] } }),
          ours: rpcAnswer(name, { result: { content: ['$any'] } }),
          differs: [passed(AS_IT_IS, path(name, 'result/content'))],
        }),
      ),
    ],
  },
  {
    id: 'PY-179',
    what: 'a result that says it is an error',
    looks: [
      look(tools, {
        name: 'mcp: an error, as each SDK spells it',
        at: [path('failed', 'result')],
        both: rpcAnswer('failed', { result: { isError: true, content: [text('no') as Json] } }),
      }),
      look(tools, {
        name: 'mcp: isError in camel case',
        python: rpcAnswer('camel', { result: { isError: false } }),
        ours: rpcAnswer('camel', { result: { isError: true } }),
        differs: [passed('`isError` is how the TypeScript SDK spells it.', path('camel', 'result/isError'))],
      }),
    ],
  },
  {
    id: 'PY-180',
    what: 'further keys of a result',
    looks: [
      look(tools, {
        at: [path('extra', 'result/content')],
        python: rpcAnswer('extra', { result: { structuredContent: '$absent', _meta: '$absent' } }),
        ours: rpcAnswer('extra', { result: { structuredContent: { a: 1 }, _meta: { b: 2 } } }),
        differs: [
          passed(AS_IT_IS, path('extra', 'result/structuredContent')),
          passed(AS_IT_IS, path('extra', 'result/_meta')),
        ],
      }),
    ],
  },
  {
    id: 'PY-181',
    what: 'a result without content',
    looks: [
      look(tools, { at: [path('empty', 'result/content')], both: rpcAnswer('empty', { result: { content: [] } }) }),
    ],
  },
  {
    id: 'PY-182',
    what: 'a handler that throws: a result that is an error, with its text',
    looks: [
      look(tools, {
        at: [path('throws', 'result')],
        both: rpcAnswer('throws', { result: { isError: true, content: [text('mine') as Json] } }),
      }),
    ],
  },
  {
    id: 'PY-183',
    what: 'a handler that returns nothing',
    looks: [
      look(tools, {
        python: rpcAnswer('nothing', { result: { isError: true } }),
        ours: rpcAnswer('nothing', { error: { code: -32602 } }),
        differs: [
          differs(
            'official-ts',
            'TS-139',
            path('nothing', 'error'),
            'In the TypeScript SDK a result that is none is a JSON-RPC error.',
          ),
        ],
      }),
    ],
  },
  {
    id: 'PY-184',
    what: 'a tool that does not exist',
    looks: [
      look(tools, {
        at: [path('unknown', 'result/isError')],
        both: rpcAnswer('unknown', { result: { isError: true, content: [{ text: '/not found/' }] } }),
        python: rpcAnswer('unknown', { result: { content: [{ text: "Tool 'unknown' not found" }] } }),
        ours: rpcAnswer('unknown', { result: { content: [{ text: '/-32602/' }] } }),
        differs: [
          differs(
            'official-ts',
            'TS-138',
            path('unknown', 'result/content'),
            'The text is the one of the TypeScript SDK.',
          ),
        ],
      }),
    ],
  },
  {
    id: 'PY-185',
    what: 'arguments that do not fit the schema',
    looks: [
      look(tools, {
        at: [path('invalid', 'result/isError')],
        both: rpcAnswer('invalid', { result: { isError: true, content: [{ text: '/Input validation error: /' }] } }),
        python: rpcAnswer('invalid', { result: { content: [{ text: '/^Input/' }] } }),
        ours: rpcAnswer('invalid', { result: { content: [{ text: '/-32602/' }] } }),
        differs: [
          differs(
            'official-ts',
            'TS-138',
            path('invalid', 'result/content'),
            'The text is the one of the TypeScript SDK.',
          ),
        ],
      }),
      look(tools, {
        name: 'mcp: no handler was called with them',
        at: ['callbacks'],
        both: {
          callbacks: [
            ...Object.keys(RETURNS).map((name) => ({ name, input: {} })),
            { name: 'throws' },
            { name: 'nothing' },
            { name: 'text', call: 1 },
            { name: 'text', call: 2 },
          ],
        },
      }),
    ],
  },
  {
    id: 'PY-186',
    what: 'a call without arguments: the handler gets an empty object',
    looks: [
      look(tools, {
        at: [path('noArgs', 'result/content'), 'callbacks/12'],
        both: rpcAnswer('noArgs', { result: { content: [text('hi') as Json] } }),
      }),
    ],
  },
  {
    id: 'PY-187',
    what: 'a call without a name',
    looks: [
      look(tools, {
        python: rpcAnswer('nameless', { error: { code: -32602 } }),
        ours: rpcAnswer('nameless', { error: { code: -32603 } }),
        differs: [
          differs(
            'official-ts',
            'TS-139',
            path('nameless', 'error'),
            'The MCP SDK of TypeScript says it with another code.',
          ),
        ],
      }),
    ],
  },
  {
    id: 'PY-188',
    what: 'prompts and resources of a server that has tools only',
    looks: ['prompts', 'resources'].map((name) =>
      look(tools, {
        name: `mcp: ${name} of a server without`,
        at: [path(name, 'error/code'), path(name, 'error/message')],
        both: rpcAnswer(name, { error: { code: -32601 } }),
      }),
    ),
  },
  {
    id: 'PY-189',
    what: 'a server made by hand: what it serves is served',
    looks: [
      look(
        launch(
          'mcp: made by hand',
          { mcpServers: { calc: { $server: { version: 'hand-built' } } } },
          { cli: [USER, ...handshake, ...method('resources', 'resources/list'), RESULT, EOF] },
        ),
        {
          at: [path('resources', 'result/resources/0/uri'), path('resources', 'result/resources/0/name')],
          both: rpcAnswer('resources', { result: { resources: [{ uri: 'a://b', name: 'r' }] } }),
        },
      ),
    ],
  },
  {
    id: 'PY-190',
    what: 'a message that is neither request nor answer, and what comes after it',
    looks: [
      look(tools, {
        at: [path('after', 'result/content')],
        both: rpcAnswer('after', { result: { content: [text('hi') as Json] } }),
        python: rpcAnswer('shapeless', { id: 9, error: { code: -32603 } }),
        ours: rpcAnswer('shapeless', { id: 0, result: {}, error: '$absent' }),
        differs: [
          differs(
            'official-ts',
            'TS-140',
            'answers/shapeless/response/mcp_response',
            'In the TypeScript SDK whatever is no request is acknowledged as a notification.',
          ),
        ],
      }),
    ],
  },
  {
    id: 'PY-191',
    what: 'an id that is in flight already: an error, and no second call',
    looks: [
      look(
        client(
          'an id in flight',
          [
            out('one', { id: 5, method: 'tools/call', params: { name: 'slow', arguments: {} } }),
            out('two', { id: 5, method: 'tools/call', params: { name: 'other', arguments: {} } }),
            answered('two'),
            { mark: 'both' },
            answered('one'),
            RESULT,
            EOF,
          ],
          [{ reached: 'both' }, cue('slow'), cue('other'), done],
          { callbacks: waiting ?? {} },
        ),
        {
          at: ['missed', 'callbacks', path('two', 'error'), path('two', 'id'), path('one', 'result/content')],
          both: rpcAnswer('two', { id: 5, error: { code: -32603, message: 'Request id 5 is already in flight' } }),
        },
      ),
    ],
  },
  {
    id: 'PY-192',
    what: 'two calls at once end independently of each other',
    looks: [
      look(
        client(
          'two calls at once',
          [
            callOf('one', 'slow'),
            callOf('two', 'other'),
            answered('two'),
            { mark: 'second' },
            answered('one'),
            RESULT,
            EOF,
          ],
          [
            { observe: { what: 'callback', name: 'slow' } },
            { observe: { what: 'callback', name: 'other' } },
            cue('other'),
            { reached: 'second' },
            cue('slow'),
            done,
          ],
          { callbacks: waiting ?? {} },
        ),
        {
          at: ['order', 'verdict', 'missed', path('one', 'result/content'), path('two', 'result/content')],
          both: { verdict: 'passed', missed: [] },
        },
      ),
    ],
  },
  {
    id: 'PY-193',
    what: 'a call that is cancelled',
    looks: [
      look(
        client(
          'a cancelled call',
          [
            callOf('one', 'slow'),
            { gate: 'running' },
            out('stop', { method: 'notifications/cancelled', params: { requestId: 'one' } }),
            answered('stop'),
            { delayMs: 200 },
            RESULT,
            EOF,
          ],
          [{ observe: { what: 'callback' } }, { open: 'running' }, done],
          { callbacks: waiting ?? {} },
        ),
        {
          at: ['cancelled', 'missed'],
          both: { cancelled: [{ name: 'slow', call: 0 }] },
          python: rpcAnswer('one', { error: '$any' }),
          ours: { answers: { one: '$absent' } },
          differs: [
            differs('official-ts', 'TS-143', 'answers/one', 'In the TypeScript SDK a cancelled call has no answer.'),
          ],
        },
      ),
    ],
  },
  {
    id: 'PY-194',
    what: 'initialize again while a call runs',
    looks: [
      look(
        client(
          'initialize again',
          [
            callOf('one', 'slow'),
            { gate: 'running' },
            ...method('again', 'initialize', HELLO),
            { mark: 'again' },
            answered('one'),
            RESULT,
            EOF,
          ],
          [{ observe: { what: 'callback' } }, { open: 'running' }, { reached: 'again' }, cue('slow'), done],
          { callbacks: waiting ?? {} },
        ),
        {
          at: [path('again', 'result/serverInfo'), path('one', 'result/content'), 'verdict', 'missed', 'cancelled'],
          both: { verdict: 'passed', missed: [], cancelled: [] },
        },
      ),
    ],
  },
  {
    id: 'PY-195',
    what: 'what a server says by itself',
    looks: [
      look(
        launch(
          'mcp: a server that talks',
          { mcpServers: { calc: { $server: { version: 'hand-built, talks' } } } },
          { cli: [USER, ...handshake, ...method('resources', 'resources/list'), { delayMs: 200 }, RESULT, EOF] },
        ),
        {
          python: { requests: [], ...heard('ping true, roots -32601') },
          ours: { requests: [said('notifications/message'), said('ping'), said('roots/list'), '$more'], ...heard('r') },
          differs: [
            differs(
              'official-ts',
              'TS-144',
              'requests',
              'In the TypeScript SDK it reaches the CLI, whose answer reaches the server; Python drops notifications, answers a ping itself and refuses the rest.',
            ),
          ],
        },
      ),
    ],
  },
  {
    id: 'PY-196',
    what: 'a server whose run dies',
    notApplicable:
      'A server of the Python library is a loop that runs and can die. A server here is an object with handlers: there is no run that could end by itself.',
  },
  {
    id: 'PY-197',
    what: 'a message after close',
    notApplicable:
      'Not a matter of the language, and not shown: it is about the bridge object inside the Python SDK. What a CLI asks after `close` is read by neither SDK, and the two inner objects have no call in common.',
  },
  {
    id: 'PY-198',
    what: 'a tool that ignores its cancellation, and closing',
    looks: [
      look(
        client(
          'a tool that goes on',
          [callOf('one', 'slow'), EOF],
          [{ observe: { what: 'callback' } }, { drive: { command: 'close' }, as: 'closed' }, { reply: 'closed' }],
          { callbacks: { slow: { waitFor: 'never', ignoresAbort: true } }, timeScale: 5 },
        ),
        {
          at: ['cancelled/0', 'exit/signals'],
          both: { exit: { signals: [] } },
          python: { took: { closed: 5 } },
          ours: { took: { closed: 0 } },
          differs: [
            differs(
              'official-ts',
              'TS-134, TS-159',
              'took/closed',
              'In the TypeScript SDK closing does not wait for callbacks; their signals abort.',
            ),
          ],
        },
      ),
      look(
        {
          name: 'closing: a permission callback that goes on',
          mode: 'client',
          options: { canUseTool: { $callback: 'slow' } },
          callbacks: { slow: { waitFor: 'never', ignoresAbort: true } },
          cli: [
            USER,
            {
              out: {
                type: 'control_request',
                request_id: 'q',
                request: { subtype: 'can_use_tool', tool_name: 'Bash', input: {} },
              },
            },
            EOF,
          ],
          acts: [
            { drive: { command: 'send', content: 'Hi' } },
            { observe: { what: 'callback' } },
            { drive: { command: 'close' }, as: 'closed' },
            { reply: 'closed' },
          ],
          timeScale: 5,
        },
        { at: ['cancelled/0'], both: { cancelled: [{ name: 'slow', call: 0 }, '$more'] } },
      ),
    ],
  },
];

function schemaRows(): readonly Row<ProcessProgram>[] {
  const schema = (name: string): ProcessProgram =>
    launch(
      `mcp: schema ${name}`,
      { mcpServers: { calc: { $server: { tools: [tool('one', name === 'json' ? json : { $python: name })] } } } },
      { cli: [USER, ...handshake, ...method('list', 'tools/list'), RESULT, EOF] },
    );
  const at = (below: string): string => path('list', `result/tools/0/inputSchema${below}`);
  const shows = (value: Json): Json => rpcAnswer('list', { result: { tools: [{ inputSchema: value }] } });
  return [
    {
      id: 'PY-170',
      what: 'a schema of names and types: every name is required',
      looks: [
        look(schema('types'), {
          at: [at('/type'), at('/properties'), at('/required')],
          both: shows({ type: 'object', required: ['a', 'c', 'd'] }),
        }),
        look(schema('empty'), {
          at: [at('/type'), at('/properties')],
          both: shows({ type: 'object', properties: {} }),
          python: shows({ required: [] }),
          ours: shows({ required: '$absent' }),
          differs: [
            differs('official-ts', 'TS-147', at('/required'), 'As zod says it: nothing required is no `required`.'),
          ],
        }),
      ],
    },
    {
      id: 'PY-171',
      what: 'a JSON Schema is listed unchanged',
      looks: [look(schema('json'), { at: [at('')], both: shows(json as Json) })],
    },
    {
      id: 'PY-172',
      what: 'what is said of a parameter is its description',
      looks: [
        look(schema('described'), {
          at: [at('/properties')],
          both: shows({ properties: { a: { type: 'string', description: 'First' } } }),
        }),
      ],
    },
    {
      id: 'PY-173',
      what: 'keys that may be left out are not required',
      looks: [
        look(schema('typed'), {
          at: [at('/required'), at('/properties')],
          both: shows({ required: ['need'], properties: { may: { type: 'number' } } }),
        }),
      ],
    },
    {
      id: 'PY-174',
      what: 'any class as a schema',
      notApplicable: 'A class of JavaScript says nothing of its members at run time, and is no schema.',
    },
  ];
}
