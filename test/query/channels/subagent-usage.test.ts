import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { MessageChannels } from '../../../src/query/channels/message-channels.js';
import { finalUsageOf } from '../../../src/transcripts/files/cost-state.js';
import { folderNameOf } from '../../../src/transcripts/files/project-folder.js';
import { SubagentTail, type TranscriptPlace } from '../../../src/transcripts/files/subagent-tail.js';
import { contextsOf, observeChannels } from './observe.js';

/* T-3: the frames of a sub-agent have neither all answers nor the final counts. */

const SESSION = '5e551000-0000-4000-8000-000000000001';
const START = Date.parse('2026-11-30T12:00:00.000Z');
const at = (seconds: number): string => new Date(START + seconds * 1_000).toISOString();

const answer = (id: string, output: number, seconds: number): string =>
  JSON.stringify({
    message: {
      ...{ id, model: 'claude-opus-5-5', stop_reason: 'end_turn', content: [] },
      usage: { input_tokens: 10, output_tokens: output, cache_read_input_tokens: 5 },
    },
    type: 'assistant',
    timestamp: at(seconds),
  });

/** A configuration folder with these lines as the transcript of agent `a1`, and of the session itself. */
function folderWith(lines: readonly string[], main: readonly string[] = []): TranscriptPlace {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'subagents-')));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const project = join(root, 'projects', folderNameOf(root));
  mkdirSync(join(project, SESSION, 'subagents'), { recursive: true });
  writeFileSync(join(project, SESSION, 'subagents', 'agent-a1.jsonl'), lines.map((line) => `${line}\n`).join(''));
  writeFileSync(join(project, `${SESSION}.jsonl`), main.map((line) => `${line}\n`).join(''));
  return { configFolder: root, cwd: root };
}

const query = { run: 'r', sessionId: SESSION, startedAt: START } as never;

/** A run with a sub-agent whose first answer is told, with one token, and whose second is not. */
function play(source: TranscriptPlace | 'mirror' | undefined, notification: object = {}) {
  const seen = observeChannels();
  const channels = new MessageChannels(query);
  channels.readFrom(source);
  const frame = (data: object): void => channels.onFrame(data as never, START + 1_000);
  const call = { type: 'tool_use', id: 'toolu_1', name: 'Agent', input: {} };
  frame({ type: 'system', subtype: 'init' });
  frame({ type: 'assistant', message: { id: 'msg_0', content: [call] } });
  const started = { task_type: 'local_agent', task_id: 'a1', tool_use_id: 'toolu_1' };
  frame({ type: 'system', subtype: 'task_started', ...started });
  const told = { id: 'msg_1', model: 'claude-opus-5-5', content: [], usage: { input_tokens: 10, output_tokens: 1 } };
  frame({ type: 'assistant', parent_tool_use_id: 'toolu_1', message: told });
  frame({ type: 'system', subtype: 'task_notification', tool_use_id: 'toolu_1', ...notification });
  const content = [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'Done.' }];
  frame({ type: 'user', message: { content } });
  frame({ type: 'result', subtype: 'success', is_error: false });
  const outputs = () =>
    contextsOf(seen, 'chat')
      .filter(({ agent }) => agent !== undefined)
      .map(({ messageId, usage, isUsageFinal }) => [messageId, usage?.output_tokens, isUsageFinal]);
  return { seen, channels, frame, outputs };
}

const LINES = [
  answer('msg_before', 900, -5),
  answer('msg_0', 800, 1),
  JSON.stringify({ type: 'user', timestamp: at(1) }),
  answer('msg_1', 300, 2),
  answer('msg_1', 300, 2),
  JSON.stringify({ type: 'user', timestamp: at(3) }),
  answer('msg_2', 400, 4),
];
/** What the CLI says of the context when the agent is done. */
const DONE = { usage: { total_tokens: 10 + 5 + 400 } };

test('answers of a sub-agent have the counts of its transcript, each once, without those of others', async () => {
  const { seen, channels, outputs } = play(folderWith(LINES), DONE);
  expect([outputs(), contextsOf(seen, 'turn').length]).toEqual([[], 1]);
  // Read while the session goes on.
  await expect.poll(() => contextsOf(seen, 'agent').length).toBe(1);
  expect(outputs()).toEqual([
    ['msg_1', 300, true],
    ['msg_2', 400, true],
  ]);
  expect(contextsOf(seen, 'agent')[0]).toMatchObject({ isUsageFinal: true, endedAt: START + 1_000 });
  const [, unseen] = contextsOf(seen, 'chat').filter(({ agent }) => agent !== undefined);
  expect([unseen?.startedAt, unseen?.endedAt]).toEqual([START + 3_000, START + 4_000]);
  channels.close(START + 9_000);
  expect(outputs()).toHaveLength(2);
});

test('a run that ends first has the same, at once', () => {
  const { seen, channels, outputs } = play(folderWith(LINES), DONE);
  channels.close(START + 9_000);
  expect(outputs().map(([, output]) => output)).toEqual([300, 400]);
  expect(contextsOf(seen, 'agent')).toMatchObject([{ isUsageFinal: true }]);
});

test('a transcript that is mirrored counts as one on disk', () => {
  const { channels, frame, outputs } = play('mirror', DONE);
  const entries = LINES.map((line) => JSON.parse(line));
  frame({ type: 'transcript_mirror', filePath: `/c/projects/p/${SESSION}/subagents/agent-a1.jsonl`, entries });
  channels.close(START + 9_000);
  expect(outputs().map(([, output]) => output)).toEqual([300, 400]);
});

test.each([
  { about: 'nowhere to read', source: undefined },
  { about: 'no transcript', source: { configFolder: '/nonexistent', cwd: '/' } },
])('with $about the counts of the frames stay, and say that they are not final', ({ source }) => {
  const { seen, channels, outputs } = play(source);
  channels.close(START + 9_000);
  expect(outputs()).toEqual([['msg_1', 1, false]]);
  expect(contextsOf(seen, 'agent')).toMatchObject([{ isUsageFinal: false }]);
});

test('a transcript is read on from where the last reading ended, with a line that was cut', async () => {
  const place = folderWith([LINES[3] ?? '', (LINES[6] ?? '').slice(0, 40)].slice(0, 1));
  const tail = new SubagentTail(place, SESSION, 'a1');
  expect(await tail.read()).toBe(true);
  const path = join(place.configFolder, 'projects', folderNameOf(place.cwd), SESSION, 'subagents', 'agent-a1.jsonl');
  const half = LINES[6] ?? '';
  writeFileSync(path, `${LINES[3]}\n${half.slice(0, 40)}`);
  expect(tail.readNow()).toBe(true);
  expect(tail.answers.all).toHaveLength(1);
  writeFileSync(path, `${LINES[3]}\n${half}\n`);
  expect(tail.readNow()).toBe(true);
  expect(tail.answers.all.map(({ messageId }) => messageId)).toEqual(['msg_1', 'msg_2']);
  expect(new SubagentTail(place, SESSION, '../../x').readNow()).toBe(false);
});

test('the account of an earlier process is not that of this one', () => {
  const state = JSON.stringify({ type: 'cost-state', modelUsage: { m: { inputTokens: 7 } } });
  const own = JSON.stringify({ type: 'user', timestamp: at(1) });
  const usage = (main: readonly string[]) => finalUsageOf(folderWith([], main), SESSION, START);
  expect(usage([state, own])).toBeUndefined();
  expect(usage([own, state])).toEqual({ m: { inputTokens: 7 } });
  expect(usage([])).toBeUndefined();
});
