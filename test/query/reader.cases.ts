import { resultFrame } from '../helpers/cli-frames.js';
import type { SessionCase } from '../helpers/session-case/session-case.js';
import { EOF, probe, RESULT, state, USER } from '../helpers/session-case/steps.js';

const hidden = [
  { type: 'keep_alive' },
  { type: 'keep_alive', startup_mark: 'settings_loaded', uuid: 'u', session_id: 's' },
  { type: 'control_response', response: { subtype: 'success', request_id: 'x' } },
  { type: 'control_cancel_request', request_id: 'x' },
  { type: 'transcript_mirror', filePath: '/x', entries: [] },
  { type: 'transcript_mirror', filePath: '/x', entries: [{ type: 'user', uuid: 'u' }] },
];
const unknown = [
  { type: 'control_from_the_future', b: 1 },
  { type: 'from_the_future', a: { b: [1, null] } },
  { type: 'system', subtype: 'from_the_future' },
  { no_type: true },
];
const wide = 'naïve — 😀 世界';

export const readerCases: readonly SessionCase[] = [
  {
    ids: ['TS-167', 'PY-079', 'PY-080'],
    name: 'lines that are no JSON objects are skipped, and the session goes on',
    differs: 'D-01',
    cli: [USER, { raw: '[Sandbox] x\n\n   \n{"broken":\n{"a":1}{"b":2}\nnull\n[1]\n5\n"s"\n' }, RESULT, EOF],
    expect: {
      messages: ['result/success'],
      diagnostics: [
        'line_not_json',
        'line_not_json',
        'line_not_json',
        'line_not_object',
        'line_not_object',
        'line_not_object',
        'line_not_object',
      ],
    },
  },
  {
    ids: ['TS-167'],
    name: 'an error result with odd `errors` is delivered',
    differs: 'D-01',
    cli: [USER, { out: resultFrame({ subtype: 'error_during_execution', is_error: true, errors: 7 }) }, EOF],
    expect: { messages: ['result/error_during_execution'] },
  },
  {
    ids: ['TS-168', 'PY-254'],
    name: 'unknown types and subtypes are given to the consumer unchanged',
    cli: [USER, ...unknown.map((out) => ({ out })), RESULT, EOF],
    program: async (stage) => {
      await stage.drain();
      return stage.messages.slice(0, -1);
    },
    expect: { value: unknown },
  },
  {
    ids: ['TS-169', 'PY-128', 'PY-151'],
    name: 'keep_alive and control frames of any kind are never given',
    cli: [USER, ...hidden.map((out) => ({ out })), ...probe(), RESULT, EOF],
    expect: {
      messages: ['result/success'],
      diagnostics: ['response_unknown', 'cancel_unknown', 'request_unsupported'],
    },
  },
  {
    ids: ['TS-169a'],
    name: 'a state for the host only is not given, and still holds the input open; others are given',
    options: { canUseTool: async () => ({ behavior: 'allow' }) },
    cli: [
      USER,
      state('running', { sdk_host_only: true }),
      RESULT,
      ...probe(),
      state('idle', { sdk_host_only: true }),
      EOF,
      state('idle'),
      { exit: 0 },
    ],
    expect: { messages: ['result/success', 'system/session_state_changed'], diagnostics: ['request_unsupported'] },
  },
  {
    ids: ['TS-170', 'PY-077', 'PY-081', 'PY-082'],
    name: 'CRLF, characters cut in the middle, and a last line without a newline are read',
    cli: [
      USER,
      { raw: '{"type":"system","subtype":"crlf"}\r\n' },
      { out: { type: 'system', subtype: 'cut', text: wide }, cut: 7, gapMs: 1 },
      { out: resultFrame() },
      EOF,
      { raw: '{"type":"system","subtype":"no_newline"}' },
      { exit: 0 },
    ],
    program: async (stage) => {
      await stage.drain();
      return (stage.messages[1] as unknown as { text: string }).text;
    },
    expect: { value: wide, messages: ['system/crlf', 'system/cut', 'result/success', 'system/no_newline'] },
  },
  {
    ids: ['TS-171', 'PY-086'],
    name: 'invalid UTF-8 becomes U+FFFD, and the session goes on',
    differs: 'D-01',
    cli: [
      USER,
      {
        bytes: Buffer.concat([
          Buffer.from('{"type":"system","subtype":"odd","text":"a'),
          Buffer.from([0xff]),
          Buffer.from('b"}\n'),
        ]).toString('base64'),
      },
      RESULT,
      EOF,
    ],
    program: async (stage) => {
      await stage.drain();
      return (stage.messages[0] as unknown as { text: string }).text;
    },
    expect: { value: 'a\ufffdb', messages: ['system/odd', 'result/success'] },
  },
  {
    ids: ['TS-173', 'PY-078'],
    name: '10 000 lines in one write are all delivered, in order',
    cli: [USER, { raw: Array.from({ length: 10_000 }, (_, n) => `{"type":"tick","n":${n}}\n`).join('') }, RESULT, EOF],
    program: async (stage) => {
      await stage.drain();
      const ticks = stage.messages.slice(0, -1) as unknown as { n: number }[];
      return [ticks.length, ticks.every(({ n }, index) => n === index)];
    },
    expect: { value: [10_000, true] },
  },
  {
    ids: ['PY-084', 'PY-085'],
    name: 'a line over maxBufferBytes is a typed error, after the messages before it',
    differs: 'D-02',
    options: { maxBufferBytes: 10_000 },
    cli: [
      USER,
      { out: { type: 'system', subtype: 'short', text: 'x'.repeat(9000) } },
      { out: { type: 'system', subtype: 'long', text: 'x'.repeat(20_000) } },
      { ignore: ['EOF'] },
      { wait: 'SIGTERM' },
      { exit: 143 },
    ],
    expect: {
      messages: ['system/short'],
      signals: ['SIGTERM'],
      exitCode: 143,
      diagnostics: ['process_signalled'],
      error: {
        name: 'FrameTooLargeError',
        message: 'maximum buffer size of 10000 bytes',
        fields: { errorClass: 'frame_too_large', limitBytes: 10_000 },
      },
    },
  },
];
