import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PermissionUpdate } from 'claudewire';
import { assertSent } from 'claudewire/testing';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { buildPackage } from '../../../../test/helpers/built-package.js';
import { cliFor, RunProcess } from './run-process.js';

let dist: string;
beforeAll(() => {
  dist = buildPackage('run-terminal');
});

const CTRL_C = '\u0003';
const CTRL_D = '\u0004';
const CTRL_BACKSLASH = '\u001c';
const COLUMNS = 90;
/** The colours that the program sets. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is looked for
const OWN_SEQUENCE = /\u001b\[\d+m/g;
/** What the readline of Node writes around a question: places of the cursor, and erased lines. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is looked for
const READLINE_SEQUENCE = /\u001b\[\d*[GJK]/g;

const terminal = (args: readonly string[], env: Readonly<Record<string, string>>, columns = COLUMNS): RunProcess =>
  new RunProcess(dist, args, { env, columns });

describe.skipIf(process.platform !== 'linux')('claudewire run on a terminal (Linux: it needs `script`)', () => {
  test('shows text, tools and questions; y allows, words deny and reach the model', async () => {
    const cli = cliFor(({ prompt, init, partialText, toolUse, permission, toolResult, result }) => [
      prompt('Tidy up.'),
      init(),
      partialText(['I will ', 'look.']),
      toolUse('Bash', { command: 'ls' }),
      permission(),
      toolResult('a.txt'),
      toolUse('Bash', { command: 'rm -r build' }),
      permission(),
      toolResult('No, keep it.', { isError: true }),
      partialText('Done.'),
      result('Done.'),
    ]);
    const run = terminal(['Tidy up.'], cli.env);
    await run.heard('I will look.');
    await run.heard('Allow it? [y/n, or say why not]');
    run.type('y\r');
    await run.heard('command: rm -r build');
    await run.heard('Allow it?');
    run.type('No, keep it.\r');
    const { code, stdout } = await run.done;
    const lines = plain(stdout);
    expect(lines).toContain('● Bash  ls');
    expect(lines).toContainEqual(expect.stringMatching(/^ {2}ok Bash, \d+\.\d s$/));
    expect(lines).toContainEqual(expect.stringMatching(/^ {2}failed Bash, \d+\.\d s: No, keep it\.$/));
    expect(lines).toContainEqual(expect.stringMatching(/^completed {2}1 turn, 10 tokens in .* \$0\.0010, /));
    expect(code).toBe(0);
    assertSent(cli.sent, {
      permissionAnswers: [{ behavior: 'allow' }, { behavior: 'deny', answer: { message: 'No, keep it.' } }],
    });
    await cli.close();
    run.expectNothingLeft();
  });

  const RULES: readonly PermissionUpdate[] = [
    {
      type: 'addRules',
      rules: [{ toolName: 'Bash', ruleContent: 'ls *' }],
      behavior: 'allow',
      destination: 'userSettings',
    },
    { type: 'addRules', rules: [{ toolName: 'Bash' }], behavior: 'deny', destination: 'session' },
    { type: 'addDirectories', directories: ['/'], destination: 'session' },
    { type: 'setMode', mode: 'bypassPermissions', destination: 'session' },
  ];

  test('a: the rule that the CLI suggests, for this session only, and no wider one', async () => {
    const cli = cliFor(({ prompt, init, toolUse, permission, result }) => [
      prompt(),
      init(),
      toolUse('Bash', { command: 'ls' }),
      permission(undefined, undefined, { suggestions: RULES }),
      result('Done.'),
    ]);
    const run = terminal(['Go.'], cli.env);
    await run.heard('always in this session: Bash(ls *)');
    await run.heard('[y/n/a, or say why not]');
    run.type('a\r');
    expect((await run.done).code).toBe(0);
    expect(cli.sent.permissionAnswers[0]).toMatchObject({
      answer: { behavior: 'allow', updatedPermissions: [{ ...RULES[0], destination: 'session' }] },
    });
  });

  test('a tool, a rule and a choice that are wider than the terminal are shown whole', async () => {
    const wide = (end: string) => `${'w'.repeat(100)} ${end}`;
    const rules = [{ toolName: 'Bash', ruleContent: wide('rm *') }];
    const cli = cliFor(({ prompt, init, permission, result }) => [
      prompt(),
      init(),
      permission(
        `mcp__${'s'.repeat(100)}__delete`,
        {},
        { suggestions: [{ type: 'addRules', rules, behavior: 'allow', destination: 'session' }] },
      ),
      permission('AskUserQuestion', { questions: [{ question: '__proto__', options: [{ label: wide('and pay') }] }] }),
      result('Done.'),
    ]);
    const run = terminal(['Go.'], cli.env, 60);
    await run.heard('s__delete needs your permission');
    await run.heard('w rm *)');
    await run.heard('[y/n/a, or say why not]');
    run.type('n\r');
    await run.heard('w and pay');
    await run.heard('your own words: ');
    run.type('1\r');
    await run.done;
    const { answer } = cli.sent.permissionAnswers[1] ?? {};
    expect(JSON.stringify(answer)).toContain(`"answers":{"__proto__":"${wide('and pay')}"}`);
  });

  test('a, where nothing is suggested, is no; so is an empty line', async () => {
    const cli = cliFor(({ prompt, init, permission, result }) => [
      prompt(),
      init(),
      permission('Bash', { command: 'ls' }),
      permission('Bash', { command: 'rm' }),
      result('Done.'),
    ]);
    const run = terminal(['Go.'], cli.env);
    await run.heard('Allow it? [y/n, or');
    run.type('a\r');
    await run.heard('Allow it?');
    run.type('\r');
    await run.done;
    expect(cli.sent.permissionAnswers.map(({ behavior }) => behavior)).toEqual(['deny', 'deny']);
  });

  test('keys that were hit before the question do not answer it', async () => {
    const cli = cliFor(({ prompt, init, partialText, pause, permission, result }) => [
      prompt(),
      init(),
      partialText('Wait.'),
      pause(1_500),
      permission('Bash', { command: 'rm -r build' }),
      result('Done.'),
    ]);
    const run = terminal(['Go.'], cli.env);
    await run.heard('Wait.');
    run.type('y\ry');
    await run.heard('Allow it?');
    run.type('n\r');
    expect((await run.done).code).toBe(0);
    expect(cli.sent.permissionAnswers).toMatchObject([{ behavior: 'deny' }]);
  });

  test('AskUserQuestion: numbers choose, other words are the answer', async () => {
    const question = (text: string, multiSelect: boolean) => ({
      question: text,
      header: 'H',
      multiSelect,
      options: ['Red', 'Blue', 'Green'].map((label) => ({ label, description: `It is ${label}.` })),
    });
    const cli = cliFor(({ prompt, init, permission, result }) => [
      prompt(),
      init(),
      permission('AskUserQuestion', {
        questions: [question('Which?', false), question('Which ones?', true), question('What else?', false)],
      }),
      result('Done.'),
    ]);
    const run = terminal(['Go.'], cli.env);
    await run.heard('It is Blue.');
    await run.heard('A number, or your own words: ');
    run.type('2\r');
    await run.heard('Numbers, with commas, or your own words: ');
    run.type('1, 3\r');
    await run.heard('A number, or your own words: ');
    run.type('7 of them\r');
    expect((await run.done).code).toBe(0);
    expect(cli.sent.permissionAnswers[0]).toMatchObject({
      answer: {
        updatedInput: { answers: { 'Which?': 'Blue', 'Which ones?': 'Red, Green', 'What else?': '7 of them' } },
      },
    });
  });

  test('Ctrl-D denies, and two questions at once come one after another', async () => {
    const ask = (id: string) => ({
      type: 'control_request',
      request_id: id,
      request: { subtype: 'can_use_tool', tool_name: 'Bash', input: { command: id }, tool_use_id: id },
    });
    const answer = (id: string) => ({ in: { type: 'control_response', response: { request_id: id } } }) as const;
    const cli = cliFor(({ prompt, init, result }) => [
      prompt(),
      init(),
      ask('first'),
      ask('second'),
      answer('first'),
      answer('second'),
      result('Done.'),
    ]);
    const run = terminal(['Go.'], cli.env);
    await run.heard('command: first');
    await run.heard('Allow it?');
    expect(run.stdout).not.toContain('command: second');
    run.type(CTRL_D);
    await run.heard('command: second');
    await run.heard('Allow it?');
    run.type('y\r');
    expect((await run.done).code).toBe(0);
    expect(cli.runs[0]?.frames.filter(({ type }) => type === 'control_response')).toMatchObject([
      { response: { request_id: 'first', response: { behavior: 'deny' } } },
      { response: { request_id: 'second', response: { behavior: 'allow' } } },
    ]);
  });

  test('a question that the CLI takes back leaves the screen', async () => {
    const cli = cliFor(({ prompt, init, pause, cancelRequest, result }) => [
      prompt(),
      init(),
      {
        type: 'control_request',
        request_id: 'ask-1',
        request: { subtype: 'can_use_tool', tool_name: 'Bash', input: {}, tool_use_id: 't' },
      },
      pause(300),
      cancelRequest('ask-1'),
      result('Done.'),
    ]);
    const run = terminal(['Go.'], cli.env);
    await run.heard('The question was taken back.');
    expect((await run.done).code).toBe(0);
    expect(cli.sent.permissionAnswers).toEqual([]);
  });

  test('a CLI that dies while it waits for an answer ends the run: 1', async () => {
    const cli = cliFor(({ prompt, init, pause, faults }) => [
      prompt(),
      init(),
      {
        type: 'control_request',
        request_id: 'ask-1',
        request: { subtype: 'can_use_tool', tool_name: 'Bash', input: {}, tool_use_id: 't' },
      },
      pause(500),
      faults.crash({ exitCode: 9, stderr: 'out of memory' }),
    ]);
    const run = terminal(['Go.'], cli.env);
    const { code, stdout } = await run.done;
    expect(plain(stdout)).toContainEqual(expect.stringMatching(/^crashed {2}.*, exit code 1$/));
    expect(stdout).toContain('out of memory');
    expect(code).toBe(1);
    run.expectNothingLeft();
  });

  test.each(['in the middle of a text', 'at a question'])('Ctrl-C %s interrupts the turn: 130', async (where) => {
    const cli = cliFor(({ prompt, init, partialText, expectRequest, errorResult }) => [
      prompt(),
      init(),
      partialText('I will look.'),
      where === 'at a question'
        ? {
            type: 'control_request',
            request_id: 'ask-1',
            request: { subtype: 'can_use_tool', tool_name: 'Bash', input: {}, tool_use_id: 't' },
          }
        : [],
      expectRequest('interrupt'),
      errorResult('error_during_execution', ['Request was aborted.'], { terminal_reason: 'aborted_streaming' }),
    ]);
    const run = terminal(['Go.'], cli.env);
    await run.heard(where === 'at a question' ? 'Allow it?' : 'I will look.');
    run.type(CTRL_C);
    await run.heard('Interrupting the turn. Ctrl-C again ends the run.');
    const { code, stdout } = await run.done;
    expect(plain(stdout)).toContainEqual(expect.stringMatching(/^interrupted {2}1 turn, .*, exit code 130$/));
    expect(code).toBe(130);
    // Ctrl-C is for `run` alone: the terminal must not have sent it to the CLI too.
    expect(cli.runs[0]?.signals).toEqual([]);
    run.expectNothingLeft();
  });

  test('a second Ctrl-C ends a CLI that takes no notice, and leaves no process', async () => {
    const cli = cliFor(({ prompt, init, partialText, faults }) => [
      prompt(),
      init(),
      partialText('I will look.'),
      faults.stall({ ignoresEnd: true }),
    ]);
    const run = terminal(['Go.'], cli.env);
    await run.heard('I will look.');
    run.type(CTRL_C);
    await run.heard('Interrupting the turn.');
    run.type(CTRL_C);
    expect((await run.done).code).toBe(130);
    run.expectNothingLeft();
  });

  test('a third Ctrl-C does not wait, and leaves no process either', async () => {
    const cli = cliFor(({ prompt, init, partialText, faults }) => [
      prompt(),
      init(),
      partialText('I will look.'),
      faults.stall({ ignoresEnd: true }),
    ]);
    const run = terminal(['Go.'], cli.env);
    await run.heard('I will look.');
    for (const heard of ['Interrupting the turn.', 'Ending the run.']) {
      run.type(CTRL_C);
      await run.heard(heard);
    }
    run.type(CTRL_C);
    expect((await run.done).code).toBe(130);
    await expect.poll(() => run.expectNothingLeft()).toBeUndefined();
  });

  test.each(['in the middle of a text', 'at a question'])('Ctrl-\\ %s ends it at once: 131', async (where) => {
    const cli = cliFor(({ prompt, init, partialText, permission, faults }) => [
      prompt(),
      init(),
      partialText('I will look.'),
      where === 'at a question' ? permission('Bash', { command: 'ls' }) : [],
      faults.stall({ ignoresEnd: true }),
    ]);
    const run = terminal(['Go.'], cli.env);
    await run.heard(where === 'at a question' ? 'Allow it?' : 'I will look.');
    run.type(CTRL_BACKSLASH);
    expect((await run.done).code).toBe(131);
    await expect.poll(() => run.expectNothingLeft()).toBeUndefined();
  });

  test('the terminal is closed: the CLI ends too', async () => {
    const cli = cliFor(({ prompt, init, partialText, faults }) => [
      prompt(),
      init(),
      partialText('I will look.'),
      faults.stall(),
    ]);
    const run = terminal(['Go.'], cli.env);
    await run.heard('I will look.');
    run.child.kill('SIGKILL');
    await run.done;
    await expect.poll(() => run.expectNothingLeft()).toBeUndefined();
  });

  const EVIL =
    '\u001b]52;c;aGVsbG8=\u0007\u001b]8;;http://x\u001b\\l\u001b]8;;\u001b\\\u001b[2J\u009b2J\rok\u202e\u001bc';

  test('no escape sequence but its own reaches the terminal, from wherever it comes', async () => {
    const cli = cliFor(({ prompt, init, partialText, toolUse, permission, toolResult, stderr, result }) => [
      prompt(),
      init({ model: `m${EVIL}` }),
      stderr(EVIL),
      partialText([...EVIL]),
      toolUse(`Bash${EVIL}`, { command: EVIL, [EVIL]: EVIL }),
      permission(undefined, undefined, {
        fields: { decision_reason: EVIL, blocked_path: `/tmp/${EVIL}` },
        suggestions: [
          {
            type: 'addRules',
            rules: [{ toolName: EVIL, ruleContent: EVIL }],
            behavior: 'allow',
            destination: 'session',
          },
        ],
      }),
      toolResult(EVIL, { isError: true }),
      permission('AskUserQuestion', {
        questions: [{ question: EVIL, header: EVIL, options: [{ label: EVIL, description: EVIL }] }],
      }),
      result(EVIL, { is_error: true, session_id: EVIL }),
    ]);
    const run = terminal(['Go.'], cli.env);
    await run.heard('Allow it?');
    run.type('y\r');
    await run.heard('your own words: ');
    run.type('1\r');
    const { stdout } = await run.done;
    const rest = stdout.replace(OWN_SEQUENCE, '').replace(READLINE_SEQUENCE, '').replace(/\r*\n/g, '\n');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what must be gone
    expect(rest).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
    expect(rest.match(/␛\]52;c;aGVsbG8=␇/g)?.length).toBeGreaterThan(8);
  });

  test('a word of 300 columns, a long input and a result of 5 MB: no line of its own is wider than the terminal', async () => {
    const word = 'w'.repeat(300);
    const cli = cliFor(({ prompt, init, partialText, toolUse, toolResult, result }) => [
      prompt(),
      init(),
      partialText(word),
      toolUse('Bash', { command: `echo ${'漢字 '.repeat(100)}` }),
      toolResult(`x${'y z'.repeat(1_700_000)}`, { isError: true }),
      result('Done.'),
    ]);
    const { code, stdout } = await terminal(['Go.'], cli.env, 60).done;
    expect(code).toBe(0);
    const lines = plain(stdout);
    expect(lines).toContain(word);
    expect(lines.filter((line) => line.startsWith('● Bash'))[0]).toMatch(/^● Bash {2}echo (漢字 ?)+….?$/);
    expect(Math.max(...lines.filter((line) => line !== word).map((line) => [...line].length))).toBeLessThanOrEqual(90);
    expect(stdout.length).toBeLessThan(3_000);
  });

  test.each([
    [{}, true],
    [{ NO_COLOR: '1' }, false],
    [{ TERM: 'dumb' }, false],
    [{ TERM: 'dumb', FORCE_COLOR: '1' }, true],
  ])('%j: colours: %s', async (env, isColoured) => {
    const cli = cliFor(({ turn }) => turn('Hello.'));
    const { stdout } = await terminal(['Go.'], { ...cli.env, ...env }).done;
    expect(stdout).toContain('Hello.');
    expect(stdout.includes('\u001b[')).toBe(isColoured);
  });

  test('no tool can write to the terminal past it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'claudewire-test-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const cli = join(folder, 'claude');
    writeFileSync(cli, '#!/bin/sh\necho stolen >/dev/tty && echo opened >&2\nexit 3\n', { mode: 0o755 });
    const { code, stdout } = await terminal(['Go.'], { CLAUDE_CODE_EXECUTABLE: cli }).done;
    expect(stdout).not.toContain('stolen');
    expect(stdout).not.toContain('opened');
    expect(plain(stdout)).toContainEqual(expect.stringMatching(/^not_started {2}/));
    expect(code).toBe(5);
  });
});

/** The lines of the screen, without colours and what readline does. */
function plain(screen: string): readonly string[] {
  return screen.replace(OWN_SEQUENCE, '').replace(READLINE_SEQUENCE, '').split(/\r*\n/);
}
