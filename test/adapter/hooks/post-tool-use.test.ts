import { describe, expect, test } from 'vitest';
import { ToolInvoked } from '../../../src/adapter/state/events.js';
import { ModifiedFiles, Plan } from '../../../src/adapter/state/slices.js';
import { makeRun, type TestRun } from './make-run.js';

const eventsOf = ({ session }: TestRun) => session.query(ToolInvoked).all();
const lastEvent = (run: TestRun) => eventsOf(run).at(-1);

describe('PostToolUse, the event', () => {
  test('stdout is what was rendered, the response is kept as it came (AD-149)', async () => {
    const run = makeRun();
    const response = { stdout: 'x', stderr: '', interrupted: false, isImage: false };
    const more = { tool_use_id: 'toolu_7', duration_ms: 12, agent_id: 'agent-1' };
    expect(await run.post('Bash', { command: 'echo x' }, response, more)).toEqual({});
    expect(eventsOf(run)).toEqual([
      {
        type: 'toolInvoked',
        eventId: expect.any(String),
        createdAt: expect.any(String),
        adapter: 'claude_agent_sdk',
        sessionId: run.session.sessionId,
        promptName: 'tests:one',
        name: 'Bash',
        params: { command: 'echo x' },
        result: response,
        success: true,
        renderedOutput: 'x',
        callId: 'toolu_7',
        durationMs: 12,
        source: 'native',
        agentId: 'agent-1',
      },
    ]);
    expect(run.logged).toEqual([
      { level: 'debug', event: 'hook.tool_invoked', context: { toolName: 'Bash', success: true, callId: 'toolu_7' } },
    ]);
  });

  test('words on stderr alone are no failure (AD-150)', async () => {
    const run = makeRun();
    await run.post('Bash', {}, { stdout: '', stderr: 'warning', interrupted: false });
    expect(lastEvent(run)).toMatchObject({ success: true });
  });

  test('`is_error: true` and `interrupted: true` are failures (AD-151)', async () => {
    for (const flag of ['is_error', 'isError', 'interrupted']) {
      const run = makeRun();
      await run.post('Bash', {}, { stdout: 'x', [flag]: true });
      expect(lastEvent(run)?.success, flag).toBe(false);
      await run.post('Bash', {}, { stdout: 'x', [flag]: 'true' });
      expect(lastEvent(run)?.success, `${flag} as text`).toBe(true);
    }
  });

  test('a response that is a string, or missing (AD-152)', async () => {
    const run = makeRun();
    await run.post('StructuredOutput2', {}, 'Provided');
    expect(lastEvent(run)).toMatchObject({ renderedOutput: 'Provided', result: 'Provided' });
    await run.post('Quiet', {}, undefined);
    expect(lastEvent(run)).toMatchObject({ name: 'Quiet', renderedOutput: '', success: true });
    expect(eventsOf(run)).toHaveLength(2);
  });

  const rendered = [
    { name: 'text blocks', response: [{ type: 'text', text: 'a' }, { type: 'image' }], text: 'a' },
    { name: 'content blocks', response: { content: [{ type: 'text', text: 'b' }] }, text: 'b' },
    { name: 'content as text', response: { content: 'c' }, text: 'c' },
    { name: 'an object without text', response: { numFiles: 0 }, text: '{"numFiles":0}' },
    { name: 'an empty stdout', response: { stdout: '' }, text: '{"stdout":""}' },
    { name: 'null', response: null, text: 'null' },
    { name: 'no JSON', response: 10n, text: '' },
  ];
  for (const { name, response, text } of rendered) {
    test(`what is rendered of ${name}`, async () => {
      const run = makeRun();
      await run.post('X', {}, response);
      expect(lastEvent(run)?.renderedOutput).toBe(text);
    });
  }

  test('1000 characters are rendered of a longer response, which is kept whole (AD-065)', async () => {
    const run = makeRun();
    const response = { stdout: 'x'.repeat(1_500) };
    await run.post('Bash', {}, response);
    expect(lastEvent(run)?.renderedOutput).toBe('x'.repeat(1_000));
    expect(lastEvent(run)?.result).toEqual(response);
  });

  test('what is cut never ends in half a character', async () => {
    const run = makeRun();
    await run.post('Bash', {}, `${'x'.repeat(999)}\u{1F600}`);
    expect(lastEvent(run)?.renderedOutput).toBe('x'.repeat(999));
  });

  test('the tools of the bridge are the bridge’s to report (AD-153)', async () => {
    const run = makeRun();
    expect(await run.post('mcp__wink__t', {}, 'x')).toEqual({});
    expect(eventsOf(run)).toEqual([]);
    await run.post('mcp__winks__t', {}, 'x');
    expect(eventsOf(run)).toHaveLength(1);
    expect(run.state.toolCount).toBe(2);
    expect(Object.fromEntries(run.state.toolsUsed)).toEqual({ mcp__wink__t: 1, mcp__winks__t: 1 });
  });

  test('a call that ended gives its id to no later one', async () => {
    const run = makeRun();
    await run.pre('mcp__wink__t', { a: 1 }, { tool_use_id: 'toolu_1' });
    await run.post('mcp__wink__t', { a: 1 }, 'x', { tool_use_id: 'toolu_1' });
    expect(run.run.callIds.take('t', { a: 1 })).toBe(undefined);
  });

  test('a subscriber that throws changes nothing for the CLI (AD-171)', async () => {
    const run = makeRun();
    run.session.bus.subscribe(ToolInvoked, () => {
      throw new Error('subscriber');
    });
    expect(await run.post('Write', { file_path: 'a.ts' }, {})).toEqual({});
    expect(run.session.query(ModifiedFiles).latest()?.files).toHaveLength(1);
    expect(run.logged.map(({ event }) => event)).toContain('event_delivery_failed');
  });
});

describe('PostToolUseFailure', () => {
  test('a tool that failed is one event, with what went wrong', async () => {
    const run = makeRun();
    const input = {
      tool_name: 'Bash',
      tool_input: { command: 'exit 3' },
      tool_use_id: 'toolu_1',
      error: 'Exit code 3',
      is_interrupt: false,
    };
    expect(await run.call('PostToolUseFailure', input)).toEqual({});
    expect(eventsOf(run)).toHaveLength(1);
    expect(lastEvent(run)).toMatchObject({
      name: 'Bash',
      params: { command: 'exit 3' },
      success: false,
      error: 'Exit code 3',
      renderedOutput: 'Exit code 3',
      callId: 'toolu_1',
      source: 'native',
    });
    await run.call('PostToolUseFailure', { ...input, tool_name: 'mcp__wink__t' });
    expect(eventsOf(run)).toHaveLength(1);
  });
});

describe('PostToolUse, the slices', () => {
  test('written files are counted, with the tools that wrote them (AD-154)', async () => {
    const run = makeRun();
    await run.post('Write', { file_path: 'a.ts' }, { type: 'create' });
    await run.post('Write', { file_path: 'a.ts' }, { type: 'update' });
    await run.post('Edit', { file_path: 'b.ts' }, {});
    expect(run.session.query(ModifiedFiles).latest()).toEqual({
      files: [
        { path: 'a.ts', tools: ['Write'], count: 2 },
        { path: 'b.ts', tools: ['Edit'], count: 1 },
      ],
    });
    await run.post('MultiEdit', { file_path: 'b.ts' }, {});
    await run.post('NotebookEdit', { notebook_path: 'c.ipynb' }, {});
    await run.post('Read', { file_path: 'd.ts' }, {});
    expect(run.session.query(ModifiedFiles).latest()?.files.slice(1)).toEqual([
      { path: 'b.ts', tools: ['Edit', 'MultiEdit'], count: 2 },
      { path: 'c.ipynb', tools: ['NotebookEdit'], count: 1 },
    ]);
  });

  test('a write that failed changed nothing, whichever way it is told (AD-155)', async () => {
    const run = makeRun();
    await run.post('Write', { file_path: 'a.ts' }, { is_error: true });
    await run.call('PostToolUseFailure', { tool_name: 'Write', tool_input: { file_path: 'a.ts' }, error: 'no' });
    expect(run.session.query(ModifiedFiles).all()).toEqual([]);
    expect(eventsOf(run)).toHaveLength(2);
  });

  test('TodoWrite sets the plan (AD-156)', async () => {
    const run = makeRun();
    const todos = [
      { content: 'One', status: 'completed', activeForm: 'Doing one' },
      { content: 'Two', status: 'in_progress', activeForm: 'Doing two' },
      { content: 'Three', status: 'pending', activeForm: 'Doing three' },
    ];
    await run.post('TodoWrite', { todos }, { oldTodos: [], newTodos: todos });
    expect(run.session.query(Plan).latest()).toEqual({
      steps: [
        { description: 'One', status: 'completed', activeForm: 'Doing one' },
        { description: 'Two', status: 'in_progress', activeForm: 'Doing two' },
        { description: 'Three', status: 'pending', activeForm: 'Doing three' },
      ],
    });
    await run.post('TodoWrite', { todos: [null, { status: 'pending' }] }, {});
    expect(run.session.query(Plan).latest()).toEqual({ steps: [] });
  });

  test('TaskCreate adds a step, TaskUpdate changes it (AD-157)', async () => {
    const run = makeRun();
    const steps = () => run.session.query(Plan).latest()?.steps;
    const create = (id: string, subject: string) =>
      run.post(
        'TaskCreate',
        { subject, description: `About ${subject}`, activeForm: `Doing ${subject}` },
        { task: { id, subject } },
      );
    const update = (input: object, response: object = { success: true }) =>
      run.post('TaskUpdate', { ...input }, response);
    await create('1', 'one');
    await create('2', 'two');
    await update({ taskId: '1', status: 'in_progress' });
    expect(steps()).toEqual([
      { id: '1', description: 'one', status: 'in_progress', activeForm: 'Doing one' },
      { id: '2', description: 'two', status: 'pending', activeForm: 'Doing two' },
    ]);
    await update({ taskId: '9', status: 'completed' }, { success: false, error: 'Task not found' });
    await update({ taskId: '2', status: 'completed' }, { success: false });
    await update({ taskId: '2', subject: 'second', activeForm: 'Doing the second' });
    await update({ taskId: '1', status: 'deleted' });
    expect(steps()).toEqual([{ id: '2', description: 'second', status: 'pending', activeForm: 'Doing the second' }]);
  });
});

describe('PostToolUse, structured output', () => {
  test('it ends the turn, and is kept (AD-158)', async () => {
    const run = makeRun();
    const output = await run.post('StructuredOutput', { a: 1 }, 'Provided');
    expect(output).toEqual({ continue: false });
    expect(eventsOf(run)).toHaveLength(1);
    expect(run.state.structuredOutput).toEqual({ value: { a: 1 } });
    expect(run.state.limitStop).toBe(undefined);
    expect(run.logged.at(-1)).toEqual({
      level: 'debug',
      event: 'hook.structured_output_stop',
      context: { toolName: 'StructuredOutput' },
    });
  });

  test('with the flag off the turn goes on (AD-159)', async () => {
    const run = makeRun({ stopOnStructuredOutput: false });
    expect(await run.post('StructuredOutput', { a: 1 }, 'Provided')).toEqual({});
    expect(run.state.structuredOutput).toEqual({ value: { a: 1 } });
  });

  test('that of a sub-agent is not the run’s', async () => {
    const run = makeRun();
    const more = { agent_id: 'agent-1' };
    expect(await run.post('StructuredOutput', { a: 1 }, 'Provided', more)).toEqual({});
    expect(run.state.structuredOutput).toBe(undefined);
  });
});
