import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { AdapterConfigError } from '../../../src/adapter/errors/adapter-error.js';
import { ClaudeAgentAdapter } from '../../../src/adapter/evaluate/claude-agent-adapter.js';
import type { ClaudeAgentClientConfig } from '../../../src/adapter/evaluate/client-config.js';
import { isBypassRefused } from '../../../src/adapter/isolation/start-checks.js';
import { PromptRendered } from '../../../src/adapter/state/events.js';
import { Session } from '../../../src/adapter/state/session.js';
import { fakeRuntime } from '../support/fake-runtime.js';
import { askPrompt, refused, resultMessage } from './support.js';

let tempRoot: string;
beforeEach(() => {
  tempRoot = mkdtempSync(join(tmpdir(), 'cw-root-'));
});
afterEach(() => rmSync(tempRoot, { recursive: true, force: true }));

/** A run of root, on a machine whose sandbox works. */
function asRoot(clientConfig: ClaudeAgentClientConfig, hostEnv: Record<string, string> = {}) {
  const runtime = fakeRuntime([resultMessage()]);
  const session = new Session();
  const rendered: unknown[] = [];
  session.bus.subscribe(PromptRendered, (event) => void rendered.push(event));
  const adapter = new ClaudeAgentAdapter({
    loadRuntime: runtime.loadRuntime,
    uid: 0,
    platform: 'linux',
    hostHome: '/home/u',
    hostEnv: { PATH: '/bin', ...hostEnv },
    tempRoot,
    sandboxProbe: async () => ({ passed: true, problem: undefined, fix: undefined }),
    clientConfig,
  });
  return { runtime, rendered, response: adapter.evaluate(askPrompt(), { session }) };
}

test('bypass mode as root is refused, with the ways out, before anything is done (AD-305)', async () => {
  const configs: readonly ClaudeAgentClientConfig[] = [
    {},
    // Where the host has the variable, an isolated child does not.
    { isolation: {} },
    { isolation: {}, permissionMode: 'bypassPermissions' },
    { env: { IS_SANDBOX: '0' } },
  ];
  for (const config of configs) {
    const hostEnv: Record<string, string> = config.isolation === undefined ? {} : { IS_SANDBOX: '1' };
    const { response, runtime, rendered } = asRoot(config, hostEnv);
    const error = await refused(response);
    expect(error).toBeInstanceOf(AdapterConfigError);
    const { message } = error as Error;
    for (const way of ['another user', 'permissionMode', 'IS_SANDBOX=1', 'isolation.env', 'passEnv']) {
      expect(message).toContain(way);
    }
    expect({ loads: runtime.loads, runs: runtime.runs, rendered }).toEqual({ loads: 0, runs: [], rendered: [] });
  }
});

test('a throw-away machine says so in the child’s variables, and other modes need not (AD-379)', async () => {
  const said: readonly (readonly [ClaudeAgentClientConfig, Record<string, string>])[] = [
    [{ env: { IS_SANDBOX: '1' } }, {}],
    [{ isolation: { env: { IS_SANDBOX: '1' } } }, {}],
    [{ isolation: { passEnv: ['IS_SANDBOX'] } }, { IS_SANDBOX: '1' }],
  ];
  for (const [config, hostEnv] of said) {
    const { response, runtime } = asRoot(config, hostEnv);
    await response;
    expect(runtime.runs[0]?.options.env).toHaveProperty('IS_SANDBOX', '1');
  }
  for (const permissionMode of ['default', 'acceptEdits', 'plan', 'dontAsk']) {
    for (const isolation of [undefined, {}]) {
      const { response, runtime } = asRoot({ permissionMode, isolation });
      await response;
      expect(runtime.runs[0]?.options.env).not.toHaveProperty('IS_SANDBOX');
    }
  }
});

test('only the value that the CLI takes counts', () => {
  const refusedWith = (value: string): boolean =>
    isBypassRefused({ permissionMode: 'bypassPermissions', uid: 0, childEnv: { IS_SANDBOX: value } });
  // Each was tried on the CLI.
  for (const value of ['', '0', 'false', 'yes']) expect(refusedWith(value), value).toBe(true);
  expect(refusedWith('1')).toBe(false);
});
