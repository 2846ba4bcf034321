import { describe, expect, test } from 'vitest';
import { AdapterConfigError } from '../../../src/adapter/errors/adapter-error.js';
import { ClaudeAgentAdapter } from '../../../src/adapter/evaluate/claude-agent-adapter.js';
import {
  type IsolationConfig,
  resolveIsolation,
  resolveSandbox,
} from '../../../src/adapter/isolation/isolation-config.js';
import { thrownBy } from '../support/thrown-by.js';

test('a sandbox that nothing is said about (AD-212)', () => {
  const common = {
    enabled: true,
    bashAutoAllow: true,
    allowUnsandboxedCommands: false,
    writablePaths: [],
    readablePaths: [],
    denyRead: [],
    excludedCommands: [],
    exposeEnv: [],
  };
  expect(resolveSandbox(undefined, 'linux')).toEqual({ ...common, required: true });
  expect(resolveSandbox(undefined, 'darwin')).toEqual({ ...common, required: true });
  expect(resolveSandbox(undefined, 'win32')).toEqual({ ...common, required: false });
});

test('an isolation that nothing is said about reaches no host', () => {
  const isolation = resolveIsolation({}, 'linux');
  expect(isolation.networkPolicy.effectiveDomains).toEqual([]);
  expect(isolation).toMatchObject({ includeHostEnv: false, passEnv: [], portEnforcement: 'proxy' });
  const off = resolveIsolation({ sandbox: { enabled: false } }, 'linux');
  expect(off).toMatchObject({ portEnforcement: 'hook', sandbox: { required: false } });
});

test('commands that may leave the sandbox, and none named (AD-215)', () => {
  const isolation = { sandbox: { allowUnsandboxedCommands: true } };
  const error = thrownBy(() => new ClaudeAgentAdapter({ clientConfig: { isolation } }));
  expect(error).toBeInstanceOf(AdapterConfigError);
  expect((error as AdapterConfigError).message).toContain('excludedCommands');
});

describe('a configuration that cannot be meant is refused, with the field', () => {
  const cases: readonly (readonly [string, unknown, string])[] = [
    ['an unknown field', { sandboxx: {} }, 'isolation.sandboxx'],
    ['an unknown field of the sandbox', { sandbox: { on: true } }, 'isolation.sandbox.on'],
    ['a text for a boolean', { sandbox: { enabled: 'no' } }, 'isolation.sandbox.enabled'],
    ['a text for a list', { sandbox: { denyRead: '/x' } }, 'isolation.sandbox.denyRead'],
    ['an empty path', { sandbox: { denyRead: [''] } }, 'isolation.sandbox.denyRead[0]'],
    ['a NUL in a path', { sandbox: { writablePaths: ['/a\0'] } }, 'isolation.sandbox.writablePaths[0]'],
    ['a variable with =', { passEnv: ['A=B'] }, 'isolation.passEnv[0]'],
    // With these names the CLI would only refuse its settings, once it has been started.
    ['a variable with a dot', { env: { 'x.token': 'v' } }, 'isolation.env.x.token'],
    ['a variable that begins with a digit', { passEnv: ['1_TOKEN'] }, 'isolation.passEnv[0]'],
    ['an exposed one with a dash', { sandbox: { exposeEnv: ['A-B'] } }, 'isolation.sandbox.exposeEnv[0]'],
    ['a variable with a line feed', { env: { 'A_TOKEN\n': 'v' } }, 'isolation.env.A_TOKEN\n'],
    ['a variable that is no string', { env: { A: 1 } }, 'isolation.env.A'],
    ['a variable without a name', { env: { '': 'x' } }, 'isolation.env.'],
    ['an empty key', { apiKey: '' }, 'isolation.apiKey'],
    ['a key that is none', { apiKey: 1 }, 'isolation.apiKey'],
    ['an unknown enforcement', { portEnforcement: 'off' }, 'isolation.portEnforcement'],
    ['a policy that is none', { networkPolicy: ['a'] }, 'isolation.networkPolicy'],
    [
      'a proxy that nothing would use',
      { portEnforcement: 'proxy', sandbox: { enabled: false } },
      'isolation.portEnforcement',
    ],
    ['null', null, 'isolation'],
  ];
  test.each(cases)('%s', (_, config, field) => {
    const error = thrownBy(() => resolveIsolation(config as IsolationConfig, 'linux'));
    expect(error).toBeInstanceOf(AdapterConfigError);
    expect((error as AdapterConfigError).fields[0]).toBe(field);
  });

  test('and no message shows a secret', () => {
    for (const config of [{ apiKey: 'sk-SECRET\0' }, { env: { A: 'sk-SECRET\0' } }]) {
      const error = thrownBy(() => resolveIsolation(config, 'linux'));
      expect(error).toBeInstanceOf(AdapterConfigError);
      expect(JSON.stringify((error as AdapterConfigError).toJSON())).not.toContain('SECRET');
    }
  });
});

test('every name that a variable can have is taken', () => {
  const names = ['A', '_', 'a1_B', '__proto__', 'ProgramFiles(x86)'];
  expect(resolveIsolation({ passEnv: names }, 'win32').passEnv).toEqual(names);
});

test('a configuration that was resolved resolves to itself', () => {
  const config = { apiKey: 'k', env: { A: '1' }, networkPolicy: { allowedPorts: [443] } };
  const once = resolveIsolation(config, 'linux');
  expect(resolveIsolation(once, 'linux')).toEqual(once);
});
