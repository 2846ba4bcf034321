import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Diagnostic } from '../../src/diagnostics.js';
import { FrameTooLargeError } from '../../src/errors.js';
import { encodeFrame, NdjsonReader } from '../../src/transport/ndjson.js';
import type { JsonObject } from '../../src/util/json.js';
import { cutAt } from './cut-at.js';

function read(chunks: readonly (string | Uint8Array)[], maxBufferBytes = 1024 * 1024) {
  const frames: JsonObject[] = [];
  const diagnostics: string[] = [];
  const errors: Error[] = [];
  const reader = new NdjsonReader(
    {
      onFrame: (frame) => frames.push(frame),
      onDiagnostic: ({ code }) => diagnostics.push(code),
      onError: (error) => errors.push(error),
    },
    maxBufferBytes,
  );
  for (const chunk of chunks) reader.push(Buffer.from(chunk));
  reader.end();
  return { frames, diagnostics, errors };
}

const frame = fc.dictionary(fc.string(), fc.jsonValue());

describe('ndjson reader', () => {
  test('lines that begin as told are neither parsed nor reported', () => {
    const frames: JsonObject[] = [];
    const unexpected = (told: unknown) => expect.fail(JSON.stringify(told));
    const sink = { onFrame: (each: JsonObject) => frames.push(each), onDiagnostic: unexpected, onError: unexpected };
    const reader = new NdjsonReader(sink, 1024);
    reader.push(Buffer.from('{"a":1}\n'));
    reader.skipLines('{"a":');
    reader.push(Buffer.from('{"a":2}\n{"a":broken\n{"b":{"a":3}}\n{"a":4}\n'));
    reader.end();
    expect(frames).toEqual([{ a: 1 }, { b: { a: 3 } }]);
  });

  const cases = [
    { name: 'blank lines are ignored', text: '\n  \n\t\n{"a":1}\n', frames: [{ a: 1 }], codes: [] },
    { name: 'spaces around a frame', text: '  {"a":1}  \n', frames: [{ a: 1 }], codes: [] },
    {
      name: 'text is skipped and reported (TS-167, PY-079)',
      text: '[Sandbox] x\n{"a":1}\n',
      frames: [{ a: 1 }],
      codes: ['line_not_json'],
    },
    { name: 'a broken frame too (TS-167)', text: '{"a":\n{"a":1}\n', frames: [{ a: 1 }], codes: ['line_not_json'] },
    { name: 'two objects on a line', text: '{}{}\n', frames: [], codes: ['line_not_json'] },
    {
      name: 'a BOM or NUL before a frame',
      text: '\ufeff{}\n\0{}\n\ufeff\n',
      frames: [],
      codes: ['line_not_json', 'line_not_json', 'line_not_json'],
    },
    {
      name: 'values that are no objects (PY-079)',
      text: '[1,2]\n"s"\nnull\n5\ntrue\n',
      frames: [],
      codes: ['line_not_object', 'line_not_object', 'line_not_object', 'line_not_object', 'line_not_object'],
    },
    {
      name: 'a last frame without newline (PY-082)',
      text: '{"a":1}\n{"b":2}',
      frames: [{ a: 1 }, { b: 2 }],
      codes: [],
    },
    { name: 'a truncated last line (PY-083)', text: '{"a":1}\n{"b":', frames: [{ a: 1 }], codes: ['line_incomplete'] },
    { name: 'a last line of blanks', text: '{"a":1}\n  ', frames: [{ a: 1 }], codes: [] },
    { name: 'a last value that is no object', text: '7', frames: [], codes: ['line_not_object'] },
    { name: 'duplicate keys: the last wins', text: '{"a":1,"a":2}\n', frames: [{ a: 2 }], codes: [] },
  ];
  for (const { name, text, frames, codes } of cases) {
    test(name, () => {
      expect(read([text])).toEqual({ frames, diagnostics: codes, errors: [] });
    });
  }

  describe('what was skipped is told', () => {
    function reportsOf(lines: readonly string[]) {
      const reports: Diagnostic[] = [];
      const sink = {
        onFrame: () => {},
        onDiagnostic: (each: Diagnostic) => reports.push(each),
        onError: (error: Error) => expect.fail(error.message),
      };
      const reader = new NdjsonReader(sink, 1024);
      for (const line of lines) reader.push(Buffer.from(`${line}\n`));
      return { reader, reports };
    }

    test('one by one with its length in bytes and its beginning, and why', () => {
      const long = `x${'ü'.repeat(150)}`;
      const { reports } = reportsOf([long, '[1]']);
      expect(reports).toEqual([
        {
          code: 'line_not_json',
          message: 'Skipped a line of output that is not JSON',
          details: { bytes: 301, excerpt: long.slice(0, 100) },
        },
        {
          code: 'line_not_object',
          message: 'Skipped a line of output that is not a JSON object',
          details: { bytes: 3, excerpt: '[1]' },
        },
      ]);
    });

    test.each(['end', 'stop'] as const)(
      'from the 101st on as a count whenever the total has doubled, and the rest at the %s',
      (how) => {
        const { reader, reports } = reportsOf(
          Array.from({ length: 450 }, (_, index) => `line ${index}${'.'.repeat(100)}`),
        );
        const ones = reports.filter(({ details }) => details?.lines === undefined);
        expect(ones).toHaveLength(100);
        reader[how]();
        reader[how]();
        const more = (lines: number, bytes: number, first: number) => ({
          code: 'line_not_json',
          message: `Skipped ${lines} more lines of output, each of them not JSON`,
          details: { lines, bytes, excerpt: `line ${first}${'.'.repeat(92)}` },
        });
        expect(reports.slice(100)).toEqual([
          more(100, 100 * 108, 100),
          more(200, 200 * 108, 200),
          more(50, 50 * 108, 400),
        ]);
      },
    );

    test('an end in the middle of a line', () => {
      const { reader, reports } = reportsOf([]);
      reader.push(Buffer.from(`{"text":"${'ä'.repeat(100)}`));
      reader.end();
      expect(reports).toEqual([
        {
          code: 'line_incomplete',
          message: 'The output ended in the middle of a line',
          details: { bytes: 209, excerpt: `{"text":"${'ä'.repeat(91)}` },
        },
      ]);
    });
  });

  test('`__proto__` is an ordinary key', () => {
    const [parsed] = read(['{"__proto__":{"polluted":true}}\n']).frames;
    expect(Object.keys(parsed ?? {})).toEqual(['__proto__']);
    expect({}).not.toHaveProperty('polluted');
  });

  test('a deeply nested frame is read', () => {
    const depth = 5_000;
    expect(read([`{"a":${'['.repeat(depth)}${']'.repeat(depth)}}\n`]).frames).toHaveLength(1);
  });

  test('10 000 frames in one chunk come in order (TS-173)', () => {
    const sent = Array.from({ length: 10_000 }, (_, n) => ({ n }));
    expect(read([sent.map(encodeFrame).join('')]).frames).toEqual(sent);
  });

  test('a line over the limit fails with FrameTooLargeError after the frames before it (PY-084)', () => {
    const { frames, errors } = read(['{"a":1}\n{"text":"0123456789"}\n{"b":2}\n'], 10);
    expect(frames).toEqual([{ a: 1 }]);
    expect(errors).toEqual([expect.any(FrameTooLargeError)]);
    expect(errors[0]).toMatchObject({ limitBytes: 10, errorClass: 'frame_too_large' });
    expect(errors[0]?.message).toContain('maximum buffer size of 10 bytes');
  });

  test('any frames cut anywhere come back as they were', () => {
    fc.assert(
      fc.property(fc.array(frame), fc.array(fc.nat(2_000)), fc.constantFrom('\n', '\r\n'), (sent, cuts, eol) => {
        const bytes = Buffer.from(sent.map((each) => JSON.stringify(each) + eol).join(''));
        const { frames, diagnostics, errors } = read(cutAt(bytes, cuts));
        expect(frames).toEqual(sent.map((each) => JSON.parse(JSON.stringify(each))));
        expect([...diagnostics, ...errors]).toEqual([]);
      }),
    );
  });

  test('garbage throws nothing and hides no frame that follows it', () => {
    const noise = fc.uint8Array().map((bytes) => Buffer.from(bytes.filter((byte) => byte !== 0x7b)));
    fc.assert(
      fc.property(fc.array(noise), fc.array(fc.nat(500)), (garbage, cuts) => {
        const parts = garbage.flatMap((each) => [each, Buffer.from('\n{"ok":true}\n')]);
        const { frames, errors } = read(cutAt(Buffer.concat(parts), cuts));
        expect(frames).toEqual(garbage.map(() => ({ ok: true })));
        expect(errors).toEqual([]);
      }),
    );
  });
});

describe('encodeFrame', () => {
  test('a frame becomes one line, whatever it holds', () => {
    fc.assert(
      fc.property(frame, (each) => {
        const line = encodeFrame(each);
        expect(line.indexOf('\n')).toBe(line.length - 1);
        expect(JSON.parse(line)).toEqual(JSON.parse(JSON.stringify(each)));
      }),
    );
  });

  test('what has no JSON is refused by name', () => {
    const frame = { toJSON: () => undefined };
    expect(() => encodeFrame(frame)).toThrow(new TypeError('A frame must serialise to JSON, got object'));
  });

  test('U+2028 stays as it is, a lone surrogate is escaped (TS baseline 7)', () => {
    expect(encodeFrame({ text: '\u2028\ud800' })).toBe('{"text":"\u2028\\ud800"}\n');
  });
});
