/**
 * Published packages that depend on the official SDK, unchanged, over it and over claudewire in its place, on the real
 * CLI: what they tell their own users must be the same.
 */
import { expect, test } from 'vitest';
import type { ComputedTurn, ScriptedTurn } from '../../../src/testing/messages-api/turn.js';
import { bash, call } from '../support/turns.js';
import { expectSameRun } from './support/expect-same-run.js';
import { type NormalRun, normaliseRun } from './support/normalise.js';
import { PROJECTS, runProgram, setRunStage } from './support/run-program.js';

const LONG_STORY: ScriptedTurn = { text: 'Once upon a time there was a very long story.', chunkMs: 60_000 };

interface Dependent {
  readonly name: string;
  readonly file: string;
  readonly args: readonly string[];
  /** What the model answers, by a part of what it was asked last: these packages also ask on their own. */
  readonly answers: readonly (readonly [string, ScriptedTurn | string])[];
  /** Something that every good run says, so that two failures are not taken for success. */
  readonly check: (run: NormalRun) => void;
  /** Labels of errors, whose texts may say more. */
  readonly errors?: readonly string[];
}

const DEPENDENTS: readonly Dependent[] = [
  {
    name: 'an editor agent that speaks ACP',
    file: 'dependents/acp.mjs',
    args: ['@agentclientprotocol/claude-agent-acp/dist/index.js'],
    answers: [
      ['Make a file', bash('touch one.txt', 'Make a file')],
      ['Make another file', bash('touch two.txt', 'Make a file')],
      ['Make a third file', bash('touch three.txt', 'Make a file')],
      ['long story', LONG_STORY],
    ],
    check: ({ said }) => {
      expect(said['asked: session/request_permission']).toHaveLength(3);
      expect(said).toHaveProperty(['answer: session/prompt', 4, 'value', 'stopReason'], 'cancelled');
      expect(said).toHaveProperty(['answer: session/list', 0, 'value', 'sessions', 0]);
    },
  },
  {
    name: 'a model provider of the AI SDK',
    file: 'dependents/ai-sdk.mjs',
    args: [],
    answers: [
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
      ['Who is Ada', call('StructuredOutput', { name: 'Ada', born: 1815 })],
      ['Make a file', bash('touch one.txt', 'Make a file')],
      ['long story', LONG_STORY],
      ['Fail, please', { error: { status: 400, message: 'It is bad.' } }],
    ],
    check: ({ said }) => {
      expect(said).toHaveProperty(['object', 0], { name: 'Ada', born: 1815 });
      expect(said).toHaveProperty(['aborted', 0], true);
      expect(said.tool).toEqual(['Nowhere', 'Rome']);
    },
    errors: ['bad flag', 'api error', 'no session'],
  },
];

test.each(DEPENDENTS)('$name over both packages', async ({ file, args, answers, ...dependent }) => {
  const answer: ComputedTurn = ({ lastUserText }) => {
    if (lastUserText.includes('<tool_result>')) return 'That was the tool.';
    return answers.find(([part]) => lastUserText.includes(part))?.[1] ?? 'A plain answer.';
  };
  const runs: NormalRun[] = [];
  for (const project of PROJECTS) {
    const stage = await setRunStage({ turns: [], fallback: answer });
    runs.push(normaliseRun(await runProgram(project, file, stage, ...args)));
  }
  const [official, ours] = runs as [NormalRun, NormalRun];
  expectSameRun(official, ours, dependent);
});
