/** The stories that a program on `query()` can play: `programs/play.mjs` has the host's side of each. */
import { expect } from 'vitest';
import type { ScriptedTurn } from '../../../../src/testing/messages-api/turn.js';
import { bash, call } from '../../support/turns.js';
import type { Observation, Story } from './dependent.js';

/** One word a minute: the host gives up before it ends. */
export const LONG_ANSWER: ScriptedTurn = { text: 'Once upon a time there was a very long story.', chunkMs: 60_000 };

/** An error that comes at each try. */
function failing(status: number, message: string): Story['model'] {
  return { turns: [], fallback: { error: { status, message } } };
}

/** The last message of `query()` that a program saw. */
function resultOf(run: Observation): unknown {
  return run.said.message?.findLast((message) => (message as { type?: unknown }).type === 'result');
}

/** One try more, or the CLI waits for minutes. */
export const ONE_RETRY = { CLAUDE_CODE_MAX_RETRIES: '1' };

function apiError(status: number, message: string): Story {
  return {
    name: `api-${status}`,
    model: failing(status, message),
    env: ONE_RETRY,
    check: (run) => {
      expect(resultOf(run)).toMatchObject({ is_error: true, api_error_status: status });
      expect(run.asked.length).toBeGreaterThan(0);
    },
  };
}

/** By their names, so that a table can pick. */
export const STORIES = {
  /** An in-process tool, and one of the CLI's. */
  tool: {
    name: 'tool',
    // One after the other: two at once may end in either order.
    model: {
      turns: [call('mcp__weather__forecast', { city: 'Rome' }), bash('echo hello', 'Greet'), 'That was the tool.'],
    },
    check: (run) => {
      expect(resultOf(run)).toMatchObject({ subtype: 'success', is_error: false, result: 'That was the tool.' });
      expect(run.said.tool).toEqual(['Rome']);
      expect(run.said.cost).toHaveLength(1);
    },
  },
  /** A permission prompt that allows one call, changes another and denies the third. */
  permission: {
    name: 'permission',
    model: {
      turns: [
        bash('touch allowed.txt', 'Make a file'),
        bash('touch asked.txt', 'Make a file'),
        bash('touch denied.txt', 'Make a file'),
        'All done.',
      ],
    },
    check: (run) => {
      expect(run.said.question).toHaveLength(3);
      expect(run.said.files).toEqual([['allowed.txt', 'changed.txt']]);
      expect(resultOf(run)).toMatchObject({ permission_denials: [{ tool_name: 'Bash' }] });
    },
  },
  /** A tool that a rule denies, without a prompt. */
  denied: {
    name: 'denied',
    model: { turns: [bash('rm -rf everything', 'Remove all'), 'I was not allowed to.'] },
    check: (run) => {
      expect(resultOf(run)).toMatchObject({ subtype: 'success', permission_denials: [{ tool_name: 'Bash' }] });
    },
  },
  'api-400': apiError(400, 'It is bad.'),
  'api-429': apiError(429, 'It is too much.'),
  'api-500': apiError(500, 'It is broken.'),
  /** The host gives up in the middle of an answer. */
  abort: {
    name: 'abort',
    model: { turns: [LONG_ANSWER] },
    check: (run) => {
      expect(run.said.error).toHaveLength(1);
      expect(run.asked).toHaveLength(1);
    },
  },
  /** A second query goes on where the first one ended. */
  resume: {
    name: 'resume',
    model: { turns: ['Hello Ada.', 'You are Ada.'] },
    check: (run) => {
      expect(run.asked).toHaveLength(2);
      expect(JSON.stringify(run.asked[1])).toContain('Hello Ada.');
      expect(run.said.resumed).toEqual([true]);
    },
  },
} as const satisfies Record<string, Story>;

export const ALL_STORIES: readonly Story[] = Object.values(STORIES);
