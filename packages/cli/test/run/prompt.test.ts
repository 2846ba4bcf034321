import { beforeAll, describe, expect, test } from 'vitest';
import { buildPackage } from '../../../../test/helpers/built-package.js';
import { cliFor, RunProcess } from './run-process.js';

let dist: string;
beforeAll(() => {
  dist = buildPackage('run-piped');
});

const NOTHING_TO_START = { PATH: '/nowhere' };

describe('where the prompt of claudewire run comes from', () => {
  test('from a pipe, without - as well', async () => {
    const cli = cliFor(({ turn }) => turn('Four.', 'What is 2 + 2?'));
    const run = new RunProcess(dist, ['--max-turns', '3'], { env: cli.env });
    run.child.stdin.end('What is 2 + 2?');
    expect(await run.done).toMatchObject({ code: 0, stdout: 'Four.\n' });
  });

  test('a pipe that nobody writes to is left', async () => {
    const run = new RunProcess(dist, [], { env: NOTHING_TO_START });
    const { code, stderr } = await run.done;
    expect(code).toBe(2);
    expect(stderr).toMatch(/^error: missing required argument 'prompt': .*standard input\n$/);
  });

  test('an empty pipe is no prompt', async () => {
    const run = new RunProcess(dist, [], { env: NOTHING_TO_START });
    run.child.stdin.end();
    expect((await run.done).stderr).toContain("missing required argument 'prompt'");
  });

  test('a terminal is not read', async () => {
    const run = new RunProcess(dist, [], { columns: 80 });
    const { code, stdout } = await run.done;
    expect(code).toBe(2);
    expect(stdout).toContain("missing required argument 'prompt'");
  });

  test('one that begins with - goes behind --, which the error says', async () => {
    const run = new RunProcess(dist, ['-hello'], { env: NOTHING_TO_START });
    const { code, stderr } = await run.done;
    expect(code).toBe(2);
    expect(stderr).toMatch(/unknown option '-h?ello'/);
    expect(stderr).toContain('goes behind --\n');
  });

  test('a folder for temporary files that is not there is named', async () => {
    const run = new RunProcess(dist, ['--record', 'r.jsonl', '--cli', process.execPath, 'Hi.'], {
      env: { ...NOTHING_TO_START, TMPDIR: '/nowhere/at-all' },
    });
    const { stderr } = await run.done;
    expect(stderr).toContain('/nowhere/at-all');
    expect(stderr).toContain('TMPDIR');
    expect(stderr).not.toContain('mkdtemp');
  });
});
