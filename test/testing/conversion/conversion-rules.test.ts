import { describe, expect, test } from 'vitest';
import { convertRecording } from '../../../src/testing/conversion/convert-recording.js';
import { readRecording } from '../../../src/testing/conversion/recording.js';
import { match, Variables } from '../../../src/testing/player/patterns.js';
import type { Step } from '../../../src/testing/scenario/scenario-types.js';

interface Given {
  readonly sdk?: string;
  readonly argv?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly strictArgv?: boolean;
  readonly exact?: boolean;
}

/** A recording of one process: `['in', frame]`, `['out', frame]`, `['meta', event]`, ... */
function recorded(lines: readonly (readonly [string, unknown])[], given: Given = {}) {
  const { sdk = 'sdk-ts', argv = [], env = {} } = given;
  const first = { scenario: 's', ...(sdk === '' ? {} : { sdk }), cli_version: '2.1.330 (Claude Code)' };
  const spawn = { event: 'spawn', argv: ['claude', ...argv], env_values: env };
  const all = [['meta', first], ['meta', spawn], ...lines].map(([dir, data]) => JSON.stringify({ t: 1, dir, data }));
  return readRecording(all.join('\n'));
}

/** As loose as it gets. */
function convert(lines: readonly (readonly [string, unknown])[], given: Given = {}) {
  const { strictArgv = false, exact = false } = given;
  return convertRecording(recorded(lines, given), { strictArgv, exact });
}

const cliSteps = (steps: readonly Step[]) => steps.slice(1);
const INIT = { type: 'control_request', request_id: 'r1', request: { subtype: 'initialize' } };
const ANSWER = {
  type: 'control_response',
  response: { subtype: 'success', request_id: 'r1', response: { models: ['m'] } },
};
const UUID = '0b7c3f0e-1111-4222-8333-123456789abc';

describe('what the client wrote', () => {
  test.each([
    ['$not', 'a'],
    ['$contains', 'a'],
    ['$oneOf', ['a']],
    ['$repeat', 'a'],
  ])('an object with the key %s is expected as it is, not as an operator', (key, value) => {
    const said = { q: { [key]: value, times: 2 } };
    const { steps } = convert([['in', { type: 'user', message: said }]]);
    const pattern = steps.find((step) => 'in' in step)?.in;
    const fits = (frame: unknown) => match(pattern, frame, new Variables()).ok;
    expect(fits({ type: 'user', message: said })).toBe(true);
    expect(fits({ type: 'user', message: { q: 'OTHER' } })).toBe(false);
    expect(fits({ type: 'user', message: { q: 'aa' } })).toBe(false);
  });

  test('an allow without an input also fits with the input that was asked about, and with no other', () => {
    const input = { command: 'echo $HOME', at: { $contains: 'a' } };
    const answer = (body: object) => ({
      type: 'control_response',
      response: { subtype: 'success', request_id: 'q1', response: { behavior: 'allow', ...body } },
    });
    const question = { type: 'control_request', request_id: 'q1', request: { subtype: 'can_use_tool', input } };
    const { steps } = convert(
      [
        ['out', question],
        ['in', answer({})],
      ],
      { exact: true },
    );
    const pattern = steps.find((step) => 'in' in step)?.in;
    const fits = (frame: unknown) => match(pattern, frame, new Variables()).ok;
    expect(fits(answer({}))).toBe(true);
    expect(fits(answer({ updatedInput: input }))).toBe(true);
    expect(fits(answer({ updatedInput: { ...input, command: 'rm -r /' } }))).toBe(false);
  });

  test('a plain initialize is answered by itself, with the recorded answer', () => {
    const { header, steps } = convert([
      ['in', INIT],
      ['out', ANSWER],
    ]);
    expect(cliSteps(steps)).toEqual([]);
    expect(header.answers).toEqual({ initialize: { models: ['m'] } });
  });

  test('an initialize with a payload is expected, and answered with the id it will have', () => {
    const request = { subtype: 'initialize', systemPrompt: ['Be brief.'] };
    const { steps } = convert([
      ['in', { ...INIT, request }],
      ['out', ANSWER],
    ]);
    expect(cliSteps(steps)).toEqual([
      {
        in: {
          type: 'control_request',
          request_id: '$req1',
          request: { ...request, systemPrompt: { $oneOf: ['Be brief.', ['Be brief.']] } },
        },
      },
      { out: { ...ANSWER, response: { ...ANSWER.response, request_id: '$req1' } } },
    ]);
  });

  test('a user message is expected to the letter, without its session id', () => {
    const { steps } = convert([['in', { type: 'user', session_id: 'x', message: { role: 'user', content: '$cost' } }]]);
    expect(cliSteps(steps)).toEqual([{ in: { type: 'user', message: { role: 'user', content: '$$cost' } } }]);
  });

  test('a uuid that the CLI repeats is captured, one that it does not is left out', () => {
    const user = { type: 'user', uuid: UUID, message: { content: 'a' } };
    expect(
      cliSteps(
        convert([
          ['in', user],
          ['out', { type: 'system', command_uuid: UUID }],
        ]).steps,
      ),
    ).toEqual([{ in: { ...user, uuid: '$uuid1' } }, { out: { type: 'system', command_uuid: '$uuid1' } }]);
    expect(cliSteps(convert([['in', user]]).steps)).toEqual([{ in: { type: 'user', message: { content: 'a' } } }]);
  });

  test('a scrubbed path matches anything, unless the CLI has said it', () => {
    const answer = (path: string) => ({
      type: 'control_response',
      response: { subtype: 'success', request_id: 'q', response: { path } },
    });
    const asked = { type: 'control_request', request_id: 'q', request: { path: '/work-dir/a' } };
    const steps = (path: string) =>
      cliSteps(
        convert([
          ['out', asked],
          ['in', answer(path)],
        ]).steps,
      )[1];
    expect(steps('/work-dir/a')).toEqual({ in: answer('/work-dir/a') });
    expect(steps('/tmp-dir/b')).toEqual({ in: answer('$_') });
    expect(steps('/work-dir/b')).toEqual({
      in: { ...answer(''), response: { ...answer('').response, response: { path: { $like: ['', '/b'] } } } },
    });
  });
});

describe('a text with a scrubbed piece', () => {
  const prompt = (content: string) => convert([['in', { type: 'user', message: { content } }]]);

  test.each([
    ['please tidy /work-dir/x', { $like: ['please tidy ', '/x'] }],
    ['cp /home-dir/a /work-dir/b $HOME', { $like: ['cp ', '/a ', '/b $HOME'] }],
    ['key [scrubbed:env-A_KEY].', { $like: ['key ', '.'] }],
    ['look in /tmp-dir/app-Xy12/a.txt', { $like: ['look in ', '/a.txt'] }],
    ['hello user-name!', { $like: ['hello ', '!'] }],
    ['the user-names', 'the user-names'],
  ])('%s', (content, wanted) => {
    const { steps, notConverted } = prompt(content);
    expect(cliSteps(steps)).toEqual([{ in: { type: 'user', message: { content: wanted } } }]);
    expect(notConverted).toEqual([]);
  });

  test('of which nothing is left is listed, with its place', () => {
    const { steps, notConverted } = prompt('/work-dir');
    expect(cliSteps(steps)).toEqual([{ in: { type: 'user', message: { content: '$_' } } }]);
    expect(notConverted).toEqual([
      { what: 'in', why: 'at 1 ms: message.content: what was scrubbed here may be anything' },
    ]);
  });

  test('in JSON that a flag holds: the rest of it is expected', () => {
    const config = { mcpServers: { a: { command: '/work-dir/s', args: ['-x', '$HOME', '/home-dir'] } } };
    const { steps, notConverted } = convert([], { argv: [`--mcp-config=${JSON.stringify(config)}`] });
    expect(steps).toEqual([
      {
        spawn: {
          argv: {
            '--mcp-config': { mcpServers: { a: { command: { $like: ['', '/s'] }, args: ['-x', '$$HOME', '$_'] } } },
          },
        },
      },
    ]);
    expect(notConverted).toMatchObject([
      { what: 'argv --mcp-config', why: expect.stringContaining('mcpServers.a.args[2]: ') },
    ]);
  });

  test('in a variable: listed', () => {
    const env = { CLAUDE_CODE_EXTRA_BODY: '{"a":"[scrubbed:secret-field]"}' };
    const { steps, notConverted } = convert([], { env });
    expect(steps).toEqual([{ spawn: { argv: {}, env: { CLAUDE_CODE_EXTRA_BODY: '$_' } } }]);
    expect(notConverted).toMatchObject([{ what: 'env CLAUDE_CODE_EXTRA_BODY' }]);
  });
});

describe('ids of sessions, over processes', () => {
  const OTHER = UUID.replace('0b7c', '1b7c');
  const [said, user] = [
    { type: 'system', session_id: UUID },
    { type: 'user', uuid: OTHER },
  ];
  const second = (argv: readonly string[], first: readonly string[] = [], lines: unknown[] = []) => {
    const all = [
      { dir: 'meta', data: { scenario: 's', sdk: 'sdk-ts' } },
      { dir: 'meta', data: { event: 'spawn', argv: ['claude', ...first] } },
      ...lines.map((data) => ({ dir: data === said ? 'out' : 'in', data })),
      { dir: 'meta', proc: 2, data: { event: 'spawn', argv: ['claude', ...argv] } },
      { dir: 'out', proc: 2, data: said },
    ].map((line) => JSON.stringify(line));
    const { steps, notConverted } = convertRecording(readRecording(all.join('\n')), { exact: false });
    return { steps, notConverted };
  };

  test('one that an earlier process said is expected to the letter', () => {
    const { steps, notConverted } = second(['--resume', UUID], [], [said]);
    expect(steps).toContainEqual({ spawn: { argv: { '--resume': UUID } } });
    expect(notConverted).toEqual([]);
  });

  test('one that the client made up is captured, and put into what the CLI says', () => {
    const { steps, notConverted } = second([], [`--session-id=${UUID}`], [said]);
    expect(steps.slice(0, 2)).toEqual([
      { spawn: { argv: { '--session-id': '$uuid1' } } },
      { out: { type: 'system', session_id: '$uuid1' } },
    ]);
    expect(notConverted).toEqual([]);
  });

  test.each([
    ['--resume', UUID, [`--session-id=${UUID}`], [said]],
    ['--resume-session-at', OTHER, [], [user]],
  ])('one that an earlier process was given is free, and listed: %s', (flag, id, first, lines) => {
    const { steps, notConverted } = second([flag, id], first, lines);
    expect(steps).toContainEqual({ spawn: { argv: { [flag]: '$uuid1' } } });
    expect(notConverted).toMatchObject([{ what: `argv ${flag}` }]);
  });
});

describe('what the CLI did', () => {
  test('stderr, the end of stdin, signals and the exit become steps', () => {
    const { steps } = convert([
      ['err', 'oops'],
      ['meta', { event: 'stdin_closed' }],
      ['meta', { event: 'signal_received', signal: 'SIGTERM' }],
      ['meta', { event: 'exit', code: 143, signal: null }],
    ]);
    expect(cliSteps(steps)).toEqual([{ stderr: 'oops\n' }, { wait: 'EOF' }, { wait: 'SIGTERM' }, { exit: 143 }]);
  });

  test('a kill becomes a process that ends on nothing else', () => {
    const { steps } = convert([
      ['meta', { event: 'signal_sent', signal: 'SIGKILL' }],
      ['meta', { event: 'exit', code: null, signal: 'SIGKILL' }],
    ]);
    expect(cliSteps(steps)).toEqual([{ ignore: ['EOF', 'SIGTERM'] }]);
  });

  test('a line that is no frame is written as it was, and so is a text with braces', () => {
    const braces = ['echo $', '{HOME}'].join('');
    const { steps } = convert([
      ['out', 'free text'],
      ['out', { type: 'x', text: braces }],
    ]);
    expect(cliSteps(steps)).toEqual([{ raw: 'free text\n' }, { raw: `{"type":"x","text":"${braces}"}\n` }]);
  });
});

describe('how the process was started', () => {
  const spawn = (given: Given) => (convert([], given).steps[0] as { spawn: unknown }).spawn;

  test('flags become a map, whatever their notation', () => {
    const argv = ['--verbose', '--model=m', '--tools', 'A,B', '--settings', '{"a":1}', '--add-dir', '/x'];
    expect(spawn({ argv })).toEqual({
      argv: { '--verbose': true, '--model': 'm', '--tools': ['A', 'B'], '--settings': { a: 1 }, '--add-dir': '/x' },
    });
  });

  test('values that differ from run to run match anything', () => {
    const argv = [`--session-id=${UUID}`, '--add-dir', '/tmp-dir/x', '--x=[scrubbed:secret-field]'];
    expect(spawn({ argv })).toEqual({ argv: { '--session-id': '$uuid1', '--add-dir': '$_', '--x': '$_' } });
  });

  test('what an SDK says by variables is expected, the rest of the environment is not', () => {
    const env = { CLAUDE_CODE_ENTRYPOINT: 'sdk-ts', DISABLE_TELEMETRY: '1' };
    expect(spawn({ env })).toEqual({ argv: {}, env: { CLAUDE_CODE_ENTRYPOINT: 'sdk-ts' } });
  });

  test('strictly: other flags must not be given', () => {
    expect(spawn({ argv: ['--model=m'], strictArgv: true })).toEqual({ argv: { '--model': 'm' }, argvOnly: true });
  });
});

describe('exact, as recordings of an SDK are unless told otherwise', () => {
  const user = { type: 'user', message: { role: 'user', content: 'a' }, session_id: 's' };
  const answered = { type: 'control_response', response: { subtype: 'success', request_id: 'q', response: {} } };
  const lines = [
    ['in', INIT],
    ['out', ANSWER],
    ['in', user],
    ['out', { type: 'control_request', request_id: 'q', request: { subtype: 'can_use_tool' } }],
    ['in', answered],
  ] as const;
  const argv = ['--settings', '{"a":{"b":1}}'];

  test.each([{}, { exact: true }])('frames and the JSON of flags, given %j', (options) => {
    const { header, steps } = convertRecording(recorded(lines, { argv }), options);
    const { session_id: _, ...sent } = user;
    expect(header).toMatchObject({ answersOnly: true });
    expect(header.answers).toBeUndefined();
    expect(steps[0]).toEqual({
      spawn: {
        argv: { '--settings': { a: { b: 1 }, $exact: true } },
        env: { CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING: '$absent' },
      },
    });
    expect(steps.filter((step) => 'in' in step)).toEqual([
      { in: { ...INIT, request_id: '$req1', $exact: true } },
      { in: { ...sent, $exact: ['session_id', 'timestamp', 'uuid'] } },
      { in: { ...answered, $exact: true } },
    ]);
  });

  test('a variable that was recorded is expected with its value', () => {
    const env = { CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING: 'true' };
    expect(convert([], { env, exact: true }).steps[0]).toEqual({ spawn: { argv: {}, env } });
  });

  test.each([
    ['told otherwise', { exact: false }, { argv }],
    ['written by hand', {}, { argv, sdk: '' }],
  ])('not when %s', (_, options, given) => {
    const { header, steps } = convertRecording(recorded(lines, given), options);
    expect(JSON.stringify({ header, steps })).not.toMatch(/\$exact|answersOnly|CHECKPOINTING/);
    expect(header.answers).toEqual({ initialize: { models: ['m'] } });
  });
});

test('frames that were written by hand are the CLI lane alone', () => {
  const { steps } = convert([['in', INIT]], { sdk: '', argv: ['--input-format', 'stream-json'] });
  expect(steps.some((step) => 'drive' in step)).toBe(false);
});

test('half a line is dropped and counted', () => {
  const text = '{"t":0,"dir":"meta","data":{"scenario":"s"}}\n{"t":1,"dir":"in","da';
  expect(readRecording(text).dropped).toBe(1);
  expect(() => readRecording('{"x":1}\n', 'a.jsonl')).toThrow(/a\.jsonl does not start with/);
});
