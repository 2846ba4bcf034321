import { describe, expect, test } from 'vitest';
import {
  ClaudeAgentAdapter,
  type ClaudeAgentClientConfig,
  EvaluationAbortedError,
  MarkdownSection,
  Prompt,
  PromptEvaluationError,
  Session,
  Tool,
  ToolResult,
} from '../../src/adapter/index.js';
import type { SDKMessage } from '../../src/index.js';
import { BOTH, CURRENT } from './support/clis.js';
import { killProcessesWith } from './support/processes.js';
import { expectNoProcess, type Stage, setStage } from './support/stage.js';
import { bash, call } from './support/turns.js';

const section = (text: string) => new MarkdownSection({ title: 'Task', key: 'task', template: text });
const promptOf = (text: string) => new Prompt({ ns: 'live', key: 'evaluate', sections: [section(text)] });

function adapterOn(stage: Stage, client: ClaudeAgentClientConfig = {}): ClaudeAgentAdapter {
  const { env = {}, pathToClaudeCodeExecutable } = stage.options();
  return new ClaudeAgentAdapter({
    hostEnv: env,
    clientConfig: {
      cwd: stage.cwd,
      pathToClaudeCodeExecutable,
      // The live stage runs as root of a namespace of its own.
      ...(process.getuid?.() === 0 ? { env: { IS_SANDBOX: '1' } } : {}),
      ...client,
    },
  });
}

const isToolUse = (message: SDKMessage): boolean =>
  message.type === 'assistant' &&
  Array.isArray(message.message.content) &&
  message.message.content.some(({ type }) => type === 'tool_use');

describe.each(BOTH)('evaluate(), CLI $version', (cli) => {
  test('a text comes back, in one process that leaves by itself', async () => {
    const stage = await setStage(cli, { turns: ['Four.'] });
    const session = new Session();
    const adapter = adapterOn(stage, { permissionMode: 'default' });
    const response = await adapter.evaluate(promptOf('What is 2 + 2?'), { session });
    expect(response).toMatchObject({ text: 'Four.', output: null, stopReason: 'end_turn' });
    expect(response.usage.outputTokens).toBeGreaterThan(0);
    await expectNoProcess(stage);
    expect(session.events()).toHaveLength(2);
  });
});

describe('the current CLI', () => {
  test('a tool of the prompt is called, and is one event', async () => {
    const stage = await setStage(CURRENT, { turns: [call('mcp__wink__ping'), 'Done.'] });
    const session = new Session();
    const ping = new Tool({ name: 'ping', description: 'Answers.', handler: () => ToolResult.ok('pong') });
    const prompt = new Prompt({
      ns: 'live',
      key: 'tool',
      sections: [new MarkdownSection({ title: 'T', key: 't', template: 'Ping.', tools: [ping as never] })],
    });
    const response = await adapterOn(stage).evaluate(prompt, { session });
    expect(response.text).toBe('Done.');
    expect(session.events()).toMatchObject([
      { type: 'promptRendered' },
      { type: 'toolInvoked', name: 'ping', source: 'bridge', success: true },
      { type: 'promptExecuted' },
    ]);
    expect(response.report.tools.used).toMatchObject([{ name: 'mcp__wink__ping' }]);
  });

  test('a conversation goes on in one process', async () => {
    const stage = await setStage(CURRENT, { turns: ['One.', 'Two.'] });
    await using talk = await adapterOn(stage).openConversation(promptOf('Count.'));
    const one = await talk.send('first');
    const two = await talk.send('second');
    expect([one.text, two.text]).toEqual(['One.', 'Two.']);
    expect(two.cliSessionId).toBe(one.cliSessionId);
    await talk.close();
    await expectNoProcess(stage);
  });

  test.each([
    ['killed', PromptEvaluationError],
    ['interrupted', EvaluationAbortedError],
  ])('a session %s in a tool call gives one good result when it is resumed (AD-387)', async (how, kind) => {
    const stage = await setStage(CURRENT, { turns: [bash('node -e "setTimeout(()=>{},60000)"'), 'Second.'] });
    const caller = new AbortController();
    const adapter = adapterOn(stage);
    const failed: unknown = await adapter
      .evaluate(promptOf('Go.'), {
        session: new Session(),
        signal: caller.signal,
        onMessage: (message) => {
          if (!isToolUse(message)) return;
          // The call has to be under way.
          setTimeout(() => (how === 'killed' ? killProcessesWith(stage.folder) : caller.abort()), 1_000);
        },
      })
      .catch((error) => error);
    expect(failed).toBeInstanceOf(kind);
    const id = (failed as PromptEvaluationError).partial?.cliSessionId;
    expect(id).toBeDefined();
    const results: SDKMessage[] = [];
    const response = await adapter.evaluate(promptOf('Go on.'), {
      session: new Session(),
      resume: id,
      onMessage: (message) => {
        if (message.type === 'result') results.push(message);
      },
    });
    expect(results).toHaveLength(1);
    expect(response.text).toBe('Second.');
  });
});
