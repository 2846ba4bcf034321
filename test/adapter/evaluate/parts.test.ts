import { describe, expect, test } from 'vitest';
import { resolveAdapterConfig } from '../../../src/adapter/evaluate/adapter-config.js';
import { UserInput } from '../../../src/adapter/evaluate/live-run.js';
import { assembleOptions, type RunOptionsInput } from '../../../src/adapter/evaluate/run-options.js';
import { StderrRelay } from '../../../src/adapter/evaluate/stderr-relay.js';
import { RunStopped, StopMonitor } from '../../../src/adapter/evaluate/stop-monitor.js';
import { TurnBook } from '../../../src/adapter/evaluate/turn-book.js';
import { Deadline } from '../../../src/adapter/limits/deadline.js';
import { UsageCounter } from '../../../src/parser/usage-counter.js';
import { ManualClock } from '../support/manual-clock.js';

describe('the options of a run', () => {
  const input = (
    options: Parameters<typeof resolveAdapterConfig>[0] = {},
    more: Partial<RunOptionsInput> = {},
  ): RunOptionsInput => ({
    config: resolveAdapterConfig(options),
    text: 'the prompt',
    cwd: undefined,
    addDirs: [],
    env: { A: '1' },
    settings: undefined,
    outputFormat: undefined,
    hooks: undefined,
    bridge: undefined,
    stderr: () => {},
    onDiagnostic: () => {},
    resume: undefined,
    executable: undefined,
    ...more,
  });
  const bridge = { name: 'wink', version: '1.0.0', tools: [{ name: 't' }] as never };

  const cases: readonly [string, RunOptionsInput, object, readonly string[]][] = [
    [
      'nothing given',
      input(),
      { permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true, env: { A: '1' } },
      ['cwd', 'tools', 'allowedTools', 'disallowedTools', 'settings', 'maxTurns', 'resume'],
    ],
    [
      'another mode',
      input({ clientConfig: { permissionMode: 'plan' } }),
      { permissionMode: 'plan' },
      ['allowDangerouslySkipPermissions'],
    ],
    [
      'tools with rules, twice the same name, and one of a server',
      input({ allowedTools: ['Bash(a:*)', 'Bash(b, c)', 'Read', 'mcp__x__y'] }),
      { allowedTools: ['Bash(a:*)', 'Bash(b, c)', 'Read', 'mcp__x__y'], tools: ['Bash', 'Read'] },
      [],
    ],
    ['no tool at all', input({ allowedTools: [] }), { tools: [] }, ['allowedTools']],
    [
      'only tools of the prompt',
      input({ allowedTools: [] }, { bridge }),
      { tools: [], allowedTools: ['mcp__wink__t'], toolServers: [bridge] },
      [],
    ],
    [
      'under isolation no servers but ours, and no settings files',
      input({ clientConfig: { isolation: {} } }, { settings: '/s.json' }),
      { strictMcpConfig: true, settingSources: [], settings: '/s.json' },
      [],
    ],
    ['system placement', input({ clientConfig: { promptPlacement: 'system' } }), { systemPrompt: 'the prompt' }, []],
  ];
  test.each(cases)('%s', (_, given, expected, absent) => {
    const options = assembleOptions(given);
    expect(options).toMatchObject(expected);
    expect(absent.filter((name) => name in options)).toEqual([]);
  });
});

describe('StopMonitor', () => {
  const watchOn = (clock: ManualClock, more: { signal?: AbortSignal; graceMs?: number } = {}) =>
    new StopMonitor({
      signal: more.signal,
      deadline: Deadline.fromNow(5_000, { clock }),
      graceMs: more.graceMs ?? 1_000,
      clock,
    });

  test('stops at the deadline and its grace, not before', async () => {
    const clock = new ManualClock();
    const watch = watchOn(clock);
    clock.advance(5_999);
    expect(watch.reason).toBeUndefined();
    expect(() => watch.check()).not.toThrow();
    clock.advance(1);
    expect(await watch.stopped).toEqual({ kind: 'deadline' });
    expect(watch.signal.aborted).toBe(true);
    expect(() => watch.check()).toThrow(RunStopped);
  });

  test('an endless grace is no timer', () => {
    const clock = new ManualClock();
    watchOn(clock, { graceMs: Number.POSITIVE_INFINITY });
    expect(clock.armed).toBe(0);
  });

  test('the first reason counts, and work that is raced is left', async () => {
    const clock = new ManualClock();
    const caller = new AbortController();
    const watch = watchOn(clock, { signal: caller.signal });
    const raced = watch.race(new Promise(() => {})).catch((error: unknown) => error);
    caller.abort('mine');
    clock.advance(10_000);
    watch.stop({ kind: 'disposed' });
    expect(await raced).toMatchObject({ reason: { kind: 'aborted', cause: 'mine' } });
    expect(watch.signal.reason).toBe('mine');
  });

  test('end() takes everything back, and says so to who still works', async () => {
    const clock = new ManualClock();
    const caller = new AbortController();
    const watch = watchOn(clock, { signal: caller.signal });
    watch.end();
    watch.end();
    caller.abort();
    expect(clock.armed).toBe(0);
    expect(watch.reason).toBeUndefined();
    expect(watch.signal.aborted).toBe(true);
    watch.stop({ kind: 'disposed' });
    expect(watch.reason).toBeUndefined();
  });
});

describe('StderrRelay', () => {
  const clean = (text: string): string => text.replaceAll('secret', '*');

  test('keeps the last 20 lines, blank ones left out, with the open one', () => {
    const tail = new StderrRelay(clean);
    for (let line = 1; line <= 25; line += 1) tail.add(`line ${line}\r\n\n`);
    tail.add('op');
    tail.add('en');
    expect(tail.lines).toHaveLength(20);
    expect(tail.lines[0]).toBe('line 7');
    expect(tail.lines.at(-1)).toBe('open');
  });

  test('a secret that comes in two pieces is taken out', () => {
    const tail = new StderrRelay(clean);
    tail.add('a sec');
    tail.add('ret\nand a sec');
    tail.add('ret');
    expect(tail.lines).toEqual(['a *', 'and a *']);
  });

  test('a line without an end does not grow', () => {
    const tail = new StderrRelay(clean);
    for (let round = 0; round < 100; round += 1) tail.add('x'.repeat(1_000));
    expect(tail.lines.join('').length).toBeLessThanOrEqual(2_000);
  });
});

describe('TurnBook', () => {
  const newBook = () => new TurnBook(new UsageCounter(), { beginTurn: () => {} });
  const assistant = (id: string, content: unknown, parent: string | null = null) => ({
    type: 'assistant',
    parent_tool_use_id: parent,
    session_id: 's',
    message: { id, content },
  });
  const text = (value: string) => [{ type: 'text', text: value }];

  test('the blocks of one message are one text; sub-agents are not listened to', () => {
    const book = newBook();
    book.onMessage(assistant('m1', text('Old.')));
    book.onMessage(assistant('m2', text('New ')));
    book.onMessage(assistant('m2', [{ type: 'tool_use', name: 'Bash' }]));
    book.onMessage(assistant('m2', text('text.')));
    book.onMessage(assistant('m3', text('No.'), 'toolu_1'));
    expect(book.text).toBe('New text.');
    expect(book.counts).toEqual({ assistant: 5 });
    expect(book.cliSessionId).toBe('s');
  });

  test('the text of the result wins; an empty one does not', () => {
    const book = newBook();
    book.onMessage(assistant('m1', 'Said.'));
    book.onMessage({ type: 'result', result: '' });
    expect(book.text).toBe('Said.');
    book.onMessage({ type: 'result', result: 'Answered.' });
    expect(book.text).toBe('Answered.');
  });

  test.each([
    [{}],
    [{ type: 'assistant' }],
    [{ type: 'assistant', message: { content: 5 } }],
    [{ type: 'assistant', message: { content: [null, 5, {}] } }],
    [{ type: 7, session_id: 7 }],
  ])('a message of an odd shape is no exception: %j', (message) => {
    const book = newBook();
    book.onMessage(message);
    expect(book.text).toBeNull();
  });
});

test('UserInput gives what is sent, in order, until it is ended', async () => {
  const input = new UserInput('name');
  input.send('one');
  const seen: unknown[] = [];
  const reading = (async () => {
    for await (const message of input) {
      seen.push(message.message.content);
      if (seen.length === 1) setTimeout(() => input.send('two'), 1);
      else input.end();
    }
  })();
  await reading;
  expect(seen).toEqual(['one', 'two']);
});
