import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type ViewData, viewData } from '../../src/index.js';
import { RECORDINGS, recordingNames } from '../helpers/recordings.js';

const names = recordingNames();

test('there are the 271 recordings that are promised to open', () => {
  expect(names).toHaveLength(271);
});

describe.each(names)('%s', (name) => {
  test('opens, and its frames, requests and lanes are whole', async () => {
    const lines = readFileSync(`${RECORDINGS}${name}`, 'utf8').split('\n').filter(Boolean);
    const view = await viewData({ file: `${RECORDINGS}${name}` }, { env: {}, cwd: '/nowhere' });
    expect(view.source).toMatchObject({ kind: 'recording', name, lines: lines.length });
    // Every line is shown once, in its order, with its direction.
    expect(view.frames.map(({ line }) => line)).toEqual(lines.map((_, index) => index + 1));
    expect(view.frames.map(({ dir }) => dir)).toEqual(lines.map((line) => (JSON.parse(line) as { dir: string }).dir));
    expectWholeRequests(view, lines);
    expectNestedLanes(view);
    expectTexts(view, lines);
    for (const { frame } of view.faults) expect(view.frames[frame]).toBeDefined();
    expect(view.faults.filter(({ kind }) => kind === 'bad-frame')).toEqual([]);
  });
});

function expectWholeRequests(view: ViewData, lines: readonly string[]): void {
  const requests = view.exchanges.map(({ request }) => request);
  const isRequest = (line: string): boolean => {
    const { dir, data } = JSON.parse(line) as { dir: string; data: { type?: string } };
    return (dir === 'in' || dir === 'out') && data.type === 'control_request';
  };
  expect(requests).toEqual(lines.flatMap((line, index) => (isRequest(line) ? [index] : [])));
  const answers = view.exchanges.flatMap(({ answer }) => (answer === undefined ? [] : [answer]));
  expect(new Set(answers).size).toBe(answers.length);
  for (const { request, answer, state, latencyMs } of view.exchanges) {
    expect(state).not.toBe('open');
    expect(answer === undefined).toBe(state === 'unanswered');
    if (answer === undefined) continue;
    expect(answer).toBeGreaterThan(request);
    expect(view.frames[request]?.peer).toBe(answer);
    expect(view.frames[answer]?.peer).toBe(request);
    expect(latencyMs).toBe((view.frames[answer]?.t ?? 0) - (view.frames[request]?.t ?? 0));
  }
}

function expectNestedLanes({ spans, durationMs }: ViewData): void {
  for (const [index, { start, end, parent, lane }] of spans.entries()) {
    expect(start).toBeGreaterThanOrEqual(0);
    expect(end).toBeGreaterThanOrEqual(start);
    expect(end).toBeLessThanOrEqual(durationMs);
    if (parent === undefined) continue;
    expect(parent).toBeLessThan(index);
    const above = spans[parent];
    expect(above?.start).toBeLessThanOrEqual(start);
    expect(above?.end).toBeGreaterThanOrEqual(end);
    expect(lane).toBeGreaterThan(above?.lane ?? 0);
  }
  for (const lane of new Set(spans.map((span) => span.lane))) {
    const own = spans.filter((span) => span.lane === lane);
    const ordered = own.sort((a, b) => a.start - b.start || a.end - b.end);
    for (const [index, span] of ordered.entries()) {
      const next = ordered[index + 1];
      if (next !== undefined) expect(next.start).toBeGreaterThanOrEqual(span.end);
    }
  }
}

/** The pieces of a text, put together, are what the deltas of the recording say. */
function expectTexts({ texts, frames }: ViewData, lines: readonly string[]): void {
  const pieces = frames.map((frame, index): string => {
    if (frame.text === undefined) return '';
    const { data } = JSON.parse(lines[index] ?? '') as { data: { event: { delta?: Record<string, unknown> } } };
    const { text, thinking, partial_json: input } = data.event.delta ?? {};
    return String(text ?? thinking ?? input ?? '');
  });
  for (const [number, { text }] of texts.entries()) {
    expect(text).toBe(pieces.filter((_, index) => frames[index]?.text === number).join(''));
  }
}
