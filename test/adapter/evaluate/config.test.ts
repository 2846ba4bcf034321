import { describe, expect, test } from 'vitest';
import { AdapterConfigError, UnsupportedParameterError } from '../../../src/adapter/errors/adapter-error.js';
import type { ClaudeAgentModelConfig } from '../../../src/adapter/evaluate/adapter-config.js';
import { type ClaudeAgentAdapterOptions, resolveAdapterConfig } from '../../../src/adapter/evaluate/adapter-config.js';
import { ClaudeAgentAdapter } from '../../../src/adapter/evaluate/claude-agent-adapter.js';
import * as door from '../../../src/adapter/index.js';
import { Session } from '../../../src/adapter/state/session.js';
import { fakeRuntime } from '../support/fake-runtime.js';
import { askPrompt } from '../support/make-prompt.js';
import { thrownBy } from '../support/thrown-by.js';

const build = (options: object): ClaudeAgentAdapter => new ClaudeAgentAdapter(options as ClaudeAgentAdapterOptions);

test('what an adapter is without arguments (AD-091)', () => {
  const config = resolveAdapterConfig({});
  expect(config).toMatchObject({
    model: 'claude-sonnet-4-5-20250929',
    adapterName: 'claude_agent_sdk',
    bridgeName: 'wink',
    client: { permissionMode: 'bypassPermissions', suppressStderr: true, stopOnStructuredOutput: true },
  });
  expect(config.client.isolation).toBeUndefined();
  expect(config.allowedTools).toBeUndefined();
  expect(new ClaudeAgentAdapter().adapterName).toBe('claude_agent_sdk');
});

describe('parameters of the model', () => {
  test('all that are refused are in one error, in alphabetical order (AD-092)', () => {
    const error = thrownBy(() => build({ modelConfig: { stop: ['x'], seed: 1, temperature: 1 } }));
    expect(error).toBeInstanceOf(UnsupportedParameterError);
    expect(error).toMatchObject({ fields: ['seed', 'stop'] });
    expect(String(error)).toMatch(/`seed`.*`stop`/);
  });

  test.each([{ presencePenalty: 0 }, { frequencyPenalty: 0 }, { stop: '' }, { seed: 0 }])(
    'a value counts though it is empty or zero: %j (AD-093)',
    (modelConfig) => {
      expect(() => build({ modelConfig })).toThrow(UnsupportedParameterError);
    },
  );

  test('the ones without an effect are accepted, with one warning for the adapter (AD-094)', async () => {
    const warnings: unknown[] = [];
    const none = (): void => {};
    const fake = fakeRuntime([{ type: 'result', subtype: 'success', result: 'ok' }]);
    const adapter = new ClaudeAgentAdapter({
      modelConfig: { temperature: 0.5, maxTokens: 100, model: 'a-model' },
      clientConfig: { permissionMode: 'bypassPermissions' },
      loadRuntime: fake.loadRuntime,
      uid: 1000,
      logger: {
        debug: none,
        info: none,
        error: none,
        warn: (message, { context }) => void warnings.push([message, context]),
      },
    });
    for (const _ of [1, 2]) await adapter.evaluate(askPrompt(), { session: new Session() });
    expect(warnings).toEqual([['claude_agent_sdk.config.parameter_ignored', { names: ['temperature', 'maxTokens'] }]]);
    expect(fake.runs.map(({ options }) => options.model)).toEqual(['a-model', 'a-model']);
  });
});

describe('configurations that are refused', () => {
  test.each([
    ['sandbox', { sandbox: {} }],
    ['env', { env: {} }],
    ['settingSources', { settingSources: ['user'] }],
  ])('isolation together with %s (AD-098)', (name, other) => {
    const error = thrownBy(() => build({ clientConfig: { isolation: {}, ...other } }));
    expect(error).toBeInstanceOf(AdapterConfigError);
    expect(error).toMatchObject({ fields: ['clientConfig.isolation', `clientConfig.${name}`] });
    expect(String(error)).toContain(name);
  });

  test('isolation with no setting sources is fine', () => {
    expect(() => build({ clientConfig: { isolation: {}, settingSources: [] } })).not.toThrow();
  });

  test.each([
    [{ maxTurns: 0 }, 'maxTurns'],
    [{ maxTurns: 1.5 }, 'maxTurns'],
    [{ maxBudgetUsd: -1 }, 'maxBudgetUsd'],
    [{ maxBudgetUsd: 0 }, 'maxBudgetUsd'],
    [{ maxBudgetUsd: Number.NaN }, 'maxBudgetUsd'],
  ])('a limit that is not positive: %j (AD-099)', (clientConfig, name) => {
    const error = thrownBy(() => build({ clientConfig }));
    expect(error).toBeInstanceOf(AdapterConfigError);
    expect(error).toMatchObject({ fields: [`clientConfig.${name}`] });
  });

  test.each(['', 'a b', 'a__b', '_a', 'a_', 'é', 'a.b'])('the bridge name %j (AD-376)', (bridgeName) => {
    const error = thrownBy(() => build({ bridgeName }));
    expect(error).toBeInstanceOf(AdapterConfigError);
    expect(error).toMatchObject({ fields: ['options.bridgeName'] });
  });

  test.each(['wink', 'a', 'a-b', 'a_b_c', 'A1'])('the bridge name %j is fine', (bridgeName) => {
    expect(() => build({ bridgeName })).not.toThrow();
  });

  const wrong: readonly [object, string][] = [
    [{ modle: 'x' }, 'options.modle'],
    [{ model: '' }, 'options.model'],
    [{ clientConfig: { permisionMode: 'plan' } }, 'clientConfig.permisionMode'],
    [{ clientConfig: { cwd: 1 } }, 'clientConfig.cwd'],
    [{ clientConfig: { addDirs: ['a', 2] } }, 'clientConfig.addDirs[1]'],
    [{ clientConfig: { hookTimeouts: { stop: 0 } } }, 'clientConfig.hookTimeouts.stop'],
    [{ clientConfig: { hookFailureMode: 'closed' } }, 'clientConfig.hookFailureMode'],
    [{ clientConfig: { promptPlacement: 'middle' } }, 'clientConfig.promptPlacement'],
    [{ clientConfig: { contextProviders: ['x'] } }, 'clientConfig.contextProviders[0]'],
    [{ clientConfig: { stderr: 'x' } }, 'clientConfig.stderr'],
    [{ clientConfig: { deadlineGraceMs: -1 } }, 'clientConfig.deadlineGraceMs'],
    [{ modelConfig: { top_p: 1 } }, 'modelConfig.top_p'],
    [{ modelConfig: { temperature: 'hot' } }, 'modelConfig.temperature'],
    [{ allowedTools: 'Read' }, 'options.allowedTools'],
    [{ allowedTools: ['--x'] }, 'options.allowedTools[0]'],
    [{ logger: console.log }, 'options.logger'],
    [{ clock: {} }, 'options.clock'],
  ];
  test.each(wrong)('%j is refused, and the field is named', (options, field) => {
    const error = thrownBy(() => build(options));
    expect(error).toBeInstanceOf(AdapterConfigError);
    expect(error).toMatchObject({ fields: [field] });
  });
});

test('the names of the seeds stand for the same class and types (AD-373)', () => {
  expect(door.ClaudeAgentSDKAdapter).toBe(door.ClaudeAgentAdapter);
  const client: door.ClaudeAgentClientConfig = { maxTurns: 1 };
  const sameClient: door.ClaudeAgentSDKClientConfig = client;
  const model: ClaudeAgentModelConfig = { model: 'm' };
  const sameModel: door.ClaudeAgentSDKModelConfig = model;
  expect([sameClient, sameModel]).toEqual([client, model]);
});
