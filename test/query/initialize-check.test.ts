import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { ClaudeClient, ControlRequestTimeoutError, query } from '../../src/index.js';
import { missingConfirmation } from '../../src/query/initialize-check.js';
import type { LaunchPolicy } from '../../src/query/launch/launch-plan.js';
import type { JsonObject } from '../../src/util/json.js';
import { initFrame, turn } from '../helpers/cli-frames.js';
import { scriptedCli } from '../helpers/scripted-cli.js';
import { answerTo, CLOCKS, memorySession, readAll, settled, subtypeOf } from './memory-session.js';

type MustConfirm = LaunchPolicy['initializeMustConfirm'];

const confirmations: readonly {
  readonly name: string;
  readonly must: MustConfirm;
  readonly answer: JsonObject;
  readonly missing: RegExp | undefined;
}[] = [
  { name: 'nothing is needed of it', must: [], answer: {}, missing: undefined },
  {
    name: 'onFailure is confirmed (TS-085)',
    must: ['hookOnFailure'],
    answer: { hook_on_failure_supported: true },
    missing: undefined,
  },
  { name: 'onFailure is not known (TS-085)', must: ['hookOnFailure'], answer: {}, missing: /onFailure/ },
  {
    name: 'onFailure is confirmed by something else than true',
    must: ['hookOnFailure'],
    answer: { hook_on_failure_supported: 'yes' },
    missing: /onFailure/,
  },
  {
    name: 'the hooks were not applied',
    must: ['hookOnFailure'],
    answer: { hook_on_failure_supported: true, hooks_applied: false },
    missing: /onFailure/,
  },
  {
    name: 'the hooks were not applied, and the caller checks `onFailure` itself',
    must: ['hooksApplied'],
    answer: { hooks_applied: false },
    missing: /onFailure/,
  },
  { name: 'the caller checks `onFailure` itself', must: ['hooksApplied'], answer: {}, missing: undefined },
  {
    name: 'MCP servers are confirmed, even with an empty list (TS-087)',
    must: ['mcpServers'],
    answer: { mcp_servers_applied: [] },
    missing: undefined,
  },
  { name: 'MCP servers are not known (TS-087)', must: ['mcpServers'], answer: {}, missing: /mcpServersDelivery/ },
  {
    name: 'of two only the second is missing',
    must: ['hookOnFailure', 'mcpServers'],
    answer: { hook_on_failure_supported: true },
    missing: /mcpServersDelivery/,
  },
];

describe('the answer to initialize', () => {
  test.each(confirmations)('$name', ({ must, answer, missing }) => {
    const error = missingConfirmation(answer, must);
    if (missing === undefined) expect(error).toBeUndefined();
    else expect(error?.message).toMatch(missing);
  });

  test('a message waits for the confirmation, and is never written without it (TS-086)', async () => {
    const cli = scriptedCli([{ wait: 'EOF' }], { answers: { initialize: { hook_on_failure_supported: false } } });
    const hook = async () => ({});
    const run = query({
      prompt: 'Go.',
      options: { pathToClaudeCodeExecutable: cli.path, hooks: { PreToolUse: [{ hooks: [hook], onFailure: 'block' }] } },
    });
    await expect(run.next()).rejects.toMatchObject({
      name: 'ControlRequestError',
      subtype: 'initialize',
      details: { mustConfirm: 'hookOnFailure' },
    });
    await expect.poll(() => cli.log().exitCode).toBe(0);
    expect(cli.log().frames.map((frame) => frame.type)).toEqual(['control_request']);
  });
});

describe('initializeTimeoutMs', () => {
  const LIMIT_MS = 1000;
  const options = { initializeTimeoutMs: LIMIT_MS };

  beforeEach(() => vi.useFakeTimers({ toFake: [...CLOCKS] }));
  afterEach(() => vi.useRealTimers());

  async function pass(ms: number): Promise<void> {
    await settled();
    await vi.advanceTimersByTimeAsync(ms);
    await settled();
  }

  test('an unanswered initialize ends the run: loop and methods reject, the CLI is told to leave', async () => {
    const { session, peer } = memorySession({ options, answersInitialize: false });
    const seen = readAll(session);
    const asked = session.request('set_model', { model: 'm' });
    await pass(LIMIT_MS - 1);
    expect(session.isRunning).toBe(true);
    await pass(1);
    expect(await seen).toEqual(['initialize_timeout']);
    await expect(session.controller.initialized).rejects.toMatchObject({
      name: 'ControlRequestTimeoutError',
      subtype: 'initialize',
      timeoutMs: LIMIT_MS,
    });
    await expect(asked).rejects.toThrow(ControlRequestTimeoutError);
    expect(peer.hasInputEnded).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('the time of a reported SessionStart hook does not count', async () => {
    const { session, peer } = memorySession({ options, answersInitialize: false });
    const hook = { type: 'system', hook_id: 'h1', hook_event: 'SessionStart' };
    await pass(LIMIT_MS - 10);
    peer.emit({ ...hook, subtype: 'hook_started' });
    await pass(100 * LIMIT_MS);
    peer.emit({ ...hook, subtype: 'hook_response' });
    await pass(9);
    expect(session.isRunning).toBe(true);
    await pass(1);
    expect(session.isRunning).toBe(false);
  });

  test('`system/init` shows that the CLI is up: the limit falls away', async () => {
    const { session, peer } = memorySession({ options, answersInitialize: false });
    await settled();
    peer.emit(initFrame());
    await pass(100 * LIMIT_MS);
    expect(session.isRunning).toBe(true);
  });

  test('controlTimeoutMs begins with the answer to initialize, and the session goes on after it', async () => {
    let initialize: JsonObject | undefined;
    const { session, peer } = memorySession({
      options: { controlTimeoutMs: 100 },
      answersInitialize: false,
      onFrame: (frame) => {
        if (subtypeOf(frame) === 'initialize') initialize = frame;
      },
    });
    const failed = session.request('set_permission_mode', { mode: 'plan' }).catch((e) => e);
    await pass(10_000);
    peer.emit(answerTo(initialize!));
    await pass(99);
    expect(session.controller.pendingRequestCount).toBe(1);
    await pass(1);
    expect(await failed).toMatchObject({
      name: 'ControlRequestTimeoutError',
      errorClass: 'control_request_timeout',
      subtype: 'set_permission_mode',
    });
    expect(session.isRunning).toBe(true);
  });
});

test('initializeTimeoutMs over a real process: the error, and the process is gone', async () => {
  const cli = scriptedCli([{ wait: 'EOF', timeoutMs: 0 }], { answers: { initialize: null } });
  const run = query({ prompt: 'Go.', options: { pathToClaudeCodeExecutable: cli.path, initializeTimeoutMs: 500 } });
  await expect(run.next()).rejects.toThrow(ControlRequestTimeoutError);
  await expect(run.initializationResult()).rejects.toThrow(ControlRequestTimeoutError);
  await expect.poll(() => cli.log().exitCode).toBe(0);
});

test.each([
  ['says that it did not start them', false, ['CLAUDE_SDK_MCP_SERVERS_NOT_APPLIED']],
  ['says that it did', true, []],
  ['lists them', [], []],
])('servers sent in initialize: a CLI that %s (D-4)', async (_, applied, codes) => {
  const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  onTestFinished(() => warn.mockRestore());
  const cli = scriptedCli([...turn(), { wait: 'EOF' }], { answers: { initialize: { mcp_servers_applied: applied } } });
  const all = query({
    prompt: 'Go.',
    options: {
      pathToClaudeCodeExecutable: cli.path,
      mcpServers: { far: { type: 'http', url: 'http://127.0.0.1:1/' } },
      mcpServersDelivery: 'initialize',
    },
  });
  for await (const message of all) if (message.type === 'result') break;
  expect(warn.mock.calls.map(([, options]) => Object(options).code)).toEqual(codes);
});

test('a handshake that fails says what is known of the release that was started', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'initialize-check-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const cli = join(folder, 'cli.js');
  writeFileSync(join(folder, 'package.json'), '{ "name": "@anthropic-ai/claude-code", "version": "2.3.1" }');
  writeFileSync(
    cli,
    `process.stdin.on('data', (data) => {
      const { request_id } = JSON.parse(String(data).split('\\n')[0]);
      console.log(JSON.stringify({ type: 'control_response', response: { subtype: 'error', request_id, error: 'No.' } }));
    });`,
  );
  const client = new ClaudeClient({ pathToClaudeCodeExecutable: cli });
  await expect(client.connect()).rejects.toThrow(/^No\. CLI 2\.3\.1 is newer than what was tested \(2\.1\.\d+\)/);
});
