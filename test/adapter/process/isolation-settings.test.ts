import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { AdapterConfigError } from '../../../src/adapter/errors/adapter-error.js';
import type { IsolationConfig } from '../../../src/adapter/isolation/isolation-config.js';
import { Session } from '../../../src/adapter/state/session.js';
import type { JsonObject } from '../../../src/util/json.js';
import { recordedSettings } from '../isolation/recorded-settings.js';
import { refused } from '../isolation/support.js';
import { askPrompt } from '../support/make-prompt.js';
import { play, type Stage } from '../support/play.js';
import { notIn } from '../support/stands-for.js';
import { adapterOn, isGone, managedCli } from './isolation-support.js';

const evaluate = (adapter: ReturnType<typeof adapterOn>['adapter']) =>
  adapter.evaluate(askPrompt(), { session: new Session() });

/** What was sent, in order: the subtypes of requests, and `user`. */
function requests(stage: Stage): readonly unknown[] {
  return stage.sent.frames.flatMap(({ type, request }) =>
    type === 'user' ? ['user'] : ((request as JsonObject | undefined)?.subtype ?? []),
  );
}

/** The run ended before anything was said, and nothing of it is left. */
function expectNothingSaid(stage: Stage): void {
  expect(stage.sent.userMessages).toEqual([]);
  expect(stage.runs.map(({ pid }) => isGone(pid))).toEqual([true]);
  expect(readdirSync(stage.tempRoot)).toEqual([]);
}

test('settings that the CLI drops end the run before a message is sent (AD-405)', async () => {
  const { answer } = recordedSettings('settings-wrong-type');
  await using stage = play(({ endOfInput }) => [endOfInput()], {
    recordings: ['settings-wrong-type'],
    answers: { get_settings: answer },
  });
  const { adapter } = adapterOn(stage, { isolation: {} });
  const error = await refused(evaluate(adapter));
  expect(error).toBeInstanceOf(AdapterConfigError);
  const { message } = error as Error;
  for (const part of ['/run-dir/s.json', 'sandbox.network.allowUnixSockets', 'Expected array, but received boolean']) {
    expect(message).toContain(part);
  }
  expectNothingSaid(stage);
});

describe('managed settings', () => {
  const isolation: IsolationConfig = {
    networkPolicy: { allowedDomains: ['good.example'] },
    sandbox: { excludedCommands: ['docker'] },
  };
  const sandbox = 'answer.effective.sandbox';

  test('the answers of this file have the shape of recorded ones', () => {
    const payload: JsonObject = { effective: {}, sources: [], applied: {} };
    expect(notIn(['settings-managed'], [{ answerTo: 'get_settings', payload }])).toEqual([]);
  });

  test('a changed or loosened value is refused by its key, a longer deny list is not (AD-406)', async () => {
    const bare: IsolationConfig = { networkPolicy: { allowedDomains: ['good.example'] } };
    const cases = [
      [`${sandbox}.autoAllowBashIfSandboxed = false`, 'sandbox.autoAllowBashIfSandboxed'],
      [`${sandbox}.network.allowedDomains.push('extra.example')`, 'sandbox.network.allowedDomains'],
      [`${sandbox}.excludedCommands.push('rm:*')`, 'sandbox.excludedCommands'],
      [`${sandbox}.excludedCommands = ['rm:*']`, 'sandbox.excludedCommands', bare],
    ] as const;
    for (const [edit, key, config = isolation] of cases) {
      await using stage = play(({ endOfInput }) => [endOfInput()], { recordings: ['settings-managed'] });
      const pathToClaudeCodeExecutable = managedCli(stage, edit);
      const { adapter } = adapterOn(stage, { isolation: config, pathToClaudeCodeExecutable });
      const error = await refused(evaluate(adapter));
      expect(error).toBeInstanceOf(AdapterConfigError);
      expect(error).toMatchObject({ fields: [key], message: expect.stringContaining(key) });
      expectNothingSaid(stage);
    }
    await using stage = play(({ turn }) => turn('Four.'), { recordings: ['hello', 'settings-managed'] });
    const edit = "(answer.effective.permissions.deny ??= []).push('NotebookEdit')";
    const pathToClaudeCodeExecutable = managedCli(stage, edit);
    const { adapter } = adapterOn(stage, { isolation: {}, pathToClaudeCodeExecutable });
    const response = await evaluate(adapter);
    expect(response.text).toBe('Four.');
    expect(response.isolation).toMatchObject({ settingsConfirmed: true });
  });

  test('those that change nothing of ours are named and logged (AD-407)', async () => {
    await using stage = play(({ turn }) => turn('Four.'), { recordings: ['hello', 'settings-managed'] });
    const managed = "{ source: 'policySettings', settings: { env: { MARK: 'managed' } } }";
    const edit = `answer.sources.push(${managed}); answer.effective.env = { MARK: 'managed' };`;
    const pathToClaudeCodeExecutable = managedCli(stage, edit);
    const env = { MARK: 'managed' };
    const { adapter, logged } = adapterOn(stage, { isolation: { ...isolation, env }, pathToClaudeCodeExecutable });
    const response = await evaluate(adapter);
    expect(response.text).toBe('Four.');
    expect(response.isolation?.managedSources).toEqual(['policySettings']);
    expect(logged).toContainEqual({
      level: 'warn',
      event: 'isolation.managed_settings',
      context: expect.objectContaining({ sources: ['policySettings'] }),
    });
  });
});

test('a CLI that does not know the request is refused when the sandbox is required (AD-408)', async () => {
  const question = { type: 'control_request', request: { subtype: 'get_settings' } };
  const unknown = { in: question, error: 'Unsupported control request subtype: get_settings' };
  {
    await using stage = play(({ endOfInput }) => [unknown, endOfInput()], { recordings: ['info-requests'] });
    const { adapter } = adapterOn(stage, { isolation: {} });
    expect(await refused(evaluate(adapter))).toBeInstanceOf(AdapterConfigError);
    expectNothingSaid(stage);
  }
  await using stage = play(({ turn }) => [unknown, turn('Four.')], { recordings: ['info-requests', 'hello'] });
  const isolation = { sandbox: { required: false } };
  const { adapter, logged } = adapterOn(stage, { isolation });
  const response = await evaluate(adapter);
  expect(response.text).toBe('Four.');
  expect(response.isolation?.settingsConfirmed).toBe(false);
  const warnings = logged.filter(({ level }) => level === 'warn').map(({ event }) => event);
  expect(warnings).toContain('isolation.settings_unconfirmed');
});

test('the message follows the answer about the settings, and nobody asks when none were sent (AD-409)', async () => {
  const question = { type: 'control_request', request: { subtype: 'get_settings' } };
  {
    const { answer } = recordedSettings('sandbox-proxy-both');
    await using stage = play(
      ({ prompt, init, result }) => [
        // Long enough for a message that does not wait.
        { delayMs: 100 },
        { in: question, answer },
        prompt(),
        init(),
        result('Four.'),
      ],
      { recordings: ['hello', 'sandbox-proxy-both'] },
    );
    const { adapter } = adapterOn(stage, { outsideWorkspacePaths: 'deny' });
    const running = evaluate(adapter);
    await expect.poll(() => requests(stage)).toContain('get_settings');
    expect(stage.sent.userMessages).toEqual([]);
    await running;
    expect(requests(stage)).toEqual(['initialize', 'get_settings', 'user']);
  }
  await using stage = play(({ turn }) => turn('Four.'), { recordings: ['hello'] });
  const { adapter } = adapterOn(stage, {});
  await evaluate(adapter);
  expect(stage.sent.controlRequests.map(({ subtype }) => subtype)).not.toContain('get_settings');
});
