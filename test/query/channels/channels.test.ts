import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { describe, expect, onTestFinished, test } from 'vitest';
import { channelNames, query, summaryOf } from '../../../src/index.js';
import { RunChannels } from '../../../src/query/channels/run-channels.js';
import { scriptedCli } from '../../../src/testing/index.js';
import { contextsOf, observeChannels, type Published, playRecording, recordingNames } from './observe.js';

/** Every operation that began ended once, and nothing ended that had not begun. */
function expectBalanced(seen: readonly Published[]): void {
  const open = new Set<object>();
  for (const { kind, event, context } of seen) {
    if (event === 'start') open.add(context);
    else if (event === 'end') expect(open.delete(context), `${kind} ended once`).toBe(true);
    else expect(open.has(context)).toBe(true);
  }
  expect([...open]).toEqual([]);
}

async function until(seen: readonly Published[]): Promise<void> {
  await expect.poll(() => contextsOf(seen, 'query').length).toBe(1);
}

describe('channels', () => {
  test('a run without subscribers makes nothing for them', () => {
    expect(RunChannels.open('query', 'opus')).toBeUndefined();
    const listener = (): void => {};
    subscribe(channelNames.tool.end, listener);
    expect(RunChannels.open('query', 'opus')).toBeDefined();
    unsubscribe(channelNames.tool.end, listener);
    expect(RunChannels.open('query', 'opus')).toBeUndefined();
  });

  test('tell a run with a denied call, a hook and a failed call, with the ids of the frames', async () => {
    const seen = observeChannels();
    await using cli = scriptedCli(
      ({ prompt, init, toolUse, hook, permission, toolResult, result }) => [
        prompt(),
        init(),
        toolUse('Bash', { command: 'rm -r build' }),
        hook('PreToolUse'),
        permission(),
        toolResult('Not here.', { isError: true }),
        toolUse('Bash', { command: 'false' }),
        permission(),
        toolResult('Exit code 1', { isError: true }),
        result('Done.'),
      ],
      { inProcess: true },
    );
    const run = cli.query({
      prompt: 'Go.',
      options: {
        hooks: { PreToolUse: [{ hooks: [async () => ({})] }] },
        canUseTool: async (_tool, input) =>
          input.command === 'false' ? { behavior: 'allow' } : { behavior: 'deny', message: 'Not here.' },
      },
    });
    const messages = [];
    for await (const message of run) messages.push(message);
    await until(seen);
    expectBalanced(seen);
    const { sessionId } = await summaryOf(run);
    const [whole] = contextsOf(seen, 'query');
    expect(whole).toMatchObject({ sessionId, front: 'query', isResumed: false, summary: { numTurns: 1 } });
    const calls = messages.flatMap((message) =>
      message.type === 'assistant'
        ? message.message.content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []))
        : [],
    );
    const tools = contextsOf(seen, 'tool');
    expect(tools.map(({ toolUseId }) => toolUseId)).toEqual(calls);
    expect(tools.map(({ error, stopped, permission }) => [error?.kind ?? stopped, permission])).toEqual([
      ['denied', 'deny'],
      ['tool_error', 'allow'],
    ]);
    const [hook] = contextsOf(seen, 'hook');
    expect(hook).toMatchObject({ event: 'PreToolUse', source: 'callback', toolUseId: calls[0], tool: tools[0] });
    const permissions = contextsOf(seen, 'permission');
    expect(permissions.map(({ decision, toolUseId }) => [decision, toolUseId])).toEqual([
      ['deny', calls[0]],
      ['allow', calls[1]],
    ]);
    expect(contextsOf(seen, 'turn')).toMatchObject([{ index: 1, queued: 0 }]);
    expect(new Set(seen.map(({ context }) => context.run)).size).toBe(1);
    expect(contextsOf(seen, 'control').map(({ subtype, from }) => `${from} ${subtype}`)).toContain('host initialize');
  });

  test.each(['subagent-foreground', 'subagent-background', 'subagent-partial', 'subagent-forward-text'])(
    'put what a sub-agent does under the call that started it: %s',
    (name) => {
      const seen = observeChannels();
      playRecording(name);
      expectBalanced(seen);
      const [agent] = contextsOf(seen, 'agent');
      expect(agent).toMatchObject({ agentType: 'general-purpose', tool: { toolName: 'Agent' } });
      expect(agent?.error).toBeUndefined();
      const inner = contextsOf(seen, 'tool').filter((tool) => tool.agent === agent);
      expect(inner.map(({ toolName }) => toolName)).toEqual(['Bash']);
      expect(inner[0]?.chat?.agent).toBe(agent);
    },
  );

  test('begin and end every operation once in each recording', () => {
    const names = recordingNames();
    expect(names.length).toBeGreaterThan(250);
    for (const name of names) {
      const seen = observeChannels();
      playRecording(name);
      expectBalanced(seen);
    }
  });

  test('name the final usage of a streamed answer, and when its first word came', () => {
    const seen = observeChannels();
    playRecording('partial-messages');
    const chats = contextsOf(seen, 'chat');
    expect(chats.map(({ isUsageFinal, usage }) => [isUsageFinal, usage?.output_tokens])).toEqual([
      [true, 42],
      [true, 13],
    ]);
    for (const { startedAt, firstTokenAt, endedAt } of chats) {
      expect(firstTokenAt).toBeGreaterThanOrEqual(startedAt);
      expect(endedAt).toBeGreaterThanOrEqual(firstTokenAt ?? Number.NaN);
    }
  });

  test('end everything that is open when the process dies', async () => {
    const seen = observeChannels();
    await using cli = scriptedCli(
      ({ prompt, init, toolUse, outcome }) => [
        prompt(),
        init(),
        toolUse('Bash', { command: 'ls' }),
        outcome.crashed({ exitCode: 137, stderr: 'killed' }),
      ],
      { inProcess: true },
    );
    const { outcome } = await summaryOf(cli.query({ prompt: 'Go.' }));
    await until(seen);
    expectBalanced(seen);
    expect(contextsOf(seen, 'query')[0]?.error?.kind).toBe(outcome.kind);
    expect(contextsOf(seen, 'tool')[0]?.error?.kind).toBe('unfinished');
    expect(contextsOf(seen, 'process')[0]).toMatchObject({ exit: { exitCode: 137 }, error: { kind: 'exit' } });
  });

  test.each([
    ['in process', true, 0],
    ['a process', false, 0],
    ['a process that fails', false, 3],
  ])(
    'have told the end of a run when its loop is over, so that nothing has to wait: %s',
    async (_, inProcess, code) => {
      const seen = observeChannels();
      await using cli = scriptedCli(({ turn, exit }) => [turn('Four.'), ...(code === 0 ? [] : [exit(code)])], {
        inProcess,
      });
      const failed = await (async () => {
        for await (const message of cli.query({ prompt: 'Go.' })) void message;
      })().catch(() => true);
      expect(contextsOf(seen, 'query')).toHaveLength(1);
      expectBalanced(seen);
      const [{ error, summary } = {}] = contextsOf(seen, 'query');
      expect([failed, error?.kind, summary?.outcome.kind]).toEqual(
        code === 0 ? [undefined, undefined, 'completed'] : [true, summary?.outcome.kind, 'crashed'],
      );
      expect(contextsOf(seen, 'process')[0]?.exit?.exitCode).toBe(code);
    },
  );

  test('end a run whose options cannot be used', () => {
    const seen = observeChannels();
    expect(() => query({ prompt: 'Go.', options: { maxTurns: -1 } })).toThrow('maxTurns');
    expectBalanced(seen);
    expect(seen.map(({ kind, event }) => `${kind} ${event}`)).toEqual(['query start', 'query error', 'query end']);
    expect(contextsOf(seen, 'query')[0]?.error?.kind).toBe('invalid_option');
  });

  test('end a request that was not answered in time, as timed out', async () => {
    const seen = observeChannels();
    await using cli = scriptedCli(
      ({ prompt, init, result }) => [
        prompt(),
        init(),
        { in: { type: 'control_request', request: { subtype: 'set_model' } } },
        result('Done.'),
      ],
      { inProcess: true },
    );
    const run = cli.query({ prompt: 'Go.' });
    await run.next();
    await expect(run.request('set_model', { model: 'other' }, { timeoutMs: 1 })).rejects.toThrow('set_model');
    run.close();
    await until(seen);
    expectBalanced(seen);
    const [asked] = contextsOf(seen, 'control').filter(({ subtype }) => subtype === 'set_model');
    expect(asked).toMatchObject({ from: 'host', error: { kind: 'timed_out' } });
  });

  test('begin no call twice, and end none that never began', async () => {
    const seen = observeChannels();
    const call = (id: string) => ({
      type: 'assistant',
      session_id: 's',
      uuid: 'u',
      parent_tool_use_id: null,
      message: {
        id: `msg_${id}`,
        role: 'assistant',
        content: [{ type: 'tool_use', id, name: '\u001b[31m<b>', input: {} }],
      },
    });
    const answer = (id: string) => ({
      type: 'user',
      session_id: 's',
      uuid: 'u',
      parent_tool_use_id: null,
      message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'ok' }] },
    });
    const odd = [
      { type: 'assistant' },
      { type: 'assistant', message: { id: 7, content: [null, 7] } },
      { type: 'user', message: { content: [null] } },
    ];
    await using cli = scriptedCli(
      ({ prompt, init, result }) => [
        ...[prompt(), init(), ...odd, answer('early'), call('early'), call('a'), call('a'), answer('a'), answer('a')],
        ...[call('a'), result('Done.')],
      ],
      { inProcess: true },
    );
    for await (const _ of cli.query({ prompt: 'Go.' }));
    await until(seen);
    expectBalanced(seen);
    const tools = contextsOf(seen, 'tool');
    expect(tools.map(({ toolUseId, error }) => [toolUseId, error?.kind])).toEqual([
      ['a', undefined],
      ['early', 'unfinished'],
    ]);
  });

  test('a subscriber that throws does not break the run: Node reports it as an uncaught exception', async () => {
    const thrown: unknown[] = [];
    const others = process.listeners('uncaughtException');
    process.removeAllListeners('uncaughtException');
    process.on('uncaughtException', (error) => thrown.push(error));
    const listener = (): void => {
      throw new Error('broken subscriber');
    };
    subscribe(channelNames.turn.end, listener);
    onTestFinished(() => {
      unsubscribe(channelNames.turn.end, listener);
      process.removeAllListeners('uncaughtException');
      for (const other of others) process.on('uncaughtException', other);
    });
    await using cli = scriptedCli(({ turn }) => turn('Four.'), { inProcess: true });
    const { outcome } = await summaryOf(cli.query({ prompt: 'Go.' }));
    expect(outcome.kind).toBe('completed');
    await expect.poll(() => thrown.length).toBe(1);
    expect(thrown[0]).toMatchObject({ message: 'broken subscriber' });
  });
});
