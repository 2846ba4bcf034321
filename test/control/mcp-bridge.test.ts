import { describe, expect, test, vi } from 'vitest';
import type { McpCarrier, McpEndpoint, McpEndpointFactory, McpEndpointHost } from '../../src/control/mcp-endpoint.js';
import { SessionClosedError } from '../../src/errors.js';
import { createDeferred } from '../../src/util/deferred.js';
import type { JsonObject } from '../../src/util/json.js';
import { writesOddFrames } from '../helpers/written-frames.js';
import { RESULT, type SessionOptions, settle, startSession, type TestSession, USER } from './session.js';

interface Server {
  readonly endpoint: McpEndpoint;
  readonly factory: McpEndpointFactory;
  send(message: JsonObject): void;
  throwFrom(tool: string, error: unknown): void;
  returnInvalid(tool: string, problem: string): void;
}

function server(receive: McpEndpoint['receive'] = async () => ({ jsonrpc: '2.0' })): Server {
  let sendToPeer: ((message: JsonObject) => void) | undefined;
  let toldHost: McpEndpointHost | undefined;
  const endpoint = { receive: vi.fn(receive), manifest: async () => undefined, close: vi.fn(async () => {}) };
  return {
    endpoint,
    factory: (host) => {
      sendToPeer = host.sendToPeer;
      toldHost = host;
      return endpoint;
    },
    throwFrom: (tool, error) => toldHost?.onToolThrew(tool, error),
    returnInvalid: (tool, problem) => toldHost?.onToolResultInvalid(tool, problem),
    send: (message) => sendToPeer?.(message),
  };
}

async function sessionWith(calc: Server, options: SessionOptions = {}): Promise<TestSession> {
  const session = startSession({ ...options, callbacks: { mcpServers: new Map([['calc', calc.factory]]) } });
  await settle();
  return session;
}

const CALL = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'add' } };

describe('messages of the CLI', () => {
  for (const id of [0, '', 'x', 7]) {
    test(`a request with id ${JSON.stringify(id)} is answered with the server's response`, async () => {
      const response = { jsonrpc: '2.0', id, result: { ok: true } };
      const calc = server(async () => response);
      const { peer } = await sessionWith(calc);
      const message = { ...CALL, id };
      peer.ask('r1', 'mcp_message', { server_name: 'calc', message });
      await settle();
      expect(calc.endpoint.receive).toHaveBeenCalledWith(message, expect.objectContaining({ isCancelled: false }));
      expect(peer.answersTo('r1')).toEqual([
        { subtype: 'success', request_id: 'r1', response: { mcp_response: response } },
      ]);
    });
  }

  const acknowledged = [
    { name: 'a notification', message: { jsonrpc: '2.0', method: 'notifications/initialized' } },
    { name: 'an id of null', message: { jsonrpc: '2.0', id: null, method: 'x' } },
    { name: 'a response', message: { jsonrpc: '2.0', id: 1, result: {} } },
  ];
  for (const { name, message } of acknowledged) {
    test(`${name} is acknowledged at once and reaches the server (TS-140)`, async () => {
      const calc = server(() => new Promise(() => {}));
      const { peer, controller } = await sessionWith(calc);
      peer.ask('r1', 'mcp_message', { server_name: 'calc', message });
      expect(peer.answersTo('r1')).toEqual([
        { subtype: 'success', request_id: 'r1', response: { mcp_response: { jsonrpc: '2.0', result: {}, id: 0 } } },
      ]);
      expect(calc.endpoint.receive).toHaveBeenCalledOnce();
      expect(controller.inbound.openCount).toBe(0);
    });
  }

  test('a notification the server fails on is reported', async () => {
    const calc = server(() => Promise.reject(new Error('broken')));
    const { peer, codes } = await sessionWith(calc);
    peer.ask('r1', 'mcp_message', { server_name: 'calc', message: { method: 'n' } });
    await settle();
    expect(peer.answersTo('r1')).toMatchObject([{ subtype: 'success' }]);
    expect(codes()).toEqual(['mcp_server_problem']);
  });

  test('a request the server fails on is an error answer', async () => {
    const calc = server(() => Promise.reject(new Error('broken')));
    const { peer } = await sessionWith(calc);
    peer.ask('r1', 'mcp_message', { server_name: 'calc', message: CALL });
    await settle();
    expect(peer.answersTo('r1')).toEqual([{ subtype: 'error', request_id: 'r1', error: 'broken' }]);
  });

  test('an unknown server is an error answer that names it (TS-145, PY-165)', async () => {
    const { peer } = await sessionWith(server());
    peer.ask('r1', 'mcp_message', { server_name: 'other', message: CALL });
    expect(peer.answersTo('r1')).toEqual([
      { subtype: 'error', request_id: 'r1', error: 'SDK MCP server not found: other' },
    ]);
  });

  for (const fields of [
    {},
    { server_name: 'calc' },
    { message: CALL },
    { server_name: '', message: CALL },
    { server_name: 'calc', message: 'x' },
    { server_name: 5, message: CALL },
  ]) {
    test(`${JSON.stringify(fields)} is an error answer (PY-166)`, async () => {
      const { peer } = await sessionWith(server());
      peer.ask('r1', 'mcp_message', fields);
      expect(peer.answersTo('r1')).toEqual([
        { subtype: 'error', request_id: 'r1', error: 'Missing server_name or message for MCP request' },
      ]);
    });
  }

  test('a call cancelled by notification is not answered and does not hold stdin (TS-143)', async () => {
    const answer = createDeferred<undefined>();
    const calc = server(async (message) => (message.id === 2 ? answer.promise : undefined));
    const { peer, controller } = await sessionWith(calc, { policy: { closeRule: 'string' } });
    controller.sendUserMessage(USER);
    controller.stdin.inputEnded();
    peer.ask('r1', 'mcp_message', { server_name: 'calc', message: CALL });
    peer.emit(RESULT);
    expect(peer.isInputEnded).toBe(false);
    answer.resolve(undefined);
    await settle();
    expect(peer.answersTo('r1')).toEqual([]);
    expect(peer.isInputEnded).toBe(true);
  });

  test('a control_cancel_request aborts the running tool', async () => {
    let carrier: McpCarrier | undefined;
    const calc = server((_message, given) => {
      carrier = given;
      return new Promise(() => {});
    });
    const { peer } = await sessionWith(calc);
    peer.ask('r1', 'mcp_message', { server_name: 'calc', message: CALL });
    peer.cancel('r1');
    expect(carrier?.isCancelled).toBe(true);
    expect(carrier?.signal.aborted).toBe(true);
  });

  test('concurrent calls are answered in the order of completion (TS-142)', async () => {
    // The server's answers are no JSON-RPC.
    writesOddFrames();
    const answers = [createDeferred<JsonObject>(), createDeferred<JsonObject>()];
    const calc = server((message) => answers[message.id as number]!.promise);
    const { peer } = await sessionWith(calc);
    for (const id of [0, 1]) {
      peer.ask(`r${id}`, 'mcp_message', { server_name: 'calc', message: { ...CALL, id } });
    }
    answers[1]!.resolve({ id: 1 });
    await settle();
    answers[0]!.resolve({ id: 0 });
    await settle();
    const order = peer.of('control_response').map((frame) => (frame.response as JsonObject).request_id);
    expect(order).toEqual(['r1', 'r0']);
  });
});

describe('messages of the server', () => {
  const message = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' };

  test('they go out as mcp_message requests with a UUID, type first (TS-144)', async () => {
    const calc = server();
    const { peer } = await sessionWith(calc);
    calc.send(message);
    const [frame] = peer.of('mcp_message');
    expect(frame).toEqual({
      type: 'control_request',
      request_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      request: { subtype: 'mcp_message', server_name: 'calc', message },
    });
    expect(Object.keys(frame!)).toEqual(['type', 'request_id', 'request']);
  });

  for (const how of ['success', 'error'] as const) {
    test(`an answer to them (${how}) says nothing and is not unknown (TS-144)`, async () => {
      const calc = server();
      const { peer, codes, controller } = await sessionWith(calc);
      calc.send(message);
      expect(controller.pendingRequestCount).toBe(0);
      if (how === 'success') peer.succeed('mcp_message');
      else peer.fail('mcp_message', 'no');
      expect(codes()).toEqual([]);
    });
  }

  test('one that comes before initialize was written waits behind it', async () => {
    const calc = server();
    const session = startSession({ callbacks: { mcpServers: new Map([['calc', calc.factory]]) } });
    calc.send(message);
    expect(session.peer.received).toEqual([]);
    await settle();
    const subtypes = session.peer.received.map((frame) => (frame.request as JsonObject).subtype);
    expect(subtypes).toEqual(['initialize', 'mcp_message']);
  });

  test('one that cannot be written is reported, not thrown into the server', async () => {
    const calc = server();
    const { controller, codes } = await sessionWith(calc);
    controller.endInput();
    calc.send(message);
    expect(codes()).toEqual(['mcp_server_problem']);
  });

  test('one of a server that was removed is reported, not sent', async () => {
    const calc = server();
    const { peer, controller, codes } = await sessionWith(calc);
    await controller.removeMcpServer('calc');
    calc.send(message);
    expect(peer.of('mcp_message')).toEqual([]);
    expect(codes()).toEqual(['mcp_server_problem']);
  });
});

describe('adding and removing servers', () => {
  const call = { server_name: 'calc', message: CALL };

  test('a server added later answers; a removed one is closed and not found (TS-149)', async () => {
    const { peer, controller } = startSession();
    const calc = server();
    controller.setMcpServer('calc', calc.factory);
    peer.ask('r1', 'mcp_message', call);
    await settle();
    expect(peer.answersTo('r1')).toMatchObject([{ subtype: 'success' }]);
    await controller.removeMcpServer('calc');
    expect(calc.endpoint.close).toHaveBeenCalledOnce();
    peer.ask('r2', 'mcp_message', call);
    expect(peer.answersTo('r2')).toMatchObject([{ subtype: 'error' }]);
  });

  test('a call that is open when its server is removed gets an error answer', async () => {
    const answer = createDeferred<undefined>();
    const { peer, controller } = await sessionWith(server(() => answer.promise));
    peer.ask('r1', 'mcp_message', call);
    await controller.removeMcpServer('calc');
    answer.resolve(undefined);
    await settle();
    expect(peer.answersTo('r1')).toMatchObject([{ subtype: 'error', error: 'SDK MCP server not found: calc' }]);
  });

  test('the same name with a new server replaces and closes the old one', async () => {
    const [old, fresh] = [server(), server()];
    const { peer, controller } = await sessionWith(old);
    controller.setMcpServer('calc', fresh.factory);
    peer.ask('r1', 'mcp_message', call);
    expect(old.endpoint.close).toHaveBeenCalledOnce();
    expect(old.endpoint.receive).not.toHaveBeenCalled();
    expect(fresh.endpoint.receive).toHaveBeenCalledOnce();
  });

  test('a server that cannot be made, or closed, is reported', async () => {
    const { controller, codes } = startSession();
    controller.setMcpServer('bad', () => {
      throw new Error('broken');
    });
    const stuck = server();
    vi.mocked(stuck.endpoint.close).mockRejectedValue(new Error('stuck'));
    controller.setMcpServer('stuck', stuck.factory);
    await controller.removeMcpServer('stuck');
    await controller.removeMcpServer('never was');
    expect(codes()).toEqual(['mcp_server_problem', 'mcp_server_problem']);
  });

  test('a server added later makes a string prompt wait for idle calls as with callbacks', async () => {
    writesOddFrames();
    const answer = createDeferred<JsonObject>();
    const { peer, controller } = startSession({ policy: { closeRule: 'string' } });
    controller.setMcpServer('calc', server(() => answer.promise).factory);
    controller.sendUserMessage(USER);
    controller.stdin.inputEnded();
    peer.ask('r1', 'mcp_message', call);
    peer.emit(RESULT);
    expect(peer.isInputEnded).toBe(false);
    answer.resolve({});
    await settle();
    expect(peer.isInputEnded).toBe(true);
  });

  test('the end of the session closes every server and aborts its calls (TS-134, TS-150)', async () => {
    let carrier: McpCarrier | undefined;
    const calc = server((_message, given) => {
      carrier = given;
      return new Promise(() => {});
    });
    const { peer, controller } = await sessionWith(calc);
    peer.ask('r1', 'mcp_message', call);
    controller.shutdown(new SessionClosedError('closed'));
    expect(carrier?.isCancelled).toBe(true);
    expect(carrier?.signal.aborted).toBe(true);
    expect(calc.endpoint.close).toHaveBeenCalledOnce();
    const late = vi.fn(server().factory);
    controller.setMcpServer('late', late);
    expect(late).not.toHaveBeenCalled();
  });
});

test('a tool that throws is reported, by server and tool', async () => {
  const calc = server();
  const { diagnostics } = await sessionWith(calc);
  const thrown = new Error('boom');
  calc.throwFrom('add', thrown);
  expect(diagnostics.at(-1)).toEqual({
    code: 'callback_threw',
    message: 'The tool add of in-process MCP server calc threw',
    details: { server: 'calc', tool: 'add', error: 'boom' },
    // With its stack.
    cause: thrown,
  });
});

test('a tool whose result is invalid is reported, by server and tool', async () => {
  const calc = server();
  const { diagnostics } = await sessionWith(calc);
  calc.returnInvalid('add', '`result` must be an object, got undefined');
  expect(diagnostics.at(-1)).toEqual({
    code: 'callback_result_invalid',
    message:
      'The result of tool add of in-process MCP server calc is invalid: `result` must be an object, got undefined',
    details: { server: 'calc', tool: 'add' },
  });
});
