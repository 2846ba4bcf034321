import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { parseMessage } from '../../src/parser/parse-message.js';
import type { JsonObject } from '../../src/util/json.js';
import { kindOfFrame } from './frame-kind.js';
import { frameName, outFrames, RECORDINGS, readManifest, recordingNames } from './load.js';

const manifest = readManifest();

function countNames(frames: readonly JsonObject[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const frame of frames) {
    const name = frameName(frame);
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

describe('the manifest', () => {
  test('lists every recording and no other', () => {
    expect(Object.keys(manifest)).toEqual(recordingNames);
    expect(recordingNames.length).toBeGreaterThanOrEqual(271);
  });

  test('is up to date', () => {
    const script = fileURLToPath(new URL('../../scripts/recordings-manifest.mjs', import.meta.url));
    expect(() => execFileSync(process.execPath, [script, '--check'])).not.toThrow();
  });
});

describe.each(recordingNames)('recording %s', (name) => {
  const frames = outFrames(name);
  const entry = manifest[name]!;

  test('holds what the manifest counts', () => {
    const bytes = readFileSync(`${RECORDINGS}${name}.jsonl`);
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(entry.sha256);
    expect(countNames(frames)).toEqual(entry.out);
  });

  test('every frame of the CLI is classified', () => {
    const kinds = frames.map((frame) => kindOfFrame(frame));
    const expected = frames.map((frame) => (frame.type === 'system' ? `system/${frame.subtype}` : frame.type));
    expect(kinds).toEqual(expected);
  });

  test('every frame of the CLI parses, and keeps its frame', () => {
    for (const frame of frames) {
      const result = parseMessage(frame);
      expect(result.ok ? [] : result.issues, frameName(frame)).toEqual([]);
      if (!result.ok) continue;
      expect('data' in result.message ? result.message.data : result.message.raw).toBe(frame);
    }
  });
});
