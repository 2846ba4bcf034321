import { describe, expect, test } from 'vitest';
import type { RecordingLine } from '../../src/testing/conversion/recording.js';
import { isJsonObject } from '../../src/util/json.js';
import { shapesIn } from '../adapter/support/stands-for.js';
import { CURRENT } from './support/clis.js';
import { recordedLines, shapeOf } from './support/recorded.js';
import { inside, settingsAnswer } from './support/replay-place.js';
import { replayRecording } from './support/replay-recording.js';
import { REPLAYED, type Replayed } from './support/replayed-recordings.js';

/** These make places of their own below /etc, or need the sandbox's programs. */
const isOnlyForLinux = ({ name, etc, hosts }: Replayed): boolean =>
  name.startsWith('sandbox-') || etc !== undefined || hosts !== undefined;

describe.concurrent(`what stand-ins of the CLI stand for, CLI ${CURRENT.version}`, () => {
  for (const recording of REPLAYED) {
    test.skipIf(isOnlyForLinux(recording) && process.env.LIVE_SANDBOX !== '1')(
      `the real CLI still does what ${recording.name} shows (only where the sandbox works)`,
      // The last words of a CLI that a signal ends, and its retries, are a matter of luck on a busy machine.
      { retry: 2 },
      async () => {
        const real = await replayRecording(recording);
        const recorded = recordedLines(recording.name);
        const isShown = recorded.some(isRetry) ? () => true : isNoRetry;
        expect(pictureOf(real.filter(isShown), recording)).toEqual(pictureOf(recorded, recording));
      },
    );
  }
});

const CHANGING: readonly (readonly [RegExp, string])[] = [
  [/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'SESSION'],
  [/\bb[0-9a-z]{8}\b/g, 'TASK'],
  [/\ba[0-9a-f]{16}\b/g, 'AGENT'],
  [/duration_ms: \d+/g, 'duration_ms: N'],
  // Of a machine with more than the loopback, and of the live stage.
  [/resolved to (one of this host's addresses|a loopback address)/g, 'resolved to OWN'],
];

/** What is compared of a run, for each process of it. */
function pictureOf(lines: readonly RecordingLine[], { isUnordered }: Replayed) {
  const procs = [...new Set(lines.filter(isFrame).map(({ proc }) => proc))];
  return procs.map((proc) => {
    const own = lines.filter((line) => line.proc === proc);
    const frames = own.filter(({ dir }) => dir === 'out').map(({ data }) => data);
    const kinds = shapeOf(frames);
    return {
      messages: isUnordered === true ? [...kinds].sort() : kinds,
      // What a stand-in is held to: each kind of frame with its fields.
      shapes: [...new Set(shapesIn(own).map(({ kind, keys }) => `${kind}: ${[...keys].sort().join(' ')}`))].sort(),
      tools: toolResults(frames),
      settings: settingsOf(own),
      exit: own.flatMap(({ data }) => (isJsonObject(data) && data.event === 'exit' ? [data.signal ?? data.code] : [])),
    };
  });
}

/** The CLI sends a request again when a busy machine makes the loopback API slow. */
const isRetry = ({ data }: RecordingLine): boolean =>
  isJsonObject(data) && data.type === 'system' && data.subtype === 'api_retry';
const isNoRetry = (line: RecordingLine): boolean => !isRetry(line);

const isFrame = ({ dir }: RecordingLine): boolean => dir === 'in' || dir === 'out';

/** What each call gave: whether it failed, and the text without ids and times. */
function toolResults(frames: readonly unknown[]): Readonly<Record<string, unknown>> {
  const blocks = frames.flatMap((frame) => {
    const content = inside(frame, 'message')?.content;
    return Array.isArray(content) ? content.filter(isJsonObject) : [];
  });
  return Object.fromEntries(
    blocks
      .filter(({ type }) => type === 'tool_result')
      .map((block) => [
        String(block.tool_use_id),
        {
          failed: block.is_error === true,
          text: CHANGING.reduce((text, [pattern, name]) => text.replace(pattern, name), JSON.stringify(block.content)),
        },
      ]),
  );
}

/** Whole, but for what the CLI applied: that has models. */
function settingsOf(lines: readonly RecordingLine[]) {
  const answer = settingsAnswer(lines);
  if (answer === undefined) return undefined;
  return { ...answer, applied: Object.keys(inside(answer, 'applied') ?? {}).sort() };
}
