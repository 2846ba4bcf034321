import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Diagnostic } from '../../src/diagnostics.js';
import { findEmbeddedFrames } from '../../src/transport/embedded-frames.js';
import { NdjsonReader } from '../../src/transport/ndjson.js';
import type { JsonObject } from '../../src/util/json.js';
import { cutAt } from './cut-at.js';

function read(chunks: readonly Uint8Array[]) {
  const frames: JsonObject[] = [];
  const diagnostics: Diagnostic[] = [];
  const sink = {
    onFrame: (frame: JsonObject) => frames.push(frame),
    onDiagnostic: (diagnostic: Diagnostic) => diagnostics.push(diagnostic),
    onError: (error: Error) => expect.fail(String(error)),
  };
  const reader = new NdjsonReader(sink, 64 * 1024 * 1024);
  for (const chunk of chunks) reader.push(Buffer.from(chunk));
  reader.end();
  return { frames, diagnostics };
}

const RESULT = '{"type":"result","result":"a } \\" {\\"type\\": b","uuid":"u1","session_id":"s"}';
const result = JSON.parse(RESULT) as JsonObject;
const INIT = '{ "subtype" : "init", "uuid":"u2", "session_id":"s", "type" : "system" }';
const init = JSON.parse(INIT) as JsonObject;

describe('a frame that shares its line with other text', () => {
  const cases = [
    { name: 'a prefix', text: `note: ${RESULT}`, frames: [result], rest: 'note: ' },
    { name: 'several prefixes', text: `[a] b: (c) ${RESULT}`, frames: [result], rest: '[a] b: (c) ' },
    { name: 'braces in the prefix', text: `{x} {} } { ${RESULT}`, frames: [result], rest: '{x} {} } { ' },
    { name: 'a quote in the prefix', text: `it's 5" wide: ${RESULT}`, frames: [result], rest: `it's 5" wide: ` },
    {
      name: 'an object without a type before it',
      text: `{"level":1} ${RESULT}`,
      frames: [result],
      rest: '{"level":1} ',
    },
    { name: 'the beginning of an object', text: `{"level": "in${RESULT}`, frames: [result], rest: '{"level": "in' },
    { name: 'a frame that was cut before it', text: `{"type":"as${RESULT}`, frames: [result], rest: '{"type":"as' },
    { name: 'colours', text: `\u001b[31mred\u001b[0m${RESULT}`, frames: [result], rest: '\u001b[31mred\u001b[0m' },
    { name: 'a title', text: `\u001b]0;claude\u0007${RESULT}`, frames: [result], rest: '\u001b]0;claude\u0007' },
    { name: 'a byte order mark', text: `\ufeff${RESULT}`, frames: [result], rest: undefined },
    { name: 'NULs', text: `\0\0${RESULT}\0`, frames: [result], rest: '\0\0 \0' },
    {
      name: 'colours on both sides',
      text: `\u001b[32m${RESULT}\u001b[0m`,
      frames: [result],
      rest: '\u001b[32m \u001b[0m',
    },
    { name: 'text behind it', text: `${RESULT} done.`, frames: [result], rest: ' done.' },
    { name: 'text between two', text: `${INIT} b ${RESULT}`, frames: [init, result], rest: ' b ' },
    { name: 'two frames', text: INIT + RESULT, frames: [init, result], rest: undefined },
    { name: 'two frames and text', text: `a ${INIT} ${RESULT}\r`, frames: [init, result], rest: 'a ' },
    { name: 'another order of keys, and spaces', text: `note: ${INIT}`, frames: [init], rest: 'note: ' },
  ];
  test.each(cases)('$name', ({ text, frames, rest }) => {
    for (const end of ['\n', '']) {
      const got = read([Buffer.from(text + end)]);
      expect(got.frames).toEqual(frames);
      expect(got.diagnostics.map(({ code }) => code)).toEqual(rest === undefined ? [] : ['text_around_frame']);
      if (rest !== undefined) expect(got.diagnostics[0]?.details).toMatchObject({ excerpt: rest });
    }
  });

  const without = [
    { name: 'a frame that text was put into', text: '{"type":"user","message":{"type":"x"NOTE},"uuid":"u"}' },
    {
      name: 'the parts of a frame that was cut',
      text: '{"type":"user","message":{"type":"x"},"content":[{"type":"y"},',
    },
    { name: 'escaped JSON in a text', text: 'sent "{\\"type\\":\\"result\\"}"' },
    { name: 'an object that has no type', text: 'log {"level":"info"}' },
    { name: 'a type that is not a text', text: 'log {"type":7}' },
    { name: 'a frame that is quoted', text: `last was ${RESULT}, it said` },
    { name: 'a quoted frame that does not touch the one that counts', text: `"${INIT}${RESULT}"` },
    { name: 'an event of another program', text: 'info: event {"type":"heartbeat","n":1}' },
    { name: 'a frame without an id', text: 'log {"type":"system","subtype":"task_started","session_id":"s"}' },
    { name: 'a frame of no session', text: 'log {"type":"user","uuid":"u","session_id":""}' },
    { name: 'a request without an id', text: 'log {"type":"control_request","request":{"subtype":"can_use_tool"}}' },
    { name: 'a request without a subtype', text: 'log {"type":"control_request","request_id":"1","request":{}}' },
    {
      name: 'the call of a hook that names no session',
      text: 'log {"type":"control_request","request_id":"1","request":{"subtype":"hook_callback","input":{}}}',
    },
    { name: 'an answer to nothing', text: 'log {"type":"control_response","response":{"subtype":"success"}}' },
    { name: 'a withdrawal of nothing', text: 'log {"type":"control_cancel_request"}' },
    { name: 'a sign of life', text: 'log {"type":"keep_alive"}' },
  ];
  test.each(without)('no frame is made of $name', ({ text }) => {
    const { frames, diagnostics } = read([Buffer.from(`${text}\n`)]);
    expect(frames).toEqual([]);
    expect(diagnostics.map(({ code, details }) => [code, details?.excerpt])).toEqual([
      ['line_not_json', text.slice(0, 100)],
    ]);
  });

  test('any frame behind or before any text without a brace comes whole, wherever the bytes are cut', () => {
    const text = fc.string({ unit: 'binary' }).map((each) => each.replace(/[{\r\n]/g, '').trim());
    const frame = fc
      .dictionary(fc.string(), fc.jsonValue())
      .map((fields) => ({ ...fields, type: 'result', uuid: 'u', session_id: 's' }));
    fc.assert(
      fc.property(text, frame, fc.boolean(), fc.array(fc.nat(64)), (note, each, isBehind, cuts) => {
        const json = JSON.stringify(each);
        const bytes = Buffer.from(`${isBehind ? json + note : note + json}\n`);
        expect(read(cutAt(bytes, cuts)).frames).toEqual([JSON.parse(JSON.stringify(each))]);
      }),
    );
  });

  test('no text makes it throw, and nothing of a line is lost', () => {
    const piece = fc.oneof(fc.constantFrom('{"', '{', '}', '"', '\\', '"type"', ':', ' ', RESULT, INIT), fc.string());
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const line = pieces.join('');
        const { frames, others } = findEmbeddedFrames(line, ({ type }) => type !== undefined);
        const units = [...frames.map(({ text }) => text), ...others].join('').replace(/\s/g, '');
        expect([...units].sort().join('')).toBe([...line.replace(/\s/g, '')].sort().join(''));
      }),
    );
  });

  test('a long line of beginnings is looked through a few times only', () => {
    const line = '{"type"'.repeat(200_000);
    let reads = 0;
    const counting = new Proxy(Object(line) as object, {
      get: (target, key) => {
        const value: unknown = Reflect.get(target, key);
        if (key === 'charCodeAt') reads += 1;
        return typeof value === 'function' ? value.bind(line) : value;
      },
    }) as unknown as string;
    expect(findEmbeddedFrames(counting, () => true).frames).toEqual([]);
    expect(reads).toBeLessThan(12 * line.length);
  });
});

const QUESTION = '{"type":"control_request","request_id":"1","request":{"subtype":"can_use_tool","tool_name":"Bash"}}';

describe('a frame that a wrapper logs and passes on', () => {
  const pair = (text: string) => JSON.parse(text) as JsonObject;
  const ANSWER = '{"type":"control_response","response":{"subtype":"success","request_id":"1"}}';
  const DELTA = '{"type":"stream_event","event":{},"uuid":"u3","session_id":"s"}';

  test.each([RESULT, QUESTION, ANSWER, DELTA])('comes once when it is logged first: %s', (text) => {
    const { frames, diagnostics } = read([Buffer.from(`-> ${text}\n${text}\n`)]);
    expect(frames).toEqual([pair(text)]);
    expect(diagnostics.map(({ code }) => code)).toEqual(['text_around_frame', 'frame_repeated']);
  });

  test.each([RESULT, QUESTION, ANSWER])('comes once when it is logged afterwards: %s', (text) => {
    const { frames, diagnostics } = read([Buffer.from(`${text}\n<- ${text}\n`)]);
    expect(frames).toEqual([pair(text)]);
    expect(diagnostics.map(({ code }) => code)).toEqual(['line_not_json']);
  });

  test('comes once when both share a line', () => {
    const { frames, diagnostics } = read([Buffer.from(`-> ${RESULT} ${RESULT}\n<- ${RESULT}\n`)]);
    expect(frames).toEqual([result]);
    expect(diagnostics.map(({ code }) => code)).toEqual(['text_around_frame', 'frame_repeated', 'line_not_json']);
  });

  test('is not mistaken for its answer, which has the same id', () => {
    const { frames } = read([Buffer.from(`-> ${QUESTION}\n${ANSWER}\n`)]);
    expect(frames).toEqual([pair(QUESTION), pair(ANSWER)]);
  });

  test('lines of their own are never compared with each other', () => {
    const { frames, diagnostics } = read([Buffer.from(`${RESULT}\n${RESULT}\n`)]);
    expect(frames).toEqual([result, result]);
    expect(diagnostics).toEqual([]);
  });
});

describe('a frame of another session inside of a line', () => {
  const OTHER = RESULT.replace('"s"', '"other"').replace('u1', 'u9');

  test('is not taken once the session is known', () => {
    expect(read([Buffer.from(`${INIT}\nlast was ${OTHER}\n`)]).frames).toEqual([init]);
    expect(read([Buffer.from(`note: ${INIT}\nlast was ${OTHER}\n`)]).frames).toEqual([init]);
  });

  test('is taken after a reset, which begins another session', () => {
    const reset = '{"type":"conversation_reset","uuid":"u4","session_id":"s"}';
    expect(read([Buffer.from(`${INIT}\n${reset}\nnote: ${OTHER}\n`)]).frames).toHaveLength(3);
  });

  test('nor is the call of a hook', () => {
    const input = { session_id: 'other' };
    const request = { subtype: 'hook_callback', callback_id: 'hook_0', input };
    const call = JSON.stringify({ type: 'control_request', request_id: '1', request });
    expect(read([Buffer.from(`${INIT}\nsaid ${call}\n`)]).frames).toEqual([init]);
  });

  const call = (id: string) => {
    const message = { method: 'tools/call', params: { name: 'pay', _meta: { 'claudecode/toolUseId': id } } };
    const request = { subtype: 'mcp_message', server_name: 'till', message };
    return JSON.stringify({ type: 'control_request', request_id: `of ${id}`, request });
  };
  const made = JSON.stringify({
    ...{ type: 'assistant', uuid: 'u5', session_id: 's' },
    message: {
      content: [
        { type: 'text', text: 'x' },
        { type: 'tool_use', id: 'toolu_1', name: 'pay' },
      ],
    },
  });

  test('nor is a call of a tool of the host that the model did not make', () => {
    expect(read([Buffer.from(`${made}\nsaid ${call('toolu_2')}\n`)]).frames).toHaveLength(1);
    const nameless = call('toolu_1').replace('claudecode/toolUseId', 'id');
    expect(read([Buffer.from(`${made}\nsaid ${nameless}\n`)]).frames).toHaveLength(1);
    expect(read([Buffer.from(`${made}\nnote: ${call('toolu_1')}\n`)]).frames).toHaveLength(2);
  });
});
