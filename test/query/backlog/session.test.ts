import { readdirSync, readlinkSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type HookCallbackMatcher, query, type SDKMessage } from '../../../src/index.js';
import { openSession } from '../../../src/query/open-session.js';
import { createDeferred } from '../../../src/util/deferred.js';
import { assistantFrame, initFrame, resultFrame } from '../../helpers/cli-frames.js';
import { type Step, scriptedCli } from '../../helpers/scripted-cli.js';

const KIB = 1024;
const MIB = 1024 * KIB;

const user: Step = { in: { type: 'user' } };
const hooks = { PreToolUse: [{ hooks: [async () => ({})] }] satisfies HookCallbackMatcher[] };

/** So many MiB of messages, 64 KiB each. */
function flood(mib: number): Step {
  return { repeat: mib * 16, steps: [{ out: assistantFrame('ä'.repeat(32 * KIB)) }] };
}

/** Files without a name that this process has open. */
function spooledFiles(): readonly string[] {
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const name = readlinkSync(`/proc/self/fd/${fd}`);
      return name.includes('claudewire-') && name.endsWith('(deleted)') ? [name] : [];
    } catch {
      return [];
    }
  });
}

describe.skipIf(process.platform !== 'linux')('a session with callbacks and a slow consumer (Linux only)', () => {
  test('reads on, answers at once, and hands out all messages in order (C-4)', async () => {
    const question = {
      type: 'control_request',
      request_id: 'q1',
      request: { subtype: 'can_use_tool', tool_name: 'Bash', input: {}, tool_use_id: 't1' },
    };
    const cli = scriptedCli([
      user,
      { out: initFrame() },
      flood(80),
      { out: question },
      { in: { type: 'control_response', response: { request_id: 'q1', subtype: 'success' } } },
      { out: { ...assistantFrame('after the answer'), extra: { kept: [1, null, 'ß'] } } },
      { out: resultFrame() },
    ]);
    const asked = createDeferred<number>();
    const spooled = createDeferred<void>();
    const session = openSession({
      front: 'query',
      prompt: 'Go.',
      options: {
        pathToClaudeCodeExecutable: cli.path,
        hooks,
        canUseTool: async () => {
          asked.resolve(session.messages.queuedBytes);
          return { behavior: 'allow' };
        },
        onDiagnostic: ({ code }) => {
          if (code === 'queue_spooled') spooled.resolve();
        },
      },
    });
    const first = await session.messages.next();
    // The control frame did not wait behind the messages.
    expect(await asked.promise).toBeGreaterThan(70 * MIB);
    await spooled.promise;
    await expect.poll(spooledFiles).toHaveLength(1);
    const rest: SDKMessage[] = [];
    for (let step = await session.messages.next(); !step.done; ) {
      rest.push(step.value);
      step = await session.messages.next();
    }
    expect(first.value).toMatchObject({ subtype: 'init' });
    expect(rest.map(({ type }) => type)).toEqual([...Array.from({ length: 80 * 16 + 1 }, () => 'assistant'), 'result']);
    expect(rest[640]).toMatchObject({ message: { content: [{ type: 'text', text: 'ä'.repeat(32 * KIB) }] } });
    expect(rest.at(-2)).toMatchObject({ extra: { kept: [1, null, 'ß'] } });
    await expect.poll(spooledFiles).toEqual([]);
    await session.ended();
    expect(cli.verdict()?.passed).toBe(true);
  });

  test('`break` lets the file go (C-4)', async () => {
    const cli = scriptedCli([user, { out: initFrame() }, flood(60), { out: resultFrame() }]);
    const spooled = createDeferred<void>();
    const run = query({
      prompt: 'Go.',
      options: {
        pathToClaudeCodeExecutable: cli.path,
        hooks,
        onDiagnostic: ({ code }) => {
          if (code === 'queue_spooled') spooled.resolve();
        },
      },
    });
    for await (const _ of run) {
      await spooled.promise;
      await expect.poll(() => spooledFiles()).toHaveLength(1);
      break;
    }
    await expect.poll(spooledFiles).toEqual([]);
  });

  test('an abort and `close()` leave what was received readable, then the file is gone (C-4)', async () => {
    const abortController = new AbortController();
    const cli = scriptedCli([user, { out: initFrame() }, flood(60), { in: { type: 'never' } }]);
    const session = openSession({
      front: 'query',
      prompt: 'Go.',
      options: { pathToClaudeCodeExecutable: cli.path, hooks, abortController },
    });
    await session.messages.next();
    await expect.poll(() => session.messages.queuedBytes).toBeGreaterThan(60 * MIB);
    abortController.abort();
    await session.ended();
    const { queuedBytes } = session.messages;
    let count = 0;
    const reading = (async () => {
      while ((await session.messages.next()).done !== true) count += 1;
    })();
    await expect(reading).rejects.toMatchObject({ name: 'AbortError' });
    // A line is 64 KiB and some hundred bytes.
    expect(count).toBeLessThan(queuedBytes / (64 * KIB));
    expect(count).toBeGreaterThan(queuedBytes / (65 * KIB));
    await expect.poll(spooledFiles).toEqual([]);
  });

  test('`maxSpooledBytes`: the error comes after the messages before it (C-4)', async () => {
    const cli = scriptedCli([user, { out: initFrame() }, flood(60), { out: resultFrame() }]);
    const session = openSession({
      front: 'query',
      prompt: 'Go.',
      options: { pathToClaudeCodeExecutable: cli.path, hooks, maxSpooledBytes: 8 * MIB },
    });
    await expect.poll(() => session.isRunning).toBe(false);
    let count = 0;
    const reading = (async () => {
      while ((await session.messages.next()).done !== true) count += 1;
    })();
    await expect(reading).rejects.toMatchObject({ name: 'QueueLimitError', limitBytes: 8 * MIB });
    expect(count).toBeGreaterThan((4 + 8) * 16);
    expect(count).toBeLessThan(60 * 16);
    await expect.poll(spooledFiles).toEqual([]);
  });
});
