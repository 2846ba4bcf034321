import { z } from 'zod';
import { createSdkMcpServer, type Options, tool } from '../../src/index.js';
import type { JsonObject } from '../../src/util/json.js';
import { resultFrame } from '../helpers/cli-frames.js';
import type { Step } from '../helpers/scripted-cli.js';
import type { Answer, SessionCase } from '../helpers/session-case/session-case.js';
import type { Stage } from '../helpers/session-case/session-stage.js';
import {
  answered,
  cancel,
  canUseTool,
  EOF,
  item,
  mcp,
  probe,
  RESULT,
  rpc,
  STOP,
  USER,
} from '../helpers/session-case/steps.js';

const allow: Options = { canUseTool: async () => ({ behavior: 'allow' }) };

/** A client asks, reads one response, and leaves. */
async function oneTurn({ client }: Stage): Promise<void> {
  await client.connect('Hi');
  for await (const _ of client.receiveResponse());
  await client.disconnect();
}

function questions(ids: readonly string[]): readonly Step[] {
  return [USER, ...ids.flatMap((id) => [canUseTool(id), answered(id)]), RESULT, EOF];
}

const text = (value: string) => ({ type: 'text' as const, text: value });
const task = (subtype: string, over: JsonObject): Step => ({
  out: { type: 'system', subtype, task_id: 't1', ...over },
});
const started = task('task_started', { task_type: 'local_agent' });

const suggestion = {
  type: 'addRules',
  rules: [{ toolName: 'Bash' }],
  behavior: 'allow',
  destination: 'session',
  mode: 'stray',
};

export const pythonCallbackCases: readonly SessionCase[] = [
  {
    ids: ['PY-215', 'PY-216', 'PY-217', 'PY-218', 'PY-219', 'PY-225', 'PY-226'],
    name: 'a client completes short permission answers: the input on an allow, a message on a deny',
    differs: 'TS-114',
    options: () => {
      const results = [
        { behavior: 'allow' },
        { behavior: 'allow', updatedInput: {}, updatedPermissions: [] },
        { behavior: 'allow', updatedPermissions: [suggestion] },
        { behavior: 'deny' },
        { behavior: 'deny', message: 'no', interrupt: true },
      ];
      return { canUseTool: async () => results.shift() as never };
    },
    cli: questions(['bare', 'empty', 'echo', 'deny', 'interrupt']),
    program: oneTurn,
    expect: {
      answers: {
        bare: { ok: { behavior: 'allow', toolUseID: 'toolu_1', updatedInput: { command: 'ls' } } },
        empty: { ok: { behavior: 'allow', updatedInput: {}, updatedPermissions: [], toolUseID: 'toolu_1' } },
        echo: {
          ok: {
            behavior: 'allow',
            updatedPermissions: [suggestion],
            toolUseID: 'toolu_1',
            updatedInput: { command: 'ls' },
          },
        },
        deny: { ok: { behavior: 'deny', toolUseID: 'toolu_1', message: '' } },
        interrupt: { ok: { behavior: 'deny', message: 'no', interrupt: true, toolUseID: 'toolu_1' } },
      },
    },
  },
  {
    ids: ['PY-132'],
    name: 'a client does not answer a request that was cancelled',
    options: (stage) => ({
      canUseTool: async (_name, _input, { signal }) => {
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        stage.note('cancelled');
        return { behavior: 'allow' };
      },
    }),
    cli: [USER, canUseTool('c1'), cancel('c1'), ...probe(), RESULT, EOF],
    program: oneTurn,
    expect: { notes: ['cancelled'], answers: { c1: 'none' }, diagnostics: ['answer_dropped', 'request_unsupported'] },
  },
  {
    ids: ['PY-227'],
    name: 'canUseTool and permissionPromptToolName together are refused, and nothing is started',
    options: { ...allow, permissionPromptToolName: 'mcp__a__ask' },
    cli: [],
    program: async ({ client, cli }) => {
      const error = await client.connect().catch((thrown) => thrown);
      return [error.name, error.option, cli.logs().length];
    },
    expect: { value: ['InvalidOptionError', 'permissionPromptToolName', 0], exitCode: undefined },
  },
  ...[
    { id: 'PY-228', name: 'bypassPermissions', options: { permissionMode: 'bypassPermissions' } },
    { id: 'PY-229', name: 'a bare allowed tool', options: { allowedTools: ['Read', 'Read'] } },
  ].map(
    ({ id, name, options }): SessionCase => ({
      ids: [id],
      name: `canUseTool with ${name} is warned of, and the run goes on`,
      options: { ...allow, ...(options as Options) },
      cli: [USER, RESULT, EOF],
      program: oneTurn,
      expect: { warnings: ['CLAUDE_SDK_CAN_USE_TOOL_SHADOWED'] },
    }),
  ),
  {
    // The official TypeScript SDK counts what is in `allowedTools`, not what `skills` adds to it.
    ids: ['PY-230'],
    name: "canUseTool with skills 'all' is not warned of: only allowedTools counts",
    options: { ...allow, skills: 'all' },
    cli: [USER, RESULT, EOF],
    program: oneTurn,
    expect: { warnings: [] },
  },
  {
    ids: ['PY-229', 'PY-230', 'PY-231'],
    name: 'rules for a part of a tool, skills by name, and a client that is only made: no warning',
    options: { ...allow, allowedTools: ['Bash(ls:*)'], skills: ['pdf'] },
    cli: [USER, RESULT, EOF],
    program: async (stage) => {
      void stage.client;
      await oneTurn(stage);
    },
    expect: { warnings: [] },
  },
  {
    ids: ['PY-199', 'PY-200', 'PY-201', 'PY-202', 'PY-213', 'PY-214'],
    name: 'hooks count up over all events; no pattern, no timeout and no matchers are left out',
    differs: 'TS-071',
    options: {
      hooks: {
        PreToolUse: [
          { hooks: [async () => ({}), async () => ({})] },
          { matcher: 'Bash', hooks: [async () => ({})], timeout: 3 },
        ],
        Stop: [],
        Notification: [{ hooks: [async () => ({})] }],
        SubagentStart: [{ hooks: [] }],
        PermissionRequest: [{ hooks: [async () => ({})] }],
        FromTheFuture: [{ hooks: [async () => ({})] }],
      } as Options['hooks'] & object,
    },
    cli: [USER, RESULT, EOF],
    program: oneTurn,
    expect: {
      initialize: {
        hooks: {
          PreToolUse: [
            { hookCallbackIds: ['hook_0', 'hook_1'] },
            { matcher: 'Bash', hookCallbackIds: ['hook_2'], timeout: 3 },
          ],
          Notification: [{ hookCallbackIds: ['hook_3'] }],
          SubagentStart: [{ hookCallbackIds: [] }],
          PermissionRequest: [{ hookCallbackIds: ['hook_4'] }],
          FromTheFuture: [{ hookCallbackIds: ['hook_5'] }],
        },
      },
    },
  },
  {
    ids: ['PY-162', 'PY-165'],
    name: 'MCP notifications and unknown servers are answered as the official TypeScript SDK does',
    differs: 'TS-140',
    options: { mcpServers: { notes: createSdkMcpServer({ name: 'Notes', tools: [] }) } },
    cli: [
      USER,
      mcp('note', 'notes', { jsonrpc: '2.0', method: 'notifications/initialized' }),
      answered('note'),
      mcp('nobody', 'none', rpc(1, 'ping')),
      answered('nobody'),
      RESULT,
      EOF,
    ],
    program: oneTurn,
    expect: {
      answers: {
        note: { ok: { mcp_response: { jsonrpc: '2.0', result: {}, id: 0 } } },
        nobody: { error: 'SDK MCP server not found: none' },
      },
    },
  },
  {
    ids: ['PY-168', 'PY-170', 'PY-171', 'PY-172', 'PY-173', 'PY-174'],
    name: 'schemas are listed as given or as zod says; hints stay where they were put',
    differs: 'TS-147',
    options: {
      mcpServers: {
        notes: createSdkMcpServer({
          name: 'Notes',
          tools: [
            tool(
              'json',
              '',
              { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
              () => ({ content: [] }),
              { _meta: { 'anthropic/maxResultSizeChars': 500 } },
            ),
            tool('shape', '', { need: z.string().describe('Needed'), may: z.number().optional() }, () => ({
              content: [],
            })),
          ],
        }),
      },
    },
    cli: [USER, mcp('list', 'notes', rpc(1, 'tools/list')), answered('list'), RESULT, EOF],
    program: oneTurn,
    expect: {
      answers: {
        list: rpcResult(1, {
          tools: [
            {
              name: 'json',
              description: '',
              inputSchema: { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
              execution: { taskSupport: 'forbidden' },
              _meta: { 'anthropic/maxResultSizeChars': 500 },
            },
            {
              name: 'shape',
              description: '',
              inputSchema: {
                $schema: 'http://json-schema.org/draft-07/schema#',
                type: 'object',
                properties: { need: { description: 'Needed', type: 'string' }, may: { type: 'number' } },
                required: ['need'],
              },
              execution: { taskSupport: 'forbidden' },
            },
          ],
        }),
      },
    },
  },
  {
    ids: ['PY-176', 'PY-177', 'PY-178', 'PY-179', 'PY-180', 'PY-181', 'PY-183', 'PY-187'],
    name: 'blocks of every kind and further keys pass; a result that is none is an error',
    differs: 'TS-136',
    options: () => {
      const results = Object.entries(blocks());
      return {
        mcpServers: {
          notes: createSdkMcpServer({
            name: 'Notes',
            tools: [tool('give', '', undefined, () => results.shift()?.[1] as never)],
          }),
        },
      };
    },
    cli: [
      USER,
      ...[...Object.keys(blocks()), 'nothing'].flatMap((id) => [
        mcp(id, 'notes', rpc(id, 'tools/call', { name: 'give' })),
        answered(id),
      ]),
      mcp('nameless', 'notes', rpc('nameless', 'tools/call', {})),
      answered('nameless'),
      RESULT,
      EOF,
    ],
    program: async (stage) => {
      await oneTurn(stage);
      const answers = stage.cli.log().frames.filter(({ type }) => type === 'control_response');
      return answers.map(({ response }) => {
        const { mcp_response: rpcAnswer } = (response as { response: { mcp_response: JsonObject } }).response;
        return rpcAnswer.result ?? (rpcAnswer.error as { code: number }).code;
      });
    },
    expect: {
      value: [...Object.values(blocks()).map((block) => ({ content: [], ...block })), -32602, -32603],
      answers: 'elsewhere',
      diagnostics: ['callback_result_invalid'],
    },
  },
  {
    ids: ['PY-140'],
    name: 'a background task holds the input open past the result, up to the first result after its end',
    options: allow,
    cli: [
      USER,
      started,
      RESULT,
      ...probe(),
      task('task_notification', { status: 'completed' }),
      ...probe(),
      RESULT,
      EOF,
    ],
    expect: { diagnostics: ['request_unsupported', 'request_unsupported'] },
  },
  {
    ids: ['PY-141'],
    name: 'a task that was killed counts as ended; no turn follows, so the input ends',
    differs: 'D-90',
    options: allow,
    cli: [USER, started, RESULT, ...probe(), task('task_updated', { patch: { status: 'killed' } }), EOF],
    expect: { diagnostics: ['request_unsupported'] },
  },
  {
    ids: ['PY-142', 'PY-136'],
    name: 'a patch to running does not end the task',
    options: allow,
    cli: [
      USER,
      started,
      task('task_updated', { patch: { status: 'running' } }),
      RESULT,
      ...probe(),
      task('task_notification', { status: 'stopped' }),
      RESULT,
      EOF,
    ],
    expect: { diagnostics: ['request_unsupported'] },
  },
  {
    ids: ['PY-143'],
    name: 'tasks that are no agents do not hold the input',
    options: allow,
    cli: [
      USER,
      ...['local_bash', 'monitor', undefined].map((task_type) =>
        task('task_started', { ...(task_type === undefined ? {} : { task_type }) }),
      ),
      RESULT,
      EOF,
    ],
    expect: { messages: [...Array.from({ length: 3 }, () => 'system/task_started'), 'result/success'] },
  },
  {
    ids: ['PY-144'],
    name: 'background_tasks_changed is the whole list: what it names holds the input, what it drops does not',
    differs: 'D-90',
    options: allow,
    cli: [
      USER,
      { out: { type: 'system', subtype: 'background_tasks_changed', tasks: [{ task_id: 't1' }] } },
      RESULT,
      ...probe(),
      { out: { type: 'system', subtype: 'background_tasks_changed', tasks: [] } },
      RESULT,
      EOF,
    ],
    expect: { diagnostics: ['request_unsupported'] },
  },
  {
    ids: ['PY-145'],
    name: 'a CLI that exits without a result while the input is held ends the loop',
    options: { hooks: { Stop: [{ hooks: [async () => ({})] }] } },
    cli: [USER, { exit: 0 }],
    expect: { messages: [], diagnostics: ['messages_unanswered'] },
  },
  {
    ids: ['PY-146'],
    name: 'an iterable that yields nothing: end of input at once, even with hooks',
    options: { hooks: { Stop: [{ hooks: [async () => ({})] }] } },
    prompt: [],
    cli: [EOF],
    expect: { written: [], messages: [] },
  },
  {
    ids: ['PY-147'],
    name: 'an iterable that throws ends the run with its error',
    differs: 'D-08',
    prompt: async function* () {
      yield item('one');
      throw new RangeError('mine');
    },
    cli: [USER, EOF, { out: resultFrame() }],
    expect: {
      written: [item('one'), STOP],
      error: {
        name: 'PromptError',
        message: 'The prompt iterable threw: mine',
        fields: { errorClass: 'prompt_failed' },
        cause: { name: 'RangeError', message: 'mine' },
      },
    },
  },
  {
    ids: ['PY-325', 'PY-329'],
    name: 'exit 1 after an error result: its errors as text and as a list, and its fields',
    cli: [
      USER,
      {
        out: resultFrame({
          subtype: 'error_during_execution',
          is_error: true,
          errors: [' a ', 'b', ''],
          api_error_status: 529,
          terminal_reason: 'failed',
          session_id: 's',
          result: 'text',
        }),
      },
      { exit: 1 },
    ],
    expect: {
      messages: ['result/error_during_execution'],
      error: {
        name: 'ResultError',
        message: 'Claude Code returned an error result: a; b',
        fields: {
          subtype: 'error_during_execution',
          errors: ['a', 'b'],
          apiErrorStatus: 529,
          terminalReason: 'failed',
          sessionId: 's',
          result: 'text',
          exitCode: 1,
        },
        cause: { name: 'ProcessError', fields: { exitCode: 1 } },
      },
      exitCode: 1,
    },
  },
  {
    ids: ['PY-331', 'PY-332'],
    name: 'frames after an error result, heartbeats too, leave it the reason of the exit',
    differs: 'D-82',
    cli: [
      USER,
      { out: resultFrame({ is_error: true, result: 'overloaded' }) },
      { out: { type: 'system', subtype: 'session_state_changed', state: 'idle' } },
      { out: { type: 'keep_alive' } },
      { out: { type: 'system', subtype: 'other' } },
      { exit: 1 },
    ],
    expect: { error: { name: 'ResultError', message: 'overloaded' }, exitCode: 1 },
  },
  {
    ids: ['PY-327', 'PY-328'],
    name: 'an error result without any text is named by its status',
    cli: [USER, { out: resultFrame({ is_error: true, result: '', errors: [7], api_error_status: 529 }) }, { exit: 1 }],
    expect: { error: { name: 'ResultError', message: 'API error (HTTP 529)' }, exitCode: 1 },
  },
];

function rpcResult(id: string | number, result: JsonObject): Answer {
  return { ok: { mcp_response: { jsonrpc: '2.0', id, result } } };
}

/** A result for each kind of block, by the id of its call. */
function blocks(): Readonly<Record<string, JsonObject>> {
  return {
    image: { content: [{ type: 'image', data: 'aGk=', mimeType: 'image/png' }] },
    audio: { content: [{ type: 'audio', data: 'aGk=', mimeType: 'audio/wav' }] },
    link: { content: [{ type: 'resource_link', uri: 'file:///a', name: 'a' }] },
    embedded: { content: [{ type: 'resource', resource: { uri: 'file:///a', text: 'x' } }] },
    failed: { content: [text('no')], isError: true },
    extra: { content: [text('yes')], structuredContent: { a: 1 }, _meta: { b: 2 }, more: [3] },
    empty: { structuredContent: { a: 1 } },
  };
}
