/**
 * Sessions that the real CLI wrote, one of every kind, read through the official functions and through ours: the same
 * rows, chains and subagents, to the last field.
 */
import { expect, test } from 'vitest';
import type { ComputedTurn, ScriptedTurn } from '../../../src/testing/messages-api/turn.js';
import { bash, call } from '../support/turns.js';
import { runProgram, setRunStage } from './support/run-program.js';

/** What the model answers, by a part of what it was asked last. */
const ANSWERS: readonly (readonly [string, ScriptedTurn])[] = [
  [
    'Use tools.',
    {
      blocks: [
        { type: 'text', text: 'I will look.' },
        ...bash('echo one').blocks,
        ...call('Read', { file_path: 'notes.txt' }).blocks,
        ...bash('exit 3').blocks,
      ],
    },
  ],
  [
    'Think first.',
    {
      blocks: [
        { type: 'thinking', thinking: 'Hm.' },
        { type: 'text', text: 'Thought.' },
      ],
    },
  ],
  [
    'One agent.',
    call('Agent', {
      description: 'Look',
      prompt: 'Run a command for me.',
      subagent_type: 'general-purpose',
      run_in_background: false,
    }),
  ],
  [
    'An agent in the background.',
    call('Agent', { description: 'Look again', prompt: 'Run a command for me.', subagent_type: 'helper' }),
  ],
  ['Run a command for me.', bash('echo from an agent')],
  ['Make a file.', bash('touch made.txt')],
  ['Interrupted story.', { text: 'Once upon a time there was a long story.', chunkMs: 60_000 }],
  ['Fail, please.', { error: { status: 400, message: 'It is bad.' } }],
  ['Write a file.', call('Write', { file_path: 'new.txt', content: 'one\n' })],
  ['Edit the file.', call('Edit', { file_path: 'new.txt', old_string: 'one', new_string: 'two' })],
];

test('a corpus of the real CLI over both packages', async () => {
  const answer: ComputedTurn = ({ lastUserText }) =>
    lastUserText.includes('<tool_result>')
      ? 'That was the tool.'
      : (ANSWERS.find(([part]) => lastUserText.includes(part))?.[1] ?? 'A plain answer.');
  const stage = await setRunStage({ turns: [], fallback: answer });
  const made = await runProgram('official', 'programs/make-sessions.mjs', stage);
  expect(made).toMatchObject({ exitCode: 0, stderr: '', left: [] });
  expect(made.said.error, 'errors on the way').toBeUndefined();
  expect(made.said.talk).toHaveLength(20);

  const folders = JSON.stringify(made.said.folders?.[0]);
  const read = (project: 'official' | 'claudewire') =>
    runProgram(project, 'programs/read-sessions.mjs', stage, folders);
  const [official, ours] = [await read('official'), await read('claudewire')];
  expect(official).toMatchObject({ exitCode: 0, stderr: '' });
  expect(official.said).toHaveProperty(['all', 0, 16]);
  expect(official.said).toHaveProperty(['agent messages', 0, 0]);
  expect(ours.stderr).toBe('');
  for (const label of Object.keys(official.said)) {
    expect.soft(ours.said[label], label).toEqual(official.said[label]);
  }
});
