import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Diagnostic } from '../../src/diagnostics.js';
import {
  ClaudeClient,
  type FrameTooLargeError,
  type QueueLimitError,
  query,
  type SDKMessage,
  type SDKUserMessage,
} from '../../src/index.js';
import { FlowControl, HIGH_WATER_BYTES, LOW_WATER_BYTES } from '../../src/query/flow-control.js';
import { openSession } from '../../src/query/open-session.js';
import { createDeferred } from '../../src/util/deferred.js';
import { assistantFrame, initFrame, resultFrame } from '../helpers/cli-frames.js';
import { type Step, scriptedCli } from '../helpers/scripted-cli.js';

const KIB = 1024;
const MIB = 1024 * KIB;

/** So many MiB of messages, 64 KiB each. */
function flood(mib: number): Step {
  return { repeat: mib * 16, steps: [{ out: assistantFrame('x'.repeat(64 * KIB)) }] };
}

function fixture(name: string): string {
  return fileURLToPath(new URL(`../fixtures/cli/${name}.mjs`, import.meta.url));
}

/** One message, and then an input that stays open. */
async function* pending(text: string): AsyncGenerator<SDKUserMessage> {
  yield userMessage(text);
  await new Promise(() => {});
}

async function* messages(count: number): AsyncGenerator<SDKUserMessage> {
  for (let n = 0; n < count; n += 1) yield userMessage('x'.repeat(128 * KIB));
}

function userMessage(content: string): SDKUserMessage {
  return { type: 'user', message: { role: 'user', content }, parent_tool_use_id: null };
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

const user: Step = { in: { type: 'user' } };

describe('flow control', () => {
  function harness() {
    const calls: string[] = [];
    const state = { mayPause: true };
    const flow = new FlowControl({
      transport: { pause: () => calls.push('pause'), resume: () => calls.push('resume') },
      mayPause: () => state.mayPause,
      onDiagnostic: ({ code }) => calls.push(code),
    });
    return { flow, calls, state };
  }

  test('pauses above the high mark, once, and goes on below the low one, once', () => {
    const { flow, calls } = harness();
    flow.onQueued(HIGH_WATER_BYTES);
    expect(flow.isPaused).toBe(false);
    flow.onQueued(HIGH_WATER_BYTES + 1);
    flow.onQueued(HIGH_WATER_BYTES + 2);
    expect(flow.isPaused).toBe(true);
    flow.onTaken(LOW_WATER_BYTES);
    expect(flow.isPaused).toBe(true);
    flow.onTaken(LOW_WATER_BYTES - 1);
    flow.onTaken(0);
    expect(flow.isPaused).toBe(false);
    expect(calls).toEqual(['pause', 'flow_paused', 'resume', 'flow_resumed']);
  });

  test('never pauses while somebody may wait for a control frame, and pauses later when nobody does', () => {
    const { flow, calls, state } = harness();
    state.mayPause = false;
    flow.onQueued(4 * HIGH_WATER_BYTES);
    expect(calls).toEqual([]);
    state.mayPause = true;
    flow.onQueued(4 * HIGH_WATER_BYTES);
    expect(calls).toEqual(['pause', 'flow_paused']);
  });

  test('`release` reads on at once, however much is queued', () => {
    const { flow, calls } = harness();
    flow.release();
    flow.onQueued(2 * HIGH_WATER_BYTES);
    flow.release();
    flow.release();
    expect(calls).toEqual(['pause', 'flow_paused', 'resume', 'flow_resumed']);
  });
});

describe('reading, over a real process', () => {
  test('a consumer that awaits its own permission callback finishes, with 60 MiB in between', async () => {
    const cli = scriptedCli([
      user,
      { out: initFrame() },
      flood(60),
      {
        out: {
          type: 'control_request',
          request_id: 'q1',
          request: { subtype: 'can_use_tool', tool_name: 'Bash', input: {}, tool_use_id: 't1' },
        },
      },
      { in: { type: 'control_response', response: { request_id: 'q1', subtype: 'success' } } },
      { out: resultFrame() },
    ]);
    const asked = createDeferred<void>();
    const run = query({
      prompt: 'Go.',
      options: {
        pathToClaudeCodeExecutable: cli.path,
        canUseTool: async () => {
          asked.resolve();
          return { behavior: 'allow' };
        },
      },
    });
    let count = 0;
    for await (const _ of run) {
      count += 1;
      await asked.promise;
    }
    expect(count).toBe(60 * 16 + 2);
    expect(cli.verdict()?.passed).toBe(true);
  });

  test('a run that nobody iterates finishes by itself, and all it said is still there', async () => {
    const cli = scriptedCli([user, { out: initFrame() }, flood(60), { out: resultFrame() }]);
    const run = query({ prompt: 'Go.', options: { pathToClaudeCodeExecutable: cli.path } });
    await expect.poll(() => cli.log().exitCode).toBe(0);
    const types: string[] = [];
    for await (const { type } of run) types.push(type);
    expect(types).toHaveLength(60 * 16 + 2);
    expect(types.at(-1)).toBe('result');
  });

  test('a control method inside the loop is answered, though reading was paused and 48 MiB lie before the answer', async () => {
    const cli = scriptedCli([
      user,
      { out: initFrame() },
      flood(48),
      { in: { type: 'control_request', request: { subtype: 'set_permission_mode' } }, answer: {}, timeoutMs: 0 },
      flood(48),
      { out: resultFrame() },
    ]);
    const paused = createDeferred<void>();
    const run = query({
      prompt: 'Go.',
      options: {
        pathToClaudeCodeExecutable: cli.path,
        onDiagnostic: ({ code }) => {
          if (code === 'flow_paused') paused.resolve();
        },
      },
    });
    let count = 0;
    for await (const _ of run) {
      count += 1;
      if (count > 1) continue;
      await paused.promise;
      await run.setPermissionMode('plan');
    }
    expect(count).toBe(96 * 16 + 2);
    expect(cli.verdict()?.passed).toBe(true);
  });

  test.each([
    { name: 'reading is paused when it begins', waitsForPause: true },
    { name: 'it has begun when the flood comes', waitsForPause: false },
  ])('`streamInput()` to a CLI that blocks in its write ends: $name (C-1)', async ({ waitsForPause }) => {
    const paused = createDeferred<void>();
    const run = query({
      prompt: pending('Go.'),
      options: {
        pathToClaudeCodeExecutable: fixture('reads-after-writing'),
        env: { ...process.env, EXPECTED_MESSAGES: '65' },
        onDiagnostic: ({ code }) => {
          if (code === 'flow_paused') paused.resolve();
        },
      },
    });
    const seen: string[] = [];
    for await (const message of run) {
      seen.push(message.type);
      if (message.type === 'system') {
        if (waitsForPause) await paused.promise;
        await run.streamInput(messages(64));
      }
      if (message.type === 'result') expect(message).toMatchObject({ result: '65 messages' });
    }
    expect(seen.length).toBe(514);
  });

  test('`ClaudeClient.query()` with 8 MiB in one message ends, though the CLI reads nothing before it has written (C-1)', async () => {
    const paused = createDeferred<void>();
    await using client = new ClaudeClient({
      pathToClaudeCodeExecutable: fixture('reads-after-writing'),
      env: { ...process.env, EXPECTED_MESSAGES: '2' },
      onDiagnostic: ({ code }) => {
        if (code === 'flow_paused') paused.resolve();
      },
    });
    await client.connect('Go.');
    let last: SDKMessage | undefined;
    for await (const message of client.receiveResponse()) {
      last = message;
      if (message.type !== 'system') continue;
      await paused.promise;
      await client.query('x'.repeat(8 * MIB));
    }
    expect(last).toMatchObject({ type: 'result', result: '2 messages' });
  });

  test('a slow consumer makes the CLI wait: of 128 MiB it gets rid of little more than 16', async () => {
    const paused = createDeferred<Diagnostic>();
    const folder = mkdtempSync(join(tmpdir(), 'claudewire-test-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const blockedFile = join(folder, 'blocked');
    const run = query({
      prompt: 'Go.',
      options: {
        pathToClaudeCodeExecutable: fileURLToPath(new URL('../stress/cli/says-when-blocked.mjs', import.meta.url)),
        env: { ...process.env, BLOCKED_FILE: blockedFile },
        onDiagnostic: (diagnostic) => {
          if (diagnostic.code === 'flow_paused') paused.resolve(diagnostic);
        },
      },
    });
    await run.next();
    const { queuedBytes } = (await paused.promise).details as { queuedBytes: number };
    expect(queuedBytes).toBeLessThan(HIGH_WATER_BYTES + 256 * KIB);
    await expect.poll(() => existsSync(blockedFile)).toBe(true);
    const written = Number(readFileSync(blockedFile, 'utf8'));
    // What is not queued is in the pipe, in the rest of one read, and in the CLI itself.
    expect(written * 64 * KIB).toBeLessThan(HIGH_WATER_BYTES + 2 * MIB);
    let count = 1;
    for await (const _ of run) count += 1;
    expect(count).toBe(2048 + 1);
  });

  test('a loop that waits for what the CLI says on stderr is not locked up, with 20 MiB before it (C-1)', async () => {
    const cli = scriptedCli([user, { out: initFrame() }, flood(40), { stderr: 'written' }, { out: resultFrame() }]);
    const said = createDeferred<void>();
    const run = query({
      prompt: 'Go.',
      options: { pathToClaudeCodeExecutable: cli.path, stderr: () => said.resolve() },
    });
    let count = 0;
    for await (const _ of run) {
      await said.promise;
      count += 1;
    }
    expect(count).toBe(40 * 16 + 2);
  });

  test('a prompt iterable is not pulled faster than the CLI reads', async () => {
    let pulled = 0;
    const run = query({
      prompt: (async function* () {
        for (; pulled < 4000; pulled += 1) {
          yield {
            type: 'user' as const,
            message: { role: 'user' as const, content: 'x'.repeat(64 * KIB) },
            parent_tool_use_id: null,
          };
        }
      })(),
      options: { pathToClaudeCodeExecutable: fixture('peer'), env: { ...process.env, PEER_MODE: 'reads-nothing' } },
    });
    // By the time the process has started and said something, an unbounded pump would be through.
    await run.next();
    expect(pulled).toBeGreaterThan(0);
    expect(pulled).toBeLessThan(32);
    await run.return(undefined as never);
    expect(pulled).toBeLessThan(32);
  });

  test.each([
    { name: 'abort', stop: (_: unknown, controller: AbortController) => controller.abort() },
    { name: 'close', stop: (session: { close(): void }) => session.close() },
  ])('after $name nothing more is queued, and what was queued stays readable', async ({ stop }) => {
    const cli = scriptedCli([user, flood(100)]);
    const abortController = new AbortController();
    const session = openSession({
      front: 'query',
      prompt: 'Go.',
      options: { pathToClaudeCodeExecutable: cli.path, abortController },
    });
    for (let n = 0; n < 5; n += 1) await session.messages.next();
    await expect.poll(() => session.messages.queuedBytes).toBeGreaterThan(0);
    stop(session, abortController);
    const queuedBytes = session.messages.queuedBytes;
    await session.ended();
    expect(session.messages.queuedBytes).toBe(queuedBytes);
    const left: SDKMessage[] = [];
    const end = await (async () => {
      for (;;) {
        const step = await session.messages.next();
        if (step.done === true) return 'end';
        left.push(step.value);
      }
    })().catch((error: Error) => error.name);
    expect(left.length).toBeGreaterThan(0);
    expect(end).toBe(stop.length === 2 ? 'AbortError' : 'end');
  });

  test('after `break` the queue is empty and stays so', async () => {
    const cli = scriptedCli([user, flood(100)]);
    const run = query({ prompt: 'Go.', options: { pathToClaudeCodeExecutable: cli.path } });
    for await (const _ of run) break;
    expect(await run.next()).toEqual({ value: undefined, done: true });
  });

  test('maxQueuedBytes: the error comes after the messages before it', async () => {
    const cli = scriptedCli([user, flood(100)]);
    const session = openSession({
      front: 'query',
      prompt: 'Go.',
      options: { pathToClaudeCodeExecutable: cli.path, maxQueuedBytes: MIB },
    });
    await expect.poll(() => session.isRunning).toBe(false);
    let count = 0;
    const reading = (async () => {
      while ((await session.messages.next()).done !== true) count += 1;
    })();
    await expect(reading).rejects.toMatchObject({
      name: 'QueueLimitError',
      limitBytes: MIB,
    } satisfies Partial<QueueLimitError>);
    // The 16th message of a little more than 64 KiB is the one that passes the limit.
    expect(count).toBe(16);
  });

  test('maxBufferBytes: the error comes after the messages before it, and the process is gone', async () => {
    const cli = scriptedCli([
      user,
      { out: initFrame() },
      { out: assistantFrame('short') },
      { out: assistantFrame('x'.repeat(2 * MIB)) },
      { out: resultFrame() },
    ]);
    const run = query({ prompt: 'Go.', options: { pathToClaudeCodeExecutable: cli.path, maxBufferBytes: MIB } });
    const seen: string[] = [];
    const reading = (async () => {
      for await (const { type } of run) seen.push(type);
    })();
    await expect(reading).rejects.toMatchObject({
      name: 'FrameTooLargeError',
      limitBytes: MIB,
    } satisfies Partial<FrameTooLargeError>);
    expect(seen).toEqual(['system', 'assistant']);
    await expect.poll(() => isAlive(cli.log().pid)).toBe(false);
  });
});
