import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { ClaudeAgentAdapter } from '../../../src/adapter/evaluate/claude-agent-adapter.js';
import { defineParams } from '../../../src/adapter/prompt/params.js';
import { Prompt, PromptTemplate } from '../../../src/adapter/prompt/prompt.js';
import { Tool } from '../../../src/adapter/prompt/tool.js';
import { ToolResult } from '../../../src/adapter/prompt/tool-result.js';
import type { ServedResult } from '../../../src/adapter/runtime/agent-runtime.js';
import { defineType } from '../../../src/adapter/schema/type-spec.js';
import { Session } from '../../../src/adapter/state/session.js';
import { VisibilityOverrides } from '../../../src/adapter/state/slices.js';
import { type FakeScript, fakeRuntime } from '../support/fake-runtime.js';
import { promptOf, section } from './support.js';

const RESULT = {
  type: 'result',
  subtype: 'success',
  is_error: false,
  result: 'Done.',
  session_id: 's',
  structured_output: { a: 1, b: 2 },
};

/** An adapter whose runtime is played, and what it was given. */
function adapterFor(script: FakeScript = [RESULT]) {
  const runtime = fakeRuntime(script);
  const adapter = new ClaudeAgentAdapter({ loadRuntime: runtime.loadRuntime, uid: 1000, hostEnv: {} });
  return { adapter, runtime };
}

const sentTo = ({ runs }: ReturnType<typeof fakeRuntime>): unknown[] =>
  runs.map(({ sent }) => sent[0]?.message.content);

describe('evaluated', () => {
  const brief = () => promptOf(section('a', { template: 'The long text', summary: 'Brief', visibility: 'summary' }));

  test('an argument that says full wins over a session that says summary (AD-032)', async () => {
    const { adapter, runtime } = adapterFor();
    const session = new Session();
    session.mutate(VisibilityOverrides).seed({ a: 'summary' });
    await adapter.evaluate(brief(), { session, visibilityOverrides: { a: 'full' } });
    expect(sentTo(runtime)).toEqual(['## 1. a (a)\n\nThe long text']);
  });

  test('without an argument, what the session says is used (AD-033)', async () => {
    const { adapter, runtime } = adapterFor();
    const session = new Session();
    await adapter.evaluate(brief(), { session });
    session.mutate(VisibilityOverrides).seed({ a: 'full' });
    await adapter.evaluate(brief(), { session });
    expect(sentTo(runtime)).toEqual([expect.stringContaining('Brief'), '## 1. a (a)\n\nThe long text']);
  });

  test('a prompt made of fields is one made of a template of the same fields (AD-374)', async () => {
    const who = defineParams<{ name: string }>('who');
    const tool = new Tool({ name: 'find', description: 'Finds.', handler: () => ToolResult.ok('found') });
    const fields = () => ({
      ns: 'docs',
      key: 'sum-up',
      sections: [section('a', { params: who, template: 'Hello $name', tools: [tool] })],
      output: z.object({ a: z.number() }),
    });
    const seen = [];
    for (const prompt of [new Prompt(fields()), new Prompt(new PromptTemplate(fields()))]) {
      const { adapter, runtime } = adapterFor();
      const session = new Session();
      const { promptName, output } = await adapter.evaluate(prompt.bind(who, { name: 'x' }), { session });
      const [run] = runtime.runs;
      seen.push({
        promptName,
        output,
        text: sentTo(runtime)[0],
        format: run?.options.outputFormat,
        tools: run?.options.toolServers?.map(({ tools }) => tools.map(({ name }) => name)),
        rendered: prompt.render({ session }),
      });
    }
    expect(seen[0]).toEqual(seen[1]);
    expect(seen[0]).toMatchObject({
      promptName: 'docs:sum-up',
      text: '## 1. a (a)\n\nHello x',
      output: { a: 1 },
      tools: [['find']],
      format: { type: 'json_schema', schema: { required: ['a'] } },
    });
  });

  test('a tool is served with the JSON Schema, and its arguments are checked with the Standard Schema (AD-006)', async () => {
    const seen = { type: 'object', properties: { a: { type: 'string', description: 'A word.' } } };
    const params = defineType(z.object({ a: z.string().max(2).toUpperCase() }), seen);
    const handler = ({ a }: { a: string }) => ToolResult.ok(a);
    const tool = new Tool({ name: 't', description: 'd', params, handler });
    const answers: ServedResult[] = [];
    const { adapter, runtime } = adapterFor(async function* (cli) {
      await cli.prompt();
      answers.push(await cli.callTool('wink', 't', { a: 'xy' }));
      answers.push(await cli.callTool('wink', 't', { a: 'xyz' }));
      yield RESULT;
    });
    await adapter.evaluate(promptOf(section('a', { tools: [tool] })), { session: new Session() });
    expect(runtime.runs[0]?.options.toolServers?.[0]?.tools[0]?.inputSchema).toEqual(seen);
    expect(answers.map(({ isError, content }) => [isError, content[0]?.text])).toEqual([
      [false, 'XY'],
      [true, expect.stringMatching(/^Validation error: /)],
    ]);
  });

  test('the bridge waits for an asynchronous schema (AD-014)', async () => {
    const params = defineType(
      z.object({
        word: z
          .string()
          .refine(async (word) => word !== 'bad', 'is not wanted')
          .toUpperCase(),
      }),
      { type: 'object', properties: { word: { type: 'string' } } },
    );
    const got: unknown[] = [];
    const tool = new Tool({
      name: 'say',
      description: 'Says a word.',
      params,
      handler: ({ word }) => {
        got.push(word);
        return ToolResult.ok(`said ${word}`);
      },
    });
    const answers: ServedResult[] = [];
    const { adapter } = adapterFor(async function* (cli) {
      await cli.prompt();
      answers.push(await cli.callTool('wink', 'say', { word: 'good' }));
      answers.push(await cli.callTool('wink', 'say', { word: 'bad' }));
      yield RESULT;
    });
    await adapter.evaluate(promptOf(section('a', { tools: [tool] })), { session: new Session() });
    expect(got).toEqual(['GOOD']);
    expect(answers).toMatchObject([
      { isError: false, content: [{ text: 'said GOOD' }] },
      { isError: true, content: [{ text: expect.stringMatching(/^Validation error: .*word: is not wanted/) }] },
    ]);
  });
});
