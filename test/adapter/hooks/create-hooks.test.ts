import { describe, expect, test } from 'vitest';
import {
  BudgetExceededError,
  BudgetExhaustedError,
  DeadlineExceededError,
} from '../../../src/adapter/errors/evaluation-errors.js';
import { createHooks, guardingHook, safeHook } from '../../../src/adapter/hooks/create-hooks.js';
import { denial } from '../../../src/adapter/hooks/tool-call.js';
import { Budget } from '../../../src/adapter/limits/budget.js';
import { Session } from '../../../src/adapter/state/session.js';
import type { HookEvent } from '../../../src/index.js';
import { createDeferred } from '../../../src/util/deferred.js';
import { makeRun, reasonOf } from './make-run.js';

const options = { promptName: 'p' };
const deadline = new DeadlineExceededError('late', options);
const limit = { dimension: 'total_tokens', consumed: {} } as const;
const exhausted = new BudgetExhaustedError('spent', limit, options);
const exceeded = new BudgetExceededError(new Budget({ maxTotalTokens: 1 }), {}, 'total_tokens');

const OTHERS = ['PostToolUse', 'PostToolUseFailure', 'UserPromptSubmit', 'Stop'] as const;
const AUXILIARY = ['SubagentStart', 'SubagentStop', 'PreCompact', 'Notification'] as const;

/** The answer of an event whose body throws. */
async function answerTo(error: unknown, event: HookEvent, failureMode?: 'open') {
  const { run, state, logged } = makeRun({ failureMode });
  const body = () => {
    throw error;
  };
  const hooked = { ...run, state };
  const hook = event === 'PreToolUse' ? guardingHook(body, hooked) : safeHook(event, body, hooked);
  return { output: await hook({ tool_name: 'Bash' }, 'toolu_1'), state, logged };
}

describe('a hook body that fails', () => {
  test('a passed deadline denies the tool (AD-166)', async () => {
    const { output, state, logged } = await answerTo(deadline, 'PreToolUse');
    expect(output).toEqual(denial('Deadline exceeded'));
    expect(state.denials).toEqual([{ toolName: 'Bash', toolUseId: 'toolu_1', reason: 'Deadline exceeded' }]);
    expect(state.limitStop).toBe(undefined);
    expect(logged.map(({ event }) => event)).toEqual(['hook.deadline_exceeded']);
  });

  test('a spent budget denies the tool (AD-167)', async () => {
    for (const error of [exhausted, exceeded]) {
      for (const mode of [undefined, 'open'] as const) {
        const { output } = await answerTo(error, 'PreToolUse', mode);
        expect(output).toEqual(denial('Budget exhausted'));
      }
    }
  });

  test('elsewhere a limit ends the turn, with no word on permission (AD-168)', async () => {
    for (const event of [...OTHERS, ...AUXILIARY]) {
      const late = await answerTo(deadline, event);
      expect(late.output).toEqual({ continue: false, stopReason: 'Deadline exceeded' });
      expect(late.state.limitStop).toBe('deadline');
      const spent = await answerTo(exhausted, event);
      expect(spent.output).toEqual({ continue: false, stopReason: 'Budget exhausted' });
      expect(spent.state.limitStop).toBe('budget');
    }
  });

  test('with `open` no unknown exception denies or stops anything (AD-169)', async () => {
    for (const event of ['PreToolUse', ...OTHERS, ...AUXILIARY] as const) {
      const { output, logged } = await answerTo(new RangeError('odd'), event, 'open');
      expect(output).toEqual({});
      expect(logged).toEqual([
        { level: 'error', event: 'hook.error', context: { error: 'odd', errorType: 'RangeError', hookEvent: event } },
      ]);
    }
  });

  test('by default what guards a policy closes, and what keeps books opens (AD-170)', async () => {
    for (const thrown of [new Error('odd'), 'a string', undefined, Object.create(null)]) {
      const { output, logged } = await answerTo(thrown, 'PreToolUse');
      expect(output).toEqual(denial('Hook failed'));
      expect(logged.map(({ event }) => event)).toEqual(['hook.error']);
      for (const event of [...OTHERS, ...AUXILIARY]) {
        const other = await answerTo(thrown, event);
        expect(other.output).toEqual({});
        expect(other.logged.map((each) => each.event)).toEqual(['hook.error']);
        expect(other.state.limitStop).toBe(undefined);
      }
    }
  });

  test('a check that throws denies: the session cannot be read', async () => {
    class Broken extends Session {
      override query(): never {
        throw new Error('gone');
      }
    }
    const { pre, logged } = makeRun({ session: new Broken() });
    expect(reasonOf(await pre('Read', { file_path: 'a' }))).toBe('Hook failed');
    expect(logged.map(({ event }) => event)).toEqual(['hook.error']);
  });

  test('a provider that reports a limit ends the turn', async () => {
    const { call, state } = makeRun({
      contextProviders: [
        () => {
          throw deadline;
        },
      ],
    });
    expect(await call('UserPromptSubmit', { prompt: 'Go.' })).toEqual({
      continue: false,
      stopReason: 'Deadline exceeded',
    });
    expect(state.limitStop).toBe('deadline');
  });

  test('the first limit is the one that counts', async () => {
    const { run, state } = makeRun();
    const errors = [exhausted, deadline];
    const hook = safeHook(
      'PostToolUse',
      () => {
        throw errors.shift();
      },
      { ...run, state },
    );
    await hook({}, undefined);
    await hook({}, undefined);
    expect(state.limitStop).toBe('budget');
  });
});

describe('input that is not the CLI’s', () => {
  const inputs = [null, undefined, 'text', 5, [], {}, { tool_name: 5 }, { tool_name: '' }];

  test('PreToolUse denies it unless told otherwise, the others answer nothing (AD-147)', async () => {
    for (const input of inputs) {
      const closed = makeRun();
      expect(reasonOf(await closed.call('PreToolUse', input))).toBe('Hook failed');
      expect(await makeRun({ failureMode: 'open' }).call('PreToolUse', input)).toEqual({});
      for (const event of ['PostToolUse', 'PostToolUseFailure'] as const) {
        const run = makeRun();
        expect(await run.call(event, input)).toEqual({});
        expect(run.session.events()).toEqual([]);
      }
    }
  });

  test('no event minds any input', async () => {
    for (const input of inputs) {
      for (const event of [...OTHERS, ...AUXILIARY]) {
        expect(await makeRun().call(event, input)).toEqual({});
      }
    }
  });
});

describe('a run that is aborted', () => {
  test('while PreToolUse is pending: it is denied at once', async () => {
    const controller = new AbortController();
    const { run, state } = makeRun({ signal: controller.signal });
    const pending = createDeferred<object>();
    const hook = guardingHook(() => pending.promise, { ...run, state });
    const answer = hook({ tool_name: 'Bash' }, 'toolu_1');
    controller.abort();
    expect(await answer).toEqual(denial('Evaluation aborted'));
    pending.resolve({});
  });

  test('before PreToolUse: nothing is approved any more', async () => {
    const { run, state, pre } = makeRun({ signal: AbortSignal.abort() });
    expect(reasonOf(await pre('Bash'))).toBe('Evaluation aborted');
    const never = guardingHook(() => new Promise(() => {}), { ...run, state });
    expect(reasonOf(await never({ tool_name: 'Bash' }, 'toolu_1'))).toBe('Evaluation aborted');
  });

  test('hooks leave no listener on its signal', async () => {
    const { signal } = new AbortController();
    const listeners = new Set<unknown>();
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (type: string, listener: never) => {
      listeners.add(listener);
      add(type, listener);
    };
    signal.removeEventListener = (type: string, listener: never) => {
      listeners.delete(listener);
      remove(type, listener);
    };
    const { pre } = makeRun({ signal });
    const answers = [pre('Bash'), pre('Read')];
    expect(listeners.size).toBe(1);
    await Promise.all(answers);
    expect(listeners.size).toBe(0);
  });
});

test('the table of hooks: time limits, all tools, and what happens when a hook does not answer', () => {
  const { hooks } = createHooks(makeRun().run);
  const entries = Object.entries(hooks).map(([event, [matcher]]) => {
    const { hooks: callbacks = [], ...rest } = matcher ?? {};
    expect(callbacks).toHaveLength(1);
    return [event, rest];
  });
  expect(Object.fromEntries(entries)).toEqual({
    PreToolUse: { timeout: 30, onFailure: 'block' },
    PostToolUse: { timeout: 30 },
    PostToolUseFailure: { timeout: 30 },
    UserPromptSubmit: { timeout: 10 },
    Stop: { timeout: 10 },
    SubagentStart: { timeout: 10 },
    SubagentStop: { timeout: 10 },
    PreCompact: { timeout: 10 },
    Notification: { timeout: 10 },
  });
  expect(createHooks(makeRun({ failureMode: 'open' }).run).hooks.PreToolUse).toEqual([
    { hooks: [expect.any(Function)], timeout: 30 },
  ]);
});
