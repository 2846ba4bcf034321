import { describe, expect, test } from 'vitest';
import type { HookCallback, HookCallbackMatcher, HookEvent, Options } from '../../../src/index.js';
import { scriptedCli } from '../../../src/testing/scripted-cli.js';
import { virtualTime } from '../../../src/testing/virtual-time.js';
import type { JsonObject } from '../../../src/util/json.js';

const OPEN = '2.1.140';

interface Seen {
  /** Of each hook request, in order. */
  readonly answers: JsonObject[];
  /** What `initialize` said of the event's hooks. */
  readonly announced: unknown;
  /** Virtual milliseconds. */
  readonly elapsed: number;
}

/** One hook is asked once, in virtual time. */
async function ask(event: HookEvent, matcher: HookCallbackMatcher, claudeCodeVersion: string): Promise<Seen> {
  using time = virtualTime();
  await using cli = scriptedCli(
    ({ prompt, init, hook, result }) =>
      event === 'PreToolUse'
        ? [prompt(), init(), hook(event, { tool_name: 'Bash', tool_input: {} }), result('Done.')]
        : [prompt(), hook(event, {}), init(), result('Done.')],
    { inProcess: true },
  );
  const options: Options = { ...cli.options, claudeCodeVersion, hooks: { [event]: [matcher] } };
  const began = Date.now();
  const run = async (): Promise<void> => {
    for await (const _ of cli.query({ prompt: 'Hi', options }));
  };
  await time.until(run(), 3_600_000);
  const elapsed = Date.now() - began;
  const sent = cli.sent.frames.find(({ type }) => type === 'control_request') as { request: { hooks: JsonObject } };
  const answers = cli.sent.frames.filter(({ type }) => type === 'control_response');
  return {
    answers: answers.map(({ response }) => (response as { response: JsonObject }).response),
    announced: (sent.request.hooks[event] as JsonObject[]).map(({ timeout }) => timeout),
    elapsed,
  };
}

/** Never answers; remembers whether it was told to stop. */
function silent(): { hook: HookCallback; wasStopped: () => boolean } {
  let stopped = false;
  const hook: HookCallback = (_input, _id, { signal }) =>
    new Promise(() => {
      signal.addEventListener('abort', () => {
        stopped = true;
      });
    });
  return { hook, wasStopped: () => stopped };
}

describe('a hook that guards and does not answer in time, on a release that would go on', () => {
  const cases: readonly [HookEvent, timeout: number | undefined, release: string, limitS: number][] = [
    ['PreToolUse', 5, OPEN, 5],
    ['PreToolUse', undefined, OPEN, 600],
    ['PreToolUse', undefined, '2.0.56', 60],
    ['PreToolUse', 0, OPEN, 600],
    ['UserPromptSubmit', 5, OPEN, 5],
  ];
  test.each(cases)('%s with timeout %s on %s is denied after %s s', async (event, timeout, release, limitS) => {
    const { hook, wasStopped } = silent();
    const matcher = { hooks: [hook], ...(timeout === undefined ? {} : { timeout }) };
    const { answers, announced, elapsed } = await ask(event, matcher, release);
    const reason = `The ${event} hook did not answer within its time limit of ${limitS} s.`;
    const denial =
      event === 'PreToolUse'
        ? { hookSpecificOutput: { hookEventName: event, permissionDecision: 'deny', permissionDecisionReason: reason } }
        : { decision: 'block', reason };
    expect(answers).toEqual([denial]);
    expect(announced).toEqual([limitS + 60]);
    expect(elapsed).toBeGreaterThanOrEqual(limitS * 1_000);
    expect(elapsed).toBeLessThan(limitS * 1_000 + 1_000);
    expect(wasStopped()).toBe(true);
  });

  test.each([
    [2_147_483, 2_147_483],
    [3_000_000, 2_147_483],
    [Number.POSITIVE_INFINITY, 2_147_483],
    [2_147_423, 2_147_483],
    [2_147_422, 2_147_482],
  ])('a timeout of %s s is told as what a timer can hold: %s s', async (timeout, told) => {
    const hook: HookCallback = () =>
      new Promise((resolve) => void setTimeout(() => resolve({ reason: 'Fine.' }), 3_000_000));
    const { announced, answers } = await ask('PreToolUse', { hooks: [hook], timeout }, OPEN);
    expect(announced).toEqual([told]);
    expect(answers).toEqual([{ reason: 'Fine.' }]);
  });

  test('an answer in time is the only one', async () => {
    const hook: HookCallback = () =>
      new Promise((resolve) => void setTimeout(() => resolve({ reason: 'Fine.' }), 4_000));
    const { answers } = await ask('PreToolUse', { hooks: [hook], timeout: 5 }, OPEN);
    expect(answers).toEqual([{ reason: 'Fine.' }]);
  });

  test('an answer that comes too late is dropped', async () => {
    const hook: HookCallback = () => new Promise((resolve) => void setTimeout(() => resolve({}), 5_000));
    const { answers } = await ask('PreToolUse', { hooks: [hook], timeout: 4.5 }, OPEN);
    expect(answers).toMatchObject([{ hookSpecificOutput: { permissionDecision: 'deny' } }]);
  });
});

test('hooks that guard nothing keep their limit', async () => {
  const { announced } = await ask('PostToolUse', { hooks: [async () => ({})], timeout: 5 }, OPEN);
  expect(announced).toEqual([5]);
});

test('a newer release gets the limit as it is', async () => {
  const { announced } = await ask('PreToolUse', { hooks: [async () => ({})], timeout: 5 }, '2.1.330');
  expect(announced).toEqual([5]);
});
