import { describe, expect, test } from 'vitest';
import { plan } from './launch-case.js';

describe('fronts', () => {
  test('query() has the policy of the official SDK, lines up to 256 MiB among it (TS-172)', () => {
    expect(plan({}).policy).toEqual({
      pipelinePrompt: true,
      initializeMustConfirm: [],
      onInitializeError: 'ignore',
      closeRule: 'string',
      deadlineFrom: 'start',
      exitLadder: { sigtermMs: 2000, sigkillMs: 7000 },
      answerAfterCancel: true,
      fillDenyMessage: false,
      verbatimPrompts: false,
      limits: {
        maxBufferBytes: 256 * 1024 * 1024,
        maxQueuedBytes: Number.POSITIVE_INFINITY,
        maxSpooledBytes: 4 * 1024 ** 3,
        initializeTimeoutMs: 60_000,
        controlTimeoutMs: undefined,
        idleTimeoutMs: Number.POSITIVE_INFINITY,
        deadlineMs: Number.POSITIVE_INFINITY,
        exitGraceMs: 60_000,
      },
    });
  });

  test('ClaudeClient differs in the policy and in nothing else', () => {
    const options = { model: 'm', mcpServers: { a: { command: 'x' } }, env: {} };
    const { policy: ofQuery, ...asQuery } = plan(options);
    const { policy: ofClient, ...asClient } = plan(options, { front: 'client', prompt: 'none' });
    expect(asClient).toEqual(asQuery);
    expect(ofClient).toEqual({
      ...ofQuery,
      pipelinePrompt: false,
      onInitializeError: 'fail',
      closeRule: 'held',
      exitLadder: { sigtermMs: 5000, sigkillMs: 10_000 },
      answerAfterCancel: false,
      fillDenyMessage: true,
    });
  });

  test('startup() and prewarm() are query() in two steps, with start-up marks', () => {
    const { policy: ofQuery, ...asQuery } = plan({ env: {} });
    const { policy: ofWarm, ...asWarm } = plan({ env: {} }, { front: 'warm', prompt: 'none' });
    const marks = { CLAUDE_CODE_SDK_READS_STARTUP_MARKS: '1' };
    expect(asWarm).toEqual({ ...asQuery, env: { ...asQuery.env, ...marks } });
    expect(ofWarm).toEqual({ ...ofQuery, onInitializeError: 'fail', closeRule: 'held', deadlineFrom: 'prompt' });
  });

  test('start-up marks that the caller switched off stay off', () => {
    const env = { CLAUDE_CODE_SDK_READS_STARTUP_MARKS: '0' };
    expect(plan({ env }, { front: 'warm', prompt: 'none' }).env).toMatchObject(env);
  });

  test.each([
    ['query', 'string', 'string'],
    ['query', 'stream', 'stream'],
    ['query', 'none', 'held'],
    ['client', 'string', 'held'],
    ['client', 'stream', 'stream'],
    ['client', 'none', 'held'],
  ] as const)('%s with a prompt of kind %s closes stdin by the rule %s', (front, prompt, rule) => {
    expect(plan({}, { front, prompt }).policy.closeRule).toBe(rule);
  });
});

describe('what the answer to initialize must confirm', () => {
  const hooks = (onFailure?: string) => ({ hooks: { Stop: [{ hooks: [], onFailure }] } });
  const servers = { mcpServers: { a: { command: 'x' } }, mcpServersDelivery: 'initialize' };
  test.each([
    ['a hook that blocks on failure (TS-085)', hooks('block'), ['hookOnFailure']],
    ['a hook that continues (TS-086)', hooks('continue'), []],
    ['a hook that says nothing', hooks(), []],
    ['servers in initialize (TS-087)', servers, ['mcpServers']],
    ['both', { ...hooks('later'), ...servers }, ['hookOnFailure', 'mcpServers']],
    ['servers elsewhere', { ...servers, extraArgs: { 'sdk-url': 'u' } }, []],
    ['no servers', { ...servers, mcpServers: {} }, []],
    ['plugins in initialize', { plugins: [{ type: 'local', path: 'p' }], pluginDelivery: 'initialize' }, []],
  ])('%s', (_name, options, expected) => {
    const { initializeMustConfirm, pipelinePrompt } = plan(options).policy;
    expect(initializeMustConfirm).toEqual(expected);
    expect(pipelinePrompt).toBe(expected.length === 0);
  });
});

describe('limits', () => {
  const TIMES = [
    ['initializeTimeoutMs', 'initializeTimeoutMs'],
    ['controlTimeoutMs', 'controlTimeoutMs'],
    ['idleTimeoutMs', 'idleTimeoutMs'],
    ['deadlineMs', 'deadlineMs'],
    ['exitGraceMs', 'exitGraceMs'],
  ] as const;
  const SIZES = [
    ['maxBufferBytes', 'maxBufferBytes'],
    ['maxQueuedBytes', 'maxQueuedBytes'],
    ['maxSpooledBytes', 'maxSpooledBytes'],
  ] as const;

  test.each([...TIMES, ...SIZES])('%s: 0 and Infinity mean no limit', (option, limit) => {
    for (const value of [0, Number.POSITIVE_INFINITY]) {
      expect(plan({ [option]: value }).policy.limits[limit]).toBe(Number.POSITIVE_INFINITY);
    }
    expect(plan({ [option]: 1234 }).policy.limits[limit]).toBe(1234);
  });

  test.each(TIMES)('%s: a time that no timer can hold means no limit', (option, limit) => {
    expect(plan({ [option]: 2 ** 31 - 1 }).policy.limits[limit]).toBe(2 ** 31 - 1);
    expect(plan({ [option]: 2 ** 31 }).policy.limits[limit]).toBe(Number.POSITIVE_INFINITY);
  });

  test.each([...TIMES, ...SIZES])('%s: negative, NaN and text are refused', (option) => {
    for (const value of [-1, Number.NaN, '5']) {
      expect(() => plan({ [option]: value })).toThrow(`Option \`${option}\` must be a number`);
    }
  });
});

test.each([
  ['1000', 1000],
  ['0', Number.POSITIVE_INFINITY],
  ['1e6', 1_000_000],
  ['', undefined],
  ['-1', undefined],
  ['soon', undefined],
])('CLAUDE_CODE_PRINT_BG_WAIT_CEILING_MS=%s is the cap of a silent turn (PY-356)', (ceiling, quietCapMs) => {
  expect(plan({ env: { CLAUDE_CODE_PRINT_BG_WAIT_CEILING_MS: ceiling } }).policy.quietCapMs).toBe(quietCapMs);
});

test('verbatimPrompts reaches the session (TS-082)', () => {
  expect(plan({ verbatimPrompts: true }).policy.verbatimPrompts).toBe(true);
});
