import { expect, test } from 'vitest';
import { createFrames, type Frames } from '../../../src/testing/index.js';
import type { JsonObject } from '../../../src/util/json.js';
import { outFrames } from '../../recordings/load.js';

const AGENT = { description: 'Count to two', prompt: 'Subagent task: count to two.' };
const BASH_OUTPUT = { stdout: 'one', stderr: '', interrupted: false, isImage: false, noOutputExpected: false };
const COMMAND = { command: 'echo 1 2', description: 'Run a command' };

/** What builders make of what the recorded model said. */
const builders: Readonly<Record<string, (frames: Frames) => readonly unknown[]>> = {
  'partial-messages': ({ streamed, toolUse, toolResult, result }) => [
    ...streamed(['I will run a command', ' now.'], toolUse('Bash', { command: 'echo one', description: 'Print one' })),
    toolResult('one', { tool_use_result: BASH_OUTPUT }),
    ...streamed(['The command printed ', 'one.']),
    result(),
  ],
  'thinking-partial': ({ streamed, assistantThinking, assistantText, result }) => [
    ...streamed(
      assistantThinking('The user wants a greeting.'),
      assistantText('', { message: { content: [{ type: 'redacted_thinking', data: 'cmVkYWN0ZWQ=' }] } as never }),
      'Hello.',
    ),
    result(),
  ],
  'subagent-foreground': ({ subagent, assistantText, result }) => [
    ...subagent('Counted: 1 2.', ({ toolUse, toolResult }) => [toolUse('Bash', COMMAND), toolResult('1 2')], AGENT),
    assistantText('The subagent counted.'),
    result(),
  ],
  'subagent-foreground-forward': ({ subagent, assistantText, result }) => [
    ...subagent(
      'Counted: 1 2.',
      (agent) => [
        agent.assistantThinking('I will count.'),
        agent.assistantText('Counting.'),
        [agent.toolUse('Bash', COMMAND), agent.toolResult('1 2')],
        agent.assistantText('Counted: 1 2.'),
      ],
      AGENT,
    ),
    assistantText('The subagent counted.'),
    result(),
  ],
  subagent: ({ subagent, assistantText, result }) => [
    ...subagent(
      'Counted: 1 2.',
      (agent) => [
        assistantText('The subagent counted.'),
        agent.assistantText('Counting.'),
        agent.toolUse('Bash', COMMAND),
        result(),
        agent.toolResult('1 2'),
      ],
      { ...AGENT, background: true },
    ),
    assistantText('More.'),
    result(),
  ],
};

/** Not of an answer or a sub-agent, or not of the CLI alone. */
const SKIPPED = new Set(['control_response', 'command_lifecycle', 'init']);
/** The API fills these, and the scripted API of the recordings sends fewer fields than the real one. */
const OF_THE_API =
  /^(?:event\.|tool_use_result\.)?(?:message\.|delta\.|usage\.|content_block\.citations|context_management)/;
const OF_A_BLOCK = /^message\.content\./;
/** Fields of the recordings that the builders leave out. */
const NOT_MADE = [
  // The prompt of the recording has a uuid.
  /^user_message_uuids?$/,
  // Not documented.
  /^(?:thinking_display|thinking_duration_ms|owed_rows)$/,
  /^tool_use_result\.harness/,
  // Who decided about a call and what its tool gave are for the script to say.
  /^tool_result_meta\b/,
];

function kindOf(frame: JsonObject): string {
  const event = frame.event as JsonObject | undefined;
  const delta = event?.delta as JsonObject | undefined;
  const [block] = (frame.message as { content?: JsonObject[] } | undefined)?.content ?? [];
  const { type, subtype, parent_tool_use_id } = frame;
  const who = typeof parent_tool_use_id === 'string' ? 'of sub-agent' : undefined;
  return [type, subtype, event?.type, event?.index, delta?.type, block?.type, who].filter(Boolean).join(' ');
}

/** All keys of a frame, with those of objects in it: `event.index`. */
function keysOf(value: unknown, path = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((each) => keysOf(each, path));
  if (typeof value !== 'object' || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([key, each]) => keysOf(each, path === '' ? key : `${path}.${key}`))];
}

function shapesOf(frames: readonly unknown[]): unknown[] {
  const shown = (frames as JsonObject[]).filter((frame) => !SKIPPED.has(String(frame.subtype ?? frame.type)));
  const shapes = shown.map((frame) => {
    // Results have tests of their own; input and output of a tool belong to the tool.
    const isOwn = (key: string) =>
      !OF_THE_API.test(key) || (OF_A_BLOCK.test(key) && !/\.(?:input|citations)\b/.test(key));
    const isMade = (key: string) => !NOT_MADE.some((pattern) => pattern.test(key));
    const keys = frame.type === 'result' ? [] : keysOf(frame).filter((key) => key !== '' && isOwn(key) && isMade(key));
    return { kind: kindOf(frame), keys: [...new Set(keys)].sort() };
  });
  // The number of pieces is the API's.
  return shapes.filter(({ kind }, i) => {
    const before = shapes[i - (/thinking/.test(kind) ? 2 : 1)];
    return !/delta|thinking_tokens/.test(kind) || kind !== before?.kind;
  });
}

test.each(Object.entries(builders))('frames of builders have the order and the keys of %s', (name, build) => {
  const frames = createFrames();
  expect(shapesOf(build(frames))).toEqual(shapesOf(outFrames(name)));
});
