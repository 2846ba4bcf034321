import { EventEmitter } from 'node:events';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { PermissionResult } from '../../src/control/permission-types.js';
import { isClaudeSDKError, query, type SpawnedProcess } from '../../src/index.js';
import type { FrameTransport } from '../../src/transport/transport.js';
import { createDeferred, type Deferred } from '../../src/util/deferred.js';
import type { JsonObject } from '../../src/util/json.js';
import { assistantFrame, initFrame, resultFrame } from '../helpers/cli-frames.js';
import { cutAt } from '../transport/cut-at.js';
import { answerTo, memorySession, readAll, settled, subtypeOf } from './memory-session.js';

const ACTS = [
  'user',
  'promptEnds',
  'ask',
  'answer',
  'refuse',
  'answerAgain',
  'question',
  'settle',
  'throw',
  'cancel',
  'message',
  'result',
  'running',
  'idle',
] as const;
const ENDINGS = ['exit', 'crash', 'close', 'abort', 'none'] as const;

interface Act {
  readonly act: (typeof ACTS)[number];
  /** Which of several, where the act has a choice. */
  readonly pick: number;
  /** Everything that needs no time happens before the next act. */
  readonly settles: boolean;
}

const acts = fc.array(fc.record<Act>({ act: fc.constantFrom(...ACTS), pick: fc.nat(7), settles: fc.boolean() }), {
  maxLength: 40,
});

/** A prompt that a test pushes into. */
class PushedPrompt implements AsyncIterable<unknown> {
  readonly #items: unknown[] = [];
  #isOver = false;
  #wake = createDeferred<void>();

  push(item: unknown): void {
    if (!this.#isOver) this.#items.push(item);
    this.#wake.resolve();
  }

  end(): void {
    this.#isOver = true;
    this.#wake.resolve();
  }

  [Symbol.asyncIterator](): AsyncIterator<unknown> {
    return {
      next: async () => {
        while (this.#items.length === 0 && !this.#isOver) {
          this.#wake = createDeferred<void>();
          await this.#wake.promise;
        }
        return this.#items.length > 0 ? { value: this.#items.shift(), done: false } : { value: undefined, done: true };
      },
      return: async () => {
        this.end();
        return { value: undefined, done: true };
      },
    };
  }
}

/** One session, both of its ends, and what each side owes the other. */
class World {
  readonly prompt = new PushedPrompt();
  readonly abortController = new AbortController();
  /** Our requests: what became of each. */
  readonly asks: { answered: boolean; outcome: unknown }[] = [];
  readonly arrived: JsonObject[] = [];
  readonly answeredFrames: JsonObject[] = [];
  /** Questions of the CLI whose callback runs. */
  readonly open = new Map<string, Deferred<PermissionResult>>();
  readonly cancelled = new Set<string>();
  readonly settledIds = new Set<string>();
  readonly violations: string[] = [];
  questionCount = 0;
  isStopping = false;
  readonly #wrap = (transport: FrameTransport): FrameTransport => {
    const endInput = (): void => {
      this.#onEndInput();
      transport.endInput();
    };
    return new Proxy(transport, {
      get: (target, key) => {
        if (key === 'endInput') return endInput;
        const value: unknown = Reflect.get(target, key, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  };
  readonly memory = memorySession({
    prompt: this.prompt,
    wrap: this.#wrap,
    onFrame: (frame) => {
      if (subtypeOf(frame) === 'set_model') this.arrived.push(frame);
    },
    options: {
      abortController: this.abortController,
      canUseTool: (_tool, _input, { requestId, signal }) => {
        const deferred = createDeferred<PermissionResult>();
        this.open.set(requestId, deferred);
        signal.addEventListener('abort', () => this.cancelled.add(requestId));
        return deferred.promise;
      },
    },
  });

  /** stdin is being ended by a rule: nobody may be waiting for anything. */
  #onEndInput(): void {
    if (this.isStopping) return;
    for (const id of this.open.keys()) {
      if (!this.cancelled.has(id)) this.violations.push(`stdin ended while ${id} was open`);
    }
    this.asks.forEach(({ answered, outcome }, n) => {
      if (!answered && outcome === undefined) this.violations.push(`stdin ended before ${n}`);
    });
  }

  perform({ act, pick }: Act): void {
    const { peer, session } = this.memory;
    const say = (frame: JsonObject): void => {
      if (!peer.hasInputEnded) peer.emit(frame);
    };
    switch (act) {
      case 'user':
        this.prompt.push({ type: 'user', message: { role: 'user', content: 'More.' } });
        return;
      case 'promptEnds':
        this.prompt.end();
        return;
      case 'ask': {
        const ask: { answered: boolean; outcome: unknown } = { answered: false, outcome: undefined };
        const n = this.asks.push(ask) - 1;
        session.request('set_model', { n }).then(
          (answer) => {
            ask.outcome = answer;
          },
          (error: unknown) => {
            ask.outcome = error;
          },
        );
        return;
      }
      case 'answer':
      case 'refuse': {
        const [request] = this.arrived.splice(pick % Math.max(1, this.arrived.length), 1);
        if (request === undefined || peer.hasInputEnded) return;
        const { n } = request.request as { n: number };
        this.asks[n]!.answered = true;
        const { request_id } = request;
        const frame =
          act === 'answer'
            ? answerTo(request, { n })
            : { type: 'control_response', response: { subtype: 'error', request_id, error: 'no' } };
        this.answeredFrames.push(frame);
        say(frame);
        return;
      }
      case 'answerAgain': {
        const frame = this.answeredFrames[pick];
        if (frame !== undefined) say(frame);
        return;
      }
      case 'question':
        this.questionCount += 1;
        say({
          type: 'control_request',
          request_id: `q${this.questionCount}`,
          request: { subtype: 'can_use_tool', tool_name: 'Bash', input: {}, tool_use_id: 't' },
        });
        return;
      case 'settle':
      case 'throw': {
        const [id, deferred] = [...this.open][pick % Math.max(1, this.open.size)] ?? [];
        if (id === undefined || deferred === undefined) return;
        this.open.delete(id);
        this.settledIds.add(id);
        if (act === 'settle') deferred.resolve({ behavior: 'allow' });
        else deferred.reject(new Error('callback failed'));
        return;
      }
      case 'cancel':
        say({ type: 'control_cancel_request', request_id: `q${pick + 1}` });
        return;
      case 'message':
        say(assistantFrame('On it.'));
        return;
      case 'result':
        say(resultFrame());
        return;
      case 'running':
      case 'idle':
        say({ type: 'system', subtype: 'session_state_changed', state: act });
    }
  }

  end(how: (typeof ENDINGS)[number]): void {
    this.isStopping = true;
    const { peer, session } = this.memory;
    if (how === 'exit') peer.exit();
    if (how === 'crash') peer.exit({ exitCode: 1 });
    if (how === 'close') session.close();
    if (how === 'abort') this.abortController.abort();
  }

  /** Answers that the CLI got, by the id of its question. */
  answerCounts(): Map<unknown, number> {
    const counts = new Map<unknown, number>();
    for (const { type, response } of this.memory.peer.received) {
      if (type !== 'control_response') continue;
      const id = (response as JsonObject).request_id;
      counts.set(id, (counts.get(id) ?? 0) + 1);
    }
    return counts;
  }
}

test('whatever comes in whatever order, every request is settled once and stdin stays open while an answer is owed', async () => {
  await fc.assert(
    fc.asyncProperty(acts, fc.constantFrom(...ENDINGS), async (script, ending) => {
      const world = new World();
      const seen = readAll(world.memory.session);
      // Before it the CLI has not said anything.
      await settled();
      for (const act of script) {
        world.perform(act);
        if (act.settles) await settled();
      }
      await settled();
      const dropped = world.memory.diagnostics
        .filter(({ code }) => code === 'answer_dropped')
        .map(({ details }) => details?.requestId);
      const counts = world.answerCounts();
      for (const id of world.settledIds) {
        expect((counts.get(id) ?? 0) + dropped.filter((other) => other === id).length).toBe(1);
      }
      world.end(ending);
      await settled();
      world.end('close');
      for (const deferred of world.open.values()) deferred.resolve({ behavior: 'allow' });
      await seen;
      await settled();
      expect(world.violations).toEqual([]);
      for (const [, count] of world.answerCounts()) expect(count).toBe(1);
      world.asks.forEach(({ outcome }, n) => {
        if (!isClaudeSDKError(outcome)) expect(outcome).toEqual({ n });
      });
    }),
    { numRuns: 300 },
  );
});

/** A process made of streams: what it writes is the test's. */
class StreamProcess extends EventEmitter implements SpawnedProcess {
  readonly stdin = new PassThrough();
  readonly stdout = new PassThrough();
  readonly killed = false;
  exitCode: number | null = null;

  kill(): boolean {
    this.leave(143);
    return true;
  }

  leave(code: number): void {
    if (this.exitCode !== null) return;
    this.exitCode = code;
    this.stdout.end();
    this.emit('exit', code, null);
  }
}

const anyType = fc.constantFrom<string>(
  'control_response',
  'control_request',
  'control_cancel_request',
  'control_other',
  'keep_alive',
  'system',
  'result',
  'user',
  'assistant',
  'stream_event',
  'unheard_of',
);
const anySubtype = fc.constantFrom<string>(
  'success',
  'error',
  'can_use_tool',
  'hook_callback',
  'mcp_message',
  'elicitation',
  'request_user_dialog',
  'init',
  'task_started',
  'task_updated',
  'background_tasks_changed',
  'session_state_changed',
  'commands_changed',
  'hook_started',
);
/** Close enough to the protocol to get past the first check of anything. */
const almostFrame = fc.record(
  {
    type: fc.oneof(anyType, fc.jsonValue()),
    subtype: fc.oneof(anySubtype, fc.jsonValue()),
    request_id: fc.oneof(fc.constantFrom('q1', 'hook_0'), fc.jsonValue()),
    request: fc.oneof(
      fc.record(
        {
          subtype: anySubtype,
          callback_id: fc.constantFrom('hook_0', 'hook_9'),
          input: fc.jsonValue(),
          server_name: fc.jsonValue(),
          message: fc.jsonValue(),
        },
        { requiredKeys: [] },
      ),
      fc.jsonValue(),
    ),
    response: fc.oneof(
      fc.record({ subtype: anySubtype, request_id: fc.constant('q1'), response: fc.jsonValue() }, { requiredKeys: [] }),
      fc.jsonValue(),
    ),
    tasks: fc.jsonValue(),
    patch: fc.jsonValue(),
    commands: fc.jsonValue(),
    errors: fc.jsonValue(),
    is_error: fc.jsonValue(),
  },
  { requiredKeys: [] },
);
const line = fc.oneof(
  { weight: 4, arbitrary: almostFrame.map((frame) => `${JSON.stringify(frame)}\n`) },
  { weight: 1, arbitrary: fc.json().map((json) => `${json}\n`) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary' }).map((text) => `${text}\n`) },
  { weight: 1, arbitrary: fc.constant(`${JSON.stringify(initFrame())}\n`) },
);
const garbage = fc
  .array(
    fc.oneof(
      { weight: 5, arbitrary: line.map((text) => Buffer.from(text)) },
      { weight: 1, arbitrary: fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)) },
    ),
    { maxLength: 20 },
  )
  .map((pieces) => Buffer.concat(pieces));

/** Payloads of successful answers, in turn; none at all when empty. */
const answers = fc.array(
  fc.oneof(
    fc.constant({}),
    fc.jsonValue(),
    fc.record({ mcpServers: fc.jsonValue(), commands: fc.jsonValue(), models: fc.jsonValue() }, { requiredKeys: [] }),
  ),
  { maxLength: 6 },
);

test('whatever bytes the CLI writes, only errors of this package leave the loop and the methods', async () => {
  await fc.assert(
    fc.asyncProperty(
      garbage,
      fc.array(fc.nat(64)),
      fc.constantFrom(0, 1),
      answers,
      async (bytes, cuts, exitCode, replies) => {
        const child = new StreamProcess();
        let asked = 0;
        createInterface({ input: child.stdin }).on('line', (text) => {
          const frame = JSON.parse(text) as JsonObject;
          if (frame.type !== 'control_request' || replies.length === 0) return;
          const response = replies[asked++ % replies.length] as JsonObject;
          child.stdout.write(`${JSON.stringify(answerTo(frame, response))}\n`);
        });
        const run = query({
          prompt: 'Go.',
          options: {
            spawnClaudeCodeProcess: () => child,
            canUseTool: async () => ({ behavior: 'allow' }),
            hooks: { PreToolUse: [{ hooks: [async () => ({})] }] },
            maxBufferBytes: 4096,
          },
        });
        const errors: unknown[] = [];
        const keep = (error: unknown): void => void errors.push(error);
        const calls = [
          (async () => {
            for await (const _ of run);
          })(),
          run.initializationResult(),
          run.supportedCommands(),
          run.supportedModels(),
          run.supportedAgents(),
          run.accountInfo(),
          run.interrupt(),
          run.setModel('m'),
          run.setPermissionMode('plan'),
          run.setMaxThinkingTokens(1),
          run.mcpServerStatus(),
          run.reconnectMcpServer('s'),
          run.toggleMcpServer('s', true),
          run.getContextUsage(),
          run.rewindFiles('u'),
          run.stopTask('t'),
          run.request('anything'),
        ].map((call) => Promise.resolve(call).catch(keep));
        for (const piece of cutAt(bytes, cuts)) child.stdout.write(piece);
        await settled();
        child.leave(exitCode);
        await Promise.all(calls);
        expect(errors.filter((error) => !isClaudeSDKError(error))).toEqual([]);
      },
    ),
    { numRuns: 500 },
  );
});
