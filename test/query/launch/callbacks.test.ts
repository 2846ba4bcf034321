import { describe, expect, test } from 'vitest';
import type { McpEndpointFactory } from '../../../src/control/mcp-endpoint.js';
import { InvalidOptionError } from '../../../src/errors.js';
import { plan, sdkServer } from './launch-case.js';

const answer = async () => null;

test('every hook is registered with its event, in the order of its id', () => {
  const [a, b, c] = [async () => ({}), async () => ({}), async () => ({})];
  const { hooks } = plan({
    hooks: { PreToolUse: [{ hooks: [a, b] }, { hooks: [] }], Stop: [], Newer: [{ hooks: [a] }, { hooks: [c] }] },
  }).callbacks;
  expect(hooks).toEqual([
    { callbackId: 'hook_0', event: 'PreToolUse', callback: a },
    { callbackId: 'hook_1', event: 'PreToolUse', callback: b },
    { callbackId: 'hook_2', event: 'Newer', callback: a },
    { callbackId: 'hook_3', event: 'Newer', callback: c },
  ]);
});

test('a failing hook is reported unless the caller says otherwise', () => {
  expect(plan({}).callbacks.onHookError).toBe('report');
  expect(plan({ onHookError: 'deny' }).callbacks.onHookError).toBe('deny');
});

test('the three callbacks are handed on, `null` counts as absent', () => {
  expect(plan({ canUseTool: null }).callbacks.canUseTool).toBeUndefined();
  const given = { canUseTool: answer, onElicitation: answer, onUserDialog: answer };
  expect(plan(given).callbacks).toMatchObject(given);
});

describe('what may need stdin after the last message (TS-097)', () => {
  test.each([
    ['nothing', {}, false],
    ['no hook events', { hooks: {} }, false],
    ['an event without matchers', { hooks: { Stop: [] } }, true],
    ['an event that is null', { hooks: { Stop: null } }, true],
    ['canUseTool', { canUseTool: answer }, true],
    ['onElicitation', { onElicitation: answer }, true],
    ['onUserDialog', { onUserDialog: answer }, true],
    ['an answer for unhandled elicitations', { unhandledElicitation: 'cancel' }, false],
    ['an in-process server', { mcpServers: { a: sdkServer('a') } }, true],
    ['an external server', { mcpServers: { a: { command: 'x' } } }, false],
    ['a stderr listener', { stderr: answer }, false],
  ])('%s', (_name, options, expected) => {
    expect(plan(options).callbacks.needStdin).toBe(expected);
  });
});

describe('in-process servers', () => {
  test('each has its factory under the key of the record, and no instance is read', () => {
    const made: [unknown, McpEndpointFactory][] = [];
    const [one, two] = [sdkServer('same'), sdkServer('same')];
    const { mcpServers } = plan(
      { mcpServers: { a: one, external: { command: 'x' }, b: two } },
      {
        createMcpEndpointFactory: (config) => {
          const factory = () => {
            throw new Error('not yet');
          };
          made.push([config, factory]);
          return factory;
        },
      },
    ).callbacks;
    expect(made.map(([config]) => config)).toEqual([one, two]);
    expect([...mcpServers]).toEqual([
      ['a', made[0]?.[1]],
      ['b', made[1]?.[1]],
    ]);
  });

  test('one that cannot be prepared is an invalid option with the cause', () => {
    const cause = new Error('no');
    const run = () =>
      plan(
        { mcpServers: { a: sdkServer('a') } },
        {
          createMcpEndpointFactory: () => {
            throw cause;
          },
        },
      );
    expect(run).toThrow(expect.objectContaining({ option: 'mcpServers.a', cause }));
    expect(run).toThrow(InvalidOptionError);
  });
});
