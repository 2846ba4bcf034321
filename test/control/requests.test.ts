import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  AbortError,
  ControlRequestError,
  ControlRequestTimeoutError,
  InvalidOptionError,
  SessionClosedError,
} from '../../src/errors.js';
import { createSession, EXIT_1, settle, startSession, USER } from './session.js';

describe('what is written', () => {
  test('initialize is the first frame, with the planned fields after the subtype', () => {
    const { peer } = startSession({ initialize: { hooks: {}, systemPrompt: [''] } });
    expect(peer.received).toEqual([
      {
        request_id: expect.stringMatching(/^[0-9a-z]{9,12}$/),
        type: 'control_request',
        request: { subtype: 'initialize', hooks: {}, systemPrompt: [''] },
      },
    ]);
    expect(Object.keys(peer.received[0]!)).toEqual(['request_id', 'type', 'request']);
  });

  test('a user message follows initialize without waiting for its answer (TS-084)', () => {
    const { peer, controller } = startSession();
    controller.sendUserMessage(USER);
    expect(peer.received[1]).toEqual(USER);
  });

  test('what is sent before the start waits behind initialize, in order', async () => {
    const { peer, controller } = createSession();
    const drained = vi.fn();
    expect(controller.sendUserMessage(USER)).toBe(false);
    void controller.drained().then(drained);
    void controller.requests.send('interrupt');
    await settle();
    expect(drained).not.toHaveBeenCalled();
    controller.start();
    expect(peer.received.map((frame) => frame.type)).toEqual(['control_request', 'user', 'control_request']);
    await settle();
    expect(drained).toHaveBeenCalledOnce();
  });

  test('a message that is not JSON is refused even while it would have to wait', () => {
    const { controller } = createSession();
    expect(() => controller.sendUserMessage({ type: 'user', big: 1n })).toThrow(TypeError);
  });

  for (const [name, frame] of [
    ['type', Object.defineProperty({}, 'type', { enumerable: true, get: raise })],
    ['message', Object.defineProperty({ type: 'user' }, 'message', { enumerable: true, get: raise })],
  ] as const) {
    test(`a message whose ${name} throws is a TypeError like any that is not JSON`, () => {
      const { peer, controller } = startSession();
      let thrown: unknown;
      try {
        controller.sendUserMessage(frame);
      } catch (error) {
        thrown = error;
      }
      expect(thrown).toBeInstanceOf(TypeError);
      expect(thrown).toMatchObject({ message: expect.stringMatching(/JSON: trap/), cause: 'trap' });
      expect(peer.of('user')).toEqual([]);
    });
  }

  test('a request carries its subtype and payload (TS-100)', () => {
    const { peer, controller } = startSession({ nextRequestId: sequence() });
    void controller.requests.send('set_model', { model: 'm' });
    expect(peer.received[1]).toEqual({
      request_id: 'id-2',
      type: 'control_request',
      request: { subtype: 'set_model', model: 'm' },
    });
  });

  test('two pending requests never share an id, even if the id source repeats itself (PY-114)', () => {
    const { peer, controller } = startSession({ nextRequestId: () => 'same' });
    void controller.requests.send('interrupt');
    void controller.requests.send('interrupt');
    const ids = peer.received.map((frame) => frame.request_id);
    expect(new Set(ids).size).toBe(3);
  });
});

describe('answers', () => {
  const cases = [
    { name: 'a body', answer: { still_queued: [] }, resolved: { still_queued: [] } },
    { name: 'no response key', answer: undefined, resolved: undefined },
    { name: 'a body that is not an object (PY-111)', answer: 'yes', resolved: undefined },
    { name: 'null (PY-111)', answer: null, resolved: undefined },
  ];
  for (const { name, answer, resolved } of cases) {
    test(`a success with ${name}`, async () => {
      const { peer, controller } = startSession();
      const answered = controller.requests.send('interrupt');
      peer.succeed('interrupt', answer);
      expect(await answered).toEqual(resolved);
    });
  }

  test('an error answer rejects with its text, its code and its other fields (TS-101, PY-123)', async () => {
    const { peer, controller } = startSession();
    const answered = controller.requests.send('set_model', { model: 'x' });
    peer.fail('set_model', 'no such model', { error_code: 'not_found', model: 'old' });
    const error = await rejection(answered);
    expect(error).toBeInstanceOf(ControlRequestError);
    expect(error).toMatchObject({
      message: 'no such model',
      errorClass: 'control_request_failed',
      errorCode: 'not_found',
      subtype: 'set_model',
      details: { model: 'old' },
    });
    expect(error.stack).toContain('requests.test.ts');
  });

  test('an error answer without a text says Unknown error (PY-110)', async () => {
    const { peer, controller } = startSession();
    const answered = controller.requests.send('interrupt');
    peer.fail('interrupt', undefined);
    expect((await rejection(answered)).message).toBe('Unknown error');
  });

  test('an answer that is neither success nor error rejects', async () => {
    const { peer, controller } = startSession();
    const answered = controller.requests.send('interrupt');
    peer.fail('interrupt', 'x', { subtype: 'maybe' });
    expect((await rejection(answered)).message).toMatch(/neither/);
  });

  test('many requests in flight are answered in any order (TS-110)', async () => {
    const { peer, controller } = startSession();
    const answered = Array.from({ length: 64 }, (_, n) => controller.requests.send('mcp_status', { n }));
    for (const frame of peer.of('mcp_status').reverse()) {
      const request_id = frame.request_id;
      peer.emit({
        type: 'control_response',
        response: { subtype: 'success', request_id, response: { id: request_id } },
      });
    }
    const ids = peer.of('mcp_status').map((frame) => ({ id: frame.request_id }));
    expect(await Promise.all(answered)).toEqual(ids);
    expect(controller.pendingRequestCount).toBe(0);
  });

  const strays = [
    { name: 'of an unknown id (TS-111, PY-124)', response: { subtype: 'success', request_id: 'x' } },
    { name: 'without an id', response: { subtype: 'success' }, code: 'control_frame_malformed' },
    { name: 'without a response object', response: undefined, code: 'control_frame_malformed' },
  ];
  for (const { name, response, code } of strays) {
    test(`an answer ${name} is reported and changes nothing`, async () => {
      const { peer, controller, codes } = startSession();
      const answered = controller.requests.send('interrupt');
      peer.emit({ type: 'control_response', response });
      expect(codes()).toEqual([code ?? 'response_unknown']);
      peer.succeed('interrupt');
      await answered;
    });
  }

  test('the second answer to one request is ignored (TS-111)', async () => {
    const { peer, controller, codes } = startSession();
    const answered = controller.requests.send('interrupt');
    peer.succeed('interrupt', { first: true });
    peer.succeed('interrupt', { first: false });
    expect(await answered).toEqual({ first: true });
    expect(codes()).toEqual(['response_unknown']);
  });
});

describe('time limits', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const limits: {
    subtype: string;
    own: number | undefined;
    session: number | undefined;
    expected: number | undefined;
  }[] = [
    { subtype: 'interrupt', own: undefined, session: undefined, expected: 60_000 },
    { subtype: 'interrupt', own: 5, session: 60_000, expected: 5 },
    { subtype: 'set_model', own: undefined, session: undefined, expected: 60_000 },
    { subtype: 'mcp_reconnect', own: undefined, session: undefined, expected: 600_000 },
    { subtype: 'mcp_call', own: undefined, session: 900_000, expected: 900_000 },
    { subtype: 'mcp_reconnect', own: 1_000, session: 60_000, expected: 1_000 },
    { subtype: 'interrupt', own: 0, session: 60_000, expected: undefined },
    { subtype: 'interrupt', own: Number.POSITIVE_INFINITY, session: 60_000, expected: undefined },
    { subtype: 'interrupt', own: undefined, session: 0, expected: undefined },
    { subtype: 'side_question', own: undefined, session: 0, expected: undefined },
  ];
  /** What these requests demand; more fields do no harm. */
  const FIELDS = { tool: 'mcp__s__t', serverName: 's', question: 'Why?', servers: {}, enabled: true };
  for (const subtype of [
    'set_model',
    'get_context_usage',
    'reload_plugins',
    'side_question',
    'mcp_reconnect',
    'mcp_set_servers',
    'mcp_toggle',
    'mcp_call',
  ]) {
    // C-5: what the caller set holds for requests that wait for work, too.
    limits.push({ subtype, own: undefined, session: 500, expected: 500 });
  }
  for (const { subtype, own, session, expected } of limits) {
    test(`${subtype}, own ${own}, session ${session}: ${expected ?? 'no'} limit (C-5)`, async () => {
      const { peer, controller } = startSession({ policy: { controlTimeoutMs: session } });
      peer.succeed('initialize');
      const answered = controller.requests.send(subtype, FIELDS, own === undefined ? {} : { timeoutMs: own });
      const settled = vi.fn();
      const failed = rejection(answered);
      failed.then(settled);
      await vi.advanceTimersByTimeAsync((expected ?? 10_000_000) - 1);
      expect(settled).not.toHaveBeenCalled();
      if (expected === undefined) return;
      await vi.advanceTimersByTimeAsync(1);
      const error = await failed;
      expect(error).toBeInstanceOf(ControlRequestTimeoutError);
      expect(error).toMatchObject({ subtype, timeoutMs: expected });
      expect(error.stack).toContain('requests.test.ts');
    });
  }

  test('the time limit of a request made before the answer to initialize starts at that answer', async () => {
    const { peer, controller } = startSession();
    const error = rejection(controller.requests.send('interrupt'));
    const settled = vi.fn();
    void error.then(settled);
    await vi.advanceTimersByTimeAsync(59_000);
    peer.succeed('initialize');
    await vi.advanceTimersByTimeAsync(59_999);
    expect(settled).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(await error).toBeInstanceOf(ControlRequestTimeoutError);
  });

  test('an answer that has come and waits for its turn is not late', async () => {
    const { peer, controller, codes } = startSession();
    peer.succeed('initialize');
    const answered = controller.requests.send('set_model', {}, { timeoutMs: 50 });
    peer.emit({ type: 'assistant' });
    peer.succeed('set_model', { model: 'x' });
    // The host is busy meanwhile.
    vi.advanceTimersByTime(100);
    expect(await answered).toEqual({ model: 'x' });
    expect(codes()).toEqual([]);
  });

  test('an answer after the time limit is late, not unknown', async () => {
    const { peer, controller, codes } = startSession();
    peer.succeed('initialize');
    const error = rejection(controller.requests.send('interrupt'));
    await vi.advanceTimersByTimeAsync(60_000);
    await error;
    peer.succeed('interrupt');
    peer.succeed('interrupt');
    expect(codes()).toEqual(['request_timed_out', 'response_late', 'response_unknown']);
  });

  for (const timeoutMs of [-1, Number.NaN, '5' as unknown as number]) {
    test(`a time limit of ${JSON.stringify(timeoutMs)} is refused`, async () => {
      const { peer, controller } = startSession();
      const error = await rejection(controller.requests.send('interrupt', {}, { timeoutMs }));
      expect(error).toBeInstanceOf(InvalidOptionError);
      expect(peer.of('interrupt')).toEqual([]);
    });
  }
});

describe('requests that cannot succeed', () => {
  test('a payload that is not JSON rejects, and nothing is written', async () => {
    const { peer, controller } = startSession();
    const error = await rejection(controller.requests.send('set_model', { model: 1n }));
    expect(error).toBeInstanceOf(InvalidOptionError);
    expect(error.cause).toBeInstanceOf(TypeError);
    expect(peer.of('set_model')).toEqual([]);
    expect(controller.pendingRequestCount).toBe(0);
  });

  test('after stdin was closed a request rejects at once, and nothing is written', async () => {
    const { peer, controller } = startSession();
    controller.endInput();
    const error = await rejection(controller.requests.send('interrupt'));
    expect(error).toBeInstanceOf(SessionClosedError);
    expect(error.message).toContain('closed before response');
    expect(peer.of('interrupt')).toEqual([]);
  });

  test('of the requests that were given up, the last 256 are remembered', async () => {
    const { peer, controller, codes } = startSession();
    const abort = new AbortController();
    const sent = Array.from({ length: 257 }, () =>
      controller.requests.send('mcp_status', {}, { signal: abort.signal }),
    );
    abort.abort('enough');
    await Promise.allSettled(sent);
    const ids = peer.of('mcp_status').map(({ request_id }) => request_id);
    for (const request_id of [ids[0], ids[1], ids[256]]) {
      peer.emit({ type: 'control_response', response: { subtype: 'success', request_id } });
    }
    expect(codes()).toEqual(['response_unknown', 'response_late', 'response_late']);
  });

  test('an aborted signal rejects at once with its reason as cause, and nothing is written', async () => {
    const { peer, controller } = startSession();
    const signal = AbortSignal.abort('enough');
    const error = await rejection(controller.requests.send('interrupt', {}, { signal }));
    expect(error).toBeInstanceOf(AbortError);
    expect(error.cause).toBe('enough');
    expect(peer.of('interrupt')).toEqual([]);
  });

  test('an abort while waiting tells the peer, and the answer that still comes is late', async () => {
    const { peer, controller, codes } = startSession();
    const abort = new AbortController();
    const answered = controller.requests.send('mcp_reconnect', { serverName: 's' }, { signal: abort.signal });
    abort.abort('enough');
    const error = await rejection(answered);
    expect(error).toBeInstanceOf(AbortError);
    expect(error.cause).toBe('enough');
    expect(peer.of('control_cancel_request')).toEqual([
      { type: 'control_cancel_request', request_id: peer.of('mcp_reconnect')[0]!.request_id },
    ]);
    peer.succeed('mcp_reconnect');
    expect(codes()).toEqual(['response_late']);
  });

  test('options of null, and a signal of null, are none', async () => {
    const { peer, controller } = startSession();
    void controller.requests.send('interrupt', {}, null);
    void controller.requests.send('interrupt', {}, { signal: null as unknown as AbortSignal });
    expect(peer.of('interrupt')).toHaveLength(2);
  });

  const trap = (): never => {
    throw new RangeError('trap');
  };
  const odd: { name: string; payload?: unknown; options?: unknown; subtype?: unknown }[] = [
    { name: 'options that are no object', options: 5 },
    { name: 'a signal that is none', options: { signal: {} } },
    { name: 'a signal that only says aborted', options: { signal: { aborted: false } } },
    { name: 'a signal that is a string', options: { signal: 'stop' } },
    {
      name: 'options whose getter throws',
      options: {
        get signal() {
          return trap();
        },
      },
    },
    {
      name: 'a signal whose getter throws',
      options: {
        signal: {
          get aborted() {
            return trap();
          },
        },
      },
    },
    { name: 'options that are a proxy', options: new Proxy({}, { get: trap }) },
    { name: 'a time limit without a text', options: { timeoutMs: Object.create(null) } },
    {
      name: 'a payload whose getter throws',
      payload: {
        get type() {
          return trap();
        },
      },
    },
    {
      name: 'a payload whose subtype throws',
      payload: {
        get subtype() {
          return trap();
        },
      },
    },
    { name: 'a payload that is a proxy', payload: new Proxy({}, { ownKeys: trap }) },
    { name: 'a payload whose toJSON throws', payload: { model: { toJSON: trap } } },
    { name: 'a subtype that is a symbol', subtype: Symbol('x') },
  ];
  for (const { name, payload, options, subtype } of odd) {
    test(`${name}: the request rejects, and nothing is written or pending`, async () => {
      const { peer, controller } = startSession();
      const request = controller.requests.send.bind(controller.requests) as (...args: unknown[]) => Promise<unknown>;
      const error = await rejection(request(subtype ?? 'interrupt', payload ?? {}, options));
      expect(error).toBeInstanceOf(InvalidOptionError);
      expect(peer.received).toHaveLength(1);
      expect(controller.pendingRequestCount).toBe(0);
    });
  }

  test('a payload that is not JSON is named as such, and its request in the message', async () => {
    const { controller } = startSession();
    expect(await rejection(controller.requests.send('set_model', { model: 1n }))).toMatchObject({
      option: 'payload',
      message: expect.stringMatching(/^The payload of set_model cannot be written as JSON: /),
    });
  });

  test('an id source that throws rejects the request', async () => {
    let calls = 0;
    const { controller } = startSession({
      nextRequestId: () => {
        calls += 1;
        return calls > 1 ? trap() : 'id-1';
      },
    });
    expect(await rejection(controller.requests.send('interrupt'))).toBeInstanceOf(InvalidOptionError);
  });

  test('a signal that takes no listener: the request rejects, and the peer is told', async () => {
    const { peer, controller } = startSession();
    const signal = { aborted: false, addEventListener: trap, removeEventListener: trap };
    const error = await rejection(
      controller.requests.send('interrupt', {}, { signal: signal as unknown as AbortSignal }),
    );
    expect(error).toBeInstanceOf(InvalidOptionError);
    expect(peer.of('control_cancel_request')).toHaveLength(1);
    expect(controller.pendingRequestCount).toBe(0);
  });

  test('a signal that does not let go of its listener does not keep the answer back', async () => {
    const { peer, controller } = startSession();
    const signal = { aborted: false, addEventListener: () => {}, removeEventListener: trap };
    const answered = controller.requests.send('interrupt', {}, { signal: signal as unknown as AbortSignal });
    peer.succeed('interrupt', { ok: true });
    expect(await answered).toEqual({ ok: true });
  });

  test('a cancellation that cannot be written does not keep the request from being rejected', async () => {
    const { peer, controller } = startSession();
    const abort = new AbortController();
    const answered = controller.requests.send('interrupt', {}, { signal: abort.signal });
    peer.onReceived = trap;
    abort.abort('enough');
    const error = await rejection(answered);
    expect(error).toBeInstanceOf(AbortError);
    expect(error.cause).toBe('enough');
  });

  test('an abort after the answer does nothing', async () => {
    const { peer, controller } = startSession();
    const abort = new AbortController();
    const answered = controller.requests.send('interrupt', {}, { signal: abort.signal });
    peer.succeed('interrupt');
    await answered;
    abort.abort();
    expect(peer.of('control_cancel_request')).toEqual([]);
  });
});

describe('the end of the session', () => {
  test('after exit 0 pending requests reject with "closed before response", each with its own error (TS-108)', async () => {
    const { peer, controller } = startSession();
    const first = controller.requests.send('interrupt');
    const second = controller.requests.send('mcp_status');
    peer.end();
    const errors = [await rejection(first), await rejection(second)];
    expect(errors[0]).toBeInstanceOf(SessionClosedError);
    expect(errors[0]).toHaveProperty('message', 'Query closed before response received');
    expect(errors[0]).toHaveProperty('hint', expect.stringContaining('interrupt'));
    expect(errors[0]!.stack).toContain('requests.test.ts');
    expect(errors[0]).not.toBe(errors[1]);
  });

  test('after exit 1 they reject with the very error of the loop (TS-108, PY-125)', async () => {
    const { peer, controller } = startSession();
    const answered = controller.requests.send('interrupt');
    peer.end(EXIT_1);
    const error = await rejection(answered);
    expect(error).toMatchObject({ name: 'ProcessError', exitCode: 1, stderrTail: 'boom' });
    expect(await rejection(controller.initialized)).toBe(error);
  });

  test('after an abort they reject with the AbortError (TS-108)', async () => {
    const { controller } = startSession();
    const answered = controller.requests.send('interrupt');
    const reason = new AbortError();
    controller.shutdown(reason);
    expect(await rejection(answered)).toBe(reason);
  });

  test('after the end requests reject at once and nothing is written (TS-109)', async () => {
    const { peer, controller } = startSession();
    peer.end(EXIT_1);
    const error = await rejection(controller.requests.send('interrupt'));
    expect(error).toBeInstanceOf(SessionClosedError);
    expect(error.cause).toMatchObject({ exitCode: 1 });
    expect(peer.of('interrupt')).toEqual([]);
  });

  test('a peer that exits with 0 before it answers initialize is not waited for (PY-126)', async () => {
    const { peer, controller } = startSession();
    peer.end();
    expect(await rejection(controller.initialized)).toBeInstanceOf(SessionClosedError);
  });

  test('nothing that was pending becomes an unhandled rejection (TS-165)', async () => {
    const unhandled = vi.fn();
    process.on('unhandledRejection', unhandled);
    try {
      const { peer, controller } = startSession();
      void controller.requests.send('interrupt');
      void controller.reinitialize();
      void controller.requests.send('set_model', { model: 1n });
      peer.end(EXIT_1);
      void controller.requests.send('interrupt');
      await new Promise((resolve) => setImmediate(resolve));
      expect(unhandled).not.toHaveBeenCalled();
    } finally {
      process.off('unhandledRejection', unhandled);
    }
  });

  test('the session is asked for the error once, also when it was shut down before', () => {
    const { peer, controller, ends } = startSession();
    controller.shutdown(new SessionClosedError('closed'));
    controller.shutdown(new SessionClosedError('closed again'));
    peer.end();
    expect(ends).toHaveLength(1);
  });

  test('a user message after the end throws', () => {
    const { controller } = startSession();
    controller.shutdown(new SessionClosedError('closed'));
    expect(() => controller.sendUserMessage(USER)).toThrow(SessionClosedError);
  });

  test('waiting for room ends with the session, also before the start', async () => {
    const { controller } = createSession();
    const order: string[] = [];
    const drained = controller.drained().then(() => order.push('drained'));
    await settle();
    order.push('closed');
    controller.shutdown(new SessionClosedError('closed'));
    await drained;
    expect(order).toEqual(['closed', 'drained']);
  });
});

function raise(): never {
  throw 'trap';
}

function sequence(): () => string {
  let n = 0;
  return () => {
    n += 1;
    return `id-${n}`;
  };
}

async function rejection(promise: Promise<unknown>): Promise<Error> {
  try {
    await promise;
  } catch (error) {
    return error as Error;
  }
  throw new Error('did not reject');
}
