import { describe, expect, test } from 'vitest';
import type { Diagnostic } from '../../src/diagnostics.js';
import { NdjsonReader } from '../../src/transport/ndjson.js';
import { startCpuClock } from '../helpers/cpu-time.js';

const CHUNK_BYTES = 64 * 1024;

/** Reads the text again and again, in chunks as the pipe delivers them. */
function readFlood(text: string, totalBytes: number) {
  const diagnostics: Diagnostic[] = [];
  const frames: unknown[] = [];
  const reader = new NdjsonReader(
    {
      onFrame: (frame) => frames.push(frame),
      onDiagnostic: (diagnostic) => diagnostics.push(diagnostic),
      onError: (error) => expect.unreachable(error.message),
    },
    1024 * 1024,
  );
  const chunk = Buffer.from(text.repeat(Math.floor(CHUNK_BYTES / text.length)));
  const spentMs = startCpuClock();
  let lines = 0;
  for (let bytes = 0; bytes < totalBytes; bytes += chunk.length) {
    reader.push(chunk);
    lines += Math.floor(CHUNK_BYTES / text.length);
  }
  const cpuMs = spentMs();
  reader.push(Buffer.from('\n{"last":true}\n'));
  reader.end();
  return { diagnostics, frames, lines, cpuMs };
}

/** Every skipped line is in exactly one report. */
function countReported(diagnostics: readonly Diagnostic[]): number {
  return diagnostics.reduce((sum, { details }) => sum + Number(details?.lines ?? 1), 0);
}

describe('a flood on stdout', () => {
  for (const text of ['\n', '\r', '\r\n', ' \n']) {
    test(`16 MB of ${JSON.stringify(text)} are ignored and do not block the host`, () => {
      const { diagnostics, frames, cpuMs } = readFlood(text, 16 * 1024 * 1024);
      expect(diagnostics).toEqual([]);
      expect(frames).toEqual([{ last: true }]);
      // It takes a second at most. One exception a line takes a minute.
      expect(cpuMs).toBeLessThan(15_000);
    });
  }

  for (const text of ['x\n', 'x\r', '{\n', '2024-01-01\n', 'true story\n']) {
    test(`16 MB of ${JSON.stringify(text)} cost a few diagnostics, which count every line`, () => {
      const { diagnostics, frames, lines, cpuMs } = readFlood(text, 16 * 1024 * 1024);
      expect(frames).toEqual([{ last: true }]);
      expect(diagnostics.length).toBeLessThan(150);
      expect(countReported(diagnostics)).toBe(lines);
      expect(new Set(diagnostics.map(({ code }) => code))).toEqual(new Set(['line_not_json']));
      expect(cpuMs).toBeLessThan(15_000);
    });
  }

  test('values that are no objects are counted too', () => {
    const { diagnostics, lines } = readFlood('5\n', 1024 * 1024);
    expect(diagnostics.length).toBeLessThan(150);
    expect(countReported(diagnostics)).toBe(lines);
    expect(new Set(diagnostics.map(({ code }) => code))).toEqual(new Set(['line_not_object']));
  });

  test('what was counted is reported when reading stops', () => {
    const diagnostics: Diagnostic[] = [];
    const reader = new NdjsonReader(
      { onFrame: () => {}, onDiagnostic: (diagnostic) => diagnostics.push(diagnostic), onError: () => {} },
      100,
    );
    reader.push(Buffer.from('junk\n'.repeat(103)));
    expect(diagnostics).toHaveLength(100);
    reader.stop();
    expect(diagnostics.at(-1)).toEqual({
      code: 'line_not_json',
      message: 'Skipped 3 more lines of output, each of them not JSON',
      details: { lines: 3, bytes: 12, excerpt: 'junk' },
    });
    reader.end();
    expect(diagnostics).toHaveLength(101);
  });
});
