import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { IdleTimeoutError } from '../../src/errors.js';
import { HIGH_WATER_BYTES } from '../../src/query/flow-control.js';
import { createDeferred } from '../../src/util/deferred.js';
import { assistantFrame, initFrame, resultFrame } from '../helpers/cli-frames.js';
import { CLOCKS, memorySession, readAll, settled } from './memory-session.js';

const IDLE_MS = 1000;
const options = { idleTimeoutMs: IDLE_MS };

beforeEach(() => vi.useFakeTimers({ toFake: [...CLOCKS] }));
afterEach(() => vi.useRealTimers());

/** Time passes, and what follows from it happens. */
async function pass(ms: number): Promise<void> {
  await settled();
  await vi.advanceTimersByTimeAsync(ms);
  await settled();
}

test('a turn without a frame for `idleTimeoutMs` ends with the error, after what came before', async () => {
  const { session, peer } = memorySession({ options });
  const seen = readAll(session);
  await settled();
  peer.emit(initFrame());
  peer.emit(assistantFrame('Half'));
  await pass(IDLE_MS - 1);
  expect(session.isRunning).toBe(true);
  await pass(1);
  expect(await seen).toEqual(['system', 'assistant', 'idle_timeout']);
});

test('the error names the last eight frames, hidden ones too', async () => {
  const { session, peer } = memorySession({ options });
  await settled();
  peer.emit(initFrame());
  for (let n = 0; n < 7; n += 1) peer.emit(assistantFrame(String(n)));
  peer.emit({ type: 'keep_alive' });
  await pass(IDLE_MS);
  for (let n = 0; n < 8; n += 1) await session.messages.next();
  const error = await session.messages.next().catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(IdleTimeoutError);
  expect(error).toMatchObject({ idleTimeoutMs: IDLE_MS, lastFrames: [...Array(7).fill('assistant'), 'keep_alive'] });
});

test('every frame starts the clock again', async () => {
  const { session, peer } = memorySession({ options });
  for (let n = 0; n < 5; n += 1) {
    await pass(IDLE_MS - 1);
    peer.emit(n % 2 === 0 ? assistantFrame('on') : { type: 'keep_alive' });
  }
  await pass(IDLE_MS - 1);
  expect(session.isRunning).toBe(true);
});

test('the pause between two turns is no silence; the next turn has the whole time', async () => {
  const gate = createDeferred<void>();
  const { session, peer } = memorySession({
    options,
    prompt: (async function* () {
      yield { type: 'user', message: { role: 'user', content: 'One.' } };
      await gate.promise;
      yield { type: 'user', message: { role: 'user', content: 'Two.' } };
      await new Promise(() => {});
    })(),
  });
  const seen = readAll(session);
  await settled();
  peer.emit(resultFrame());
  await pass(10 * IDLE_MS + IDLE_MS / 2);
  gate.resolve();
  await pass(IDLE_MS - 1);
  expect(session.isRunning).toBe(true);
  await pass(1);
  expect(await seen).toEqual(['result', 'idle_timeout']);
});

test('a turn that the CLI starts by itself is watched from its `system/init` on', async () => {
  const { session, peer } = memorySession({ options: { ...options, canUseTool: async () => ({ behavior: 'allow' }) } });
  const seen = readAll(session);
  await settled();
  peer.emit({
    type: 'system',
    subtype: 'background_tasks_changed',
    tasks: [{ task_id: 'b1', task_type: 'local_bash' }],
  });
  peer.emit(resultFrame());
  await pass(10 * IDLE_MS);
  peer.emit({ type: 'system', subtype: 'background_tasks_changed', tasks: [] });
  peer.emit(initFrame());
  await pass(IDLE_MS);
  expect(await seen).toEqual(['system', 'result', 'system', 'system', 'idle_timeout']);
});

test('while a callback of ours is open nothing is expected, and its answer starts the clock again', async () => {
  const decision = createDeferred<{ behavior: 'allow' }>();
  const { session, peer } = memorySession({ options: { ...options, canUseTool: () => decision.promise } });
  const seen = readAll(session);
  await settled();
  peer.emit({
    type: 'control_request',
    request_id: 'cli-1',
    request: { subtype: 'can_use_tool', tool_name: 'Bash', input: {}, tool_use_id: 't1' },
  });
  await pass(3 * IDLE_MS + IDLE_MS - 10);
  decision.resolve({ behavior: 'allow' });
  await pass(IDLE_MS - 1);
  expect(session.isRunning).toBe(true);
  await pass(IDLE_MS);
  expect(await seen).toEqual(['idle_timeout']);
});

test('a callback that opened and was answered within one interval counts as well', async () => {
  const decision = createDeferred<{ behavior: 'allow' }>();
  const { session, peer } = memorySession({ options: { ...options, canUseTool: () => decision.promise } });
  await settled();
  peer.emit({
    type: 'control_request',
    request_id: 'cli-1',
    request: { subtype: 'can_use_tool', tool_name: 'Bash', input: {}, tool_use_id: 't1' },
  });
  await pass(IDLE_MS - 10);
  decision.resolve({ behavior: 'allow' });
  await pass(IDLE_MS - 1);
  expect(session.isRunning).toBe(true);
});

test('while reading is paused nothing is expected, and the resumption starts the clock again', async () => {
  const { session, peer, diagnostics } = memorySession({ options });
  await settled();
  peer.emit(initFrame());
  await session.messages.next();
  const half = 'x'.repeat(HIGH_WATER_BYTES / 2);
  for (let n = 0; n < 2; n += 1) peer.emit(assistantFrame(half));
  await pass(3 * IDLE_MS + IDLE_MS - 10);
  expect(diagnostics.map(({ code }) => code)).toEqual(['flow_paused']);
  for (let n = 0; n < 2; n += 1) await session.messages.next();
  expect(diagnostics.map(({ code }) => code)).toEqual(['flow_paused', 'flow_resumed']);
  await pass(IDLE_MS - 1);
  expect(session.isRunning).toBe(true);
  await pass(IDLE_MS);
  await expect(session.messages.next()).rejects.toThrow(IdleTimeoutError);
});

test('a pause that began and ended within one interval counts as well', async () => {
  const { session, peer, diagnostics } = memorySession({ options });
  await settled();
  peer.emit(initFrame());
  await session.messages.next();
  for (let n = 0; n < 2; n += 1) peer.emit(assistantFrame('x'.repeat(HIGH_WATER_BYTES / 2)));
  await pass(IDLE_MS - 10);
  for (let n = 0; n < 2; n += 1) await session.messages.next();
  expect(diagnostics.map(({ code }) => code)).toEqual(['flow_paused', 'flow_resumed']);
  await pass(IDLE_MS - 1);
  expect(session.isRunning).toBe(true);
});

test('without the option no clock runs', async () => {
  const { session } = memorySession();
  await pass(3_600_000);
  expect(session.isRunning).toBe(true);
});

const twoAtOnce = async function* () {
  yield { type: 'user', message: { role: 'user', content: 'One.' } };
  yield { type: 'user', message: { role: 'user', content: 'Two.' } };
  await new Promise(() => {});
};

test('a message behind another turn’s result stays in view (C-3)', async () => {
  const { session, peer } = memorySession({ options, prompt: twoAtOnce() });
  const seen = readAll(session);
  await settled();
  peer.emit(initFrame());
  peer.emit(resultFrame());
  await pass(IDLE_MS - 1);
  expect(session.isRunning).toBe(true);
  await pass(1);
  expect(await seen).toEqual(['system', 'result', 'idle_timeout']);
});

test('where one result answered both, the pause after it is no silence (C-3)', async () => {
  const { session, peer } = memorySession({ options, prompt: twoAtOnce() });
  await settled();
  peer.emit(initFrame());
  peer.emit(resultFrame());
  peer.emit({ type: 'system', subtype: 'session_state_changed', state: 'idle' });
  await pass(10 * IDLE_MS);
  expect(session.isRunning).toBe(true);
  session.close();
});
