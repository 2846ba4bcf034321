import { describe, expect, test } from 'vitest';
import { VisibilityExpansionRequired } from '../../../src/adapter/errors/prompt-errors.js';
import { ClaudeAgentAdapter } from '../../../src/adapter/evaluate/claude-agent-adapter.js';
import { Prompt } from '../../../src/adapter/prompt/prompt.js';
import { MarkdownSection } from '../../../src/adapter/prompt/section.js';
import { Session } from '../../../src/adapter/state/session.js';
import { addTool, askPrompt, eventsOf, typesOf } from '../support/make-prompt.js';
import { play } from '../support/play.js';

describe('tools of the CLI', () => {
  test('a native call is one toolInvoked with what the hook was told (AD-062)', async () => {
    const response = { stdout: 'one', stderr: '', interrupted: false, isImage: false };
    await using stage = play(
      ({ prompt, init, toolUse, hook, toolResult, result }) => [
        prompt(),
        init(),
        toolUse('Read', { file_path: '/a.txt' }, { toolUseId: 'toolu_read' }),
        hook('PostToolUse', { tool_response: response }),
        toolResult('one'),
        result('Done.'),
      ],
      { recordings: ['hooks-all-events', 'hello'] },
    );
    const session = new Session();
    await new ClaudeAgentAdapter({ ...stage.machine }).evaluate(askPrompt(), { session });
    expect(typesOf(session)).toEqual(['promptRendered', 'toolInvoked', 'promptExecuted']);
    expect(eventsOf(session)[1]).toMatchObject({
      name: 'Read',
      params: { file_path: '/a.txt' },
      result: response,
      callId: 'toolu_read',
      source: 'native',
      success: true,
      promptName: 'test:sum',
    });
  });

  test('a native tool that fails is one toolInvoked with its error (AD-067)', async () => {
    await using stage = play(
      ({ prompt, init, toolUse, hook, toolResult, result }) => [
        prompt(),
        init(),
        toolUse('Read', { file_path: '/a.txt' }),
        hook('PostToolUseFailure', { error: 'File does not exist.', is_interrupt: false }),
        toolResult('File does not exist.', { isError: true }),
        result('Done.'),
      ],
      { recordings: ['hook-posttool-failure', 'hello'] },
    );
    const session = new Session();
    await new ClaudeAgentAdapter({ ...stage.machine }).evaluate(askPrompt(), { session });
    const invoked = eventsOf(session).filter(({ type }) => type === 'toolInvoked');
    expect(invoked).toMatchObject([{ name: 'Read', success: false, error: 'File does not exist.', source: 'native' }]);
  });

  test('a bridged call is one toolInvoked with its typed value (AD-066)', async () => {
    await using stage = play(
      ({ prompt, init, toolUse, hook, mcpHandshake, mcpCall, toolResult, result }) => [
        mcpHandshake('wink'),
        prompt(),
        init(),
        toolUse('mcp__wink__add', { a: 1, b: 2 }),
        hook('PreToolUse'),
        mcpCall('wink', 'add', { a: 1, b: 2 }, { expect: { content: [{ type: 'text', text: '{"sum":3}' }] } }),
        hook('PostToolUse', { tool_response: '{"sum":3}' }),
        toolResult('{"sum":3}'),
        result('Done.'),
      ],
      { recordings: ['mcp-sdk', 'hooks-all-events'] },
    );
    const session = new Session();
    const response = await new ClaudeAgentAdapter({ ...stage.machine }).evaluate(askPrompt({ tools: [addTool] }), {
      session,
    });
    const invoked = eventsOf(session).filter(({ type }) => type === 'toolInvoked');
    expect(invoked).toMatchObject([
      { name: 'add', source: 'bridge', success: true, value: { sum: 3 }, params: { a: 1, b: 2 } },
    ]);
    expect(response.report.tools.used).toMatchObject([{ name: 'mcp__wink__add' }]);
  });

  test('another adapter name and another bridge name (AD-375)', async () => {
    await using stage = play(
      ({ prompt, init, toolUse, hook, mcpHandshake, mcpCall, toolResult, result }) => [
        mcpHandshake('b'),
        prompt(),
        init(),
        toolUse('mcp__b__add', { a: 1, b: 2 }),
        mcpCall('b', 'add', { a: 1, b: 2 }),
        hook('PostToolUse', { tool_response: 'three' }),
        toolResult('three'),
        result('Done.'),
      ],
      { recordings: ['mcp-sdk', 'hooks-all-events'] },
    );
    const messages: string[] = [];
    const log = (message: string): void => void messages.push(message);
    const adapter = new ClaudeAgentAdapter({
      ...stage.machine,
      adapterName: 'a',
      bridgeName: 'b',
      logger: { debug: log, info: log, warn: log, error: log },
    });
    const session = new Session();
    await adapter.evaluate(askPrompt({ tools: [addTool] }), { session });
    expect(new Set(eventsOf(session).map((event) => event.adapter))).toEqual(new Set(['a']));
    expect(messages.length).toBeGreaterThan(2);
    expect(messages.filter((message) => !message.startsWith('a.'))).toEqual([]);
    expect(stage.sent.argv[0]).toContain('--allowedTools=mcp__b__add');
    expect(typesOf(session).filter((type) => type === 'toolInvoked')).toHaveLength(1);
    expect(eventsOf(session)[1]).toMatchObject({ source: 'bridge' });
  });
});

describe('open_sections', () => {
  const hidden = () =>
    new Prompt({
      ns: 'test',
      key: 'hidden',
      sections: [
        new MarkdownSection({
          title: 'Details',
          key: 'details',
          template: 'The whole text.',
          summary: 'In short.',
          visibility: 'summary',
        }),
        new MarkdownSection({ title: 'Open', key: 'open', template: 'Always.' }),
      ],
    });

  test('the model asks for a section: the run ends, and the overrides show it the next time (AD-123, AD-124)', async () => {
    await using stage = play(
      ({ process, prompt, init, toolUse, mcpHandshake, mcpCall, expectRequest, errorResult, turn }) => [
        process(),
        mcpHandshake('wink'),
        prompt(/In short\./),
        init(),
        toolUse('mcp__wink__open_sections', { sectionKeys: ['details'], reason: 'need it' }),
        mcpCall('wink', 'open_sections', { sectionKeys: ['details'], reason: 'need it' }),
        expectRequest('interrupt'),
        errorResult('error_during_execution', ['interrupted'], { is_error: true, terminal_reason: 'aborted_tools' }),
        process(),
        turn('Read.', /The whole text\./),
      ],
      { recordings: ['mcp-sdk', 'mcp-sdk-interrupt', 'hello'] },
    );
    const session = new Session();
    const adapter = new ClaudeAgentAdapter({ ...stage.machine });
    const error: unknown = await adapter.evaluate(hidden(), { session }).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(VisibilityExpansionRequired);
    const { requestedOverrides } = error as VisibilityExpansionRequired;
    expect(error).toMatchObject({
      requestedOverrides: { details: 'full' },
      reason: 'need it',
      sectionKeys: ['details'],
      report: { outcome: { status: 'failed' } },
    });
    const [first] = stage.runs;
    expect(() => process.kill(first?.pid ?? 0, 0)).toThrow();
    const response = await adapter.evaluate(hidden(), { session, visibilityOverrides: requestedOverrides });
    expect(response.text).toBe('Read.');
  });

  test.each(['nowhere', 'open'])(
    'a key that is unknown or open (%s) is an error to the model, and the evaluation goes on (AD-125)',
    async (key) => {
      await using stage = play(
        ({ prompt, init, toolUse, mcpHandshake, mcpCall, toolResult, result }) => [
          mcpHandshake('wink'),
          prompt(),
          init(),
          toolUse('mcp__wink__open_sections', { sectionKeys: [key], reason: 'need it' }),
          mcpCall('wink', 'open_sections', { sectionKeys: [key], reason: 'need it' }, { expect: { isError: true } }),
          toolResult('no', { isError: true }),
          result('Went on.'),
        ],
        { recordings: ['mcp-sdk'] },
      );
      const response = await new ClaudeAgentAdapter({ ...stage.machine }).evaluate(hidden(), {
        session: new Session(),
      });
      expect(response.text).toBe('Went on.');
      expect(stage.sent.toolResults).toMatchObject([{ isError: true }]);
    },
  );
});
