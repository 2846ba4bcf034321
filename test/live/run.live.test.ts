import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { RunProcess } from '../../packages/cli/test/run/run-process.js';
import { buildPackage } from '../helpers/built-package.js';
import { CURRENT } from './support/clis.js';
import { setStage } from './support/stage.js';
import { call, TOUCH } from './support/turns.js';

/** `claudewire run` on the real CLI, on a terminal and in a pipe. */

let dist: string;
beforeAll(() => {
  dist = buildPackage('live-run');
});

async function runOn(script: Parameters<typeof setStage>[1], args: readonly string[], columns?: number) {
  const stage = await setStage(CURRENT, script);
  const { env } = stage.options();
  const more = { CLAUDE_CODE_EXECUTABLE: stage.cli.path, CLAUDECODE: '1' };
  const run = new RunProcess(dist, ['--cwd', stage.cwd, ...args], {
    env: { ...(env as Record<string, string>), ...more },
    ...(columns === undefined ? {} : { columns }),
  });
  return { stage, run };
}

const LONG = { blocks: [{ type: 'text' as const, text: 'word '.repeat(400) }], chunkSize: 20, chunkMs: 60 };
const QUESTION = call('AskUserQuestion', {
  questions: [
    {
      question: 'Which colour?',
      header: 'Colour',
      options: [
        { label: 'Red', description: 'Warm' },
        { label: 'Blue', description: 'Cool' },
      ],
      multiSelect: false,
    },
  ],
});

describe.skipIf(process.platform !== 'linux')(
  `claudewire run, CLI ${CURRENT.version} (Linux: it needs \`script\`)`,
  () => {
    test('a question, a permission and an answer on a terminal', async () => {
      const { stage, run } = await runOn({ turns: [QUESTION, TOUCH, 'All done here.'] }, ['Go.'], 90);
      await run.heard('your own words: ');
      run.type('2\r');
      await run.heard('command: touch made.txt');
      await run.heard('Allow it? [y/n/a, or say why not]');
      run.type('y\r');
      await run.heard('All done here.');
      const { code } = await run.done;
      expect(code).toBe(0);
      expect(existsSync(join(stage.cwd, 'made.txt'))).toBe(true);
      expect(JSON.stringify(stage.api.requests)).toContain('Which colour?\\"=\\"Blue');
    });

    test('a: the same command is not asked about again', async () => {
      const { run } = await runOn({ turns: [TOUCH, TOUCH, 'All done here.'] }, ['Go.'], 90);
      await run.heard('[y/n/a, or say why not]');
      run.type('a\r');
      await run.heard('All done here.');
      const { code, stdout } = await run.done;
      expect(code).toBe(0);
      expect(stdout.split('needs your permission').length - 1).toBe(1);
    });

    test('Ctrl-C interrupts the turn, and the CLI says what it cost', async () => {
      const { run } = await runOn({ turns: [LONG] }, ['Go.'], 90);
      await run.heard('word word');
      run.type('\u0003');
      const { code, stdout } = await run.done;
      expect(stdout).toContain('Interrupting the turn.');
      expect(stdout).toMatch(/interrupted.* turns?, .*\$0\.\d+/);
      expect(code).toBe(130);
    });

    test('in a pipe nothing is allowed that was not named', async () => {
      const denied = await runOn({ turns: [TOUCH, 'I could not.'] }, ['Go.']);
      expect(await denied.run.done).toMatchObject({ code: 0, stdout: 'I could not.\n' });
      expect(existsSync(join(denied.stage.cwd, 'made.txt'))).toBe(false);
      const allowed = await runOn({ turns: [TOUCH, 'I did.'] }, ['--allow', 'Bash(touch *)', 'Go.']);
      expect(await allowed.run.done).toMatchObject({ code: 0, stdout: 'I did.\n' });
      expect(existsSync(join(allowed.stage.cwd, 'made.txt'))).toBe(true);
    });
  },
);
