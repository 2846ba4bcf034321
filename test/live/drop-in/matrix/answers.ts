/** What the model answers to programs that make their own stories, by what it was asked last. */
import type { ComputedTurn, ScriptedTurn } from '../../../../src/testing/messages-api/turn.js';
import { bash, call } from '../../support/turns.js';
import type { Story } from './dependent.js';

const COLOURS = [
  { label: 'Red', description: 'Like a rose' },
  { label: 'Blue', description: 'Like the sky' },
];

const ANSWERS: readonly (readonly [string, ScriptedTurn])[] = [
  ['Make a file', bash('touch one.txt', 'Make a file')],
  [
    'weather',
    {
      blocks: [
        { type: 'text', text: 'I will look.' },
        ...call('mcp__weather__forecast', { city: 'Nowhere' }).blocks,
        ...call('mcp__weather__forecast', { city: 'Rome' }).blocks,
      ],
    },
  ],
  [
    'Ask the harness',
    {
      blocks: [
        ...call('mcp__harness-tools__forecast', { city: 'Nowhere' }).blocks,
        ...call('mcp__harness-tools__forecast', { city: 'Rome' }).blocks,
      ],
    },
  ],
  ['Who is Ada', call('StructuredOutput', { name: 'Ada', born: 1815 })],
  ['Greet me', call('mcp__asker__greet')],
  [
    'Ask for a colour',
    call('AskUserQuestion', {
      questions: [{ question: 'Which colour?', header: 'Colour', multiSelect: false, options: COLOURS }],
    }),
  ],
  ['long story', { text: 'Once upon a time there was a very long story.', chunkMs: 60_000 }],
  ['Fail with 400', { error: { status: 400, message: 'It is bad.' } }],
  ['Fail with 401', { error: { status: 401, message: 'Nobody knows you.' } }],
  ['Fail with 429', { error: { status: 429, message: 'It is too much.' } }],
  ['Fail with 500', { error: { status: 500, message: 'It is broken.' } }],
];

const answer: ComputedTurn = ({ lastUserText }) => {
  if (lastUserText.includes('<tool_result>')) return 'That was the tool.';
  return ANSWERS.find(([part]) => lastUserText.includes(part))?.[1] ?? 'A plain answer.';
};

/** A story whose model answers by what it is asked, and whose CLI does not try again. */
export function asking(name: string, check: Story['check']): Story {
  return { name, model: { turns: [], fallback: answer }, env: { CLAUDE_CODE_MAX_RETRIES: '0' }, check };
}
