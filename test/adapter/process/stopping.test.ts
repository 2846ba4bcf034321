import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { DeadlineExceededError, EvaluationAbortedError } from '../../../src/adapter/errors/evaluation-errors.js';
import { ClaudeAgentAdapter } from '../../../src/adapter/evaluate/claude-agent-adapter.js';
import type { ClaudeAgentClientConfig } from '../../../src/adapter/evaluate/client-config.js';
import { Deadline } from '../../../src/adapter/limits/deadline.js';
import { Session } from '../../../src/adapter/state/session.js';
import { type Frames, faults } from '../../../src/testing/index.js';
import { askPrompt, typesOf } from '../support/make-prompt.js';
import { ManualClock } from '../support/manual-clock.js';
import { play, type Stage } from '../support/play.js';

const isolation: ClaudeAgentClientConfig = { isolation: {} };

/** What a CLI does that is interrupted while it writes (`interrupt-streaming`). */
const interrupted = ({ expectRequest, assistantText, errorResult }: Frames) => [
  expectRequest('interrupt'),
  assistantText('Half an ans'),
  errorResult('error_during_execution', ['interrupted'], { terminal_reason: 'aborted_streaming' }),
];

const adapterOn = (
  stage: Stage,
  clientConfig: ClaudeAgentClientConfig = {},
  more: { readonly clock?: ManualClock } = {},
): ClaudeAgentAdapter =>
  new ClaudeAgentAdapter({
    ...stage.machine,
    ...more,
    clientConfig: { ...stage.machine.clientConfig, ...clientConfig },
  });

const isGone = (pid: number | undefined): boolean => {
  try {
    return !process.kill(pid ?? 0, 0);
  } catch {
    return true;
  }
};

describe('a signal', () => {
  test('interrupts the run; the process ends, the reason is the cause, the home is removed (AD-122)', async () => {
    await using stage = play((frames) => [frames.prompt(), frames.init(), ...interrupted(frames)], {
      recordings: ['interrupt-streaming'],
    });
    const caller = new AbortController();
    const session = new Session();
    const reason = new Error('changed my mind');
    const error: unknown = await adapterOn(stage, isolation)
      .evaluate(askPrompt(), {
        session,
        signal: caller.signal,
        onMessage: ({ type }) => {
          if (type !== 'system') return;
          expect(readdirSync(stage.tempRoot)).toHaveLength(1);
          caller.abort(reason);
        },
      })
      .catch((thrown) => thrown);
    expect(error).toBeInstanceOf(EvaluationAbortedError);
    expect(error).toMatchObject({ cause: reason, partial: { text: 'Half an ans' } });
    expect(stage.sent.controlRequests).toContainEqual({ subtype: 'interrupt', cancel_queued: true });
    expect(stage.runs.map(({ pid }) => isGone(pid))).toEqual([true]);
    expect(readdirSync(stage.tempRoot)).toEqual([]);
    expect(typesOf(session)).toEqual(['promptRendered']);
  });

  test('a CLI that does not hear the interrupt is closed all the same', async () => {
    await using stage = play(
      ({ prompt, init, expectRequest, endOfInput }) => [
        prompt(),
        init(),
        expectRequest('interrupt'),
        endOfInput(),
        { exit: 0 },
      ],
      { recordings: ['interrupt-streaming'] },
    );
    const clock = new ManualClock();
    const caller = new AbortController();
    const running = adapterOn(stage, isolation, { clock })
      .evaluate(askPrompt(), {
        session: new Session(),
        signal: caller.signal,
        onMessage: () => {
          caller.abort();
          clock.advanceWhenArmed(2_000);
        },
      })
      .catch((thrown) => thrown);
    expect(await running).toBeInstanceOf(EvaluationAbortedError);
    expect(readdirSync(stage.tempRoot)).toEqual([]);
  });

  test('during the handshake there is nothing to interrupt: the process is ended', async () => {
    const caller = new AbortController();
    await using stage = play(({ endOfInput }) => [endOfInput(), { exit: 0 }], {
      recordings: ['initialize-only'],
      answers: { initialize: null },
    });
    const running = adapterOn(stage, isolation).evaluate(askPrompt(), {
      session: new Session(),
      signal: caller.signal,
    });
    const failed = running.catch((thrown: unknown) => thrown);
    while (stage.sent.initialize.length === 0) await new Promise((go) => setTimeout(go, 5));
    caller.abort();
    expect(await failed).toBeInstanceOf(EvaluationAbortedError);
    expect(stage.sent.userMessages).toEqual([]);
    expect(readdirSync(stage.tempRoot)).toEqual([]);
  });
});

describe('a deadline', () => {
  test('a model that goes on is interrupted after the grace, and the process ends (AD-074)', async () => {
    await using stage = play(
      (frames) => [
        frames.prompt(),
        frames.init(),
        // Long enough for an interrupt that comes too early.
        { delayMs: 100 },
        frames.assistantText('Half'),
        ...interrupted(frames),
      ],
      { recordings: ['interrupt-streaming'] },
    );
    const clock = new ManualClock();
    const session = new Session();
    let early: unknown;
    const error: unknown = await adapterOn(stage, { deadlineGraceMs: 30_000 }, { clock })
      .evaluate(askPrompt(), {
        session,
        deadline: Deadline.fromNow(5_000, { clock }),
        onMessage: ({ type }) => {
          if (type === 'system') clock.advance(34_999);
          if (type !== 'assistant' || early !== undefined) return;
          early = stage.sent.controlRequests;
          clock.advance(1);
        },
      })
      .catch((thrown) => thrown);
    expect(early).toEqual([]);
    expect(error).toBeInstanceOf(DeadlineExceededError);
    expect(error).toMatchObject({ phase: 'deadline', partial: { text: 'Half an ans' } });
    expect(stage.sent.controlRequests).toEqual([{ subtype: 'interrupt', cancel_queued: true }]);
    expect(stage.runs.map(({ pid }) => isGone(pid))).toEqual([true]);
    expect(typesOf(session)).toEqual(['promptRendered']);
    expect(clock.armed).toBe(0);
  });

  test('a result that comes within the grace is returned (AD-075)', async () => {
    await using stage = play(
      ({ prompt, init, assistantText, result }) => [
        prompt(),
        init(),
        // Long enough for an interrupt that comes too early.
        { delayMs: 100 },
        assistantText('Late.'),
        result('Late.'),
      ],
      { recordings: ['hello'] },
    );
    const clock = new ManualClock();
    const response = await adapterOn(stage, {}, { clock }).evaluate(askPrompt(), {
      session: new Session(),
      deadline: Deadline.fromNow(5_000, { clock }),
      onMessage: ({ type }) => {
        if (type === 'system') clock.advance(20_000);
      },
    });
    expect(response.text).toBe('Late.');
    expect(stage.sent.controlRequests).toEqual([]);
    expect(clock.armed).toBe(0);
  });
});

test('the home is removed when the process has exited, also one that only SIGKILL ends', async () => {
  await using stage = play(({ prompt, init }) => [prompt(), init(), faults.stall({ ignoresEnd: true })], {
    recordings: ['hello'],
    answers: { interrupt: null },
  });
  const atRemoval: boolean[] = [];
  const none = (): void => {};
  const clock = new ManualClock();
  const caller = new AbortController();
  const adapter = new ClaudeAgentAdapter({
    ...stage.machine,
    clock,
    clientConfig: { ...stage.machine.clientConfig, ...isolation },
    logger: {
      info: none,
      warn: none,
      error: none,
      debug: (_, { event }) => {
        if (event !== 'isolation.home_removed') return;
        atRemoval.push(...stage.runs.map(({ pid }) => isGone(pid)));
      },
    },
  });
  const error: unknown = await adapter
    .evaluate(askPrompt(), {
      session: new Session(),
      signal: caller.signal,
      onMessage: () => {
        caller.abort();
        clock.advanceWhenArmed(2_000);
      },
    })
    .catch((thrown) => thrown);
  expect(error).toBeInstanceOf(EvaluationAbortedError);
  expect(atRemoval).toEqual([true]);
  expect(readdirSync(stage.tempRoot)).toEqual([]);
});

test('dispose() ends evaluations that run', async () => {
  await using stage = play((frames) => [frames.prompt(), frames.init(), ...interrupted(frames)], {
    recordings: ['interrupt-streaming'],
  });
  const adapter = adapterOn(stage, isolation);
  let disposed: Promise<void> | undefined;
  const error: unknown = await adapter
    .evaluate(askPrompt(), {
      session: new Session(),
      onMessage: () => {
        disposed ??= adapter.dispose();
      },
    })
    .catch((thrown) => thrown);
  await disposed;
  expect(error).toBeInstanceOf(EvaluationAbortedError);
  expect(readdirSync(stage.tempRoot)).toEqual([]);
});
