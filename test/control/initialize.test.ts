import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { McpEndpoint, McpEndpointFactory } from '../../src/control/mcp-endpoint.js';
import { ControlRequestError, ControlRequestTimeoutError, InvalidOptionError } from '../../src/errors.js';
import type { JsonObject } from '../../src/util/json.js';
import { createSession, nextTurn, settle, startSession, state, USER } from './session.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function endpoint(fields: Partial<McpEndpoint>): McpEndpointFactory {
  return () => ({ receive: async () => undefined, manifest: async () => undefined, close: async () => {}, ...fields });
}

const MANIFEST = { initializeResult: { serverInfo: {} }, toolsListResult: { tools: [] } };

function later<T>(value: T, ms: number): Promise<T> {
  return new Promise((resolve) => setTimeout(resolve, ms, value));
}

describe('the answer', () => {
  test('a success resolves with its body', async () => {
    const { peer, controller } = startSession();
    peer.succeed('initialize', { commands: [] });
    expect(await controller.initialized).toEqual({ commands: [] });
  });

  test('a success without a body resolves with {} (PY-111)', async () => {
    const { peer, controller } = startSession();
    peer.succeed('initialize');
    expect(await controller.initialized).toEqual({});
  });

  test('an error rejects with its text (PY-110)', async () => {
    const { peer, controller } = startSession();
    peer.fail('initialize', 'bad hooks');
    await expect(controller.initialized).rejects.toThrow(ControlRequestError);
    await expect(controller.initialized).rejects.toThrow('bad hooks');
  });

  test('a payload that is not JSON rejects', async () => {
    const { controller } = startSession({ initialize: { agents: 1n } });
    await expect(controller.initialized).rejects.toThrow(InvalidOptionError);
  });

  test('it does not count as a pending request', () => {
    const { peer, controller } = startSession();
    expect(controller.pendingRequestCount).toBe(0);
    peer.succeed('initialize');
    expect(controller.pendingRequestCount).toBe(0);
  });

  const question = {
    type: 'control_request',
    request_id: 'r1',
    request: { subtype: 'can_use_tool', tool_use_id: 't' },
  };
  const dialog = {
    type: 'control_request',
    request_id: 'r2',
    request: { subtype: 'request_user_dialog', dialog_kind: 'k' },
  };
  const openQuestions = { pending_permission_requests: [question], pending_user_dialog_requests: [dialog] };
  const callbacks = {
    canUseTool: async () => ({ behavior: 'allow' as const }),
    onUserDialog: async () => ({ behavior: 'cancelled' as const }),
  };

  for (const how of ['success', 'error'] as const) {
    test(`questions that were open are answered like live ones, after a ${how} (TS-131)`, async () => {
      const { peer } = startSession({ callbacks });
      if (how === 'success') peer.succeed('initialize', {}, openQuestions);
      else peer.fail('initialize', 'no', openQuestions);
      await settle();
      expect(peer.answersTo('r1')).toHaveLength(1);
      expect(peer.answersTo('r2')).toHaveLength(1);
    });
  }

  test('lists that are malformed do no harm (TS-131)', async () => {
    const { peer, controller } = startSession({ callbacks });
    peer.succeed('initialize', {}, { pending_permission_requests: 5, pending_user_dialog_requests: [null, {}] });
    expect(await controller.initialized).toEqual({});
  });

  test('reinitialize writes the same fields without manifests and takes open questions (TS-107)', async () => {
    const { peer, controller } = startSession({
      initialize: { hooks: { Stop: [{ hookCallbackIds: ['hook_0'] }] } },
      callbacks: { ...callbacks, mcpServers: new Map([['calc', endpoint({ manifest: async () => MANIFEST })]]) },
    });
    await vi.advanceTimersByTimeAsync(0);
    const again = controller.reinitialize();
    const [first, second] = peer.of('initialize').map((frame) => frame.request as JsonObject);
    const { sdkMcpServerManifests, ...rest } = first!;
    expect(sdkMcpServerManifests).toEqual({ calc: MANIFEST });
    expect(second).toEqual(rest);
    peer.succeed('initialize', { fresh: true }, openQuestions);
    expect(await again).toEqual({ fresh: true });
    await settle();
    expect(peer.answersTo('r1')).toHaveLength(1);
  });

  test('a question delivered again while it is in flight is asked once', () => {
    const canUseTool = vi.fn(() => new Promise<null>(() => {}));
    const { peer } = startSession({ callbacks: { canUseTool } });
    peer.emit(question);
    peer.succeed('initialize', {}, openQuestions);
    expect(canUseTool).toHaveBeenCalledOnce();
  });
});

describe('the time limit', () => {
  const hook = (subtype: string, hook_event = 'SessionStart') => ({
    type: 'system',
    subtype,
    hook_event,
    hook_id: 'h',
  });

  async function outcomeAfter(ms: number, promise: Promise<unknown>): Promise<string> {
    let outcome = 'pending';
    promise.then(
      () => {
        outcome = 'answered';
      },
      (error: Error) => {
        outcome = error.name;
      },
    );
    await vi.advanceTimersByTimeAsync(ms);
    return outcome;
  }

  test('60 s without an answer reject (PY-112)', async () => {
    const { controller } = startSession();
    expect(await outcomeAfter(59_999, controller.initialized)).toBe('pending');
    expect(await outcomeAfter(1, controller.initialized)).toBe('ControlRequestTimeoutError');
    await expect(controller.initialized).rejects.toMatchObject({ errorClass: 'initialize_timeout', timeoutMs: 60_000 });
  });

  for (const limit of [0, Number.POSITIVE_INFINITY]) {
    test(`${limit} is no limit`, async () => {
      const { controller } = startSession({ policy: { initializeTimeoutMs: limit } });
      expect(await outcomeAfter(10_000_000, controller.initialized)).toBe('pending');
    });
  }

  for (const event of ['SessionStart', 'Setup']) {
    test(`it stands still while a ${event} hook runs`, async () => {
      const { peer, controller } = startSession();
      await vi.advanceTimersByTimeAsync(50_000);
      peer.emit(hook('hook_started', event));
      expect(await outcomeAfter(500_000, controller.initialized)).toBe('pending');
      peer.emit(hook('hook_response', event));
      expect(await outcomeAfter(9_999, controller.initialized)).toBe('pending');
      expect(await outcomeAfter(1, controller.initialized)).toBe('ControlRequestTimeoutError');
    });
  }

  test('other hooks do not stop it', async () => {
    const { peer, controller } = startSession();
    peer.emit(hook('hook_started', 'PreToolUse'));
    expect(await outcomeAfter(60_000, controller.initialized)).toBe('ControlRequestTimeoutError');
  });

  test('system/init disarms it, and starts the limits of the requests behind it', async () => {
    const { peer, controller } = startSession();
    const request = controller.requests.send('interrupt');
    peer.emit({ type: 'system', subtype: 'init' });
    expect(await outcomeAfter(59_999, request)).toBe('pending');
    await vi.advanceTimersByTimeAsync(1);
    await expect(request).rejects.toThrow(ControlRequestTimeoutError);
    expect(await outcomeAfter(539_999, controller.initialized)).toBe('pending');
    peer.succeed('initialize', { late: true });
    expect(await controller.initialized).toEqual({ late: true });
  });

  test('after system/init an answer that never comes is waited for 600 s, and the session goes on', async () => {
    const { peer, controller } = startSession();
    expect(controller.isUp).toBe(false);
    await vi.advanceTimersByTimeAsync(30_000);
    peer.emit({ type: 'system', subtype: 'init' });
    expect(controller.isUp).toBe(true);
    expect(await outcomeAfter(599_999, controller.initialized)).toBe('pending');
    peer.emit({ type: 'system', subtype: 'init' }, hook('hook_started'));
    expect(await outcomeAfter(1, controller.initialized)).toBe('ControlRequestTimeoutError');
    await expect(controller.initialized).rejects.toMatchObject({ timeoutMs: 600_000 });
    expect(controller.closedBy).toBeUndefined();
    expect(controller.sendUserMessage(USER)).toBe(true);
  });

  test('after system/init a longer limit of the session holds, and none stays none', async () => {
    const long = startSession({ policy: { initializeTimeoutMs: 900_000 } });
    const none = startSession({ policy: { initializeTimeoutMs: 0 } });
    for (const { peer } of [long, none]) peer.emit({ type: 'system', subtype: 'init' });
    expect(await outcomeAfter(899_999, long.controller.initialized)).toBe('pending');
    expect(await outcomeAfter(1, long.controller.initialized)).toBe('ControlRequestTimeoutError');
    expect(await outcomeAfter(10_000_000, none.controller.initialized)).toBe('pending');
  });

  test('a start hook whose end is never reported holds it for 600 s at most', async () => {
    const { peer, controller } = startSession();
    await vi.advanceTimersByTimeAsync(10_000);
    peer.emit(hook('hook_started'));
    expect(await outcomeAfter(649_999, controller.initialized)).toBe('pending');
    expect(await outcomeAfter(1, controller.initialized)).toBe('ControlRequestTimeoutError');
  });

  test('start hooks that come and go share the 600 s', async () => {
    const { peer, controller } = startSession();
    for (let n = 0; n < 5; n += 1) {
      peer.emit(hook('hook_started'));
      await vi.advanceTimersByTimeAsync(200_000);
      peer.emit(hook('hook_response'));
      if (n === 2) expect(await outcomeAfter(0, controller.initialized)).toBe('pending');
    }
    await expect(controller.initialized).rejects.toThrow(ControlRequestTimeoutError);
  });

  test('after it ran out the requests behind it are still bounded', async () => {
    const { controller } = startSession();
    const request = controller.requests.send('interrupt');
    expect(await outcomeAfter(119_999, request)).toBe('pending');
    expect(await outcomeAfter(1, request)).toBe('ControlRequestTimeoutError');
  });

  test('no timer is left after the end', () => {
    const { peer, controller } = startSession();
    void controller.requests.send('interrupt');
    peer.succeed('initialize');
    peer.end();
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('manifests', () => {
  test('those that are ready go with initialize; messages wait behind it (TS-077)', async () => {
    const { peer, controller } = startSession({
      callbacks: {
        mcpServers: new Map([
          ['calc', endpoint({ manifest: async () => MANIFEST })],
          ['none', endpoint({})],
        ]),
      },
    });
    controller.sendUserMessage(USER);
    expect(peer.received).toEqual([]);
    await vi.advanceTimersByTimeAsync(0);
    expect(peer.received.map((frame) => frame.type)).toEqual(['control_request', 'user']);
    expect(peer.received[0]!.request).toMatchObject({ sdkMcpServerManifests: { calc: MANIFEST } });
  });

  test('the manifest of a server named __proto__ is sent like any other', async () => {
    const { peer } = startSession({
      callbacks: { mcpServers: new Map([['__proto__', endpoint({ manifest: async () => MANIFEST })]]) },
    });
    await vi.advanceTimersByTimeAsync(0);
    const { sdkMcpServerManifests } = peer.received[0]!.request as JsonObject;
    expect(Object.entries(sdkMcpServerManifests as object)).toEqual([['__proto__', MANIFEST]]);
  });

  test('initialize goes after 250 ms without the slow ones (TS-078)', async () => {
    const { peer } = startSession({
      callbacks: {
        mcpServers: new Map([
          ['fast', endpoint({ manifest: () => later(MANIFEST, 240) })],
          ['slow', endpoint({ manifest: () => later(MANIFEST, 260) })],
        ]),
      },
    });
    await vi.advanceTimersByTimeAsync(249);
    expect(peer.received).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(peer.received[0]!.request).toEqual({ subtype: 'initialize', sdkMcpServerManifests: { fast: MANIFEST } });
  });

  test('a manifest that fails is reported and left out', async () => {
    const { peer, codes } = startSession({
      callbacks: { mcpServers: new Map([['bad', endpoint({ manifest: () => Promise.reject(new Error('broken')) })]]) },
    });
    await vi.advanceTimersByTimeAsync(0);
    expect(peer.received[0]!.request).toEqual({ subtype: 'initialize' });
    expect(codes()).toEqual(['mcp_server_problem']);
  });

  test('endInput while manifests are gathered writes what waits, then closes', () => {
    const { peer, controller } = startSession({
      callbacks: { mcpServers: new Map([['slow', endpoint({ manifest: () => later(MANIFEST, 100) })]]) },
    });
    controller.sendUserMessage(USER);
    controller.endInput();
    expect(peer.received.map((frame) => frame.type)).toEqual(['control_request', 'user']);
    expect(peer.isInputEnded).toBe(true);
  });

  test('endInput before the start closes right after initialize', () => {
    const { peer, controller } = createSession();
    controller.endInput();
    controller.start();
    expect(peer.received).toHaveLength(1);
    expect(peer.isInputEnded).toBe(true);
  });

  test('an input that ends while manifests are gathered closes after initialize was written', async () => {
    const { peer, controller } = startSession({
      policy: { closeRule: 'stream' },
      callbacks: { mcpServers: new Map([['slow', endpoint({ manifest: () => later(MANIFEST, 100) })]]) },
    });
    controller.stdin.inputEnded();
    expect(peer.isInputEnded).toBe(false);
    await vi.advanceTimersByTimeAsync(100);
    expect(peer.received).toHaveLength(1);
    await nextTurn();
    expect(peer.isInputEnded).toBe(true);
  });

  test('a session that ends while manifests are gathered writes nothing more', async () => {
    const { peer } = startSession({
      callbacks: { mcpServers: new Map([['slow', endpoint({ manifest: () => later(MANIFEST, 100) })]]) },
    });
    peer.end();
    await vi.advanceTimersByTimeAsync(300);
    expect(peer.received).toEqual([]);
  });
});

test('a session state before the answer to initialize is no message', async () => {
  const { peer, messages } = startSession();
  peer.emit(state('idle'));
  await settle();
  expect(messages).toEqual([]);
});
