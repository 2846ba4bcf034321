import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OutcomeFrames } from 'claudewire/testing';
import { readFlags, scriptedCli } from 'claudewire/testing';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { buildPackage } from '../../../../test/helpers/built-package.js';
import { cliFor, RunProcess } from './run-process.js';

let dist: string;
beforeAll(() => {
  dist = buildPackage('run-piped');
});

/** `-` as the prompt keeps its input open. */
const piped = (args: readonly string[], env: Readonly<Record<string, string>>): RunProcess =>
  new RunProcess(dist, args, { env, isInputOpen: args.includes('-') });

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'claudewire-test-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

describe('claudewire run without a terminal', () => {
  test('standard output has the answer alone; what needs a person is denied, and says how to allow it', async () => {
    const cli = cliFor(({ prompt, init, assistantText, toolUse, permission, toolResult, result }) => [
      prompt('Tidy up.'),
      init(),
      assistantText('I will look.'),
      toolUse('Bash', { command: 'rm -r build' }),
      permission(),
      toolResult('Denied.', { isError: true }),
      permission('AskUserQuestion', { questions: [{ question: 'Which?', options: [] }] }),
      result('I was not allowed to.'),
    ]);
    const { code, stdout, stderr } = await piped(['Tidy up.'], cli.env).done;
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'I was not allowed to.\n' });
    expect(stderr).toContain('● Bash  rm -r build\n');
    expect(stderr).toContain('  not allowed Bash: There is no terminal to ask on: name what may run with --allow');
    expect(cli.sent.permissionAnswers.map(({ behavior }) => behavior)).toEqual(['deny', 'deny']);
    expect(cli.sent.permissionAnswers[0]?.answer).toMatchObject({
      message: expect.stringContaining('no terminal to ask on'),
    });
  });

  test('options reach the CLI, and nothing is allowed that was not named', async () => {
    const cli = cliFor(({ turn }) => turn('Hello.'));
    const args = ['--model', 'sonnet', '--allow', 'Bash(git *)', '--allow', 'Read', '--deny', 'WebFetch'];
    const more = [
      '--permission-mode',
      'acceptEdits',
      '--max-turns',
      '3',
      '--max-budget-usd',
      '0.5',
      '--resume',
      'an-id',
    ];
    const env = { ...cli.env, CLAUDECODE: '1', CLAUDE_CODE_ENTRYPOINT: 'cli' };
    expect((await piped([...args, ...more, '--setting-sources', 'user', 'Hi.'], env).done).code).toBe(0);
    const { argv = [], env: given = {} } = cli.runs[0] ?? {};
    const flags = Object.fromEntries([...readFlags(argv).flags].map(([name, values]) => [name, values.join()]));
    expect(flags).toMatchObject({
      ...{ '--model': 'sonnet', '--allowedTools': 'Bash(git *),Read', '--disallowedTools': 'WebFetch' },
      ...{ '--permission-mode': 'acceptEdits', '--max-turns': '3', '--max-budget-usd': '0.5', '--resume': 'an-id' },
      ...{ '--setting-sources': 'user', '--permission-prompt-tool': 'stdio' },
    });
    expect(argv.join(' ')).not.toMatch(/dangerously|bypass/);
    expect(given).not.toHaveProperty('CLAUDECODE');
    expect(given).toMatchObject({ CLAUDE_CODE_ENTRYPOINT: 'sdk-ts' });
  });

  test('a permission mode that is not known here is passed on, with a warning before anything starts', async () => {
    const cli = cliFor(({ turn }) => turn('Hello.'));
    const { code, stdout, stderr } = await piped(['--permission-mode', 'yolo', 'Hi.'], cli.env).done;
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'Hello.\n' });
    expect(stderr).toMatch(/^ {2}--permission-mode "yolo" is not known here, .* The known ones are default, /);
    expect(readFlags(cli.runs[0]?.argv ?? []).flags.get('--permission-mode')).toEqual(['yolo']);
  });

  test('--json: every message, then the summary; nothing else on standard output', async () => {
    const cli = cliFor(({ prompt, init, stderr, toolUse, toolResult, assistantText, result }) => [
      prompt(),
      init(),
      stderr('a warning'),
      toolUse('Bash', { command: 'ls' }),
      toolResult('a\u009b2J\u2028'),
      assistantText('Done.'),
      result('Done.'),
    ]);
    const { code, stdout, stderr } = await piped(['--json', 'Go.'], cli.env).done;
    const lines = stdout.trimEnd().split('\n');
    const messages = lines.map((line) => JSON.parse(line));
    expect(messages.map(({ type }) => type)).toEqual([
      ...['system', 'assistant', 'user', 'assistant', 'result', 'run_summary'],
    ]);
    expect(messages.at(-1)).toMatchObject({
      exitCode: 0,
      outcome: { kind: 'completed' },
      text: 'Done.',
      costUsd: 0.001,
    });
    const page = readFileSync(new URL('../../../../docs/reference/command-line.md', import.meta.url), 'utf8');
    const [shown = '{}'] = /^\{"type":"run_summary".*$/m.exec(page) ?? [];
    expect(Object.keys(JSON.parse(shown))).toEqual(Object.keys(messages.at(-1)));
    expect(stdout).toContain('a\\u009b2J\\u2028');
    expect(stderr).toBe('Claude Code: a warning\n');
    expect(code).toBe(0);
  });

  test('a reader that goes away ends it quietly, and the CLI too', async () => {
    const cli = cliFor(({ prompt, init, assistantText, faults }) => [
      prompt(),
      init(),
      assistantText('x'),
      faults.slow(
        Array.from({ length: 200 }, () => assistantText('y'.repeat(10_000))),
        5,
      ),
      faults.stall(),
    ]);
    const run = piped(['--json', 'Go.'], cli.env);
    await run.heard('"init"');
    run.child.stdout.destroy();
    const { code, stderr } = await run.done;
    expect(code).toBe(1);
    expect(stderr).not.toMatch(/EPIPE|Ending|^\s+at /m);
    run.expectNothingLeft();
  });

  test.skipIf(!existsSync('/dev/full'))('an answer that could not be written is no success', async () => {
    const cli = cliFor(({ turn }) => turn('Hello.'));
    const { code, stderr } = await new RunProcess(dist, ['Go.'], { env: cli.env, stdout: '/dev/full' }).done;
    expect(stderr).toContain('error: standard output cannot be written: ENOSPC\n');
    expect(code).toBe(1);
  });

  const ENDINGS: readonly (readonly [code: number, kind: string, script: (frames: OutcomeFrames) => unknown])[] = [
    [1, 'crashed', (outcome) => outcome.crashed({ exitCode: 137, stderr: 'killed' })],
    [1, 'incomplete', (outcome) => outcome.incomplete()],
    [1, 'failed', (outcome) => outcome.failed()],
    [3, 'max_turns', (outcome) => outcome.maxTurns()],
    [3, 'max_budget', (outcome) => outcome.maxBudget()],
    [4, 'overloaded', (outcome) => outcome.overloaded()],
    [4, 'rate_limited', (outcome) => outcome.rateLimited()],
    [5, 'auth', (outcome) => outcome.auth()],
    [5, 'not_started', (outcome) => outcome.notStarted()],
    [6, 'context_overflow', (outcome) => outcome.contextOverflow()],
    [130, 'interrupted', (outcome) => outcome.interrupted()],
  ];

  test.each(ENDINGS)('exit code %d: %s', async (code, kind, script) => {
    const cli = cliFor(({ prompt, outcome }) => [
      kind === 'not_started' ? [] : prompt(),
      script(outcome) as ReturnType<OutcomeFrames['failed']>,
    ]);
    const run = piped(['Go.'], cli.env);
    const end = await run.done;
    expect(end.code).toBe(code);
    expect(end.stderr).toMatch(new RegExp(`^${kind} {2}.*, exit code ${code}$`, 'm'));
    run.expectNothingLeft();
  });

  test('a CLI that never answers ends at the deadline: 3', async () => {
    const cli = cliFor(({ faults }) => faults.stall(), { answers: { initialize: null } });
    const run = piped(['--deadline', '0.5', 'Go.'], cli.env);
    const { code, stderr } = await run.done;
    expect(stderr).toMatch(/^deadline {2}/m);
    expect(code).toBe(3);
    run.expectNothingLeft();
  });

  test('there is no CLI: 5, and where it was looked for', async () => {
    const { code, stderr } = await piped(['Go.'], { CLAUDE_CODE_EXECUTABLE: '/nowhere/claude' }).done;
    expect(stderr).toContain('/nowhere/claude');
    expect(code).toBe(5);
  });

  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 143],
  ] as const)('%s ends it with %d, and leaves no process', async (signal, exitCode) => {
    const cli = cliFor(({ prompt, init, toolUse, expectRequest, errorResult, faults }) => [
      prompt(),
      init(),
      toolUse('Bash', { command: 'sleep 100' }),
      expectRequest('interrupt'),
      errorResult('error_during_execution', ['aborted'], { terminal_reason: 'aborted_tools' }),
      faults.stall(),
    ]);
    const run = piped(['Go.'], cli.env);
    await run.heard('● Bash', 'stderr');
    run.child.kill(signal);
    const { code, stderr } = await run.done;
    expect(stderr).toMatch(new RegExp(`^interrupted {2}.*, exit code ${exitCode}$`, 'm'));
    expect(code).toBe(exitCode);
    run.expectNothingLeft();
  });

  test('--json: the summary has the exit code of a run that SIGTERM ended', async () => {
    const cli = cliFor(({ prompt, init, faults }) => [prompt(), init(), faults.stall()]);
    const run = piped(['--json', 'Go.'], cli.env);
    await run.heard('"init"');
    run.child.kill('SIGTERM');
    const { code, stdout } = await run.done;
    expect(JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '')).toMatchObject({ type: 'run_summary', exitCode: 143 });
    expect(code).toBe(143);
  });

  test('SIGQUIT ends it at once with 131, and leaves neither a process nor a folder', async () => {
    const cli = cliFor(({ prompt, init, assistantText, faults }) => [
      prompt(),
      init(),
      assistantText('I will look.'),
      faults.stall({ ignoresEnd: true }),
    ]);
    const run = piped(['--json', '--record', join(folder(), 'run.jsonl'), 'Go.'], cli.env);
    await run.heard('I will look.');
    run.child.kill('SIGQUIT');
    const { code, stdout } = await run.done;
    expect(code).toBe(131);
    expect(stdout).not.toContain('run_summary');
    await expect.poll(() => run.expectNothingLeft()).toBeUndefined();
  });

  test('a prompt of 1 MB on standard input arrives whole', async () => {
    const text = `${'á€ 漢\n'.repeat(100_000)}end`;
    const cli = cliFor(({ turn }) => turn('Read.', text));
    const run = piped(['-'], cli.env);
    run.child.stdin.end(text);
    expect(await run.done).toMatchObject({ code: 0, stdout: 'Read.\n' });
    await cli.close();
  });

  test('an empty prompt is refused', async () => {
    const empty = piped(['-'], {});
    empty.child.stdin.end(' \n');
    expect(await empty.done).toEqual({ code: 2, stdout: '', stderr: 'error: the prompt on standard input is empty\n' });
  });

  test('a prompt that never ends is not waited for after SIGTERM', async () => {
    const waiting = piped(['-'], {});
    // More than a pipe takes: it is written when the program reads.
    await new Promise((resolve) => waiting.child.stdin.write('x'.repeat(1_000_000), resolve));
    waiting.child.kill('SIGTERM');
    expect(await waiting.done).toEqual({ code: 143, stdout: '', stderr: '' });
  });

  test('--record writes a recording without secrets that can be played', async () => {
    const file = join(folder(), 'run.jsonl');
    const cli = cliFor(({ turn }) => turn('The key is sk-ant-api03-SECRETSECRETSECRET.', 'Hi.'));
    const run = piped(['--record', file, 'Hi.'], { ...cli.env, ANTHROPIC_API_KEY: 'a-key-of-mine-1234' });
    expect((await run.done).code).toBe(0);
    expect(readFileSync(file, 'utf8')).not.toMatch(/SECRETSECRET|a-key-of-mine/);
    run.expectNothingLeft();
    await using replayed = scriptedCli(file);
    const again = piped(['Hi.'], { CLAUDE_CODE_EXECUTABLE: replayed.path ?? '' });
    expect((await again.done).stdout).toMatch(/^The key is /);
  });

  test('--record: a CLI that has to be killed does not live on behind its recorder', async () => {
    const file = join(folder(), 'run.jsonl');
    const cli = cliFor(({ prompt, init, faults }) => [prompt(), init(), faults.stall({ ignoresEnd: true })]);
    const run = piped(['--record', file, '--deadline', '0.5', 'Hi.'], cli.env);
    expect((await run.done).code).toBe(3);
    await expect.poll(() => run.expectNothingLeft()).toBeUndefined();
    expect(readFileSync(file, 'utf8')).toContain('"signal_received"');
  });

  test('--record: a file that is there, or a folder that cannot be written, is refused before anything runs', async () => {
    const place = folder();
    const file = join(place, 'run.jsonl');
    writeFileSync(file, 'mine');
    const cli = cliFor(({ turn }) => turn('Hello.'));
    const there = await piped(['--record', file, 'Hi.'], cli.env).done;
    expect(there).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('exists already') });
    mkdirSync(join(place, 'locked'));
    chmodSync(join(place, 'locked'), 0o500);
    // Root may write everywhere but below a file.
    const below = process.getuid?.() === 0 ? join(file, 'run.jsonl') : join(place, 'locked', 'run.jsonl');
    const locked = await piped(['--record', below, 'Hi.'], cli.env).done;
    expect(locked).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('cannot be written') });
    expect(readFileSync(file, 'utf8')).toBe('mine');
    expect(cli.runs).toEqual([]);
  });

  test.each([
    [['Hi.', '--max-turns', '0'], /'--max-turns <n>' argument '0' is invalid\. It must be a whole number above 0\./],
    [['Hi.', '--deadline', 'soon'], /It must be a number above 0\./],
    [['Hi.', '--cwd', '/nowhere'], /It is no folder\./],
    [['Hi.', '--setting-sources', 'users'], /It must be some of user, project, local/],
    [['Hi.', '--model', ''], /It is empty\./],
    [['Hi.', '--resume', 'id', '--continue'], /cannot be used with/],
    [['Hi.', '--nope\u001b[2J'], /unknown option '--nope␛\[2J'/],
    [[' '], /the prompt is empty/],
    [[], /missing required argument 'prompt'/],
  ])('%j: exit code 2, one line', async (args, line) => {
    const { code, stdout, stderr } = await piped(args, {}).done;
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(line);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  });
});
