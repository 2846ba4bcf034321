/** The stories that an editor plays with an agent: `programs/acp.mjs` has the editor's side of each. */
import { expect } from 'vitest';
import { bash } from '../../support/turns.js';
import type { Observation, Story } from './dependent.js';
import { LONG_ANSWER, ONE_RETRY } from './stories.js';

function answersOf(run: Observation): readonly unknown[] {
  return run.said['answer: session/prompt'] ?? [];
}

function apiError(status: number, message: string): Story {
  return {
    name: `api-${status}`,
    model: { turns: [], fallback: { error: { status, message } } },
    env: ONE_RETRY,
    check: (run) => {
      expect(JSON.stringify(answersOf(run))).toContain(message);
      expect(run.asked.length).toBeGreaterThan(0);
    },
  };
}

export const ACP_STORIES: readonly Story[] = [
  {
    name: 'permission',
    model: {
      turns: [bash('touch one.txt', 'Make a file'), 'Made.', bash('touch two.txt', 'Make a file'), 'Not made.'],
    },
    check: (run) => {
      expect(run.said['asked: session/request_permission']).toHaveLength(2);
      expect(run.said.files).toEqual([['one.txt']]);
      expect(answersOf(run)[0]).toMatchObject({ value: { stopReason: 'end_turn' } });
    },
  },
  apiError(400, 'It is bad.'),
  apiError(429, 'It is too much.'),
  apiError(500, 'It is broken.'),
  {
    name: 'abort',
    model: { turns: [LONG_ANSWER, 'Yes.'] },
    check: (run) => {
      expect(answersOf(run)[0]).toMatchObject({ value: { stopReason: 'cancelled' } });
      expect(answersOf(run)[1]).toMatchObject({ value: { stopReason: 'end_turn' } });
    },
  },
  {
    name: 'resume',
    model: { turns: ['Hello Ada.', 'You are Ada.'] },
    check: (run) => {
      expect(run.asked).toHaveLength(2);
      expect(JSON.stringify(run.asked[1])).toContain('Hello Ada.');
      expect(answersOf(run)).toHaveLength(2);
    },
  },
];
