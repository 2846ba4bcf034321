import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Options, query, type RunDeadlineError } from '../../src/index.js';
import { assistantFrame, initFrame, resultFrame } from '../helpers/cli-frames.js';
import { scriptedCli } from '../helpers/scripted-cli.js';
import { answerTo, CLOCKS, memorySession, readAll, settled, subtypeOf } from './memory-session.js';

const DEADLINE_MS = 30_000;
const options = { deadlineMs: DEADLINE_MS };
const interrupted = resultFrame({
  subtype: 'error_during_execution',
  is_error: true,
  result: undefined,
  terminal_reason: 'aborted_streaming',
});

describe('deadline', () => {
  beforeEach(() => vi.useFakeTimers({ toFake: [...CLOCKS] }));
  afterEach(() => vi.useRealTimers());

  async function pass(ms: number): Promise<void> {
    await settled();
    await vi.advanceTimersByTimeAsync(ms);
    await settled();
  }

  test('interrupts the turn; its result is delivered, then the error', async () => {
    const { session, peer } = memorySession({
      options,
      onFrame: (frame) => {
        if (subtypeOf(frame) !== 'interrupt') return;
        peer.emit(answerTo(frame));
        peer.emit(interrupted);
      },
    });
    const seen = readAll(session);
    await pass(DEADLINE_MS - 1);
    expect(peer.received.map(subtypeOf)).not.toContain('interrupt');
    peer.emit(assistantFrame('Half'));
    await pass(1);
    expect(await seen).toEqual(['assistant', 'result', 'deadline_exceeded']);
    expect(peer.hasInputEnded).toBe(true);
  });

  test('a CLI that ignores the interrupt has 5 s, and what it says in them is delivered', async () => {
    const { session, peer } = memorySession({ options });
    const seen = readAll(session);
    await pass(DEADLINE_MS);
    expect(peer.received.map(subtypeOf)).toContain('interrupt');
    peer.emit(assistantFrame('Late'));
    await pass(4_999);
    expect(session.isRunning).toBe(true);
    await pass(1);
    expect(await seen).toEqual(['assistant', 'deadline_exceeded']);
  });

  test('between turns there is nothing to interrupt: the run ends at once', async () => {
    const { session, peer } = memorySession({
      options,
      prompt: (async function* () {
        yield { type: 'user', message: { role: 'user', content: 'One.' } };
        await new Promise(() => {});
      })(),
    });
    const seen = readAll(session);
    await settled();
    peer.emit(resultFrame());
    await pass(DEADLINE_MS);
    expect(await seen).toEqual(['result', 'deadline_exceeded']);
    expect(peer.received.map(subtypeOf)).not.toContain('interrupt');
  });

  test('a session that ended in time leaves no timer behind', async () => {
    const { session, peer } = memorySession({ options });
    await settled();
    peer.emit(resultFrame());
    expect(await readAll(session)).toEqual(['result', 'end']);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('`close()` during the grace wins: the loop ends without an error', async () => {
    const { session } = memorySession({ options });
    const seen = readAll(session);
    await pass(DEADLINE_MS);
    session.close();
    expect(await seen).toEqual(['end']);
    expect(vi.getTimerCount()).toBe(0);
  });
});

test('deadline over a real process: the interrupted result, then the error, and the process is gone', async () => {
  const cli = scriptedCli([
    { in: { type: 'user' } },
    { out: initFrame() },
    { in: { type: 'control_request', request: { subtype: 'interrupt' } }, answer: {} },
    { out: interrupted },
    { wait: 'EOF' },
  ]);
  const run = query({ prompt: 'Go.', options: { pathToClaudeCodeExecutable: cli.path, deadlineMs: 50 } });
  const seen: string[] = [];
  const reading = (async () => {
    for await (const message of run) seen.push(message.type);
  })();
  await expect(reading).rejects.toMatchObject({
    name: 'RunDeadlineError',
    deadlineMs: 50,
  } satisfies Partial<RunDeadlineError>);
  expect(seen.at(-1)).toBe('result');
  await expect.poll(() => cli.log().exitCode).toBe(0);
});

test.each([
  { option: { deadline: 5000 }, says: '`deadline` is not known, got number 5000. Set `deadlineMs`: ' },
  { option: { timeoutMs: 5000 }, says: '`timeoutMs` is not known, got number 5000. Set `deadlineMs`: ' },
  {
    option: { signal: new AbortController().signal },
    says: '`signal` is not known, got object (AbortSignal). Set `abortController` to ',
  },
])('$option is refused with the name that it has here', ({ option, says }) => {
  expect(() => query({ prompt: 'Go.', options: option as Options })).toThrow(`Option ${says}`);
});
