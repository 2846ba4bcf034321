import { describe, expect, test } from 'vitest';
import { Notification, Plan, Workspace } from '../../../src/adapter/state/slices.js';
import { makeRun, type TestRun } from './make-run.js';

const submit = async ({ call }: TestRun): Promise<unknown> => {
  const { hookSpecificOutput, ...rest } = await call('UserPromptSubmit', { prompt: 'Go.' });
  expect(rest).toEqual({});
  return hookSpecificOutput;
};
const context = (...lines: string[]) => ({ hookEventName: 'UserPromptSubmit', additionalContext: lines.join('\n') });
const steps = (...statuses: string[]) => ({
  steps: statuses.map((status, index) => ({ description: `step ${index}`, status })),
});

describe('UserPromptSubmit', () => {
  test('the task at hand comes first, then the working directory (AD-160)', async () => {
    const run = makeRun();
    run.session.mutate(Plan).seed(steps('completed', 'in_progress', 'in_progress'));
    run.session.mutate(Workspace).seed({ root: '/w' });
    expect(await submit(run)).toEqual(context('[Context] Current task: step 1', '[Context] Working directory: /w'));
  });

  test('without a plan and a workspace nothing is added (AD-161)', async () => {
    expect(await makeRun().call('UserPromptSubmit', { prompt: 'Go.' })).toEqual({});
  });

  test('a plan of which nothing is in progress adds no line (AD-162)', async () => {
    const run = makeRun();
    run.session.mutate(Plan).seed(steps('completed', 'pending'));
    expect(await submit(run)).toBe(undefined);
    run.session.mutate(Workspace).seed({ root: '/w' });
    expect(await submit(run)).toEqual(context('[Context] Working directory: /w'));
  });

  test('of the providers one has nothing to say, one fails: the others are heard (AD-163)', async () => {
    const run = makeRun({
      contextProviders: [
        () => undefined,
        () => {
          throw new TypeError('no idea');
        },
        async ({ session, promptName }) => `${promptName} in ${session.sessionId.length}`,
        () => 'two\nlines',
      ],
    });
    run.session.mutate(Workspace).seed({ root: '/w' });
    expect(await submit(run)).toEqual(
      context('[Context] Working directory: /w', '[Context] tests:one in 36', '[Context] two', '[Context] lines'),
    );
    expect(run.logged).toEqual([
      {
        level: 'error',
        event: 'hook.error',
        context: { error: 'no idea', errorType: 'TypeError', hookEvent: 'UserPromptSubmit' },
      },
    ]);
  });

  test('a provider that gives no string is reported, not shown', async () => {
    const run = makeRun({ contextProviders: [() => 5 as never, () => null as never, () => ' '] });
    expect(await submit(run)).toBe(undefined);
    expect(run.logged.map(({ context: { error } }) => error)).toEqual(['A context provider gave number, not a string']);
  });
});

test('the stop reason is the one that is given, else end_turn (AD-164)', async () => {
  const run = makeRun();
  expect(await run.call('Stop', { stopReason: 'max_tokens' })).toEqual({});
  expect(run.state.stopReason).toBe('max_tokens');
  expect(await run.call('Stop', { stop_hook_active: false })).toEqual({});
  expect(run.state.stopReason).toBe('end_turn');
  expect(run.logged.map(({ event, context }) => [event, context])).toEqual([
    ['hook.stop', { stopReason: 'max_tokens' }],
    ['hook.stop', { stopReason: 'end_turn' }],
  ]);
});

test('each auxiliary hook leaves one item with its source and what it was told (AD-172)', async () => {
  const run = makeRun();
  const events = ['SubagentStart', 'SubagentStop', 'PreCompact', 'Notification'] as const;
  for (const event of events) {
    expect(await run.call(event, { hook_event_name: event, detail: 1 })).toEqual({});
    expect(await run.call(event, 'not an object')).toEqual({});
  }
  expect(run.session.query(Notification).all()).toEqual(
    events.map((source) => ({
      source,
      payload: { hook_event_name: source, detail: 1 },
      promptName: 'tests:one',
      adapter: 'claude_agent_sdk',
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
    })),
  );
});
