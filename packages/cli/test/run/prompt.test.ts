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
    const run = new RunProcess(dist, ['--max-turns', '3'], { env: cli.env, isInputOpen: true });
    run.child.stdin.end('What is 2 + 2?');
    expect(await run.done).toMatchObject({ code: 0, stdout: 'Four.\n' });
  });

  test('what is piped follows the prompt, as for `claude -p`', async () => {
    const cli = cliFor(({ turn }) => turn('Fine.', 'What may break?\n-a\n+ä\n'));
    const run = new RunProcess(dist, ['What may break?'], { env: cli.env, isInputOpen: true });
    run.child.stdin.end('-a\n+ä\n');
    expect(await run.done).toMatchObject({ code: 0, stdout: 'Fine.\n' });
    await cli.close();
  });

  test('what is piped is the prompt where the given one is empty', async () => {
    const cli = cliFor(({ turn }) => turn('Fine.', 'x\n'));
    const run = new RunProcess(dist, [''], { env: cli.env, isInputOpen: true });
    run.child.stdin.end('x\n');
    expect(await run.done).toMatchObject({ code: 0, stdout: 'Fine.\n' });
    await cli.close();
    const empty = await new RunProcess(dist, [''], { env: NOTHING_TO_START }).done;
    expect(empty).toMatchObject({ code: 2, stderr: 'error: the prompt is empty\n' });
  });

  test.each(['utf-16le', 'utf-16be'])('%s with a byte order mark is read', async (encoding) => {
    const cli = cliFor(({ turn }) => turn('Four.', 'What is 2 + 2? ä'));
    const run = new RunProcess(dist, ['-'], { env: cli.env, isInputOpen: true });
    const bytes = Buffer.from('\ufeffWhat is 2 + 2? ä', 'utf16le');
    run.child.stdin.end(encoding === 'utf-16le' ? bytes : bytes.swap16());
    expect(await run.done).toMatchObject({ code: 0, stdout: 'Four.\n' });
    await cli.close();
  });

  test.each([['-'], ['See:'], []])('bytes that are no text are refused, with the arguments %j', async (...args) => {
    const run = new RunProcess(dist, args, { env: NOTHING_TO_START, isInputOpen: true });
    run.child.stdin.end(Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 1]));
    const { code, stderr } = await run.done;
    expect([code, stderr]).toEqual([2, expect.stringContaining('no text: it has NUL bytes')]);
  });

  test('a pipe that nobody writes to is left, and the prompt goes alone', async () => {
    const cli = cliFor(({ turn }) => turn('Four.', 'What is 2 + 2?'));
    const run = new RunProcess(dist, ['What is 2 + 2?'], { env: cli.env, isInputOpen: true });
    expect(await run.done).toMatchObject({
      code: 0,
      stdout: 'Four.\n',
      stderr: expect.stringContaining('Nothing came on standard input within 3 s'),
    });
    await cli.close();
  });

  test('without a prompt, a pipe that nobody writes to is an error', async () => {
    const run = new RunProcess(dist, [], { env: NOTHING_TO_START, isInputOpen: true });
    const { code, stderr } = await run.done;
    expect(code).toBe(2);
    expect(stderr).toMatch(/^error: missing required argument 'prompt': .*standard input\n$/);
  });

  test('an empty pipe is no prompt', async () => {
    const run = new RunProcess(dist, [], { env: NOTHING_TO_START });
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
