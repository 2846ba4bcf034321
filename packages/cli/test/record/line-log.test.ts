import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Scrubber } from '../../../../src/testing/recorder/scrub/scrubber.js';
import { LineLog } from '../../src/record/line-log.js';
import type { RecordingFile } from '../../src/record/recording-file.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function place() {
  let text = '';
  const file = {
    startedAt: Date.now(),
    append: (lines: string) => {
      text += lines;
    },
  };
  const log = new LineLog(
    file as unknown as RecordingFile,
    1,
    new Scrubber({ env: { MY_TOKEN: 'very-long-token-1' }, cwd: '/nowhere' }),
  );
  const event = (data: object, dir: 'in' | 'out' = 'out') =>
    log.line(dir, JSON.stringify({ type: 'stream_event', parent_tool_use_id: null, event: data }));
  const delta = (piece: string) =>
    event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: piece } });
  const stop = () => event({ type: 'content_block_stop', index: 0 });
  return { log, event, delta, stop, written: () => text };
}

test('other frames between the pieces of a secret do not part it', async () => {
  const { log, event, delta, stop, written } = place();
  delta('it is sk-a');
  log.line('out', '{"type":"keep_alive"}');
  event({ type: 'content_block_stop', index: 1 });
  log.meta({ event: 'stdin_closed' });
  delta('nt-api03-Zz_y');
  await vi.advanceTimersByTimeAsync(1);
  expect(written()).toBe('');
  stop();
  await vi.advanceTimersByTimeAsync(1);
  expect(written()).not.toMatch(/sk-a|nt-api03/);
  expect(written().split('\n')).toHaveLength(7);
  expect(written()).toContain('keep_alive');
});

test('nothing waits longer than two seconds, and no timer is left', async () => {
  const { log, delta, written } = place();
  delta('first words ');
  delta('and unfinish');
  log.line('in', '{"type":"user"}');
  await vi.advanceTimersByTimeAsync(1100);
  expect(written()).toContain('first words');
  expect(written()).not.toContain('unfinish');
  await vi.advanceTimersByTimeAsync(1000);
  expect(written()).toContain('unfinish');
  expect(written()).toContain('"dir":"in"');
  expect(vi.getTimerCount()).toBe(0);
});

test('what was written is context for what follows', async () => {
  const { log, delta, written } = place();
  delta('key: very-long-tok');
  await vi.advanceTimersByTimeAsync(2100);
  delta('en-1 and sk-ant-api03-abc');
  await vi.advanceTimersByTimeAsync(2100);
  delta('defghi end');
  log.end();
  expect(written()).not.toMatch(/en-1|api03|defghi/);
  expect(written()).toContain(' end');
});

describe('a private key over several lines', () => {
  const BEGIN = '-----BEGIN RSA PRIVATE KEY-----';
  const END = '-----END RSA PRIVATE KEY-----';
  const KEY = '[scrubbed:private-key]';
  const datas = (text: string): unknown[] =>
    text
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { data: unknown }).data);

  test.each(['err', 'out', 'in'] as const)('does not stay in %s', (dir) => {
    const { log, written } = place();
    const other = dir === 'err' ? 'out' : 'err';
    for (const line of ['a', `x ${BEGIN}`, 'Proc-Type: 4,ENCRYPTED', '', 'MIIEpAIBAAKC']) log.line(dir, line);
    log.line(other, 'of the other stream');
    log.line('out', '{"type":"user"}');
    for (const line of ['bu3aozN3', `${END} b`, 'c']) log.line(dir, line);
    log.end();
    expect(datas(written())).toEqual([
      ...['a', `x ${KEY}`, KEY, KEY, KEY],
      ...['of the other stream', { type: 'user' }],
      ...[KEY, `${KEY} b`, 'c'],
    ]);
  });

  test('ends on its own line, or goes on behind the end of another', () => {
    const { log, written } = place();
    for (const line of [`${BEGIN}a${END} b`, 'c', BEGIN, 'd', `${END}${BEGIN}`, 'e', END, 'f']) log.line('err', line);
    log.end();
    expect(datas(written())).toEqual([`${KEY} b`, 'c', KEY, KEY, KEY + KEY, KEY, KEY, 'f']);
  });

  test('that never ends does not hide what follows for ever', () => {
    const { log, written } = place();
    log.line('err', BEGIN);
    for (let line = 1; line <= 300; line += 1) log.line('err', `line ${line} sk-ant-api03-abcd`);
    log.end();
    const lines = datas(written());
    expect(lines[256]).toBe(KEY);
    expect(lines.slice(257)).toEqual(
      Array.from({ length: 44 }, (_, index) => `line ${index + 257} [scrubbed:anthropic-key]`),
    );
  });
});
