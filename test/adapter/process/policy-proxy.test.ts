import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { connect, Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { ClaudeAgentAdapter } from '../../../src/adapter/evaluate/claude-agent-adapter.js';
import { NetworkPolicy } from '../../../src/adapter/isolation/network-policy.js';
import { Session } from '../../../src/adapter/state/session.js';
import { isJsonObject, type JsonObject } from '../../../src/util/json.js';
import { tryConnect, tryHttp, trySocks } from '../isolation/proxy/support.js';
import { fakeRuntime } from '../support/fake-runtime.js';
import { askPrompt } from '../support/make-prompt.js';
import { play } from '../support/play.js';

const policy = new NetworkPolicy({ allowedDomains: ['d.example'], allowedPorts: [443] });

test('a proxy of ours runs, its port stands twice in the settings, and it is gone afterwards (AD-226)', async () => {
  await using stage = play(
    ({ prompt, init, hook, result }) => [prompt(), hook('UserPromptSubmit', {}), init(), result('Done.')],
    { recordings: ['hooks-main-four', 'hello'] },
  );
  const { machine } = stage;
  let ports: ReturnType<typeof proxyPorts> | undefined;
  let answers: readonly unknown[] = [];
  const adapter = new ClaudeAgentAdapter({
    ...machine,
    clientConfig: {
      ...machine.clientConfig,
      isolation: { networkPolicy: policy },
      // Waited for, so that the run is still there.
      contextProviders: [
        async () => {
          ports = proxyPorts(stage.runs[0]?.argv ?? []);
          answers = await Promise.all([
            tryConnect(ports.http, 'other.example', 443),
            tryHttp(ports.http, 'd.example', 80),
            trySocks(ports.socks, 'd.example', 8443),
          ]);
          return undefined;
        },
      ],
    },
  });
  await adapter.evaluate(askPrompt(), { session: new Session() });
  expect(answers).toEqual(['403', '403', 2]);
  expect(ports?.socks).toBe(ports?.http);
  const late = connect(ports?.http ?? 0, '127.0.0.1');
  const error = await new Promise((resolve) => late.once('error', resolve).once('connect', resolve));
  expect(error).toMatchObject({ code: 'ECONNREFUSED' });
});

test('without a network the CLI is told to refuse every host in bypass mode, and its question about one is not approved (AD-388)', async () => {
  await using stage = play(
    ({ prompt, init, toolUse, hook, permission, toolResult, result }) => [
      prompt(),
      init({ permissionMode: 'bypassPermissions' }),
      toolUse('Bash', { command: 'curl http://bad.example/', description: 'Run a command' }),
      hook('PreToolUse', {}, { expect: {} }),
      // The CLI takes an error answer as a denial (`can-use-tool-error`).
      permission('SandboxNetworkAccess', { host: 'bad.example' }, { error: true }),
      toolResult('Connection blocked by network allowlist'),
      result('Done.'),
    ],
    { recordings: ['sandbox-net-strict-bypass', 'sandbox-net-question', 'hook-pretool-allow'] },
  );
  const { machine } = stage;
  let network: JsonObject = {};
  const adapter = new ClaudeAgentAdapter({
    ...machine,
    clientConfig: { ...machine.clientConfig, isolation: { networkPolicy: NetworkPolicy.noNetwork() } },
  });
  await adapter.evaluate(askPrompt(), {
    session: new Session(),
    onMessage: (message) => {
      if (message.type === 'system') network = networkSettings(stage.runs[0]?.argv ?? []);
    },
  });
  expect(stage.runs[0]?.argv).toContain('--permission-mode=bypassPermissions');
  expect(network).toEqual({ allowedDomains: [], strictAllowlist: true });
  expect(stage.sent.permissionAnswers).toMatchObject([{ error: expect.stringMatching(/./) }]);
});

test('under apiOnly(), in bypass mode, a WebFetch of another host is denied by the hook (AD-229)', async () => {
  const url = 'https://other.example/';
  await using stage = play(
    ({ prompt, init, toolUse, hook, toolResult, result }) => [
      prompt(),
      init({ permissionMode: 'bypassPermissions' }),
      toolUse('WebFetch', { url, prompt: 'What is it?' }),
      hook('PreToolUse', {}),
      toolResult('denied', { isError: true }),
      result('Done.'),
    ],
    { recordings: ['hook-pretool-deny'] },
  );
  const { machine } = stage;
  const adapter = new ClaudeAgentAdapter({
    ...machine,
    clientConfig: { ...machine.clientConfig, isolation: { networkPolicy: NetworkPolicy.apiOnly() } },
  });
  await adapter.evaluate(askPrompt(), { session: new Session() });
  expect(stage.runs[0]?.argv).toContain('--permission-mode=bypassPermissions');
  expect(stage.sent.hookOutputs).toMatchObject([
    {
      event: 'PreToolUse',
      output: {
        hookSpecificOutput: {
          hookEventName: 'PreToolUse',
          permissionDecision: 'deny',
          permissionDecisionReason: 'The network policy does not list the host other.example',
        },
      },
    },
  ]);
});

test('when the proxy cannot listen the call rejects before the CLI starts, and nothing stays behind (AD-232)', async () => {
  const runtime = fakeRuntime([]);
  const listen = vi.spyOn(Server.prototype, 'listen');
  onTestFinished(() => void listen.mockRestore());
  listen.mockImplementation(function (this: Server) {
    process.nextTick(() => this.emit('error', Object.assign(new Error('none left'), { code: 'EADDRINUSE' })));
    return this;
  });
  const tempRoot = mkdtempSync(join(tmpdir(), 'i-'));
  onTestFinished(() => rmSync(tempRoot, { recursive: true }));
  const adapter = new ClaudeAgentAdapter({
    hostEnv: { PATH: process.env.PATH, HOME: tempRoot },
    hostHome: tempRoot,
    tempRoot,
    platform: 'linux',
    uid: 1000,
    sandboxProbe: async () => ({ passed: true, problem: undefined, fix: undefined }),
    loadRuntime: runtime.loadRuntime,
    clientConfig: { isolation: { networkPolicy: policy, portEnforcement: 'proxy' } },
  });
  await expect(adapter.evaluate(askPrompt(), { session: new Session() })).rejects.toMatchObject({
    name: 'AdapterConfigError',
    message: expect.stringContaining('cannot listen'),
  });
  expect(listen).toHaveBeenCalled();
  expect(runtime.runs).toEqual([]);
  expect(readdirSync(tempRoot)).toEqual([]);
});

function proxyPorts(argv: readonly string[]) {
  const { httpProxyPort, socksProxyPort } = networkSettings(argv);
  return { http: Number(httpProxyPort), socks: Number(socksProxyPort) };
}

/** Of the settings file that the process was given. */
function networkSettings(argv: readonly string[]): JsonObject {
  const path = argv[argv.indexOf('--settings') + 1] ?? '';
  return at(at(JSON.parse(readFileSync(path, 'utf8')), 'sandbox'), 'network');
}

function at(value: unknown, key: string): JsonObject {
  const found = isJsonObject(value) ? value[key] : undefined;
  return isJsonObject(found) ? found : {};
}
