import type { JsonObject } from '../../src/util/json.js';
import type { FaultyCli, WireFault } from './faulty-cli.js';

type Fire = WireFault['fire'];

const text = (frame: JsonObject): string => JSON.stringify(frame);
const harmless = (name: string, fire: Fire): WireFault => ({ name, isHarmless: true, fire });
const any = (name: string, fire: Fire, options?: JsonObject): WireFault => ({
  ...{ name, isHarmless: false, fire },
  ...(options === undefined ? {} : { options }),
});

/** The line as these bytes, and counted. */
const as =
  (write: (line: string) => string | Uint8Array): Fire =>
  (cli, frame) => {
    cli.raw(write(text(frame)));
    cli.note(frame);
  };
/** Bytes in front of the line. */
const after =
  (...lines: readonly (string | Uint8Array)[]): Fire =>
  (cli, frame) => {
    for (const line of lines) cli.raw(line);
    cli.send(frame);
  };
/** Frames in front of the line. */
const afterFrames =
  (make: (cli: FaultyCli) => readonly JsonObject[]): Fire =>
  (cli, frame) => {
    for (const each of make(cli)) cli.send(each);
    cli.send(frame);
  };
/** Bytes in several writes, each read by itself. */
const pieces =
  (cut: (line: Buffer) => readonly Uint8Array[]): Fire =>
  async (cli, frame) => {
    // Before the last piece: an answer may come before the next turn.
    cli.note(frame);
    for (const piece of cut(Buffer.from(`${text(frame)}\n`))) {
      cli.raw(piece);
      // By the clock of the run: it would jump to its deadline while a long line is on its way.
      await cli.spec.wait(1);
    }
  };
const nested = (depth: number, open = '[', close = ']'): string => open.repeat(depth) + close.repeat(depth);
const message = (cli: FaultyCli, over: JsonObject = {}): JsonObject => ({
  ...{ type: 'assistant', uuid: cli.id('m-'), session_id: 's', parent_tool_use_id: null },
  ...{ message: { role: 'assistant', content: [{ type: 'text', text: 'more' }] } },
  ...over,
});
const request = (id: unknown, over: unknown): JsonObject => ({
  ...{ type: 'control_request', request_id: id, request: over },
});
const permission = { subtype: 'can_use_tool', tool_name: 'Bash', input: {}, tool_use_id: 't' };
const response = (body: unknown): JsonObject => ({ type: 'control_response', response: body });
const errno = (code: string): Error => Object.assign(new Error(`read ${code}`), { code });

const BYTES: readonly WireFault[] = [
  harmless('nothing', (cli, frame) => cli.send(frame)),
  harmless(
    'a line cut in two',
    pieces((line) => [line.subarray(0, line.length >> 1), line.subarray(line.length >> 1)]),
  ),
  harmless(
    'a line in pieces of 700 bytes',
    pieces((line) => {
      const count = Math.ceil(line.length / 700);
      return Array.from({ length: count }, (_, n) => line.subarray(n * 700, (n + 1) * 700));
    }),
  ),
  harmless(
    'the newline by itself',
    pieces((line) => [line.subarray(0, -1), line.subarray(-1)]),
  ),
  harmless(
    'CRLF',
    as((line) => `${line}\r\n`),
  ),
  harmless(
    'blanks around the line',
    as((line) => ` \t ${line} \t \n`),
  ),
  harmless(
    'a lone carriage return',
    as((line) => `${line}\r`),
  ),
  // It ends a line.
  any('a carriage return between tokens', (cli, frame) => cli.raw(`{\r${text(frame).slice(1)}\n`)),
  harmless(
    'a key twice, the last one counts',
    as((line) => `{"type":"of_another_time",${line.slice(1)}\n`),
  ),
  harmless('100,000 empty lines', after('\n'.repeat(100_000))),
  harmless('lines of blanks', after(' \n\t\n\r\n')),
  harmless('text that is no JSON', after('npm warn deprecated\n{"type":"assistant"\n}\n')),
  harmless('JSON that is no object', after('1\n"x"\n[]\n[{"type":"result"}]\nnull\ntrue\n')),
  harmless('a megabyte of junk', after(`${'x'.repeat(2 ** 20)}\n`)),
  harmless('invalid UTF-8', after(Buffer.from([0xff, 0xfe, 0xc3, 0x28, 0x0a]))),
  harmless('NUL bytes', after('\0\0\0\n')),
  harmless('100,000 brackets', after(`${nested(100_000)}\n`)),
  harmless('100,000 open brackets', after(`${'['.repeat(100_000)}\n`)),
  harmless('terminal escapes', after('\u001b[31mred\u001b[0m\n')),
  harmless('U+2028 between lines', after('\u2028\u0085\n')),
  any('a BOM', (cli, frame) => {
    cli.raw(`\ufeff${text(frame)}\n`);
    cli.note(frame, false);
  }),
  any('invalid UTF-8 in the middle', (cli, frame) => {
    const line = Buffer.from(`${text({ ...frame, extra: '##' })}\n`);
    line[line.lastIndexOf('##')] = 0xff;
    cli.raw(line);
    cli.note(frame, false);
  }),
  any('a line cut off by the next', (cli, frame) => cli.raw(`${text(frame).slice(0, -5)}\n`)),
  any('the line and half of it again', (cli, frame) => {
    cli.raw(`${text(frame)}${text(frame).slice(0, 20)}\n`);
    cli.note(frame, false);
  }),
  any('two frames on a line', (cli, frame) => {
    cli.note(frame);
    cli.note(frame);
    cli.raw(`${text(frame)}${text(frame)}\n`);
  }),
  any('a NUL in the line', (cli, frame) => cli.raw(`${text(frame).slice(0, 9)}\0{}\n`)),
  any(
    'a line beyond the limit',
    (cli, frame) => {
      cli.raw(`${text({ ...frame, extra: 'x'.repeat(2 ** 17) })}\n`);
      cli.note(frame, false);
    },
    { maxBufferBytes: 2 ** 16 },
  ),
  any(
    'a line without an end',
    async (cli) => {
      for (let count = 0; count < 40; count += 1) {
        cli.raw('x'.repeat(10_000));
        await cli.turn();
      }
    },
    { maxBufferBytes: 2 ** 16 },
  ),
];

const FRAMES: readonly WireFault[] = [
  any('a lost line', () => {}),
  any('a line twice', (cli, frame) => {
    cli.send(frame);
    cli.send(frame);
  }),
  any('a line after the next', (cli, frame) => {
    cli.held = frame;
  }),
  harmless('a line five seconds late', async (cli, frame) => {
    await cli.spec.wait(5_000);
    cli.send(frame);
  }),
  harmless(
    'a message of 3 MB',
    afterFrames((cli) => [message(cli, { extra: 'y'.repeat(3_000_000) })]),
  ),
  harmless(
    '3,000 messages at once',
    afterFrames((cli) => Array.from({ length: 3_000 }, () => message(cli))),
  ),
  harmless(
    '2,000 signs of life',
    afterFrames(() => Array.from({ length: 2_000 }, () => ({ type: 'keep_alive' }))),
  ),
  harmless('content 5,000 deep', (cli, frame) => {
    const more = message(cli);
    cli.raw(`${text(more).slice(0, -1)},"deep":${nested(5_000)}}\n`);
    cli.note(more);
    cli.send(frame);
  }),
  harmless('prototype keys', (cli, frame) => {
    const more = message(cli);
    const keys = '"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"toString":1';
    cli.raw(`${text(more).slice(0, -1)},${keys}}\n`);
    cli.note(more);
    cli.send(frame);
  }),
  harmless('odd numbers', after('{"type":"of_next_year","n":1e999,"m":-0,"o":123456789012345678901234567890}\n')),
  harmless('a lone surrogate', after('{"type":"of_next_year","text":"\\ud800"}\n')),
  harmless(
    'a type that is no text',
    after('{}\n{"type":null}\n{"type":7}\n{"type":{}}\n{"type":"__proto__"}\n{"type":""}\n'),
  ),
  harmless(
    'system frames of another shape',
    after(
      ...[{}, { subtype: null }, { subtype: 'commands_changed', commands: 7 }].map(
        (over) => `${text({ type: 'system', ...over })}\n`,
      ),
      '{"type":"system","subtype":"status","status":{"a":[]},"permissionMode":3}\n',
      '{"type":"system","subtype":"session_state_changed","state":[],"sdk_host_only":true}\n',
    ),
  ),
  any(
    'tasks of another shape',
    after(
      ...['task_started', 'task_updated', 'task_notification', 'background_tasks_changed'].flatMap((subtype) =>
        [{}, { task_id: 7 }, { task_id: '__proto__', status: 'completed' }, { tasks: 'all' }].map(
          (over) => `${text({ type: 'system', subtype, ...over })}\n`,
        ),
      ),
    ),
  ),
  any(
    'a task that never ends',
    after('{"type":"system","subtype":"task_started","task_id":"t1","task_type":"local_bash"}\n'),
  ),
  any(
    'results of another shape',
    afterFrames((cli) =>
      [{}, { subtype: 7, is_error: 'yes' }, { errors: 5, result: [] }, { usage: null }].map((over) => ({
        type: 'result',
        uuid: cli.id('m-'),
        ...over,
      })),
    ),
  ),
  any(
    'a result of an API failure',
    afterFrames((cli) => [
      {
        ...{ type: 'result', subtype: 'success', is_error: true, api_error_status: 529 },
        ...{ result: 'API Error: Overloaded', uuid: cli.id('m-') },
      },
    ]),
  ),
  any(
    'transcripts of another shape',
    after(
      ...[
        {},
        { filePath: 7 },
        { filePath: '../../x.jsonl', entries: [{}] },
        { filePath: 'a\0b', entries: [] },
        { filePath: '/x/projects/-p/..jsonl', entries: 'all' },
      ].map((over) => `${text({ type: 'transcript_mirror', ...over })}\n`),
    ),
  ),
];

const CONTROL: readonly WireFault[] = [
  harmless(
    'answers that nobody waits for',
    afterFrames(() => [
      ...[undefined, null, 7, 'x', [], {}].map(response),
      response({ subtype: 'success', request_id: 'nobody' }),
      response({ subtype: 'error', request_id: '__proto__', error: {} }),
      response({ subtype: 'of_next_year', request_id: 7 }),
    ]),
  ),
  harmless('an answer twice', (cli, frame) => {
    cli.send(frame);
    if (frame.type === 'control_response') cli.send(frame);
  }),
  any('an answer under another id', (cli, frame) => {
    const isAnswer = frame.type === 'control_response';
    cli.send(isAnswer ? response({ subtype: 'success', request_id: 'other' }) : frame);
  }),
  any('a refusal', (cli, frame) => {
    const body = frame.response as JsonObject | undefined;
    const refused = { ...body, subtype: 'error', error: 'No.', response: undefined };
    cli.send(frame.type === 'control_response' ? response(refused) : frame);
  }),
  any('a refusal of another shape', (cli, frame) => {
    const body = frame.response as JsonObject | undefined;
    const refused = { ...body, subtype: 'error', error: { deep: [1] }, code: [] };
    cli.send(frame.type === 'control_response' ? response(refused) : frame);
  }),
  any('an answer of another shape', (cli, frame) => {
    const body = frame.response as JsonObject | undefined;
    const answer = response({ ...body, response: 'yes' });
    cli.send(frame.type === 'control_response' ? answer : frame);
  }),
  harmless(
    'requests without an id, or with a number',
    after(...[undefined, null, 7, {}, []].map((id) => `${text(request(id, permission))}\n`)),
  ),
  harmless(
    'requests of another shape',
    afterFrames((cli) =>
      [undefined, null, 'x', [], {}, { subtype: 7 }, { subtype: '__proto__' }].map((over) =>
        request(cli.id('odd-'), over),
      ),
    ),
  ),
  harmless(
    'ids that are names of the prototype',
    afterFrames(() =>
      ['__proto__', 'constructor', '', 'toString', 'x'.repeat(9_000)].map((id) =>
        request(id, { subtype: 'of_next_year' }),
      ),
    ),
  ),
  any(
    'an id twice at once',
    afterFrames(() => [request('twice', permission), request('twice', permission)]),
  ),
  any('an id again after its answer', async (cli, frame) => {
    cli.send(request('again', { subtype: 'of_next_year' }));
    await cli.turn();
    await cli.turn();
    cli.send(request('again', { subtype: 'of_next_year' }));
    cli.send(frame);
  }),
  harmless(
    'withdrawals of what was never asked',
    afterFrames(() =>
      [undefined, null, 7, 'nobody', '__proto__', {}].map((id) => ({
        ...{ type: 'control_cancel_request', request_id: id },
      })),
    ),
  ),
  any('a question withdrawn at once', (cli, frame) => {
    cli.send(request('withdrawn', permission));
    cli.send({ type: 'control_cancel_request', request_id: 'withdrawn' });
    cli.send({ type: 'control_cancel_request', request_id: 'withdrawn' });
    cli.send(frame);
  }),
  any('a question withdrawn before it', (cli, frame) => {
    cli.send({ type: 'control_cancel_request', request_id: 'early' });
    cli.send(request('early', permission));
    cli.send(frame);
  }),
  any('a question withdrawn after a second', async (cli, frame) => {
    cli.send(request('later', permission));
    await cli.spec.wait(1_000);
    cli.send({ type: 'control_cancel_request', request_id: 'later' });
    cli.send(frame);
  }),
  any(
    '300 permission questions at once',
    afterFrames((cli) => Array.from({ length: 300 }, () => request(cli.id('many-'), permission))),
  ),
  any(
    '300 tool calls at once',
    afterFrames((cli) =>
      Array.from({ length: 300 }, (_, id) => {
        const params = { name: 'echo', arguments: { text: 'x' } };
        const body = { jsonrpc: '2.0', id, method: 'tools/call', params };
        return request(cli.id('call-'), { ...{ subtype: 'mcp_message', server_name: 'local', message: body } });
      }),
    ),
  ),
  harmless(
    'tool messages of another shape',
    afterFrames((cli) =>
      [
        ...[undefined, null, 7, 'x', [], {}, [{ jsonrpc: '2.0', id: 1, method: 'ping' }]],
        { jsonrpc: '2.0', id: null, method: 'ping' },
        { jsonrpc: '2.0', id: {}, method: 7 },
        { jsonrpc: '2.0', id: 1, method: 'tools/call' },
        { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: '__proto__' } },
        { jsonrpc: '2.0', id: 3, method: 'tools/call', params: { name: 'echo', arguments: 7 } },
        { jsonrpc: '2.0', id: 4, result: {} },
        { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 99 } },
      ].map((body) => request(cli.id('rpc-'), { subtype: 'mcp_message', server_name: 'local', message: body })),
    ),
  ),
  any(
    'questions of another shape',
    afterFrames((cli) =>
      [
        { subtype: 'can_use_tool' },
        { ...permission, tool_name: 7, input: 'x' },
        { ...permission, permission_suggestions: { a: 1 } },
        { subtype: 'hook_callback' },
        { subtype: 'hook_callback', callback_id: '__proto__', input: null },
        { subtype: 'hook_callback', callback_id: 7, input: [] },
        { subtype: 'elicitation' },
        { subtype: 'elicitation', requested_schema: 7, mode: 'of_next_year' },
        { subtype: 'request_user_dialog' },
        { subtype: 'mcp_message', server_name: 'nobody', message: {} },
      ].map((over) => request(cli.id('ask2-'), over)),
    ),
  ),
];

const ENDS: readonly WireFault[] = [
  ...[0, 1, 2, 137, 143].map((code) => any(`exit ${code}`, (cli) => cli.exit(code))),
  ...(['SIGKILL', 'SIGTERM', 'SIGSEGV', 'SIGINT', 'SIGPIPE'] as const).map((signal) =>
    any(`death by ${signal}`, (cli) => cli.exit(null, signal)),
  ),
  ...[0, 1].map((code) =>
    any(`exit ${code} in the middle of a line`, (cli, frame) => {
      cli.raw(text(frame).slice(0, -9));
      cli.exit(code);
    }),
  ),
  any('exit 1 with a reason', (cli) => {
    void cli.process.inside.stderr.write('Error: it broke\n');
    cli.exit(1);
  }),
  any('the last line without a newline', (cli, frame) => {
    cli.raw(text(frame));
    cli.note(frame, false);
    cli.exit(0);
  }),
  any('the exit in one go with 500 lines', (cli) => {
    for (let count = 0; count < 500; count += 1) cli.send(message(cli));
    cli.exit(3);
  }),
  any('output that ends, a process that stays', (cli) => {
    void cli.process.inside.stdout.close();
    cli.isSilent = true;
  }),
  any('input that breaks, output that goes on', (cli, frame) => {
    cli.process.inside.stdin.close();
    cli.send(frame);
  }),
  any('a reset of the input', (cli, frame) => {
    cli.process.stdin.destroy(errno('ECONNRESET'));
    cli.send(frame);
  }),
  any('a reset of the output', (cli) => {
    cli.process.stdout.destroy(errno('ECONNRESET'));
    cli.isSilent = true;
  }),
  any('output destroyed without a word', (cli) => {
    cli.process.stdout.destroy();
    cli.isSilent = true;
  }),
  any('a broken stderr', (cli, frame) => {
    cli.process.stderr.destroy(errno('EIO'));
    cli.send(frame);
  }),
  any('an error event of the process', (cli, frame) => {
    cli.process.emit('error', errno('ESRCH'));
    cli.send(frame);
  }),
  any('two error events of the process', (cli) => {
    cli.process.emit('error', errno('EPERM'));
    cli.process.emit('error', errno('EPERM'));
  }),
  any('an exit event twice', (cli) => {
    cli.exit(0);
    cli.process.emit('exit', 0, null);
  }),
  any('an exit event of a process that speaks on', async (cli, frame) => {
    cli.process.emit('exit', 0, null);
    await cli.turn();
    if (!cli.hasExited) cli.raw(`${text(frame)}\n`);
    cli.note(frame, false);
    cli.isSilent = true;
    await cli.spec.wait(1_000);
    cli.exit(0);
  }),
  any('silence for ever', (cli) => {
    cli.isSilent = true;
  }),
  any('input that is not read any more', (cli, frame) => {
    cli.process.inside.stdin.pause();
    cli.send(frame);
  }),
  harmless('input that is not read for 3 seconds', async (cli, frame) => {
    cli.process.inside.stdin.pause();
    await cli.spec.wait(3_000);
    cli.process.inside.stdin.resume();
    cli.send(frame);
  }),
  harmless('2 MB on stderr', (cli, frame) => {
    void cli.process.inside.stderr.write('e'.repeat(2 ** 21));
    cli.send(frame);
  }),
  harmless('stderr that is no UTF-8, and ends', (cli, frame) => {
    void cli.process.inside.stderr.write(Buffer.from([0xff, 0xfe, 0x0a]));
    void cli.process.inside.stderr.close();
    cli.send(frame);
  }),
];

/** Everything a CLI, or what stands between it and us, can do wrong. */
export const WIRE_FAULTS: readonly WireFault[] = [...BYTES, ...FRAMES, ...CONTROL, ...ENDS];
