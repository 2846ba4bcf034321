/**
 * Programs of the kinds that public code has, in TypeScript: compiled strictly over each package with its own
 * declarations, then run on the real CLI. Both must compile, and say and ask the same.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import type { Turn } from '../../../src/testing/messages-api/turn.js';
import { bash, call } from '../support/turns.js';
import { expectSameRun } from './support/expect-same-run.js';
import { type NormalRun, normaliseRun } from './support/normalise.js';
import { inProject, PROJECTS, type Project, runProgram, setRunStage } from './support/run-program.js';

interface Kind {
  readonly file: string;
  readonly turns: readonly Turn[];
  /** Something that every good run says, so that two failures are not taken for success. */
  readonly check: (said: NormalRun['said']) => void;
}

const KINDS: readonly Kind[] = [
  {
    file: 'sign-in',
    turns: [],
    check: (said) => {
      expect(said.page).toEqual([{ host: 'claude.com', hasState: true }]);
      expect(said.server).toEqual(['Server not found: nowhere']);
    },
  },
  { file: 'sse', turns: ['Hello there.'], check: (said) => expect(said.event?.at(-1)).toContain('event: done') },
  {
    file: 'permission-editor',
    turns: [bash('touch a.txt', 'Make a file'), call('Write', { file_path: 'b.txt', content: 'b' }), 'Made.'],
    check: (said) => expect(said.result).toEqual([['success', 0]]),
  },
  {
    file: 'tool-node',
    turns: [call('mcp__node__lookup', { key: 'Ada' }), call('mcp__node__shout', { key: 'ada' }), 'It is 42.'],
    check: (said) => expect(said).toMatchObject({ lookup: ['Ada'], shout: ['ada'], result: ['It is 42.'] }),
  },
  {
    file: 'ci-action',
    turns: [bash('echo one'), bash('echo two'), 'Reviewed.'],
    check: (said) => expect(said).toMatchObject({ result: [{ subtype: 'error_max_turns' }], failed: [true] }),
  },
  {
    file: 'chat-bot',
    turns: ['Hello Ada.', 'Hello Bob.', 'Ada.', { text: 'Once upon a time there was a story.', chunkMs: 60_000 }],
    check: (said) => expect(said).toMatchObject({ stopped: [[true, true]], late: [true], 'same session': [true] }),
  },
  {
    file: 'framework',
    turns: [{ blocks: [{ type: 'text', text: 'I say.' }, ...bash('echo done').blocks] }, 'Done.'],
    check: (said) => expect(said).toMatchObject({ texts: [['I say.', 'Done.']], results: [[1]] }),
  },
  {
    file: 'call-can-use-tool',
    turns: [bash('touch a.txt', 'Make a file'), 'No.'],
    check: (said) => expect(said.denials).toEqual([['Bash']]),
  },
  {
    file: 'guard',
    turns: [bash('rm -rf all'), bash('echo word'), 'Done.'],
    check: (said) => expect(said.answer?.at(-1)).toBe('word guarded'),
  },
  {
    file: 'session-browser',
    turns: ['One.', 'Two.'],
    check: (said) => expect(said).toMatchObject({ left: [2], info: [{ customTitle: 'A title', tag: 'kept' }] }),
  },
];

const sources = fileURLToPath(new URL('kinds', import.meta.url));
const tools = fileURLToPath(new URL('../../../node_modules', import.meta.url));
const CONFIG = {
  compilerOptions: {
    strict: true,
    exactOptionalPropertyTypes: true,
    // The official package's own peer needs types of the DOM.
    skipLibCheck: true,
    target: 'es2023',
    module: 'nodenext',
    outDir: 'built',
    rootDir: '.',
    typeRoots: [join(tools, '@types')],
    types: ['node'],
  },
  include: ['*.ts'],
};

const compiled = new Map<Project, string>();

beforeAll(() => {
  const tsc = join(tools, 'typescript', 'bin', 'tsc');
  for (const project of PROJECTS) {
    const folder = inProject(project, 'kinds');
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder);
    cpSync(sources, folder, { recursive: true });
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(CONFIG));
    const { status, stdout } = spawnSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8', timeout: 90_000 });
    compiled.set(project, status === 0 ? '' : stdout || `tsc ended with ${status}`);
  }
}, 180_000);

test.each(PROJECTS)('the programs of all kinds compile over %s', (project) => {
  expect(compiled.get(project)).toBe('');
});

test.each(KINDS)('$file over both packages', async ({ file, turns, check }) => {
  const runs: NormalRun[] = [];
  for (const project of PROJECTS) {
    const stage = await setRunStage({ turns });
    runs.push(normaliseRun(await runProgram(project, `kinds/built/${file}.js`, stage)));
  }
  const [official, ours] = runs as [NormalRun, NormalRun];
  expectSameRun(official, ours, { check: ({ said }) => check(said) });
});
