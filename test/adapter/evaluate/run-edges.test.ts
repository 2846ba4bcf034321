import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { AdapterError } from '../../../src/adapter/errors/adapter-error.js';
import {
  BudgetExhaustedError,
  DeadlineExceededError,
  EvaluationAbortedError,
} from '../../../src/adapter/errors/evaluation-errors.js';
import type { ClaudeAgentAdapterOptions } from '../../../src/adapter/evaluate/adapter-config.js';
import { ClaudeAgentAdapter } from '../../../src/adapter/evaluate/claude-agent-adapter.js';
import type { EvaluateOptions } from '../../../src/adapter/evaluate/run-request.js';
import { StderrRelay } from '../../../src/adapter/evaluate/stderr-relay.js';
import { Budget } from '../../../src/adapter/limits/budget.js';
import { BudgetTracker } from '../../../src/adapter/limits/budget-tracker.js';
import { Deadline } from '../../../src/adapter/limits/deadline.js';
import { type AnyTool, Tool } from '../../../src/adapter/prompt/index.js';
import { defineParams } from '../../../src/adapter/prompt/params.js';
import { Prompt } from '../../../src/adapter/prompt/prompt.js';
import type { ToolContext } from '../../../src/adapter/prompt/prompt-types.js';
import { MarkdownSection } from '../../../src/adapter/prompt/section.js';
import { ToolResult } from '../../../src/adapter/prompt/tool-result.js';
import type { EventBus } from '../../../src/adapter/state/event-bus.js';
import { Session } from '../../../src/adapter/state/session.js';
import { ClaudeAgentWorkspaceSection } from '../../../src/adapter/workspace/workspace-section.js';
import type { JsonObject } from '../../../src/util/json.js';
import { type FakeRuntime, fakeRuntime } from '../support/fake-runtime.js';
import { askPrompt, typesOf } from '../support/make-prompt.js';
import { ManualClock } from '../support/manual-clock.js';

const result = (text = 'Done.', more: JsonObject = {}): JsonObject => ({
  type: 'result',
  subtype: 'success',
  is_error: false,
  result: text,
  session_id: 'cli',
  terminal_reason: 'completed',
  usage: { input_tokens: 10, output_tokens: 5 },
  ...more,
});

const assistantOf = (id: string, input_tokens: number): JsonObject => ({
  type: 'assistant',
  session_id: 'cli',
  parent_tool_use_id: null,
  message: { id, model: 'm', content: [], usage: { input_tokens, output_tokens: 0 } },
});

const adapterOver = (fake: FakeRuntime, options: ClaudeAgentAdapterOptions = {}) =>
  new ClaudeAgentAdapter({ loadRuntime: fake.loadRuntime, hostEnv: {}, uid: 1000, ...options });

const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

const roots: string[] = [];
const scratch = (): string => {
  const root = mkdtempSync(join(tmpdir(), 'cw-edges-'));
  roots.push(root);
  return root;
};
afterEach(() => {
  for (const root of roots.splice(0)) rmSync(root, { recursive: true, force: true });
});

test('a prompt that is bound anew for each call does not mix up calls that go on at once', async () => {
  const params = defineParams<{ x: string }>('p');
  const section = new MarkdownSection({ title: 'T', key: 't', template: 'item $x', params });
  const prompt = new Prompt({ ns: 'a', key: 'b', sections: [section] });
  const fake = fakeRuntime([result()]);
  const adapter = adapterOver(fake);
  await Promise.all(['one', 'two'].map((x) => adapter.evaluate(prompt.bind(params, { x }))));
  const talk = adapter.openConversation(prompt.bind(params, { x: 'three' }));
  prompt.bind(params, { x: 'four' });
  await (await talk).send('now');
  await (await talk).close();
  const sent = fake.runs.map((run) => String(run.sent[0]?.message.content));
  expect(sent.map((text) => /item (\w+)/.exec(text)?.[1])).toEqual(['one', 'two', 'three']);
});

test('a prompt with a render() of its own is rendered by it', async () => {
  const prompt = askPrompt();
  const render = prompt.render.bind(prompt);
  prompt.render = (options) => {
    const rendered = render(options);
    return { ...rendered, text: rendered.text.toUpperCase() };
  };
  const fake = fakeRuntime([result()]);
  await adapterOver(fake).evaluate(prompt);
  expect(fake.runs[0]?.sent[0]?.message.content).toContain('WHAT IS 2 + 2?');
});

describe('stderr', () => {
  const run = (
    chunks: readonly string[],
    clientConfig: ClaudeAgentAdapterOptions['clientConfig'] = {},
    logger?: ClaudeAgentAdapterOptions['logger'],
  ) => {
    const fake = fakeRuntime(async function* (cli) {
      await cli.prompt();
      for (const chunk of chunks) cli.options.stderr?.(chunk);
      yield result();
    });
    return adapterOver(fake, {
      ...(logger !== undefined && { logger }),
      clientConfig: { suppressStderr: false, ...clientConfig },
    }).evaluate(askPrompt());
  };

  test('a secret that comes in two pieces does not reach the sink, nor the rest of a line', async () => {
    const seen: string[] = [];
    await run(['a\nkey=supersecret', 'value-123 b\r\nc ', 'supersecretvalue-123', ' d'], {
      env: { MY_KEY: 'supersecretvalue-123' },
      stderr: (text) => void seen.push(text),
    });
    expect(seen.join('')).toBe('a\nkey=[redacted] b\r\nc [redacted] d');
  });

  test.each([
    ['throws', () => Promise.reject(new Error('boom'))],
    [
      'rejects',
      () => {
        throw new Error('boom');
      },
    ],
  ])('a sink that fails is logged, and stops nothing: %s', async (_, stderr) => {
    const none = (): void => {};
    const errors: unknown[] = [];
    const logger = {
      ...{ debug: none, info: none, warn: none },
      error: (_message: string, { event, context }: { event: string; context: object }) => {
        errors.push({ event, ...context });
      },
    };
    const unhandled: unknown[] = [];
    const note = (reason: unknown): void => void unhandled.push(reason);
    process.on('unhandledRejection', note);
    expect((await run(['x\n'], { stderr }, logger)).text).toBe('Done.');
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', note);
    expect(unhandled).toEqual([]);
    expect(errors).toMatchObject([{ event: 'event_delivery_failed', handler: 'stderr' }]);
  });

  test('a secret at the place where a long line is cut is taken out before', () => {
    const clean = (text: string): string => text.replaceAll('secret', '*');
    for (let before = 1_990; before < 2_001; before += 1) {
      const tail = new StderrRelay(clean);
      tail.add(`${'x'.repeat(before)}secret`);
      expect(tail.lines[0]).not.toContain('s');
      tail.add('\n');
      expect(tail.lines[0]).not.toContain('s');
    }
  });

  test('a line without an end is cut, never inside of a secret', () => {
    const secret = 'sk-abcdefghij';
    const passed: string[] = [];
    const tail = new StderrRelay(
      (text) => text.replaceAll(secret, '*'),
      (text) => void passed.push(text),
    );
    const line = `${'x'.repeat(65_530)}${secret}${secret.repeat(9_000)}`;
    for (let at = 0; at < line.length; at += 999) tail.add(line.slice(at, at + 999));
    tail.add('tail\nnext\n');
    const all = passed.join('');
    expect(all).toMatch(/^x+…\nnext\n$/);
    expect(all.length).toBeLessThan(70_000);
    expect(tail.lines).toEqual(['x'.repeat(2_000), 'next']);
  });
});

describe('a call that is refused at once has a report', () => {
  const clock = new ManualClock();
  const expired = Deadline.fromNow(1_000, { clock });
  clock.advance(1_000);
  const used = new BudgetTracker(new Budget({ maxTotalTokens: 9 }));
  used.record({ inputTokens: 10 });
  const cases: readonly [string, EvaluateOptions][] = [
    ['an aborted signal', { signal: AbortSignal.abort() }],
    ['a deadline that has passed', { deadline: expired }],
    ['a budget that is used up', { budgetTracker: used }],
  ];
  test.each(cases)('%s', async (_, options) => {
    const adapter = adapterOver(fakeRuntime([]), { clock });
    const calls = [adapter.evaluate(askPrompt(), options), adapter.openConversation(askPrompt(), options)];
    for (const error of await Promise.all(calls.map(failureOf))) {
      expect(error).toBeInstanceOf(AdapterError);
      expect(error).toMatchObject({
        report: { promptName: 'test:sum', outcome: { status: 'failed', error: { code: null } } },
      });
    }
    expect(clock.armed).toBe(0);
    await adapter.dispose();
  });
});

describe('what is over while a run is prepared', () => {
  const slowly = (between: () => void): ClaudeAgentAdapterOptions => ({
    platform: 'linux',
    hostEnv: { PATH: '/bin', ANTHROPIC_API_KEY: 'k' },
    clientConfig: { isolation: {}, deadlineGraceMs: 60_000 },
    sandboxProbe: async () => {
      between();
      return { passed: true, problem: undefined, fix: undefined };
    },
  });

  test('a deadline that passes while the sandbox is tried: nothing is rendered or started', async () => {
    const clock = new ManualClock();
    const fake = fakeRuntime([result()]);
    const session = new Session();
    const adapter = adapterOver(fake, { clock, ...slowly(() => clock.advance(5_000)) });
    const deadline = Deadline.fromNow(5_000, { clock });
    const error = await failureOf(adapter.evaluate(askPrompt(), { session, deadline }));
    expect(error).toBeInstanceOf(DeadlineExceededError);
    expect(fake.runs).toHaveLength(0);
    expect(typesOf(session)).toEqual([]);
    expect(clock.armed).toBe(0);
  });

  test('a budget that another run uses up meanwhile', async () => {
    const budgetTracker = new BudgetTracker(new Budget({ maxTotalTokens: 9 }));
    const fake = fakeRuntime([result()]);
    const adapter = adapterOver(
      fake,
      slowly(() => budgetTracker.record({ inputTokens: 10 })),
    );
    const error = await failureOf(adapter.evaluate(askPrompt(), { budgetTracker }));
    expect(error).toBeInstanceOf(BudgetExhaustedError);
    expect(fake.runs).toHaveLength(0);
  });

  test.each<readonly [string, readonly JsonObject[], number]>([
    ['with a result', [result('Late.', { usage: { input_tokens: 40, output_tokens: 5 } })], 45],
    ['without one', [assistantOf('second', 40), assistantOf('third', 3)], 53],
  ])('a run that goes on while it is stopped, %s: the error tells all that was used', async (_name, more, used) => {
    const fake = fakeRuntime(async function* (cli) {
      await cli.prompt();
      yield assistantOf('first', 10);
      await cli.interrupted();
      yield* more;
    });
    const budget = new Budget({ maxTotalTokens: 9 });
    const error = await failureOf(adapterOver(fake).evaluate(askPrompt(), { budget }));
    expect(error).toBeInstanceOf(BudgetExhaustedError);
    const { message, consumed, limit, report } = error as BudgetExhaustedError;
    const { inputTokens = 0, outputTokens = 0 } = consumed;
    expect([inputTokens + outputTokens, limit]).toEqual([used, 9]);
    expect(message).toContain(`${used} of 9 total tokens`);
    expect(report?.usage).toMatchObject({ inputTokens, outputTokens });
  });

  test('a signal that fires while the home is made: the CLI is not started, the home is gone', async () => {
    const none = (): void => {};
    const caller = new AbortController();
    const fake = fakeRuntime([result()]);
    const tempRoot = scratch();
    const adapter = adapterOver(fake, {
      ...slowly(none),
      tempRoot,
      hostHome: scratch(),
      logger: {
        ...{ info: none, warn: none, error: none },
        debug: (_, { event }) => {
          if (event === 'isolation.home_created') caller.abort();
        },
      },
    });
    const error = await failureOf(adapter.evaluate(askPrompt(), { signal: caller.signal }));
    expect(error).toBeInstanceOf(EvaluationAbortedError);
    expect(fake.runs).toHaveLength(0);
    expect(readdirSync(tempRoot)).toEqual([]);
  });
});

test('only a CLI that does not know get_settings is let off: another failure of it ends the run', async () => {
  const fake = fakeRuntime([result()], { settings: new Error('the pipe broke') });
  const adapter = adapterOver(fake, { clientConfig: { sandbox: { enabled: false }, outsideWorkspacePaths: 'deny' } });
  const error = await failureOf(adapter.evaluate(askPrompt()));
  expect(error).toMatchObject({ message: expect.stringContaining('the pipe broke') });
  expect(fake.runs).toMatchObject([{ sent: [], closed: true }]);
});

describe('a bus of the caller’s own that throws', () => {
  const failing = (failsAt: string): EventBus => ({
    subscribe: () => () => {},
    unsubscribe: () => false,
    publish: (event) => {
      if ('type' in event && event.type === failsAt) throw new Error('bus down');
      return undefined as never;
    },
  });

  test.each(['promptRendered', 'promptExecuted'])('at %s: the response is there', async (type) => {
    const session = new Session({ bus: failing(type) });
    const errors: unknown[] = [];
    const none = (): void => {};
    const response = await adapterOver(fakeRuntime([result('Precious.')]), {
      logger: { ...{ debug: none, info: none, warn: none }, error: (_, { context }) => void errors.push(context) },
    }).evaluate(askPrompt(), { session });
    expect(response.text).toBe('Precious.');
    expect(errors).toEqual([{ handler: 'bus', type, error: 'bus down' }]);
  });

  test('at toolInvoked: the structured output still ends the turn', async () => {
    const answers: unknown[] = [];
    const fake = fakeRuntime(async function* (cli) {
      await cli.prompt();
      const call = { tool_name: 'StructuredOutput', tool_input: { a: 1 }, tool_response: 'ok' };
      answers.push(...(await cli.hook('PostToolUse', call, 't1')));
      yield result();
    });
    await adapterOver(fake).evaluate(askPrompt(), { session: new Session({ bus: failing('toolInvoked') }) });
    expect(answers).toEqual([{ continue: false }]);
  });
});

test('a CLI that is deaf when sections are asked for is ended, and the request is thrown', async () => {
  const clock = new ManualClock();
  const prompt = new Prompt({
    ns: 'test',
    key: 'sections',
    sections: [
      new MarkdownSection({
        ...{ title: 'More', key: 'more', template: 'y' },
        ...{ summary: 'short', visibility: 'summary' },
      }),
    ],
  });
  const fake = fakeRuntime(async function* (cli) {
    await cli.prompt();
    clock.advanceWhenArmed(2_000);
    await cli.callTool('wink', 'open_sections', { sectionKeys: ['more'], reason: 'need it' });
    await new Promise((resolve) => cli.closing.addEventListener('abort', resolve));
  });
  const error = await failureOf(adapterOver(fake, { clock }).evaluate(prompt));
  expect(error).toMatchObject({ name: 'VisibilityExpansionRequired' });
  expect(fake.runs).toMatchObject([{ interrupts: 1, closed: true }]);
  expect(clock.armed).toBe(0);
});

test('the prompt is rendered with the deadline of the run', async () => {
  const contexts: ToolContext[] = [];
  const tool = new Tool({
    name: 'spy',
    description: 'Looks.',
    handler: (_, { context }) => {
      contexts.push(context);
      return ToolResult.ok('seen');
    },
  }) as unknown as AnyTool;
  const fake = fakeRuntime(async function* (cli) {
    await cli.prompt();
    await cli.callTool('wink', 'spy', {});
    yield result();
  });
  const deadline = Deadline.fromNow(60_000);
  await adapterOver(fake).evaluate(askPrompt({ tools: [tool] }), { deadline });
  expect(contexts[0]?.renderedPrompt.deadline).toBe(deadline);
});

test('the report of a run that failed says what it changed', async () => {
  const [tempRoot, host] = [scratch(), scratch()];
  const hostPath = join(host, 'a.txt');
  writeFileSync(hostPath, '1');
  const session = new Session();
  const section = await ClaudeAgentWorkspaceSection.create({ session, tempRoot, mounts: [{ hostPath }] });
  const prompt = new Prompt({ ns: 'test', key: 'files', sections: [section] });
  const change = (text: string): void => writeFileSync(join(section.tempDir, 'a.txt'), text);
  const files = [{ path: 'a.txt', change: 'modified' }];
  const dies = fakeRuntime(async function* (cli) {
    await cli.prompt();
    change('2');
    yield { type: 'system', subtype: 'init', session_id: 'cli' };
  });
  expect(await failureOf(adapterOver(dies).evaluate(prompt, { session }))).toMatchObject({
    report: { outcome: { status: 'failed' }, files },
  });
  const early = fakeRuntime(
    async function* () {
      change('3');
      yield { type: 'system', subtype: 'init', session_id: 'cli' };
    },
    { initializeError: new Error('no hands') },
  );
  expect(await failureOf(adapterOver(early).evaluate(prompt, { session }))).toMatchObject({
    message: 'no hands',
    report: { files },
  });
  const talk = await adapterOver(dies).openConversation(prompt, { session });
  expect(await failureOf(talk.send('go'))).toMatchObject({ report: { files } });
  await section.cleanup();
  expect(existsSync(section.tempDir)).toBe(false);
});
