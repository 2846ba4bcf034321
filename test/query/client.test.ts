import { describe, expect, onTestFinished, test } from 'vitest';
import { AbortError, ClaudeClient, createSdkMcpServer, type Options, summaryOf, tool } from '../../src/index.js';
import { createDeferred } from '../../src/util/deferred.js';
import { initFrame, resultFrame, turn } from '../helpers/cli-frames.js';
import { type ScriptedCli, type Step, scriptedCli } from '../helpers/scripted-cli.js';
import { TrackedPrompt, userItem } from './tracked-prompt.js';

const EOF: Step = { wait: 'EOF' };

function clientOf(cli: ScriptedCli, options: Options = {}): ClaudeClient {
  return new ClaudeClient({ pathToClaudeCodeExecutable: cli.path, ...options });
}

async function* userItems() {
  yield userItem('Hi');
}

async function typesIn(messages: AsyncIterable<{ readonly type: string }>): Promise<string[]> {
  const types: string[] = [];
  for await (const { type } of messages) types.push(type);
  return types;
}

describe('a client', () => {
  test('that is only made starts nothing, whatever its options (PY-006)', () => {
    const client = new ClaudeClient({ pathToClaudeCodeExecutable: '/no/such/claude' });
    expect(client.isConnected).toBe(false);
  });

  test('whose CLI cannot be started rejects connect() and is not connected', async () => {
    const client = new ClaudeClient({ pathToClaudeCodeExecutable: '/no/such/claude' });
    await expect(client.connect()).rejects.toMatchObject({ name: 'CLINotFoundError' });
    expect(client.isConnected).toBe(false);
  });

  test('whose CLI dies before the handshake rejects connect() with the exit error', async () => {
    const cli = scriptedCli([{ stderr: 'no\n' }, { exit: 4 }], { answers: { initialize: null } });
    const client = clientOf(cli);
    await expect(client.connect('Hi')).rejects.toMatchObject({ name: 'ProcessError', exitCode: 4 });
    expect(client.isConnected).toBe(false);
  });

  test('whose CLI dies at the second message has a crashed turn of unknown cost, and no failed start', async () => {
    const cli = scriptedCli([...turn(), { in: { type: 'user' } }, { exit: 3 }]);
    const client = clientOf(cli);
    await client.connect('Hi');
    expect((await summaryOf(client.receiveResponse())).outcome.kind).toBe('completed');
    await client.query('And now?');
    const second = await summaryOf(client.receiveResponse());
    expect(second).toMatchObject({ outcome: { kind: 'crashed', exitCode: 3 }, costUsd: undefined });
    await client.disconnect();
  });

  const ends = [
    { name: 'exited with 3', cli: [...turn(), { exit: 3 }], text: 'Claude Code process exited with code 3' },
    { name: 'exited with 0', cli: [...turn(), { exit: 0 }], text: 'Claude Code exited with code 0' },
  ] satisfies readonly { name: string; cli: readonly Step[]; text: string }[];
  test.each(ends)('whose CLI $name says so in every later call and loop', async ({ cli, text }) => {
    const client = clientOf(scriptedCli(cli));
    await client.connect('Hi');
    await typesIn(client.receiveMessages()).catch(() => {});
    const calls = [
      client.query('And now?'),
      client.query(userItems()),
      client.interrupt(),
      client.request('mcp_status'),
      typesIn(client.receiveMessages()),
      typesIn(client.receiveResponse()),
    ];
    for (const call of calls) {
      const error: Error = await call.then(
        () => expect.fail('it resolved'),
        (thrown) => thrown,
      );
      expect([error.message, (error.cause as Error | undefined)?.message]).toContain(text);
    }
    await client.disconnect();
  });

  test('whose CLI has just been killed waits for its end to say so', async () => {
    const cli = scriptedCli([...turn(), EOF]);
    const client = clientOf(cli);
    await client.connect('Hi');
    await typesIn(client.receiveResponse());
    process.kill(cli.log().pid, 'SIGKILL');
    for (;;) {
      const error: Error | undefined = await client.interrupt().then(
        () => undefined,
        (thrown) => thrown,
      );
      if (error === undefined) continue;
      expect(`${error.message} ${(error.cause as Error | undefined)?.message}`).toContain('SIGKILL');
      break;
    }
    await client.disconnect();
  });

  test('that was connected with an iterable has that as its whole input (PY-261)', async () => {
    const client = clientOf(scriptedCli([...turn(), EOF]));
    await client.connect(userItems());
    await typesIn(client.receiveResponse());
    await expect(client.query('And now?')).rejects.toMatchObject({
      name: 'SessionClosedError',
      hint: expect.stringContaining('connect a ClaudeClient without a prompt'),
    });
    await client.disconnect();
  });

  test('whose signal had been aborted before starts nothing', async () => {
    const cli = scriptedCli([EOF]);
    const abortController = new AbortController();
    abortController.abort('too late');
    const client = clientOf(cli, { abortController });
    await expect(client.connect()).rejects.toBeInstanceOf(AbortError);
    expect(cli.logs()).toEqual([]);
  });

  test('whose signal aborts in a turn throws AbortError to its reader, and disconnects quietly', async () => {
    const cli = scriptedCli([{ in: { type: 'user' } }, { out: initFrame() }, EOF]);
    const abortController = new AbortController();
    const client = clientOf(cli, { abortController });
    await client.connect('Hi');
    const messages = client.receiveMessages();
    await messages.next();
    abortController.abort('enough');
    await expect(messages.next()).rejects.toMatchObject({ name: 'AbortError', cause: 'enough' });
    await client.disconnect();
    expect(cli.log()).toMatchObject({ signals: [], exitCode: 0 });
  });

  test('whose CLI has ended is still connected, and refuses to ask', async () => {
    const cli = scriptedCli([...turn(), { exit: 0 }]);
    const client = clientOf(cli);
    await client.connect('Hi');
    expect(await typesIn(client.receiveMessages())).toEqual(['system', 'assistant', 'result']);
    expect(client.isConnected).toBe(true);
    const refused = { name: 'SessionClosedError', errorClass: 'query_closed' };
    await expect(client.query('More')).rejects.toMatchObject(refused);
    await expect(client.interrupt()).rejects.toMatchObject(refused);
    await client.disconnect();
    expect(client.isConnected).toBe(false);
  });

  test('whose CLI crashed between turns says so to the next query()', async () => {
    const cli = scriptedCli([...turn(), { exit: 7 }]);
    const client = clientOf(cli);
    await client.connect();
    await client.query('Go.');
    await expect(typesIn(client.receiveMessages())).rejects.toMatchObject({ exitCode: 7 });
    await expect(client.query('Again.')).rejects.toMatchObject({
      name: 'SessionClosedError',
      cause: { name: 'ProcessError', exitCode: 7 },
    });
    await client.disconnect();
  });

  test('that is disconnected in the middle of a turn ends its reader and rejects its requests', async () => {
    const cli = scriptedCli([{ in: { type: 'user' } }, { out: initFrame() }, EOF], { answers: { never: null } });
    const client = clientOf(cli);
    await client.connect('Hi');
    const messages = client.receiveMessages();
    expect((await messages.next()).value).toMatchObject({ type: 'system' });
    const reading = typesIn(messages);
    const pending = client.request('never').catch((error: Error) => error.name);
    await client.disconnect();
    expect(await pending).toBe('SessionClosedError');
    expect(await reading).toEqual([]);
    expect(cli.log().exitCode).toBe(0);
  });

  test('whose CLI dies under requests that nobody awaits: no unhandled rejection (TS-165)', async () => {
    const unhandled: unknown[] = [];
    const onUnhandled = (reason: unknown): void => void unhandled.push(reason);
    process.on('unhandledRejection', onUnhandled);
    onTestFinished(() => void process.off('unhandledRejection', onUnhandled));
    const cli = scriptedCli([{ in: { type: 'control_request', request: { subtype: 'set_model' } } }, { exit: 1 }], {
      answers: { set_permission_mode: null },
    });
    const client = clientOf(cli);
    await client.connect();
    void client.setPermissionMode('plan');
    void client.setModel('m');
    await expect(typesIn(client.receiveMessages())).rejects.toMatchObject({ exitCode: 1 });
    await new Promise(setImmediate);
    expect(unhandled).toEqual([]);
    await client.disconnect();
  });

  test('whose request fails shows the caller in the stack of the error', async () => {
    const cli = scriptedCli([{ in: { type: 'control_request', request: { subtype: 'set_model' } } }, { exit: 0 }], {
      answers: { set_model: null },
    });
    const client = clientOf(cli);
    await client.connect();
    async function changesModel(): Promise<void> {
      await client.setModel('m');
    }
    const error: Error = await changesModel().catch((thrown) => thrown);
    expect(error.name).toBe('SessionClosedError');
    expect(error.stack).toMatch(/changesModel .*client\.test\.ts/);
    await client.disconnect();
  });

  test('whose disconnect() is called twice waits for the end of the CLI in both', async () => {
    const cli = scriptedCli([EOF]);
    const client = clientOf(cli);
    await client.connect();
    const first = client.disconnect();
    await client.disconnect();
    expect(cli.log().exitCode).toBe(0);
    await first;
  });

  test('that was connected with an iterable returns it on disconnect()', async () => {
    const cli = scriptedCli([{ in: { type: 'user' } }, EOF]);
    const prompt = new TrackedPrompt([userItem('Hi')]);
    const client = clientOf(cli);
    await client.connect(prompt);
    await client.disconnect();
    expect(prompt.returned).toBe(1);
  });

  test('that is sent an iterable which throws rejects that query() and goes on', async () => {
    const cli = scriptedCli([...turn(), EOF]);
    const client = clientOf(cli);
    await client.connect();
    const failing = (async function* () {
      yield* [];
      throw new RangeError('mine');
    })();
    await expect(client.query(failing)).rejects.toMatchObject({ name: 'PromptError' });
    await client.query('Hi');
    expect(await typesIn(client.receiveResponse())).toEqual(['system', 'assistant', 'result']);
    await client.disconnect();
  });

  test('does not wait for a tool that ignores its signal (PY-198)', async () => {
    const called = createDeferred<void>();
    const stubborn = tool('stay', '', undefined, () => {
      called.resolve();
      return new Promise(() => {});
    });
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'stay' } };
    const cli = scriptedCli([
      { in: { type: 'user' } },
      {
        out: {
          type: 'control_request',
          request_id: 'c1',
          request: { subtype: 'mcp_message', server_name: 's', message },
        },
      },
      EOF,
    ]);
    const client = clientOf(cli, { mcpServers: { s: createSdkMcpServer({ name: 's', tools: [stubborn] }) } });
    await client.connect('Hi');
    await called.promise;
    await client.disconnect();
    expect(cli.log()).toMatchObject({ signals: [], exitCode: 0 });
  });

  test('over a custom transport uses its methods and starts no process (PY-273)', async () => {
    const calls: string[] = [];
    const frames: object[] = [];
    let wake = createDeferred<void>();
    let isOver = false;
    const say = (frame: object): void => {
      frames.push(frame);
      wake.resolve();
    };
    const transport: Options['transport'] = {
      connect: () => void calls.push('connect'),
      write: (data) => {
        const { type, request_id } = JSON.parse(data) as { type: string; request_id?: string };
        calls.push(`write ${type}`);
        if (type === 'user') say(resultFrame());
        else say({ type: 'control_response', response: { subtype: 'success', request_id } });
      },
      readMessages: async function* () {
        calls.push('readMessages');
        while (!isOver) {
          while (frames.length > 0) yield frames.shift();
          await wake.promise;
          wake = createDeferred<void>();
        }
      },
      endInput: () => {
        calls.push('endInput');
        isOver = true;
        wake.resolve();
      },
      isReady: () => !isOver,
      close: () => void calls.push('close'),
    };
    const client = new ClaudeClient({ transport, pathToClaudeCodeExecutable: '/no/such/claude' });
    await client.connect('Hi');
    expect(await typesIn(client.receiveResponse())).toEqual(['result']);
    await client.disconnect();
    expect(calls).toEqual(['connect', 'write control_request', 'readMessages', 'write user', 'endInput', 'close']);
  });
});
