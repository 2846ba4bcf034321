import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { requestTimeoutMs } from '../../src/control/request-timeout.js';
import { createMcpEndpointFactory } from '../../src/mcp/endpoint-factory.js';
import { HIGH_WATER_BYTES, LOW_WATER_BYTES } from '../../src/query/flow-control.js';
import type { LaunchPolicy } from '../../src/query/launch/launch-plan.js';
import { planLaunch } from '../../src/query/launch/plan-launch.js';
import { DRAIN_AFTER_EXIT_MS } from '../../src/transport/process-end.js';
import { BROKEN_STREAM_LADDER, REAP_MS } from '../../src/transport/termination.js';

const docs = new URL('../../docs/', import.meta.url);
const text = readFileSync(new URL('termination.md', docs), 'utf8');

function policyOf(front: 'query' | 'client'): LaunchPolicy {
  return planLaunch(undefined, {
    env: {},
    platform: 'linux',
    sdkVersion: '0.0.0',
    front,
    prompt: front === 'query' ? 'string' : 'none',
    createMcpEndpointFactory,
  }).policy;
}

/** The default of each wait that has an option of its own. */
function defaults(): Record<string, string> {
  const rows = text.matchAll(/^\| [^|]+ \| (\d+|no limit) +\| `(\w+)`(?:, `\w+`)? +\|/gm);
  return Object.fromEntries([...rows].map(([, value = '', option = '']) => [option, value]));
}

const ofLimit = (ms: number): string => (Number.isFinite(ms) ? String(ms) : 'no limit');

describe('docs/termination.md', () => {
  test('has the default of every time limit of the options', () => {
    const { limits } = policyOf('query');
    expect(defaults()).toEqual({
      initializeTimeoutMs: ofLimit(limits.initializeTimeoutMs),
      controlTimeoutMs: ofLimit(requestTimeoutMs('set_model', undefined, limits.controlTimeoutMs)),
      idleTimeoutMs: ofLimit(limits.idleTimeoutMs),
      deadlineMs: ofLimit(limits.deadlineMs),
      exitGraceMs: ofLimit(limits.exitGraceMs),
      timeoutMs: ofLimit(requestTimeoutMs('mcp_reconnect', undefined, limits.controlTimeoutMs)),
    });
  });

  test('has the ladders', () => {
    const ladder = ({ sigtermMs = 0, sigkillMs = 0 }) =>
      `stdin ends, +${sigtermMs / 1000} s SIGTERM, +${sigkillMs / 1000} s SIGKILL`;
    const row = (start: string) => text.split('\n').find((line) => line.startsWith(`| ${start}`));
    expect(row('`close()`')).toContain(ladder(policyOf('query').exitLadder));
    expect(row('`disconnect()`')).toContain(ladder(policyOf('client').exitLadder));
    expect(BROKEN_STREAM_LADDER.sigtermMs).toBe(0);
    expect(row('a line longer')).toContain(`+${BROKEN_STREAM_LADDER.sigkillMs! / 1000} s SIGKILL`);
    expect(row('cannot be killed')).toContain(`${REAP_MS / 1000} s after SIGKILL`);
    expect(row('leaves a child')).toContain(`${DRAIN_AFTER_EXIT_MS} ms after the exit`);
  });

  test('has the marks of flow control', () => {
    const mib = (bytes: number) => bytes / 1024 / 1024;
    expect(text).toContain(`Above ${mib(HIGH_WATER_BYTES)} MiB of waiting messages`);
    expect(text).toContain(`goes on below ${mib(LOW_WATER_BYTES)}:`);
    expect(text).toContain(`(${mib(policyOf('query').limits.maxBufferBytes)} MiB)`);
  });
});

test.each(['termination.md', 'permissions-and-hooks.md'])('every recording that docs/%s names is there', (page) => {
  const named = readFileSync(new URL(page, docs), 'utf8').matchAll(/\[`([a-z0-9-]+)`\]/g);
  const names = [...named].map(([, name = '']) => name);
  expect(names.length).toBeGreaterThan(0);
  const recordings = new URL('../fixtures/recordings/', import.meta.url);
  expect(names.filter((name) => !existsSync(new URL(`${name}.jsonl`, recordings)))).toEqual([]);
});
