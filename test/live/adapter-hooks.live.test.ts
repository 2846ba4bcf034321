import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createHooks } from '../../src/adapter/hooks/create-hooks.js';
import {
  ClaudeAgentAdapter,
  type ClaudeAgentClientConfig,
  MarkdownSection,
  ModifiedFiles,
  Plan,
  Prompt,
  PromptExecuted,
  Session,
  Tool,
  ToolInvoked,
  ToolResult,
  Workspace,
} from '../../src/adapter/index.js';
import { query } from '../../src/index.js';
import { isJsonObject, type JsonObject } from '../../src/util/json.js';
import { makeRun } from '../adapter/hooks/make-run.js';
import { CURRENT } from './support/clis.js';
import { collect, toolResults } from './support/collect.js';
import { recordedShape, shapeOf } from './support/recorded.js';
import { type Stage, setStage } from './support/stage.js';
import { call } from './support/turns.js';

/** In `dontAsk` only what is allowed runs, and nobody is asked. */
function adapterOn(
  stage: Stage,
  clientConfig: Partial<ClaudeAgentClientConfig> = {},
  allowedTools?: readonly string[],
) {
  const { env = {}, cwd = stage.cwd } = stage.options();
  return new ClaudeAgentAdapter({
    hostEnv: env,
    uid: 1000,
    allowedTools,
    clientConfig: { cwd, pathToClaudeCodeExecutable: stage.cli.path, permissionMode: 'dontAsk', ...clientConfig },
  });
}

const promptWith = (tools: readonly Tool<unknown>[] = [], output?: JsonObject) =>
  new Prompt({
    ns: 'live',
    key: 'hooks',
    sections: [new MarkdownSection({ title: 'Task', key: 'task', template: 'Go.', tools })],
    output,
  });

/** Names of the tools in each request of the conversation to the API. */
function offeredTools({ api }: Stage): readonly (readonly unknown[])[] {
  return api.requests
    .filter(({ kind }) => kind === 'main')
    .map(({ body }) => {
      const tools = isJsonObject(body) && Array.isArray(body.tools) ? body.tools : [];
      return tools.filter(isJsonObject).map(({ name }) => name);
    });
}

describe(`hooks and bridge of the adapter, CLI ${CURRENT.version}`, () => {
  test('a path that was rewritten is what the question shows, and what runs when approved (AD-380)', async () => {
    const stage = await setStage(CURRENT, {
      // Relative: the CLI makes it absolute before the hook sees it.
      turns: [call('Write', { file_path: 'host/new.txt', content: 'hello' }), 'Done.'],
    });
    const [host, copy] = [join(stage.cwd, 'host'), join(stage.cwd, 'copy')];
    for (const folder of [host, copy]) mkdirSync(folder);
    const { run, session, logged } = makeRun({ insideDirs: [copy], mounts: [{ hostPath: host, copyPath: copy }] });
    session.mutate(Workspace).seed({ root: copy });
    const asked: unknown[] = [];
    const { messages, error } = await collect(
      query({
        prompt: 'Go.',
        options: stage.options({
          permissionMode: 'default',
          hooks: createHooks(run).hooks,
          canUseTool: async (_name, input) => {
            asked.push(input);
            return { behavior: 'allow', updatedInput: input };
          },
        }),
      }),
    );
    expect(error).toBeUndefined();
    expect(asked).toEqual([{ file_path: join(copy, 'new.txt'), content: 'hello' }]);
    expect(toolResults(messages)).toEqual([{ text: expect.stringContaining(join(copy, 'new.txt')), isError: false }]);
    expect(readFileSync(join(copy, 'new.txt'), 'utf8')).toBe('hello');
    expect(existsSync(join(host, 'new.txt'))).toBe(false);
    expect(logged.filter(({ level }) => level === 'error')).toEqual([]);
  });

  test('a bridged tool is in the first request to the API, and answers (AD-383)', async () => {
    const stage = await setStage(CURRENT, { turns: [call('mcp__wink__lookup', { n: 4 }), 'Done.'] });
    const lookup = new Tool({
      name: 'lookup',
      description: 'Looks a number up',
      params: z.object({ n: z.number() }),
      handler: ({ n }) => ToolResult.ok('found', { twice: n * 2 }),
    });
    const session = new Session();
    const response = await adapterOn(stage).evaluate(promptWith([lookup]), { session });
    expect(response.text).toBe('Done.');
    const [first = []] = offeredTools(stage);
    expect(first).toContain('mcp__wink__lookup');
    // With all built-in tools on: that is when the CLI hides what is not always loaded.
    expect(first).toContain('ToolSearch');
    expect(session.query(ToolInvoked).all()).toEqual([
      expect.objectContaining({
        name: 'lookup',
        source: 'bridge',
        success: true,
        value: { twice: 8 },
        callId: expect.stringMatching(/^toolu_/),
      }),
    ]);
    expect(response.report).toMatchObject({ version: 1 });
  });

  test('the hook ends the turn after StructuredOutput, and that is a success (AD-384)', async () => {
    const stage = await setStage(CURRENT, { turns: [call('StructuredOutput', { a: 1 })] });
    const messages: unknown[] = [];
    const session = new Session();
    const output = { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] };
    const response = await adapterOn(stage).evaluate(promptWith([], output), {
      session,
      onMessage: (message) => void messages.push(message),
    });
    expect(response.output).toEqual({ a: 1 });
    expect(response.stopReason).toBe('end_turn');
    expect(session.query(PromptExecuted).all()).toEqual([
      expect.objectContaining({ output: { a: 1 }, stopReason: 'end_turn' }),
    ]);
    expect(messages.at(-1)).toMatchObject({ subtype: 'success', terminal_reason: 'hook_stopped' });
    expect(shapeOf(messages)).toEqual(recordedShape('hook-structured-output-stop'));
    expect(stage.mainCalls(), 'the model is not asked again').toHaveLength(1);
  });

  test('the file tools stay in the working directory, whichever way a path leads out of it', async () => {
    const outside = 'outside.txt';
    const stage = await setStage(CURRENT, {
      turns: [
        call('Read', { file_path: 'inside.txt' }),
        call('Read', { file_path: `../${outside}` }),
        call('Read', { file_path: 'link ' }),
        call('Read', { file_path: '~/secret.txt' }),
        call('Write', { file_path: 'ghost', content: 'x' }),
        call('Grep', { pattern: 'classified', path: '..', output_mode: 'content' }),
        call('Glob', { pattern: '../*' }),
        call('Edit', { file_path: 'inside.txt', old_string: 'in', new_string: 'in the' }),
        'Done.',
      ],
    });
    writeFileSync(join(stage.folder, outside), 'classified');
    writeFileSync(join(stage.folder, 'home', 'secret.txt'), 'classified');
    writeFileSync(join(stage.cwd, 'inside.txt'), 'inside');
    symlinkSync(join('..', outside), join(stage.cwd, 'link'));
    symlinkSync(join('..', 'made.txt'), join(stage.cwd, 'ghost'));
    const session = new Session();
    const messages: unknown[] = [];
    // Named one by one: else the CLI leaves Glob and Grep out.
    const tools = ['Read', 'Write', 'Edit', 'Glob', 'Grep'];
    await adapterOn(stage, { outsideWorkspacePaths: 'deny' }, tools).evaluate(promptWith(), {
      session,
      onMessage: (message) => void messages.push(message),
    });
    const texts = toolResults(messages as never);
    expect(texts.map(({ isError }) => isError)).toEqual([...[false, true, true, true, true, true, true, false]]);
    // Denied by the hook, before the CLI's own block had its say.
    for (const { text } of texts.slice(1, 7)) expect(text).toMatch(/(^|: )(The path|A Glob pattern) /);
    expect(JSON.stringify(texts)).not.toContain('classified');
    expect(existsSync(join(stage.folder, 'made.txt'))).toBe(false);
    expect(session.query(ModifiedFiles).latest()?.files).toEqual([
      { path: join(stage.cwd, 'inside.txt'), tools: ['Edit'], count: 1 },
    ]);
  });

  test('what the CLI keeps for the session may be read: the output of a command in the background', async () => {
    const stage = await setStage(CURRENT, {
      turns: [
        {
          blocks: [
            {
              type: 'tool_use',
              name: 'Bash',
              input: { command: 'echo from-behind', description: 'x', run_in_background: true },
            },
          ],
        },
        (request) => {
          const [path = ''] = /\/[^"\\ ]*\.output/.exec(JSON.stringify(request)) ?? [];
          return call('Read', { file_path: path });
        },
        ...['Done.', 'Done.', 'Done.'],
      ],
    });
    const messages: unknown[] = [];
    await adapterOn(stage, { outsideWorkspacePaths: 'deny' }, ['Bash', 'Read']).evaluate(promptWith(), {
      session: new Session(),
      onMessage: (message) => void messages.push(message),
    });
    expect(toolResults(messages as never).at(-1)).toMatchObject({ isError: false });
  });

  test('the CLI’s tasks become the plan; a command that fails is an event that says so', async () => {
    const stage = await setStage(CURRENT, {
      turns: [
        call('TaskCreate', { subject: 'One', description: 'The first', activeForm: 'Doing one' }),
        call('TaskCreate', { subject: 'Two', description: 'The second' }),
        call('TaskUpdate', { taskId: '1', status: 'in_progress' }),
        call('TaskUpdate', { taskId: '9', status: 'completed' }),
        call('TaskUpdate', { taskId: '2', status: 'deleted' }),
        call('Bash', { command: 'ls /nowhere-at-all', description: 'Look' }),
        'Done.',
      ],
    });
    const session = new Session();
    const adapter = adapterOn(stage, {}, ['TaskCreate', 'TaskUpdate', 'Bash']);
    await adapter.evaluate(promptWith(), { session });
    expect(session.query(Plan).latest()).toEqual({
      steps: [{ id: '1', description: 'One', status: 'in_progress', activeForm: 'Doing one' }],
    });
    const events = session.query(ToolInvoked).all();
    expect(events.map(({ name, success }) => [name, success])).toEqual([
      ['TaskCreate', true],
      ['TaskCreate', true],
      ['TaskUpdate', true],
      ['TaskUpdate', true],
      ['TaskUpdate', true],
      ['Bash', false],
    ]);
    expect(events.at(-1)?.error).toContain('nowhere-at-all');
  });
});
