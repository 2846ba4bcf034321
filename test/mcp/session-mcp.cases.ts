import { z } from 'zod';
import { createSdkMcpServer, query, tool } from '../../src/index.js';
import type { McpSdkServerConfigWithInstance } from '../../src/mcp/mcp-server-config.js';
import type { JsonObject } from '../../src/util/json.js';
import { turn } from '../helpers/cli-frames.js';
import { type Step, scriptedCli } from '../helpers/scripted-cli.js';
import type { Answer, SessionCase } from '../helpers/session-case/session-case.js';
import type { Stage } from '../helpers/session-case/session-stage.js';
import { answered, EOF, mcp, probe, RESULT, rpc, USER } from '../helpers/session-case/steps.js';

const INIT_PARAMS = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'claude-code', version: '2.1.330' },
};

/** Sends JSON-RPC to the server `notes`, each message when the one before is answered, within one turn. */
function conversation(messages: Readonly<Record<string, JsonObject>>): readonly Step[] {
  return [
    USER,
    ...Object.entries(messages).flatMap(([id, message]) => [mcp(id, 'notes', message), answered(id)]),
    RESULT,
    EOF,
  ];
}

/** The control answer that carries this JSON-RPC. */
function carried(message: JsonObject): Answer {
  return { ok: { mcp_response: message } };
}

function result(id: string | number, value: JsonObject): Answer {
  return carried({ jsonrpc: '2.0', id, result: value });
}

function failed(id: string | number, text: string): Answer {
  return result(id, { content: [{ type: 'text', text }], isError: true });
}

const ACKNOWLEDGED = carried({ jsonrpc: '2.0', result: {}, id: 0 });

/** Texts and codes of errors in the answers, for rows whose texts come from a validator. */
async function noteErrors(stage: Stage): Promise<unknown> {
  await stage.drain();
  const frames = stage.cli.log().frames.filter(({ type }) => type === 'control_response');
  return frames.map(({ response }) => {
    const answer = (response as { response: { mcp_response: JsonObject } }).response.mcp_response;
    const outcome = (answer.result ?? answer.error) as JsonObject;
    const [block] = (outcome.content ?? []) as { text: string }[];
    const text = block?.text ?? String(outcome.message);
    return [outcome.isError ?? outcome.code, /-32602|Invalid tools\/call result/.exec(text)?.[0]];
  });
}

/** The same tools, answered from our own table and by an `McpServer` of the MCP SDK. */
function both(
  make: () => McpSdkServerConfigWithInstance,
): { kind: string; server: () => McpSdkServerConfigWithInstance }[] {
  return [
    { kind: 'from the tool table', server: make },
    {
      kind: 'through an MCP SDK instance',
      server: () => {
        const server = make();
        void server.instance;
        return server;
      },
    },
  ];
}

const text = (value: string) => ({ content: [{ type: 'text' as const, text: value }] });

const notes = (): McpSdkServerConfigWithInstance =>
  createSdkMcpServer({
    name: 'Notes',
    version: '2.0.0',
    instructions: 'Ask.',
    tools: [
      tool('add', 'Adds', { a: z.number(), b: z.number().default(1) }, ({ a, b }) => text(String(a + b))),
      tool('fail', 'Fails', {}, () => {
        throw new Error('it broke');
      }),
      tool('bare', 'No arguments', undefined, () => text('bare'), {
        annotations: { readOnlyHint: true },
        searchHint: 'nothing',
      }),
      tool('wrong', 'Gives no result', {}, () => null as never),
      tool('misshapen', 'Gives a bad block', {}, () => ({ content: [{ type: 'no' }] }) as never),
    ],
  });

const listed = [
  {
    name: 'add',
    description: 'Adds',
    inputSchema: {
      $schema: 'http://json-schema.org/draft-07/schema#',
      type: 'object',
      properties: { a: { type: 'number' }, b: { default: 1, type: 'number' } },
      required: ['a'],
    },
    execution: { taskSupport: 'forbidden' },
  },
  ...['fail', 'bare', 'wrong', 'misshapen'].map((name) => ({
    name,
    description: { fail: 'Fails', bare: 'No arguments', wrong: 'Gives no result', misshapen: 'Gives a bad block' }[
      name
    ],
    inputSchema:
      name === 'bare'
        ? { type: 'object', properties: {} }
        : { $schema: 'http://json-schema.org/draft-07/schema#', type: 'object', properties: {} },
    ...(name === 'bare' ? { annotations: { readOnlyHint: true } } : {}),
    execution: { taskSupport: 'forbidden' },
    ...(name === 'bare' ? { _meta: { 'anthropic/searchHint': 'nothing' } } : {}),
  })),
];

const manifest = {
  initializeResult: {
    protocolVersion: '2025-11-25',
    capabilities: { tools: { listChanged: true } },
    serverInfo: { name: 'Notes', version: '2.0.0' },
    instructions: 'Ask.',
  },
  toolsListResult: { tools: listed },
};

/** For the rows in which one server is used by many. */
const shared = notes();

export const mcpCases: readonly SessionCase[] = [
  ...both(notes).flatMap(({ kind, server }): SessionCase[] => [
    {
      ids: ['TS-135', 'PY-161', 'PY-167', 'PY-169', 'PY-173', 'PY-174'],
      name: `tools/list and the manifest name all tools with their schemas, ${kind}`,
      options: () => ({ mcpServers: { notes: server() } }),
      cli: conversation({ init: rpc(1, 'initialize', INIT_PARAMS), list: rpc('two', 'tools/list') }),
      expect: {
        initialize: { sdkMcpServers: ['notes'] },
        answers: { init: result(1, manifest.initializeResult), list: result('two', { tools: listed }) },
      },
    },
    {
      ids: ['TS-136', 'TS-137', 'PY-164', 'PY-175', 'PY-182', 'PY-186'],
      name: `tools/call gives the handler’s result under the same id, a throw as an error result, ${kind}`,
      options: () => ({ mcpServers: { notes: server() } }),
      cli: conversation({
        init: rpc(1, 'initialize', INIT_PARAMS),
        number: rpc(0, 'tools/call', { name: 'add', arguments: { a: 2, b: 3, c: 4 } }),
        string: rpc('s', 'tools/call', { name: 'add', arguments: { a: 2 } }),
        bare: rpc(3, 'tools/call', { name: 'bare' }),
        fail: rpc(4, 'tools/call', { name: 'fail', arguments: {} }),
      }),
      expect: {
        answers: {
          init: result(1, manifest.initializeResult),
          number: result(0, text('5')),
          string: result('s', text('3')),
          bare: result(3, text('bare')),
          fail: failed(4, 'it broke'),
        },
        // The MCP SDK keeps what its handlers throw to itself.
        ...(kind === 'from the tool table' ? { diagnostics: ['callback_threw'] } : {}),
      },
    },
    {
      ids: ['TS-138', 'TS-139', 'PY-184', 'PY-185', 'PY-188'],
      name: `what cannot be called or answered is told from what failed, ${kind}`,
      options: () => ({ mcpServers: { notes: server() } }),
      cli: conversation({
        init: rpc(1, 'initialize', INIT_PARAMS),
        args: rpc(2, 'tools/call', { name: 'add', arguments: { a: 'x' } }),
        unknown: rpc(3, 'tools/call', { name: 'none', arguments: {} }),
        wrong: rpc(4, 'tools/call', { name: 'wrong', arguments: {} }),
        misshapen: rpc(5, 'tools/call', { name: 'misshapen', arguments: {} }),
        method: rpc(6, 'no/such/method'),
        resources: rpc(7, 'resources/list'),
      }),
      program: async (stage) => {
        const seen = (await noteErrors(stage)) as unknown[];
        return seen.slice(1);
      },
      expect: {
        value: [
          [true, '-32602'],
          [true, '-32602'],
          [-32602, '-32602'],
          [-32602, '-32602'],
          [-32601, undefined],
          [-32601, undefined],
        ],
        answers: 'elsewhere',
        // The MCP SDK checks them itself.
        ...(kind === 'from the tool table'
          ? { diagnostics: ['callback_result_invalid', 'callback_result_invalid'] }
          : {}),
      },
    },
  ]),
  {
    ids: ['TS-140', 'TS-145', 'PY-166'],
    name: 'notifications are acknowledged; an unknown server and a message without its parts are errors',
    options: () => ({ mcpServers: { notes: notes() } }),
    cli: [
      USER,
      mcp('note', 'notes', { jsonrpc: '2.0', method: 'notifications/initialized' }),
      mcp('null', 'notes', { jsonrpc: '2.0', method: 'x', id: null }),
      mcp('response', 'notes', { jsonrpc: '2.0', id: 99, result: {} }),
      mcp('nobody', 'none', rpc(1, 'tools/list')),
      {
        out: { type: 'control_request', request_id: 'half', request: { subtype: 'mcp_message', server_name: 'notes' } },
      },
      ...['note', 'null', 'response', 'nobody', 'half'].map(answered),
      RESULT,
      EOF,
    ],
    expect: {
      answers: {
        note: ACKNOWLEDGED,
        null: ACKNOWLEDGED,
        response: ACKNOWLEDGED,
        nobody: { error: 'SDK MCP server not found: none' },
        half: { error: 'Missing server_name or message for MCP request' },
      },
    },
  },
  {
    ids: ['TS-141', 'PY-161', 'PY-194'],
    name: 'known protocol versions are echoed, unknown ones get the newest',
    options: () => ({ mcpServers: { notes: notes() } }),
    cli: conversation(
      Object.fromEntries(
        ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2999-01-01'].map((version) => [
          version,
          rpc(1, 'initialize', { ...INIT_PARAMS, protocolVersion: version }),
        ]),
      ),
    ),
    expect: {
      answers: Object.fromEntries(
        [
          ['2024-11-05', '2024-11-05'],
          ['2025-03-26', '2025-03-26'],
          ['2025-06-18', '2025-06-18'],
          ['2025-11-25', '2025-11-25'],
          ['2999-01-01', '2025-11-25'],
        ].map(([asked = '', protocolVersion]) => [asked, result(1, { ...manifest.initializeResult, protocolVersion })]),
      ),
    },
  },
  {
    ids: ['TS-142', 'PY-192'],
    name: 'concurrent calls are answered in the order of completion',
    options: (stage) => ({
      mcpServers: {
        notes: createSdkMcpServer({
          name: 'Notes',
          tools: [
            tool('wait', '', { gate: z.string() }, async ({ gate }) => {
              await stage.opened(gate);
              stage.note(gate);
              return text(gate);
            }),
          ],
        }),
      },
    }),
    cli: [
      USER,
      mcp('slow', 'notes', rpc(1, 'tools/call', { name: 'wait', arguments: { gate: 'slow' } })),
      mcp('fast', 'notes', rpc(2, 'tools/call', { name: 'wait', arguments: { gate: 'fast' } })),
      { out: { type: 'system', subtype: 'marker' } },
      answered('fast'),
      { out: { type: 'system', subtype: 'marker' } },
      answered('slow'),
      RESULT,
      EOF,
    ],
    program: async (stage) => {
      for (const gate of ['fast', 'slow']) {
        await stage.drain('system/marker');
        stage.open(gate);
      }
      await stage.drain();
    },
    expect: { notes: ['fast', 'slow'], answers: { fast: result(2, text('fast')), slow: result(1, text('slow')) } },
  },
  ...[
    {
      ids: ['TS-143', 'PY-193'],
      name: 'notifications/cancelled',
      steps: [
        mcp('stop', 'notes', {
          jsonrpc: '2.0',
          method: 'notifications/cancelled',
          params: { requestId: 7, reason: 'enough' },
        }),
      ],
      answers: { stop: ACKNOWLEDGED, call: 'none' } as Record<string, Answer>,
    },
    {
      ids: ['TS-143'],
      differs: 'D-14',
      name: 'control_cancel_request',
      steps: [{ out: { type: 'control_cancel_request', request_id: 'call' } }],
      answers: { call: 'none' } as Record<string, Answer>,
    },
  ].map(
    ({ ids, differs, name, steps, answers }): SessionCase => ({
      ids,
      ...(differs === undefined ? {} : { differs }),
      name: `${name} aborts the handler’s signal, and the call is not answered`,
      options: (stage) => ({
        mcpServers: {
          notes: createSdkMcpServer({
            name: 'Notes',
            tools: [
              tool('wait', '', undefined, async ({ signal }) => {
                stage.note(signal.aborted);
                await new Promise((resolve) => signal.addEventListener('abort', resolve));
                stage.note(signal.aborted);
                return text('late');
              }),
            ],
          }),
        },
      }),
      cli: [
        USER,
        mcp('call', 'notes', rpc(7, 'tools/call', { name: 'wait' })),
        ...probe(),
        ...steps,
        ...probe(),
        RESULT,
        EOF,
      ],
      expect: { notes: [false, true], answers, diagnostics: ['request_unsupported', 'request_unsupported'] },
    }),
  ),
  {
    ids: ['TS-144', 'PY-195'],
    name: 'a server’s own notification and request go out; the CLI’s reply reaches the server',
    differs: 'D-13',
    options: (stage) => ({
      mcpServers: {
        notes: createSdkMcpServer({
          name: 'Notes',
          tools: [
            tool('ask', '', undefined, async ({ sendNotification, sendRequest }) => {
              await sendNotification({ method: 'notifications/progress', params: { progressToken: 1, progress: 1 } });
              const reply = await sendRequest(
                {
                  method: 'elicitation/create',
                  params: { message: 'Who?', requestedSchema: { type: 'object', properties: {} } },
                },
                z.looseObject({ action: z.string() }),
              );
              stage.note(reply);
              return text('asked');
            }),
          ],
        }),
      },
    }),
    cli: [
      USER,
      mcp('init', 'notes', rpc(0, 'initialize', { ...INIT_PARAMS, capabilities: { elicitation: {} } })),
      answered('init'),
      mcp('call', 'notes', rpc(1, 'tools/call', { name: 'ask' })),
      {
        in: {
          type: 'control_request',
          request: { subtype: 'mcp_message', message: { method: 'notifications/progress' } },
        },
        answer: {},
      },
      {
        in: {
          type: 'control_request',
          request: {
            subtype: 'mcp_message',
            server_name: 'notes',
            message: { method: 'elicitation/create', id: '$rpc' },
          },
        },
        answer: {},
      },
      mcp('reply', 'notes', { jsonrpc: '2.0', id: '$rpc', result: { action: 'decline' } }),
      answered('reply'),
      answered('call'),
      RESULT,
      EOF,
    ],
    expect: {
      notes: [{ action: 'decline' }],
      answers: {
        init: result(0, {
          protocolVersion: '2025-11-25',
          capabilities: { tools: { listChanged: true } },
          serverInfo: { name: 'Notes', version: '1.0.0' },
        }),
        reply: ACKNOWLEDGED,
        call: result(1, text('asked')),
      },
    },
  },
  {
    ids: ['TS-146'],
    name: 'a tool whose schema no JSON Schema can say is left out with a warning, the others stay',
    options: () => ({
      mcpServers: {
        notes: createSdkMcpServer({
          name: 'Notes',
          tools: [
            tool('dated', '', { when: z.date() }, () => text('')),
            tool('plain', '', undefined, () => text('plain')),
          ],
        }),
      },
    }),
    cli: conversation({ list: rpc(1, 'tools/list') }),
    expect: {
      answers: {
        list: result(1, {
          tools: [
            {
              name: 'plain',
              description: '',
              inputSchema: { type: 'object', properties: {} },
              execution: { taskSupport: 'forbidden' },
            },
          ],
        }),
      },
      warnings: ['CLAUDE_SDK_MCP_TOOL_SCHEMA_UNCONVERTIBLE'],
    },
  },
  {
    ids: ['TS-150'],
    name: 'one server in two queries at once, under two keys, and again after they ended',
    differs: 'D-13',
    options: { mcpServers: { a: shared, b: shared } },
    cli: [
      USER,
      ...['a', 'b'].flatMap((name) => [mcp(name, name, rpc(1, 'tools/call', { name: 'bare' })), answered(name)]),
      RESULT,
      EOF,
    ],
    program: async (stage) => {
      await Promise.all([callBare(stage, 'first'), stage.drain()]);
      await callBare(stage, 'second');
    },
    expect: {
      notes: ['first', 'second'].map((id) => ({
        subtype: 'success',
        request_id: id,
        response: { mcp_response: { jsonrpc: '2.0', id: 5, result: text('bare') } },
      })),
      answers: { a: result(1, text('bare')), b: result(1, text('bare')) },
    },
  },
];

/** Another query of the same program, in which the CLI calls one tool of the shared server. */
async function callBare(stage: Stage, id: string): Promise<void> {
  const cli = scriptedCli(turnWithCall(id));
  const other = query({
    prompt: 'Hi',
    options: { pathToClaudeCodeExecutable: cli.path, mcpServers: { notes: shared } },
  });
  for await (const message of other) {
    if (message.type === 'result') stage.note(cli.log().frames.at(-1)?.response);
  }
}

function turnWithCall(id: string): readonly Step[] {
  const [user, ...rest] = turn();
  return [user as Step, mcp(id, 'notes', rpc(5, 'tools/call', { name: 'bare' })), answered(id), ...rest, EOF];
}
