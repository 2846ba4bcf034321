/**
 * Programs written against the official package, run unchanged over it and over claudewire in its place, on the real CLI:
 * every message, every callback's arguments, every answer and every model call must be the same.
 */
import { expect, test } from 'vitest';
import type { Turn } from '../../../src/testing/messages-api/turn.js';
import { bash, call } from '../support/turns.js';
import { expectSameRun } from './support/expect-same-run.js';
import { type NormalRun, normaliseRun } from './support/normalise.js';
import { PROJECTS, runProgram, setRunStage } from './support/run-program.js';

interface Program {
  readonly file: string;
  readonly about: string;
  readonly turns: readonly Turn[];
  /** Something that every good run says, so that two failures are not taken for success. */
  readonly check: (run: NormalRun) => void;
  /** Labels of errors, whose texts may say more. */
  readonly errors?: readonly string[];
  readonly isOpen?: boolean;
}

const PROGRAMS: readonly Program[] = [
  {
    file: 'exports.mjs',
    isOpen: true,
    about: 'every entry loads with every name and every constant',
    turns: [],
    check: ({ said }) => expect(said).toHaveProperty(['root', 0, 'query'], 'function'),
  },
  {
    file: 'chat.mjs',
    about: 'three turns, the second interrupted',
    turns: [
      'Hello there.',
      { text: 'Once upon a time there was a very long story.', chunkMs: 60_000 },
      'You asked me to say hello.',
    ],
    check: ({ said, asked }) => {
      expect(said).toHaveProperty(['end', 0], 3);
      expect(said).toHaveProperty(['interrupt', 0]);
      expect(asked).toHaveLength(3);
    },
  },
  {
    file: 'permissions.mjs',
    errors: ['error'],
    about: 'a prompt that allows, edits, remembers and denies',
    turns: [
      bash('touch allowed.txt', 'Make a file'),
      bash('touch asked.txt', 'Make a file'),
      bash('touch denied.txt', 'Make a file'),
      call('Write', { file_path: 'written.txt', content: 'words' }),
      bash('node stop.txt', 'Run a file'),
    ],
    check: ({ said }) => {
      expect(said).toHaveProperty(['question', 4]);
      expect(said).toHaveProperty(['files', 0, 2], { name: 'edited.txt', text: '' });
    },
  },
  {
    file: 'hooks.mjs',
    about: 'a policy that blocks and rewrites',
    turns: [
      bash('rm -rf everything', 'Remove all'),
      bash('echo rewrite-me', 'Say something'),
      bash('echo broken-hook', 'Say something'),
      bash('exit 3', 'Fail'),
      'That was all.',
      'Word.',
    ],
    check: ({ said }) => {
      expect(said).toHaveProperty(['Stop', 1]);
      expect(said).toHaveProperty(['PostToolUse', 0, 'input', 'tool_response', 'stdout'], 'rewritten');
      expect(said).toHaveProperty(['UserPromptSubmit', 1]);
    },
  },
  {
    file: 'tools.mjs',
    about: 'an in-process server with errors and an image',
    turns: [
      call('mcp__lab__add', { a: 2, b: 3 }),
      call('mcp__lab__add', { a: 'two' }),
      call('mcp__lab__fail'),
      call('mcp__lab__refuse'),
      call('mcp__lab__picture', { size: 'small' }),
      call('mcp__lab__note'),
      'Five, and a picture.',
    ],
    check: ({ said, asked }) => {
      expect(said).toHaveProperty(['add', 0, 'a'], 2);
      expect(JSON.stringify(asked)).toContain('"media_type":"image/png"');
      expect(JSON.stringify(asked)).toContain('The lab is closed.');
    },
  },
  {
    file: 'sessions.mjs',
    errors: ['errors', 'gone'],
    about: 'a browser that lists, reads, forks and resumes',
    turns: ['Hello Ada.', 'Ada.', 'Else.', 'Now.', 'Another.', 'Middle.'],
    check: ({ said, asked }) => {
      expect(asked).toHaveLength(6);
      expect(said).toHaveProperty(['rows, branched', 0, 3]);
      expect(said).toHaveProperty(['fork', 0, 'sessionId']);
    },
  },
  {
    file: 'warm.mjs',
    errors: ['twice'],
    about: 'a warm start and a claimed one',
    turns: ['Hello.', 'Hello again.'],
    check: ({ said, asked }) => {
      expect(asked).toHaveLength(2);
      expect(said).toHaveProperty(['claimed', 0, 'parked'], 'number');
    },
  },
  {
    file: 'store.mjs',
    about: 'sessions kept in a store',
    turns: ['Hello Ada.', 'Ada.', 'On.', 'Filed.'],
    check: ({ said, asked }) => {
      expect(asked).toHaveLength(4);
      expect(said).toHaveProperty(['latest', 0], true);
      expect(said).toHaveProperty(['left', 0], 1);
    },
  },
];

test.each(PROGRAMS)('$file over both packages: $about', async ({ file, turns, ...program }) => {
  const runs: NormalRun[] = [];
  for (const project of PROJECTS) {
    const stage = await setRunStage({ turns });
    runs.push(normaliseRun(await runProgram(project, `programs/${file}`, stage)));
  }
  const [official, ours] = runs as [NormalRun, NormalRun];
  expect(official.stderr, 'over the official package').toEqual(['']);
  expectSameRun(official, ours, program);
});
