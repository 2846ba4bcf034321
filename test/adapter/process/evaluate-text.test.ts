import { expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import {
  AdapterConfigError,
  BudgetExhaustedError,
  defineType,
  evaluate,
  MarkdownSection,
  OutputParseError,
  Prompt,
  type PromptEvaluationError,
  type PromptResponse,
  type TextAnswer,
  Tool,
  ToolResult,
} from '../../../src/adapter/index.js';
import { tool } from '../../../src/index.js';
import { type Script, scriptedCli } from '../../../src/testing/index.js';
import { play, type Stage } from '../support/play.js';

const machineOf = ({ machine }: Stage) => ({
  env: machine.hostEnv,
  pathToClaudeCodeExecutable: machine.clientConfig.pathToClaudeCodeExecutable,
});

const hello = (): Stage => play(({ turn }) => turn('Four.'), { recordings: ['hello'] });

/** A turn whose answer is this value. */
const structured =
  (value: Record<string, unknown>): Script =>
  ({ prompt, init, result }) => [prompt(), init(), { ...result('Done.'), structured_output: value }];

const play1 = (value: Record<string, unknown>): Stage => play(structured(value), { recordings: ['structured-output'] });

const namedTool = (name: string) =>
  new Tool({ name, description: 'T', params: defineType(z.object({})), handler: () => ToolResult.ok('', {}) });

const flagOf = (argv: readonly string[], flag: string): string | undefined => {
  const at = argv.findIndex((each) => each === flag || each.startsWith(`${flag}=`));
  if (at < 0) return undefined;
  const [, ...value] = (argv[at] ?? '').split('=');
  return value.length > 0 ? value.join('=') : argv[at + 1];
};

test('the text goes out as it is, and nothing is allowed, chosen or read (U-1)', async () => {
  await using stage = hello();
  const response = await evaluate('How does this sound?', machineOf(stage));
  expectTypeOf(response).toEqualTypeOf<PromptResponse<null>>();
  expect(response).toMatchObject({ text: 'Four.', output: null });
  expect(stage.sent.userMessages).toMatchObject([
    { message: { content: 'How does this sound?' }, client_composed: true },
  ]);
  const argv = stage.runs[0]?.argv ?? [];
  expect(flagOf(argv, '--model')).toBeUndefined();
  expect(flagOf(argv, '--permission-mode')).toBe('default');
  expect(flagOf(argv, '--tools')).toBe('');
  expect(flagOf(argv, '--setting-sources')).toBe('');
  expect(argv).not.toContain('--allow-dangerously-skip-permissions');
});

test.each([
  ['zod', z.object({ verdict: z.string() })],
  ['defineType()', defineType(z.object({ verdict: z.string() }))],
  ['JSON Schema', { type: 'object', properties: { verdict: { type: 'string' } }, required: ['verdict'] }],
])('the output is checked against %s', async (_name, output) => {
  await using stage = play1({ verdict: 'fine' });
  const answer = await evaluate('How does this sound?', { ...machineOf(stage), output });
  expect(answer.output).toEqual({ verdict: 'fine' });
});

test('the output has the type of its schema', () => {
  const output = z.object({ verdict: z.string() });
  expectTypeOf(() => evaluate('x', { output })).returns.resolves.toEqualTypeOf<TextAnswer<{ verdict: string }>>();
});

test('an answer without the output says what the CLI refused before', async () => {
  const why = 'Output does not match required schema: /verdict: must match pattern "^[a-z]+$"';
  await using stage = play(
    ({ prompt, init, toolUse, toolResult, assistantText, result }) => [
      prompt(),
      init(),
      toolUse('StructuredOutput', { verdict: 'Fine' }),
      toolResult(why, { isError: true }),
      toolUse('Read', { file_path: 'x' }),
      toolResult('No such file', { isError: true }),
      assistantText('Fine.'),
      result('Fine.'),
    ],
    { recordings: ['structured-output-text-only', 'structured-output-failure', 'structured-output'] },
  );
  const output = z.object({ verdict: z.string() });
  const error: unknown = await evaluate('Hi', { ...machineOf(stage), output }).catch((e) => e);
  const words = '/verdict: must match pattern "^[a-z]+$"';
  expect(error).toBeInstanceOf(OutputParseError);
  expect(error).toMatchObject({ issues: [{ path: '', message: words }], report: { refusedOutputs: [words] } });
  expect((error as Error).message).toContain(`Claude Code refused an output for: ${words}`);
});

test('an answer without the output that was asked for is an error with the text', async () => {
  await using stage = hello();
  const output = z.object({ verdict: z.string() });
  const error: unknown = await evaluate('Hi', { ...machineOf(stage), output }).catch((e) => e);
  expect(error).toBeInstanceOf(OutputParseError);
  expect(error).toMatchObject({ rawOutput: 'Four.', partial: { text: 'Four.' } });
  const { report, message } = error as OutputParseError;
  expect(report).toMatchObject({
    outcome: { status: 'failed', error: { name: 'OutputParseError', message } },
    usage: { inputTokens: 10, outputTokens: 5 },
  });
});

test('a tool has a name that a stranger understands, and is allowed', async () => {
  await using stage = hello();
  const tool = new Tool({
    name: 'look_up',
    description: 'Where a book stands',
    params: defineType(z.object({ title: z.string() })),
    handler: () => ToolResult.ok('Shelf 7', {}),
  });
  await evaluate('Where is Walden?', { ...machineOf(stage), tools: [tool] });
  const argv = stage.runs[0]?.argv ?? [];
  expect(flagOf(argv, '--allowedTools')).toBe('mcp__tools__look_up');
});

test('examples of a tool follow the text, which stays as it is', async () => {
  const text = '  Costs $price of $$?\n\n  ## Not a heading  ';
  const tool = new Tool({
    name: 'look_up',
    description: 'Where a book stands',
    params: defineType(z.object({ title: z.string() })),
    handler: () => ToolResult.ok('Shelf 7', {}),
    examples: [{ description: 'A classic', input: { title: 'Walden' }, output: 'Shelf 3' }],
  });
  await using stage = hello();
  await evaluate(text, { ...machineOf(stage), tools: [tool] });
  const examples = new MarkdownSection({ title: 'T', key: 't', template: '', tools: [tool] });
  const [, block] = new Prompt({ ns: 'n', key: 'k', sections: [examples] }).render().text.split('## 1. T (t)\n\n');
  expect(block).toContain('Walden');
  expect(stage.sent.userMessages).toMatchObject([{ message: { content: `${text}\n\n${block}` } }]);
});

test('a system prompt is one, and the text stays the message', async () => {
  await using stage = hello();
  await evaluate('Hi', { ...machineOf(stage), systemPrompt: 'Be brief.' });
  expect(stage.sent.userMessages).toMatchObject([{ message: { content: 'Hi' } }]);
  expect(stage.sent.initialize).toMatchObject([{ systemPrompt: 'Be brief.' }]);
});

test('a budget is given by its limits', async () => {
  await using stage = hello();
  const budget = { maxTotalTokens: 5 };
  const error: unknown = await evaluate('Hi', { ...machineOf(stage), budget }).catch((e) => e);
  expect(error).toBeInstanceOf(BudgetExhaustedError);
});

const event = (text: string) => ({
  type: 'stream_event',
  event: { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } },
  session_id: 's',
  parent_tool_use_id: null,
  uuid: 'u',
});

const streaming = (): Stage =>
  play(({ prompt, init, result }) => [prompt(), init(), event('Fo'), event('ur.'), result('Four.')], {
    recordings: ['partial-messages', 'hello'],
  });

test('text is handed over as it streams', async () => {
  await using stage = streaming();
  const pieces: string[] = [];
  await evaluate('Hi', { ...machineOf(stage), onText: (text) => void pieces.push(text) });
  expect(pieces).toEqual(['Fo', 'ur.']);
  expect(stage.runs[0]?.argv).toContain('--include-partial-messages');
});

test.each<readonly [string, (error: Error) => unknown]>([
  [
    'throw',
    (error) => {
      throw error;
    },
  ],
  ['reject', (error) => Promise.reject(error)],
])('handlers that %s are logged, stop nothing and hear everything', async (_name, fail) => {
  await using stage = streaming();
  const unhandled: unknown[] = [];
  const note = (reason: unknown): void => void unhandled.push(reason);
  process.on('unhandledRejection', note);
  const pieces: string[] = [];
  const types: string[] = [];
  const logged: unknown[] = [];
  const logger = {
    ...{ debug: () => {}, info: () => {}, warn: () => {} },
    error: (_record: unknown, ...more: readonly unknown[]) => void logged.push(JSON.stringify([_record, ...more])),
  };
  try {
    const response = await evaluate('Hi', {
      ...machineOf(stage),
      logger,
      onText: (text) => {
        pieces.push(text);
        return fail(new Error('text went wrong')) as undefined;
      },
      onMessage: ({ type }) => {
        types.push(type);
        return fail(new Error('message went wrong')) as undefined;
      },
    });
    expect(response.text).toBe('Four.');
    // Rejections that nobody handles are told after the microtasks.
    await new Promise((resolve) => setImmediate(resolve));
  } finally {
    process.off('unhandledRejection', note);
  }
  expect(unhandled).toEqual([]);
  expect(pieces).toEqual(['Fo', 'ur.']);
  expect(types.filter((type) => type === 'stream_event')).toHaveLength(2);
  expect(logged.join()).toContain('text went wrong');
  expect(logged.join()).toContain('message went wrong');
});

test.each<readonly [string, readonly unknown[], RegExp]>([
  ['no text', [''], /non-empty string/],
  ['no text at all', [7], /got number 7|got 7/],
  ['a deadline', ['Hi', { deadline: 5_000 }], /deadlineMs: 30_000/],
  ['a short deadline', ['Hi', { deadlineMs: 10 }], /deadlineMs.*at least 1000/],
  ['a budget that is none', ['Hi', { budget: {} }], /at least one limit/],
  ['a timeout', ['Hi', { timeout: 5_000 }], /`timeout`.*deadlineMs: 30_000/],
  ['a timeout in ms', ['Hi', { timeoutMs: 5_000 }], /`timeoutMs`.*deadlineMs: 30_000/],
  ['a controller', ['Hi', { abortController: new AbortController() }], /Use `signal`/],
  ['a callback', ['Hi', { canUseTool: () => {} }], /Use `query\(\)`, or `allowedTools`/],
  ['tools that are no list', ['Hi', { tools: {} }], /`tools` must be a list, got object/],
  [
    'a tool of query()',
    ['Hi', { tools: [tool('t', 'T', {}, async () => ({ content: [] }))] }],
    /`tools\[0\]` must be a `Tool` of `claudewire\/adapter`, got object.*`tool\(\)` of `claudewire`/,
  ],
  [
    'two tools of one name',
    ['Hi', { tools: [namedTool('same'), namedTool('same')] }],
    /^`tools\[1\]` has the name of an earlier tool, "same"/,
  ],
  ['a variable that is no string', ['Hi', { env: { A: 1 } }], /env\.A` must be a string, got number/],
  ['an environment that is none', ['Hi', { env: 'A=1' }], /env` must be an object of strings/],
  ['a field that does not exist', ['Hi', { tool: [] }], /no `tool`.*It has output, tools/s],
])('wrong arguments name the cure: %s (U-1)', async (_name, args, expected) => {
  const call = evaluate as (...args: readonly unknown[]) => Promise<unknown>;
  const error: unknown = await call(...args).catch((e) => e);
  expect(error).toBeInstanceOf(AdapterConfigError);
  const { message, hint } = error as AdapterConfigError;
  expect(`${message} ${hint}`).toMatch(expected);
});

test.each([false, true])('a crash of the CLI; a tool ran: %s (C-3)', async (hasRun) => {
  await using cli = scriptedCli(
    ({ prompt, init, toolUse, toolResult, errorResult }) => [
      prompt(),
      init(),
      ...(hasRun ? [toolUse('Bash', { command: 'rm -r build' }), toolResult('removed')] : []),
      // Without a reason why the turn ended, as of a start that failed.
      { ...errorResult('error_during_execution'), num_turns: 0, usage: {}, terminal_reason: undefined },
    ],
    { inProcess: true },
  );
  const failed: unknown = await evaluate('Hi', { ...cli.options, allowedTools: ['Bash'] }).catch((e) => e);
  expect(failed).toMatchObject({ retryAdvice: { retry: hasRun ? 'unsafe' : 'after_change' } });
  expect((failed as PromptEvaluationError).retryAdvice.action.includes('nothing was sent')).toBe(!hasRun);
});

test('a script in process plays for it', async () => {
  await using cli = scriptedCli(({ turn }) => turn('Four.', 'What is 2 + 2?'), { inProcess: true });
  expect((await evaluate('What is 2 + 2?', { ...cli.options })).text).toBe('Four.');
});
