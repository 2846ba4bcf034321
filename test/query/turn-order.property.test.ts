import { EventEmitter } from 'node:events';
import { stat } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { createSdkMcpServer, type Query, query, type SpawnedProcess, tool } from '../../src/index.js';
import { createDeferred } from '../../src/util/deferred.js';
import type { JsonObject } from '../../src/util/json.js';
import { assistantFrame, initFrame, resultFrame } from '../helpers/cli-frames.js';
import { answerTo } from './memory-session.js';

const KINDS = ['permission', 'hook', 'tool'] as const;
type Kind = (typeof KINDS)[number];
/** `answer`: to a request that the program awaits. */
type Item = 'message' | Kind | 'withdrawn' | 'answer';
/** Frames that Claude Code writes at once: one read. */
type Burst = readonly Item[];
/** How the loop spends its time on a message. A number: that many promise reactions. */
type Loop = 0 | 1 | 10 | 200 | 'ticks' | 'reads a file' | 'stops pulling';

const realImmediate = globalThis.setImmediate;
const nextTurn = (): Promise<void> => new Promise((resolve) => void realImmediate(resolve));

/** A process made of streams that writes what it is told to, and knows which questions were answered. */
class ScriptedProcess extends EventEmitter implements SpawnedProcess {
  readonly stdin = new PassThrough();
  readonly stdout = new PassThrough();
  readonly killed = false;
  exitCode: number | null = null;
  readonly prompted = createDeferred<void>();
  readonly #answered = new Map<string, () => void>();
  readonly #asked: ((request: JsonObject) => void)[] = [];

  constructor() {
    super();
    createInterface({ input: this.stdin })
      .on('line', (line) => this.#onFrame(JSON.parse(line) as JsonObject))
      .on('close', () => this.#leave(0));
  }

  write(frames: readonly JsonObject[]): void {
    this.stdout.write(frames.map((frame) => `${JSON.stringify(frame)}\n`).join(''));
  }

  answerTo(id: string): Promise<void> {
    return new Promise((resolve) => this.#answered.set(id, resolve));
  }

  /** The next request, which is not answered. */
  nextRequest(): Promise<JsonObject> {
    return new Promise((resolve) => this.#asked.push(resolve));
  }

  kill(): boolean {
    this.#leave(143);
    return true;
  }

  #onFrame(frame: JsonObject): void {
    if (frame.type === 'control_request') {
      const held = this.#asked.shift();
      if (held === undefined) this.write([answerTo(frame)]);
      else held(frame);
    }
    if (frame.type === 'user') this.prompted.resolve();
    if (frame.type === 'control_response') {
      this.#answered.get(String((frame.response as JsonObject).request_id))?.();
    }
  }

  #leave(code: number): void {
    if (this.exitCode !== null) return;
    this.exitCode = code;
    this.stdout.end();
    this.emit('exit', code, null);
  }
}

interface Seen {
  /** In the order of the wire. */
  readonly wire: string[];
  /** What the program saw: the start and the end of the loop's body for a message, the start of a callback. */
  readonly log: string[];
  /** Ids of questions whose callback got an aborted signal. */
  readonly aborted: string[];
  readonly withdrawn: string[];
}

async function play(bursts: readonly Burst[], loop: Loop): Promise<Seen> {
  const child = new ScriptedProcess();
  const seen: Seen = { wire: [], log: [], aborted: [], withdrawn: [] };
  const started = (id: string, signal?: AbortSignal): void => {
    seen.log.push(id);
    if (signal?.aborted) seen.aborted.push(id);
  };
  const allStarted = createDeferred<void>();
  const run = query({
    prompt: 'Go.',
    options: {
      pathToClaudeCodeExecutable: 'claude',
      spawnClaudeCodeProcess: () => child,
      canUseTool: async (_name, { id }, { signal }) => {
        started(String(id), signal);
        return { behavior: 'allow' };
      },
      hooks: {
        PreToolUse: [
          {
            hooks: [
              async (_input, id) => {
                started(String(id));
                return {};
              },
            ],
          },
        ],
      },
      mcpServers: {
        own: createSdkMcpServer({
          name: 'own',
          tools: [
            tool('note', 'Notes', { id: z.string() }, async ({ id }) => {
              started(String(id));
              return { content: [] };
            }),
          ],
        }),
      },
    },
  });
  const over = consume(run, loop, seen, allStarted.promise);
  await child.prompted.promise;
  child.write([initFrame()]);
  await nextTurn();
  let count = 0;
  for (const burst of bursts) {
    const frames: JsonObject[] = [];
    const answers: Promise<void>[] = [];
    for (const item of burst) {
      count += 1;
      const id = `${item === 'message' ? 'm' : 'q'}${count}`;
      seen.wire.push(id);
      if (item === 'answer') {
        const asked = child.nextRequest();
        const awaiting = async (): Promise<void> => {
          await run.setModel(id);
          started(id);
        };
        answers.push(awaiting());
        frames.push(answerTo(await asked));
        continue;
      }
      if (item === 'message') {
        frames.push(assistantFrame(id));
        continue;
      }
      answers.push(child.answerTo(id));
      frames.push(question(item === 'withdrawn' ? 'permission' : item, id));
      if (item === 'withdrawn') {
        seen.withdrawn.push(id);
        frames.push({ type: 'control_cancel_request', request_id: id });
      }
    }
    child.write(frames);
    await Promise.all(answers);
  }
  allStarted.resolve();
  child.write([resultFrame()]);
  await over;
  return seen;
}

async function consume(run: Query, loop: Loop, { log }: Seen, allStarted: Promise<void>): Promise<void> {
  for await (const message of run) {
    if (message.type !== 'assistant') continue;
    const [block] = message.message.content;
    const id = block?.type === 'text' ? block.text : '';
    log.push(id);
    if (loop === 'reads a file') await stat('.');
    else if (loop === 'stops pulling') await allStarted;
    else if (loop === 'ticks') for (let n = 0; n < 5; n += 1) await new Promise<void>((done) => process.nextTick(done));
    else for (let n = 0; n < loop; n += 1) await null;
    log.push(`${id} done`);
  }
}

function question(kind: Kind, id: string): JsonObject {
  const tool_use_id = id;
  const request: Record<Kind, JsonObject> = {
    permission: { subtype: 'can_use_tool', tool_name: 'Bash', input: { id }, tool_use_id },
    hook: {
      subtype: 'hook_callback',
      callback_id: 'hook_0',
      input: { hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_input: {} },
      tool_use_id,
    },
    tool: {
      subtype: 'mcp_message',
      server_name: 'own',
      message: { jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'note', arguments: { id } } },
    },
  };
  return { type: 'control_request', request_id: id, request: request[kind] };
}

/** What of the wire came before `id`, and what behind. */
function around({ wire }: Seen, id: string): { before: readonly string[]; behind: readonly string[] } {
  const at = wire.indexOf(id);
  const messages = (ids: readonly string[]): readonly string[] => ids.filter((other) => other.startsWith('m'));
  return { before: messages(wire.slice(0, at)), behind: messages(wire.slice(at + 1)) };
}

function check(seen: Seen, loop: Loop): void {
  const questions = seen.wire.filter((id) => id.startsWith('q'));
  const starts = seen.log.filter((entry) => entry.startsWith('q'));
  // Questions are open side by side: the tool of a server starts a few promise reactions after its request.
  expect(starts.sort()).toEqual(questions.toSorted());
  for (const id of questions) {
    const earlier = seen.log.slice(0, seen.log.indexOf(id));
    const { before, behind } = around(seen, id);
    if (typeof loop === 'number' || loop === 'ticks') {
      expect(earlier, `messages before ${id}`).toEqual(expect.arrayContaining(before.map((each) => `${each} done`)));
    }
    for (const message of behind) expect(earlier, `${message} is behind ${id}`).not.toContain(message);
  }
}

const bursts = fc.array(
  fc.array(fc.constantFrom<Item>('message', 'message', 'message', ...KINDS, 'withdrawn', 'answer'), {
    minLength: 1,
    maxLength: 12,
  }),
  { minLength: 1, maxLength: 5 },
);
const loops = fc.constantFrom<Loop>(0, 1, 10, 200, 'ticks', 'reads a file', 'stops pulling');

interface Stopped {
  readonly log: string[];
  /** Names of the callbacks that were called after the stop. */
  readonly late: string[];
  readonly error: unknown;
}

/** One read of `items`, then the run is stopped when the program sees `at` (`undefined`: right after the read). */
async function stopAt(items: Burst, at: string | undefined, how: 'abort' | 'close'): Promise<Stopped> {
  const child = new ScriptedProcess();
  const log: string[] = [];
  const late: string[] = [];
  const abortController = new AbortController();
  let isStopped = false;
  const stop = (): void => {
    if (how === 'abort') abortController.abort();
    else run.close();
    isStopped = true;
  };
  const called = (id: string): void => {
    if (isStopped) late.push(id);
    if (id === at) stop();
  };
  const run = query({
    prompt: 'Go.',
    options: {
      pathToClaudeCodeExecutable: 'claude',
      spawnClaudeCodeProcess: () => child,
      abortController,
      canUseTool: async (_name, { id }) => {
        called(String(id));
        return { behavior: 'allow' };
      },
    },
  });
  const over = (async () => {
    for await (const message of run) {
      if (message.type === 'result') log.push('result');
      if (message.type !== 'assistant') continue;
      const [block] = message.message.content;
      const id = block?.type === 'text' ? block.text : '';
      log.push(id);
      if (id === at) stop();
    }
  })().then(
    () => undefined,
    (error: unknown) => error,
  );
  await child.prompted.promise;
  child.write([initFrame()]);
  await nextTurn();
  child.write([
    ...items.map((item, index) =>
      item === 'message' ? assistantFrame(`m${index}`) : question('permission', `q${index}`),
    ),
    resultFrame(),
  ]);
  if (at === undefined) stop();
  return { error: await over, log, late };
}

const stopCases = fc
  .array(fc.constantFrom<Item>('message', 'permission'), { minLength: 1, maxLength: 12 })
  .chain((items) => fc.tuple(fc.constant(items), fc.option(fc.nat(items.length - 1), { nil: undefined })));

describe('what was received before a stop', () => {
  test('comes once, in order, wherever the loop or a callback stops the run, and no callback after it', async () => {
    await fc.assert(
      fc.asyncProperty(stopCases, fc.constantFrom('abort' as const, 'close' as const), async ([items, index], how) => {
        const messages = items.flatMap((item, at) => (item === 'message' ? [`m${at}`] : []));
        const at = index === undefined ? undefined : `${items[index] === 'message' ? 'm' : 'q'}${index}`;
        const { log, late, error } = await stopAt(items, at, how);
        expect(log).toEqual([...messages, 'result']);
        expect(late).toEqual([]);
        expect(error === undefined).toBe(how === 'close');
      }),
      { numRuns: 200 },
    );
  });
});

describe('the order of messages and callbacks (TS-132, TS-133)', () => {
  test('a loop has seen the messages before a callback, unless it waits, and none behind it', async () => {
    await fc.assert(
      fc.asyncProperty(bursts, loops, async (script, loop) => check(await play(script, loop), loop)),
      { numRuns: 300 },
    );
  });

  test.each(KINDS)('text and call in one read come before the %s callback, the rest after it', async (kind) => {
    const { log } = await play([['message', 'message', kind, 'message']], 1);
    expect(log).toEqual(['m1', 'm1 done', 'm2', 'm2 done', 'q3', 'm4', 'm4 done']);
  });

  test.each([
    ['message', 'answer', 'message', 'message'],
    ['answer', 'message', 'message'],
    ['answer', 'permission', 'message', 'answer'],
  ] as const)('whoever awaits a request goes on in the order of the wire: %s, %s, …', async (...items) => {
    const { log, wire } = await play([items], 0);
    expect(log.filter((entry) => !entry.endsWith('done'))).toEqual(wire);
  });

  test('a question that is withdrawn before its start gets an aborted signal', async () => {
    const { log, aborted } = await play([['message', 'withdrawn']], 0);
    expect(log).toEqual(['m1', 'm1 done', 'q2']);
    expect(aborted).toEqual(['q2']);
  });

  test('a loop that has stopped pulling delays no callback', async () => {
    const { log } = await play(
      [
        ['message', 'message', 'permission'],
        ['message', 'tool', 'hook'],
      ],
      'stops pulling',
    );
    expect(log.slice(0, 2)).toEqual(['m1', 'q3']);
    expect(log.slice(2, 4).sort()).toEqual(['q5', 'q6']);
  });

  test('a run under stopped timers goes on, setImmediate included', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval', 'setImmediate', 'Date', 'performance'] });
    try {
      const { log } = await play([['message', 'permission', 'message', 'hook']], 10);
      expect(log).toEqual(['m1', 'm1 done', 'q2', 'm3', 'm3 done', 'q4']);
    } finally {
      vi.useRealTimers();
    }
  });

  test('so does one whose SDK was loaded while timers were stopped', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval', 'setImmediate', 'Date', 'performance'] });
    try {
      vi.resetModules();
      const { inNextTurn } = await import('../../src/util/next-turn.js');
      await new Promise<void>((resolve) => inNextTurn(resolve));
    } finally {
      vi.useRealTimers();
    }
  });

  test('thousands of small questions and messages in one read all pass, in bounded memory', async () => {
    const flood = Array.from({ length: 6000 }, (_, index): Item => (index % 2 === 0 ? 'message' : 'permission'));
    const { log } = await play([flood], 0);
    expect(log.filter((entry) => entry.startsWith('q'))).toHaveLength(3000);
  });
});
