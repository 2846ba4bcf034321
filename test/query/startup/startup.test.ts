import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  AbortError,
  ControlRequestError,
  ControlRequestTimeoutError,
  InvalidOptionError,
  type Options,
  SessionClosedError,
  startup,
} from '../../../src/index.js';
import { initFrame, resultFrame } from '../../helpers/cli-frames.js';
import { CLOCKS, settled } from '../memory-session.js';
import { drain, MemoryCli, pass, rejection, SILENCE } from './memory-cli.js';

const HOOK_STARTED = { type: 'system', subtype: 'hook_started', hook_id: 'h1', hook_event: 'SessionStart' };
const HOOK_RESPONSE = { ...HOOK_STARTED, subtype: 'hook_response' };

async function warmUp(options: Options = {}, cli = new MemoryCli()) {
  return { cli, warm: await startup({ options: { ...options, transport: cli } }) };
}

test('startup() waits for the answer to `initialize` and writes nothing else (TS-174)', async () => {
  const cli = new MemoryCli({ initialize: SILENCE });
  let warm: unknown;
  const started = startup({ options: { transport: cli } }).then((value) => {
    warm = value;
  });
  await settled();
  expect(warm).toBeUndefined();
  cli.answer('initialize', {});
  await started;
  expect(warm).toBeDefined();
  expect(cli.written).toEqual(['initialize']);
  cli.exit();
});

test('its query() writes only the user frame; a second call throws (TS-174)', async () => {
  const { cli, warm } = await warmUp();
  const run = warm.query('Hi');
  expect(() => warm.query('Again')).toThrow(SessionClosedError);
  expect(() => warm.query('Again')).toThrow('WarmQuery.query() can only be called once');
  expect(await drain(run)).toEqual(['result', 'end']);
  expect(() => warm.query('Again')).toThrow('can only be called once');
  expect(cli.written).toEqual(['initialize', 'user']);
  expect(cli.frames[1]).toEqual({
    type: 'user',
    session_id: '',
    message: { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
    parent_tool_use_id: null,
  });
});

test('a string prompt closes the input after its result', async () => {
  const { cli, warm } = await warmUp();
  cli.answersPrompts = false;
  const seen = drain(warm.query('Hi'));
  await settled();
  expect(cli.isInputEnded).toBe(false);
  cli.emit(resultFrame());
  expect(await seen).toEqual(['result', 'end']);
  expect(cli.isInputEnded).toBe(true);
});

test('an iterable prompt closes the input when it ends', async () => {
  const { cli, warm } = await warmUp();
  cli.answersPrompts = false;
  cli.exitsOnEof = false;
  async function* prompt() {
    yield { type: 'user' as const, message: { role: 'user' as const, content: 'A' }, parent_tool_use_id: null };
  }
  const seen = drain(warm.query(prompt()));
  await settled();
  expect(cli.written).toEqual(['initialize', 'user']);
  expect(cli.isInputEnded).toBe(true);
  cli.exit();
  expect(await seen).toEqual(['end']);
});

test('messages that came before the prompt are delivered first', async () => {
  const { cli, warm } = await warmUp();
  cli.emit({ type: 'early' });
  await settled();
  expect(await drain(warm.query('Hi'))).toEqual(['early', 'result', 'end']);
});

test('its methods may be taken off the object, as the official ones', async () => {
  const { query, close } = (await warmUp()).warm;
  expect(await drain(query('Hi'))).toEqual(['result', 'end']);
  expect(() => close()).not.toThrow();
});

describe('a start that fails', () => {
  const cases: readonly {
    readonly name: string;
    readonly cli: MemoryCli;
    readonly options?: Options;
    readonly error: new (...args: never[]) => Error;
    readonly message: string;
  }[] = [
    {
      name: 'with the text of an error answer',
      cli: new MemoryCli({ initialize: 'not today' }),
      error: ControlRequestError,
      message: 'not today',
    },
    {
      name: 'with a guard that the CLI does not confirm',
      cli: new MemoryCli(),
      options: { hooks: { PreToolUse: [{ hooks: [async () => ({})], onFailure: 'block' }] } },
      error: ControlRequestError,
      message: 'does not confirm hooks',
    },
    {
      name: 'with an option that cannot be used',
      cli: new MemoryCli(),
      options: { model: 'm', fallbackModel: 'm' },
      error: InvalidOptionError,
      message: 'Fallback model',
    },
  ];
  test.each(cases)('rejects $name, and lets the CLI go', async ({ cli, options, error, message }) => {
    const reason = await rejection(startup({ options: { ...options, transport: cli } }));
    expect(reason).toBeInstanceOf(error);
    expect(reason.message).toContain(message);
    await settled();
    expect(cli.frames.length === 0 || cli.isInputEnded).toBe(true);
    expect(cli.written).not.toContain('user');
  });

  test('rejects when the CLI leaves before its answer', async () => {
    const cli = new MemoryCli({ initialize: SILENCE });
    const reason = rejection(startup({ options: { transport: cli } }));
    await settled();
    cli.exit();
    expect(await reason).toBeInstanceOf(SessionClosedError);
  });

  test.each([-1, Number.NaN, '500'])('an initializeTimeoutMs of %s is refused', async (value) => {
    const cli = new MemoryCli();
    const initializeTimeoutMs = value as number;
    const reason = await rejection(startup({ options: { transport: cli }, initializeTimeoutMs }));
    expect(reason).toBeInstanceOf(InvalidOptionError);
    expect(reason).toHaveProperty('option', 'initializeTimeoutMs');
    expect(cli.frames).toEqual([]);
  });
});

test('an option that stands beside `options` is refused by name, and nothing starts', async () => {
  const cli = new MemoryCli();
  const misplaced = { options: { transport: cli }, permissionMode: 'plan' };
  const error = await rejection(startup(misplaced));
  expect(error).toBeInstanceOf(InvalidOptionError);
  expect(error).toHaveProperty('option', 'permissionMode');
  expect(cli.written).toEqual([]);
});

describe('an abort', () => {
  const why = new Error('enough');

  test('before the start: nothing is written', async () => {
    const cli = new MemoryCli();
    const abortController = new AbortController();
    abortController.abort(why);
    const reason = await rejection(startup({ options: { transport: cli, abortController } }));
    expect(reason).toBeInstanceOf(AbortError);
    expect(reason.cause).toBe(why);
    expect(cli.frames).toEqual([]);
  });

  test('during the start rejects with the caller’s reason, and lets the CLI go', async () => {
    const cli = new MemoryCli({ initialize: SILENCE });
    const abortController = new AbortController();
    const reason = rejection(startup({ options: { transport: cli, abortController } }));
    await settled();
    abortController.abort(why);
    expect(await reason).toBeInstanceOf(AbortError);
    expect((await reason).cause).toBe(why);
    await settled();
    expect(cli.isClosed).toBe(true);
  });

  test('after the start ends the process, and query() throws the AbortError', async () => {
    const abortController = new AbortController();
    const { cli, warm } = await warmUp({ abortController });
    abortController.abort(why);
    expect(() => warm.query('Hi')).toThrow(AbortError);
    await settled();
    expect(cli.isClosed).toBe(true);
    expect(cli.written).toEqual(['initialize']);
  });

  test('during the turn ends the loop', async () => {
    const abortController = new AbortController();
    const { cli, warm } = await warmUp({ abortController });
    cli.answersPrompts = false;
    const seen = drain(warm.query('Hi'));
    await settled();
    abortController.abort(why);
    expect((await seen)[0]).toBeInstanceOf(AbortError);
  });
});

describe('the end of a warm process', () => {
  test('close() lets it go; query() then throws', async () => {
    const { cli, warm } = await warmUp();
    warm.close();
    warm.close();
    expect(() => warm.query('Hi')).toThrow(SessionClosedError);
    await settled();
    expect(cli.isClosed).toBe(true);
    expect(cli.written).toEqual(['initialize']);
  });

  test('close() after query() leaves the turn alone', async () => {
    const { warm } = await warmUp();
    const run = warm.query('Hi');
    warm.close();
    expect(await drain(run)).toEqual(['result', 'end']);
  });

  test('dispose ends the turn too, and waits for the CLI', async () => {
    const { cli, warm } = await warmUp();
    cli.answersPrompts = false;
    const run = warm.query('Hi');
    await warm[Symbol.asyncDispose]();
    expect(cli.isClosed).toBe(true);
    expect(await drain(run)).toEqual(['end']);
    expect(() => warm.query('Hi')).toThrow(SessionClosedError);
  });

  test('a process that died meanwhile: query() throws, and `cause` says how it died', async () => {
    const { cli, warm } = await warmUp();
    const failure = new Error('the link broke');
    cli.exit(failure);
    await settled();
    let thrown: unknown;
    try {
      warm.query('Hi');
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(SessionClosedError);
    expect((thrown as Error).message).toContain('ProcessTransport is not ready for writing');
    expect(((thrown as Error).cause as Error).message).toContain('the link broke');
    await warm[Symbol.asyncDispose]();
  });

  test.each([5, null, undefined, {}])('a prompt of %s is refused, and a better one is taken', async (prompt) => {
    const { warm } = await warmUp();
    expect(() => warm.query(prompt as unknown as string)).toThrow(InvalidOptionError);
    expect(await drain(warm.query('Hi'))).toEqual(['result', 'end']);
  });
});

describe('time', () => {
  beforeEach(() => vi.useFakeTimers({ toFake: [...CLOCKS] }));
  afterEach(() => vi.useRealTimers());

  /** Milliseconds until it rejects; `undefined` when it does not within the limit. */
  async function rejectsAfter(
    start: Promise<unknown>,
    cli: MemoryCli,
    events: readonly (readonly [atMs: number, frame: object])[],
    limitMs: number,
  ): Promise<number | undefined> {
    let at: number | undefined;
    let now = 0;
    start.catch(() => {
      at = now;
    });
    const marks = [...events.map(([ms]) => ms), limitMs];
    for (const [index, mark] of marks.entries()) {
      while (now < mark && at === undefined) {
        now += 100;
        await pass(100);
      }
      const event = events[index];
      if (event !== undefined) cli.emit(event[1]);
    }
    return at;
  }

  test('an unanswered `initialize` rejects at initializeTimeoutMs, and the CLI is let go (TS-175)', async () => {
    const cli = new MemoryCli({ initialize: SILENCE });
    const start = startup({ options: { transport: cli }, initializeTimeoutMs: 500 });
    const seen = rejection(start);
    await pass(499);
    expect(cli.isInputEnded).toBe(false);
    await pass(1);
    const error = await seen;
    expect(error).toBeInstanceOf(ControlRequestTimeoutError);
    expect(error).toMatchObject({ errorClass: 'initialize_timeout', timeoutMs: 500 });
    await settled();
    expect(cli.isInputEnded).toBe(true);
  });

  const hook = [
    [10_000, HOOK_STARTED],
    [80_000, HOOK_RESPONSE],
  ] as const;
  const clocks: readonly {
    readonly name: string;
    readonly params: { initializeTimeoutMs?: number; options?: Options };
    readonly rejectsAt: number | undefined;
  }[] = [
    { name: 'by default its 70 s are not counted', params: {}, rejectsAt: 130_000 },
    {
      name: 'the option of that name does not count them either',
      params: { options: { initializeTimeoutMs: 20_000 } },
      rejectsAt: 90_000,
    },
    { name: 'an explicit limit counts them', params: { initializeTimeoutMs: 60_000 }, rejectsAt: 60_000 },
    { name: '0 is no limit', params: { initializeTimeoutMs: 0 }, rejectsAt: undefined },
  ];
  test.each(clocks)('a SessionStart hook runs: $name (TS-176)', async ({ params, rejectsAt }) => {
    const cli = new MemoryCli({ initialize: SILENCE });
    const start = startup({ ...params, options: { ...params.options, transport: cli } });
    expect(await rejectsAfter(start, cli, hook, 200_000)).toBe(rejectsAt);
    cli.exit();
    await settled();
  });

  test('the error says which mark the start had reached, and that a hook was running', async () => {
    const cli = new MemoryCli({ initialize: SILENCE });
    const error = rejection(startup({ options: { transport: cli }, initializeTimeoutMs: 1000 }));
    await pass(200);
    cli.emit({ type: 'keep_alive', startup_mark: 'before_connectMcp' });
    await settled();
    cli.emit(HOOK_STARTED);
    await pass(800);
    expect(await error).toMatchObject({ startupHooksOpen: 1, startupMark: 'before_connectMcp', startupMarkAgeMs: 800 });
    expect((await error).message).toContain('SessionStart or Setup hooks that had not ended: 1.');
  });

  test('a CLI that says it is up and never answers is let go too', async () => {
    const cli = new MemoryCli({ initialize: SILENCE });
    const error = rejection(startup({ options: { transport: cli } }));
    await pass(100);
    cli.emit(initFrame());
    await pass(600_000);
    expect(await error).toMatchObject({ errorClass: 'initialize_timeout', timeoutMs: 600_000 });
    await settled();
    expect(cli.isClosed).toBe(true);
  });

  test('the deadline counts from the prompt', async () => {
    const { cli, warm } = await warmUp({ deadlineMs: 1000 });
    cli.answersPrompts = false;
    await pass(60_000);
    const seen = drain(warm.query('Hi'));
    await pass(999);
    expect(cli.written).not.toContain('interrupt');
    await pass(1);
    expect(cli.written).toContain('interrupt');
    cli.emit(resultFrame());
    expect((await seen).map((what) => (what instanceof Error ? what.name : what))).toEqual([
      'result',
      'RunDeadlineError',
    ]);
  });

  test('a process that waits is not idle, and its input stays open', async () => {
    const { cli, warm } = await warmUp({ idleTimeoutMs: 1000 });
    await pass(24 * 3_600_000);
    expect(cli.isInputEnded).toBe(false);
    expect(await drain(warm.query('Hi'))).toEqual(['result', 'end']);
    expect(vi.getTimerCount()).toBe(0);
  });
});
