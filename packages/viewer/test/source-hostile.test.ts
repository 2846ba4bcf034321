import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { viewData } from '../src/index.js';
import { ViewReader } from '../src/source/view-reader.js';
import { recordingOf } from './helpers/recordings.js';

const bodiesOf = (reader: ViewReader): string =>
  reader.bodies
    .chunks()
    .map(({ gz }) => gunzipSync(gz).toString('utf8'))
    .join('\n');

function read(text: string | Buffer, options = {}): ViewReader {
  const reader = new ViewReader('made', { env: {}, cwd: '/nowhere', ...options });
  reader.push(Buffer.from(text));
  reader.end();
  return reader;
}

describe('a source that is not what it should be', () => {
  test('nothing at all has no frame and no fault', async () => {
    expect(await viewData({ text: '' })).toMatchObject({
      source: { kind: 'empty' },
      frames: [],
      faults: [],
      spans: [],
    });
  });

  test('binary garbage is lines, each with its fault', () => {
    const garbage = Buffer.from(Array.from({ length: 4_096 }, (_, index) => (index * 131 + (index >> 3)) % 256));
    const view = read(garbage).view();
    expect(view.source.kind).toBe('lines');
    expect(view.frames.length).toBeGreaterThan(0);
    expect(view.faults.filter(({ kind }) => kind === 'bad-json').length).toBe(view.frames.length);
  });

  test('a recording that was cut in the middle of a line shows the rest of it as bad JSON', () => {
    const whole = recordingOf([[5, 'in', { type: 'user', message: { role: 'user', content: 'Hello.' } }]]);
    const view = read(whole.slice(0, -30)).view();
    expect(view.frames).toHaveLength(2);
    expect(view.faults).toMatchObject([{ kind: 'bad-json', frame: 1 }]);
  });

  test('a line of 50 MB is cut, and says how long it is', () => {
    const reader = read(
      recordingOf([[1, 'out', { type: 'user', message: { role: 'user', content: 'x'.repeat(50_000_000) } }]]),
    );
    const view = reader.view();
    expect(view.frames[1]?.bytes).toBeGreaterThan(50_000_000);
    expect(view.notes).toEqual([expect.stringContaining('1 frame is cut')]);
    expect(bodiesOf(reader).length).toBeLessThan(100_000);
  });

  test('a line over the limit is counted and not read', () => {
    const view = read(`${recordingOf([])}${'y'.repeat(65 * 1024 * 1024)}\n`).view();
    expect(view.faults).toMatchObject([{ kind: 'too-long' }]);
    expect(view.source.lines).toBe(2);
  });

  test('200 and 20,000 levels of nesting', () => {
    const deep = (levels: number): string => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
    const line = (levels: number): string => `{"t":1,"dir":"out","data":{"type":"user","message":${deep(levels)}}}\n`;
    const view = read(recordingOf([]) + line(200) + line(20_000)).view();
    expect(view.frames).toHaveLength(3);
  });

  test('halves of surrogate pairs come as they were', () => {
    const reader = read(recordingOf([[1, 'out', { type: 'user', message: { role: 'user', content: 'a\ud800b' } }]]));
    expect(bodiesOf(reader)).toContain('\\ud800');
  });

  test.each([
    '{"t":1,"dir":"out"}',
    '{"t":"x","dir":"in","data":null}',
    '{"dir":"out","data":[1]}',
    '{"dir":"out","data":{}}',
  ])('a line with odd fields: %s', (line) => {
    const view = read(`${recordingOf([])}${line}\n`).view();
    expect(view.frames).toHaveLength(2);
    expect(view.faults).toHaveLength(1);
  });

  test('a frame whose fields have other types than they should', () => {
    const odd = [1, 'x', null, [], {}, true];
    const names = ['message', 'event', 'request', 'response', 'request_id', 'parent_tool_use_id', 'subtype', 'usage'];
    const types = ['assistant', 'user', 'result', 'system', 'stream_event', 'control_request', 'control_response'];
    const frames = types.flatMap((type) => names.flatMap((name) => odd.map((value) => ({ type, [name]: value }))));
    const view = read(recordingOf(frames.map((frame, index) => [index, index % 2 === 0 ? 'out' : 'in', frame]))).view();
    expect(view.frames).toHaveLength(frames.length + 1);
  });

  test('50,000 requests with one id', () => {
    const request = { type: 'control_request', request_id: 'a', request: { subtype: 'x' } };
    const answer = { type: 'control_response', response: { subtype: 'success', request_id: 'a' } };
    const lines = Array.from({ length: 25_000 }, (_, index) => [index, 'in', request] as const);
    const answers = lines.map(([t]) => [t + 30_000, 'out', answer] as const);
    expect(
      read(recordingOf([...lines, ...answers]))
        .view()
        .exchanges.every(({ state }) => state === 'answered'),
    ).toBe(true);
  });
});

describe('what the recorder would take out', () => {
  const SECRET = 'sk-ant-api03-abcdefghijklmnop';

  test('is in no title, no fault, no text and no body', () => {
    const delta = (text: string): object => ({
      type: 'stream_event',
      parent_tool_use_id: null,
      event: { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } },
    });
    const reader = read(
      recordingOf([
        [1, 'in', { type: 'user', message: { role: 'user', content: `The key is ${SECRET}` } }],
        [2, 'err', `error: ${SECRET}`],
        [3, 'out', `no frame ${SECRET}`],
        // Split over two pieces.
        [4, 'out', delta(SECRET.slice(0, 12))],
        [5, 'out', delta(SECRET.slice(12))],
        [6, 'out', { type: 'system', subtype: 'x', account: { email: 'someone@example.com' } }],
      ]),
    );
    const shown = JSON.stringify(reader.view()) + bodiesOf(reader);
    expect(shown).not.toContain(SECRET.slice(7));
    expect(shown).not.toContain(SECRET.slice(12));
    expect(shown).not.toContain('someone@example.com');
    expect(shown).toContain('[scrubbed:anthropic-key]');
  });

  test('is not in a transcript and not in the log of a play, whose variables are names', () => {
    const transcript = `${JSON.stringify({ type: 'user', message: { role: 'user', content: SECRET }, uuid: 'u' })}\n`;
    const log = `${JSON.stringify({ t: 1, pid: 2, spawn: 1, event: 'start', argv: [], env: { MY_VALUE: 'plain-value' } })}\n`;
    expect(bodiesOf(read(transcript))).not.toContain(SECRET);
    expect(bodiesOf(read(log))).toContain('MY_VALUE');
    expect(bodiesOf(read(log))).not.toContain('plain-value');
  });

  test('values of secret variables of this machine are taken out too', () => {
    const reader = read(recordingOf([[1, 'err', 'the token hunter2-hunter2 was refused']]), {
      env: { MY_API_TOKEN: 'hunter2-hunter2' },
    });
    expect(JSON.stringify(reader.view()) + bodiesOf(reader)).not.toContain('hunter2');
  });
});

describe('formats', () => {
  test('a conformance report: one line a scenario, its failures are faults, its kept folders can be opened', async () => {
    const report = {
      format: 1,
      drivers: [
        {
          name: 'mine',
          scenarios: [
            { scenario: 'one', status: 'passed', ms: 5 },
            { scenario: 'two', status: 'failed', ms: 7, reason: 'nothing came', kept: '/kept/two' },
          ],
        },
      ],
    };
    const view = await viewData({ text: `${JSON.stringify(report, null, 2)}\n` }, { env: {}, cwd: '/nowhere' });
    expect(view.source).toMatchObject({ kind: 'conformance-report', about: 'conformance of mine' });
    expect(view.faults).toMatchObject([{ kind: 'failed-scenario', frame: 2, text: 'two: nothing came' }]);
  });

  test('a log of a play has one side: that no answer is in it is no fault', async () => {
    const request = { type: 'control_request', request_id: 'a', request: { subtype: 'initialize' } };
    const line = (fields: object): string => `${JSON.stringify({ t: 1, pid: 9, spawn: 1, ...fields })}\n`;
    const text = line({ event: 'in', line: JSON.stringify(request) }) + line({ event: 'end', exitCode: 0 });
    const view = await viewData({ text });
    expect(view.source.kind).toBe('play-log');
    expect(view.frames[0]).toMatchObject({ kind: 'control_request/initialize', dir: 'in' });
    expect(view.faults).toEqual([]);
  });

  test('a session log: frames in both directions, and its records as notes', async () => {
    const line = (fields: object): string => `${JSON.stringify({ level: 10, run: 'r', ...fields })}\n`;
    const text =
      line({ time: 1_000, msg: 'Starting Claude Code', args: [] }) +
      line({
        time: 1_010,
        msg: 'Frame to Claude Code',
        frame: { type: 'user', message: { role: 'user', content: 'Hi.' } },
      }) +
      line({ time: 1_030, msg: 'Frame from Claude Code', bytes: 9, frame: { type: 'keep_alive' } });
    const view = await viewData({ text });
    expect(view.source.kind).toBe('session-log');
    expect(view.frames.map(({ dir, t, kind }) => [dir, t, kind])).toEqual([
      ['meta', 0, 'meta/Starting Claude Code'],
      ['in', 10, 'user'],
      ['out', 30, 'keep_alive'],
    ]);
  });

  test('a scenario: what is expected and what is said', async () => {
    const text =
      '{"scenario":"s","version":1,"about":"a test"}\n{"in":{"type":"user"}}\n{"out":{"type":"keep_alive"}}\n{"wait":"EOF"}\n';
    const view = await viewData({ text });
    expect(view.source).toMatchObject({ kind: 'scenario', about: 'a test' });
    expect(view.frames.map(({ dir }) => dir)).toEqual(['meta', 'in', 'out', 'meta']);
  });

  test.each([
    [null, '`source` must be'],
    [{ file: 3 }, '`source.file` must be'],
    [{ text: 3 }, '`source.text` must be a string'],
    [{ stream: 3 }, '`source` must be'],
    [{ file: '/no/such/file' }, 'cannot read /no/such/file'],
  ])('a source that is none: %j', async (source, message) => {
    await expect(viewData(source as never)).rejects.toThrow(message);
  });
});
