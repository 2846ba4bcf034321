import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { WORK_TIMEOUT_MS } from '../../src/control/request-timeout.js';
import { ControlRequestTimeoutError } from '../../src/errors.js';
import { createSdkMcpServer } from '../../src/mcp/create-sdk-mcp-server.js';
import { McpServerSet } from '../../src/query/mcp-server-set.js';
import { SessionQuery } from '../../src/query/query.js';
import type { JsonObject } from '../../src/util/json.js';
import { answerTo, CLOCKS, memorySession, settled, subtypeOf } from './memory-session.js';

const server = (name: string) => createSdkMcpServer({ name });
const names = (from: ReadonlyMap<string, unknown>): string[] => [...from.keys()];

/** A session whose CLI takes every set of servers, unless told otherwise. */
function start(mcpServers: Record<string, ReturnType<typeof server>> = {}, answers = true) {
  const run = memorySession({
    options: { mcpServers },
    onFrame: (frame: JsonObject) => {
      if (answers && subtypeOf(frame) === 'mcp_set_servers') run.peer.emit(answerTo(frame));
    },
  });
  return { ...run, servers: new McpServerSet(run.session) };
}

describe('the servers of a running session', () => {
  test('count as callbacks while there are any', async () => {
    const { session, servers } = start();
    expect(session.controller.hasCallbacks).toBe(false);
    const set = servers.replace({ a: server('a') });
    expect(session.controller.hasCallbacks).toBe(true);
    await set;
    await servers.replace({});
    expect(session.controller.hasCallbacks).toBe(false);
  });

  test('hold the input open past the result, and let it close when the last one goes', async () => {
    const { peer, servers } = start();
    await servers.replace({ a: server('a') });
    peer.emit({ type: 'system', subtype: 'session_state_changed', state: 'running' });
    peer.emit({ type: 'result', subtype: 'success' });
    await settled();
    expect(peer.hasInputEnded).toBe(false);
    await servers.replace({});
    await settled();
    expect(peer.hasInputEnded).toBe(true);
  });

  test('are both the former and the new ones when the CLI did not say which', async () => {
    const { session, servers } = start({ former: server('former') }, false);
    await settled();
    vi.useFakeTimers({ toFake: [...CLOCKS] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const failed = servers.replace({ fresh: server('fresh') }).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(WORK_TIMEOUT_MS);
    expect(await failed).toBeInstanceOf(ControlRequestTimeoutError);
    expect(names(session.controller.mcpServers)).toEqual(['former', 'fresh']);
  });

  test('are the same when the same configuration, or one with the same instance, is set again', async () => {
    const own = server('own');
    const instance = { connect: vi.fn(async () => {}), close: vi.fn(async () => {}) };
    const { session, servers } = start({ own, foreign: { ...server('f'), instance } as never });
    const former = new Map(session.controller.mcpServers);
    await servers.replace({ own, foreign: { type: 'sdk', name: 'f', instance, timeout: 5 } as never });
    expect(session.controller.mcpServers).toEqual(former);
    await servers.replace({ own: server('own') });
    expect(session.controller.mcpServers.get('own')).not.toBe(former.get('own'));
  });

  test('are written in the order of the calls of all methods', async () => {
    const { session, peer } = start();
    const query = new SessionQuery(session);
    const asked = [query.setMcpServers({}), query.stopTask('t'), query.interrupt()];
    await settled();
    expect(peer.received.map(subtypeOf).filter((subtype) => subtype !== undefined)).toEqual([
      'initialize',
      'mcp_set_servers',
      'stop_task',
      'interrupt',
    ]);
    session.close();
    await Promise.allSettled(asked);
  });

  test('cannot change after the end, which nobody has to await', async () => {
    const { session, peer, servers } = start();
    session.close();
    await settled();
    const before = peer.received.length;
    const query = new SessionQuery(session);
    void query.setMcpServers({ a: server('a') });
    void query.setMcpServers(null as never);
    await expect(servers.replace({ a: server('a') })).rejects.toMatchObject({ errorClass: 'query_closed' });
    await settled();
    expect(names(session.controller.mcpServers)).toEqual([]);
    expect(peer.received.length).toBe(before);
  });
});
