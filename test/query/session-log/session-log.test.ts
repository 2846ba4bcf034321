import { expect, test } from 'vitest';
import { ControlRequestTimeoutError, type Logger, type Options, query, VERSION } from '../../../src/index.js';
import { planLaunch } from '../../../src/query/launch/plan-launch.js';
import { Loggable } from '../../../src/query/session-log/loggable.js';
import { createSessionLog } from '../../../src/query/session-log/session-log.js';
import { resultFrame, turn } from '../../helpers/cli-frames.js';
import { type Step, scriptedCli } from '../../helpers/scripted-cli.js';
import { PEER } from '../../transport/support.js';

interface Line {
  readonly level: string;
  readonly message: string | undefined;
  readonly fields: Readonly<Record<string, unknown>>;
}

function recordingLogger(level = 'trace'): { logger: Logger; lines: Line[] } {
  const levels = ['trace', 'debug', 'info', 'warn', 'error'] as const;
  const lines: Line[] = [];
  const entries = levels.map((name) => [
    name,
    (fields: object, message?: string) => {
      lines.push({ level: name, message, fields: { ...fields } });
    },
  ]);
  const isLevelEnabled = (asked: string) => levels.indexOf(asked as 'info') >= levels.indexOf(level as 'info');
  return { lines, logger: { ...Object.fromEntries(entries), isLevelEnabled } as Logger };
}

async function run(script: readonly Step[], options: Options): Promise<unknown> {
  const cli = scriptedCli(script);
  try {
    const all = query({ prompt: 'Go.', options: { pathToClaudeCodeExecutable: cli.path, ...options } });
    for await (const _ of all);
    return undefined;
  } catch (error) {
    return error;
  }
}

test('a run is told: its line at info, start, requests and exit at debug, frames at trace (C-15)', async () => {
  const { logger, lines } = recordingLogger();
  await run([...turn(), { wait: 'EOF' }], { logger, model: 'm' });
  const told = (level: string) => lines.filter((line) => line.level === level);
  expect(told('info')).toEqual([
    {
      level: 'info',
      message: 'The run is over',
      fields: {
        run: expect.any(String),
        sessionId: expect.any(String),
        outcome: 'completed',
        turns: expect.any(Number),
        durationMs: expect.any(Number),
        costUsd: expect.any(Number),
      },
    },
  ]);
  expect(told('debug').map(({ message }) => message)).toEqual([
    'Starting Claude Code',
    'Control request from the SDK',
    'Control response from Claude Code',
    'Claude Code is ready',
    'The input of Claude Code was ended',
    'Claude Code exited',
  ]);
  const [start, request, response] = told('debug');
  expect(start?.fields).toMatchObject({ version: VERSION, args: expect.arrayContaining(['--model=m']) });
  expect(response?.fields).toMatchObject({
    requestId: request?.fields.requestId,
    subtype: 'initialize',
    answer: 'success',
    latencyMs: expect.any(Number),
  });
  expect(new Set(lines.map(({ fields }) => fields.run)).size).toBe(1);
  expect(told('trace').map(({ message }) => message)).toContain('Frame to Claude Code');
  expect(told('trace').map(({ message }) => message)).toContain('Frame from Claude Code');
});

test('levels that are off cost nothing: no frame is copied, no request kept (C-15)', async () => {
  const { logger, lines } = recordingLogger('info');
  let made = 0;
  logger.trace = () => {
    made += 1;
  };
  await run([...turn(), { wait: 'EOF' }], { logger });
  expect(made).toBe(0);
  expect(lines.filter(({ fields }) => 'requestId' in fields)).toEqual([]);
});

test('without a logger there is no log, and the transport is not wrapped (C-15)', () => {
  const plan = planLaunch(
    {},
    {
      env: {},
      platform: 'linux',
      sdkVersion: '0',
      front: 'query',
      prompt: 'string',
      createMcpEndpointFactory: () => {
        throw new Error('not asked');
      },
    },
  );
  expect(createSessionLog(plan, undefined)).toBeUndefined();
});

test('a time-out is told with its request (C-15)', async () => {
  const { logger, lines } = recordingLogger('debug');
  const all = query({
    prompt: 'Go.',
    options: {
      pathToClaudeCodeExecutable: PEER,
      env: { ...process.env, PEER_MODE: 'reads-nothing' },
      initializeTimeoutMs: 1,
      logger,
    },
  });
  await expect(all.initializationResult()).rejects.toThrow(ControlRequestTimeoutError);
  await all.return();
  expect(lines.map(({ fields }) => fields)).toContainEqual(
    expect.objectContaining({ code: 'request_timed_out', subtype: 'initialize', timeoutMs: 1 }),
  );
});

const SECRET = 'hunter2-hunter2';

test('no secret reaches the log at any level (C-15)', async () => {
  const { logger, lines } = recordingLogger();
  const text = `key sk-ant-api03-${'x'.repeat(40)}, value ${SECRET}, Authorization: Bearer ${SECRET}x, http://u:${SECRET}y@h/`;
  await run(
    [
      { out: { type: 'system', subtype: 'status', text, env: { A: SECRET }, headers: [SECRET] } },
      ...turn(),
      { wait: 'EOF' },
    ],
    {
      logger,
      env: { ...process.env, MY_TOKEN: SECRET, OTHER: SECRET },
      settings: { env: { X: SECRET } },
      mcpServers: { s: { type: 'http', url: 'http://127.0.0.1:1/', headers: { 'x-api-key': SECRET } } },
      extraArgs: { 'private-thing': SECRET },
      systemPrompt: `Say ${SECRET}.`,
    },
  );
  expect(lines.length).toBeGreaterThan(5);
  expect(JSON.stringify(lines)).not.toContain(SECRET);
  expect(JSON.stringify(lines)).not.toContain('sk-ant-api03');
});

test('frames are cut: long texts, long lists, deep nesting (C-15)', () => {
  const loggable = new Loggable({});
  let deep: unknown = 'end';
  for (let level = 0; level < 50_000; level += 1) deep = { deep };
  const frame = { text: 'x'.repeat(1_000_000), list: Array(1000).fill('y'), deep };
  expect(JSON.stringify(loggable.frame(frame)).length).toBeLessThan(1000);
  expect(loggable.text('x'.repeat(1000))).toBe(`${'x'.repeat(200)}... (1000 characters)`);
  expect(loggable.args(['--model', 'm', '--settings', '{"a":1}', '--x=1', '--verbose'])).toEqual([
    '--model',
    'm',
    '--settings',
    '[redacted]',
    '--x=[redacted]',
    '--verbose',
  ]);
});

test('a logger that throws does not touch the run (C-15)', async () => {
  const fail = () => {
    throw new Error('mine');
  };
  const logger = { trace: fail, debug: fail, info: fail, warn: fail, error: fail, isLevelEnabled: fail };
  const script: Step[] = [{ in: { type: 'user' } }, { out: resultFrame() }, { wait: 'EOF' }];
  expect(await run(script, { logger })).toBeUndefined();
});

const PEM = `-----BEGIN PRIVATE KEY-----\n${'MIIEvQIBADANBgkqhkiG9w0B\n'.repeat(300)}-----END PRIVATE KEY-----`;

test('a secret that is longer than what is looked at, or stands behind many others, is not shown (C-15)', () => {
  const key = `start-${'k7'.repeat(6000)}`;
  const loggable = new Loggable({ MY_KEY: key, MY_TOKEN: 'abcdef'.repeat(100) });
  expect(loggable.text(`${key} and more`)).toBe('[redacted] and more');
  const cut = `${'abcdef'.repeat(100)}`.repeat(50) + key;
  expect(loggable.text(cut)).not.toMatch(/start-|k7|abcdef/);
  expect(new Loggable({ TLS_KEY: PEM }).text(PEM)).toBe('[redacted]');
});

test('a secret inside JSON, and a line of one, is not shown (C-15)', () => {
  const secret = 'pass"word\\with\nnew-lines-in-it';
  const loggable = new Loggable({ MY_PASSWORD: secret });
  const nested = JSON.stringify({ text: JSON.stringify({ secret }) });
  for (const text of [secret, JSON.stringify({ secret }), nested, 'it says: new-lines-in-it']) {
    expect(loggable.text(text)).not.toMatch(/word|new-lines/);
  }
});

test.each([
  ['a Stripe key', `sk_live_${'a1'.repeat(12)}`],
  ['a JSON web token', 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmN'],
  ['a private key', PEM],
  ['a private key that is cut', PEM.slice(0, 300)],
  ['a header', 'x-api-key: hunter2-hunter2'],
  ['a header in JSON', '{\\"Authorization\\": \\"hunter2-hunter2\\"}'],
  ['cookies', 'Cookie: a=hunter2-hunter2; b=hunter2'],
])('%s of nobody in particular is not shown (C-15)', (_, text) => {
  expect(new Loggable({}).text(text)).not.toMatch(/a1a1|eyJ|MIIE|hunter2/);
});

test('every value under the name of a secret is hidden, and names are cleaned, but counts of tokens stay (C-15)', () => {
  const loggable = new Loggable({ MY_TOKEN: SECRET });
  const frame = {
    apiKey: { value: SECRET.slice(1) },
    token: ['word', 7],
    password: 12345678,
    env: { PIN: 1234 },
    input_tokens: 5,
    [SECRET]: true,
  };
  expect(loggable.frame(frame)).toEqual({
    apiKey: { value: '[redacted]' },
    token: ['[redacted]', '[redacted]'],
    password: '[redacted]',
    env: { PIN: '[redacted]' },
    input_tokens: 5,
    '[redacted]': true,
  });
});

test('a frame of many lists within the limits of each costs no more than one record may (C-15)', () => {
  let reads = 0;
  const leaf = {
    get text() {
      reads += 1;
      return 'y'.repeat(100);
    },
  };
  let lists: unknown = leaf;
  for (let level = 0; level < 3; level += 1) lists = Array(30).fill(lists);
  const copy = JSON.stringify(new Loggable({}).frame(lists));
  expect(reads).toBeLessThan(2_000);
  expect(copy.length).toBeLessThan(40_000);
});

test('the value of a private flag is hidden also when it looks like a flag (C-15)', () => {
  const loggable = new Loggable({});
  expect(loggable.args(['--verbose', '--system-prompt', '--text of a prompt', '--model', '--odd', '--debug'])).toEqual([
    '--verbose',
    '--system-prompt',
    '[redacted]',
    '--model',
    '--odd',
    '--debug',
  ]);
});

test.each([
  ['deadline', 'deadline_exceeded', { deadlineMs: 50 }],
  ['interrupted', 'aborted', {}],
])('a run that was stopped is told with outcome %s and its error (C-16)', async (outcome, errorClass, more) => {
  const { logger, lines } = recordingLogger();
  const abortController = new AbortController();
  const cli = scriptedCli([
    { in: { type: 'user' } },
    { out: { type: 'system', subtype: 'status' } },
    { in: { type: 'control_request', request: { subtype: 'interrupt' } } },
    { out: resultFrame({ subtype: 'error_during_execution', is_error: true }) },
    { wait: 'EOF' },
  ]);
  const all = query({
    prompt: 'Go.',
    options: { pathToClaudeCodeExecutable: cli.path, logger, abortController, ...more },
  });
  const read = async () => {
    for await (const _ of all) if (outcome === 'interrupted') abortController.abort();
  };
  await expect(read()).rejects.toMatchObject({ errorClass });
  await expect.poll(() => lines.at(-1)?.message).toBe('The run is over');
  expect(lines.at(-1)?.fields).toMatchObject({ outcome, errorClass, error: expect.any(String) });
  const told = lines.filter(({ level }) => level === 'debug').map(({ message }) => message);
  expect(told.at(-1)).toBe('Claude Code exited');
});
