import type { SDKMessage } from '../../src/index.js';
import { userMessage } from './prompts.js';
import type { Random } from './random.js';

/** A running session, however it was opened. */
export interface RunningSession {
  readonly messages: AsyncGenerator<SDKMessage, void>;
  request(subtype: string, payload?: object, timeoutMs?: number): Promise<unknown>;
  interrupt(): Promise<unknown>;
  setModel(model?: string): Promise<unknown>;
  send(messages: AsyncIterable<never>): Promise<unknown>;
  initialized(): Promise<unknown>;
  close(): unknown;
  /** Resolves when the session is over. */
  dispose(): Promise<unknown>;
  abort(reason?: unknown): void;
}

export interface HostContext {
  readonly random: Random;
  readonly wait: (ms: number) => Promise<void>;
  readonly ownError: Error;
  /** Notes a message that the program took. */
  readonly take: (message: SDKMessage) => void;
  /** Waited for at the end: each must settle. What it rejects with is looked at. */
  readonly track: (promise: Promise<unknown>) => void;
}

/** What the program does with its session. */
export interface HostBehaviour {
  readonly name: string;
  /** It reads to the end and disturbs nothing. */
  readonly isCalm: boolean;
  /** Further options of the run. */
  readonly options?: object;
  run(session: RunningSession, context: HostContext): Promise<void>;
}

type Step = (session: RunningSession, context: HostContext) => unknown;

/** Reads to the end, and does this once at a message drawn by chance. Ends early when it gives 'leave'. */
const during =
  (step: Step, within = 6) =>
  async (session: RunningSession, context: HostContext): Promise<void> => {
    const at = context.random.below(within);
    let count = 0;
    for await (const message of session.messages) {
      context.take(message);
      if (count === at && (await step(session, context)) === 'leave') break;
      count += 1;
    }
  };
const readOn = during(() => {});
/** Does this before the first message, then reads to the end. */
const before =
  (step: Step) =>
  async (session: RunningSession, context: HostContext): Promise<void> => {
    await step(session, context);
    await readOn(session, context);
  };
const calm = (name: string, run: HostBehaviour['run'], options?: object): HostBehaviour => ({
  ...{ name, run, isCalm: true },
  ...(options && { options }),
});
const rough = (name: string, run: HostBehaviour['run'], options?: object): HostBehaviour => ({
  ...{ name, run, isCalm: false },
  ...(options && { options }),
});

async function* throwing(error: Error): AsyncGenerator<never> {
  yield userMessage() as never;
  throw error;
}
async function* stalling(): AsyncGenerator<never> {
  yield userMessage() as never;
  await new Promise(() => {});
}
async function* oneMore(): AsyncGenerator<never> {
  yield userMessage() as never;
}

export const HOST_BEHAVIOURS: readonly HostBehaviour[] = [
  calm('reads to the end', readOn),
  calm('reads to the end, late', async (session, context) => {
    await context.wait(4_000);
    await readOn(session, context);
  }),
  calm('reads slowly', async (session, { take, wait }) => {
    for await (const message of session.messages) {
      take(message);
      await wait(30);
    }
  }),
  calm('asks for ten messages at once', async (session, { take }) => {
    for (;;) {
      const steps = await Promise.all(Array.from({ length: 10 }, () => session.messages.next()));
      for (const { value } of steps) if (value !== undefined) take(value);
      if (steps.some(({ done }) => done === true)) return;
    }
  }),
  calm(
    'sets 50 models',
    during(({ setModel }, { track }) => {
      for (let count = 0; count < 50; count += 1) track(setModel(`m${count}`));
    }),
  ),
  calm(
    'sets a model and never looks',
    during(({ setModel }) => void setModel('m')),
  ),
  calm(
    'sends a request that is no JSON',
    during(({ request }, { track }) => {
      track(request('of_next_year', { n: 1n }));
    }),
  ),
  calm(
    'asks with a limit of 1 ms',
    during(({ request }, { track }) => {
      track(request('mcp_status', {}, 1));
    }),
  ),
  calm(
    'asks four times for the start',
    before(({ initialized }, { track }) => {
      for (const _ of [1, 2, 3, 4]) track(initialized());
    }),
  ),
  calm(
    'sends one message more at the start',
    before(({ send }, { track }) => {
      track(send(oneMore()));
    }),
  ),
  rough(
    'leaves the loop',
    during(() => 'leave'),
  ),
  rough(
    'throws in the loop',
    during((_, { ownError }) => {
      throw ownError;
    }),
  ),
  rough('never reads', async (session, { wait }) => {
    await wait(30_000);
    session.close();
  }),
  rough('waits for the start, never reads', async (session, { track, wait }) => {
    track(session.initialized());
    await wait(1_000);
  }),
  rough(
    'aborts at once',
    before(({ abort }) => abort()),
  ),
  rough(
    'aborts',
    during(({ abort }) => abort()),
  ),
  rough(
    'aborts with an error',
    during(({ abort }) => abort(new Error('because'))),
  ),
  rough(
    'aborts with a text',
    during(({ abort }) => abort('because')),
  ),
  rough(
    'aborts and leaves',
    during(({ abort }) => {
      abort();
      return 'leave';
    }),
  ),
  rough(
    'aborts a moment later',
    during(({ abort }, { wait }) => {
      void wait(200).then(abort);
    }),
  ),
  rough(
    'closes at once',
    before(({ close }) => close()),
  ),
  rough(
    'closes and reads on',
    during(({ close }) => void close()),
  ),
  rough(
    'closes twice',
    during(({ close }) => {
      close();
      close();
    }),
  ),
  rough(
    'closes, aborts and leaves',
    during(({ close, abort }) => {
      close();
      abort();
      return 'leave';
    }),
  ),
  rough(
    'disposes in the loop',
    during(({ dispose }, { track }) => track(dispose())),
  ),
  rough('disposes three times', async (session, { track }) => {
    for (const _ of [1, 2, 3]) track(session.dispose());
  }),
  rough(
    'interrupts',
    during(({ interrupt }, { track }) => track(interrupt())),
  ),
  rough(
    'interrupts 20 times',
    during(({ interrupt }, { track }) => {
      for (let count = 0; count < 20; count += 1) track(interrupt());
    }),
  ),
  rough(
    'interrupts and leaves',
    during(({ interrupt }, { track }) => {
      track(interrupt());
      return 'leave';
    }),
  ),
  rough(
    'asks, and leaves',
    during(({ setModel, interrupt, request }, { track }) => {
      track(setModel('m'));
      track(interrupt());
      track(request('mcp_status'));
      return 'leave';
    }),
  ),
  rough('returns before reading', async ({ messages }, { track }) => {
    track(messages.return());
    track(messages.next());
  }),
  rough('returns while it waits', async ({ messages }, { track }) => {
    track(messages.next());
    track(messages.next());
    track(messages.return());
  }),
  rough('throws into the iterator', async ({ messages }, { track, ownError }) => {
    track(messages.next());
    track(messages.throw(ownError));
  }),
  rough('reads again after the end', async (session, context) => {
    await during(() => 'leave')(session, context);
    context.track(session.messages.next());
    await readOn(session, { ...context, take: () => {} });
  }),
  rough(
    'streams input that throws',
    during(({ send }, { track, ownError }) => {
      track(send(throwing(ownError)));
    }),
  ),
  rough(
    'streams input that stalls, and leaves',
    during(({ send }, { track }) => {
      track(send(stalling()));
      return 'leave';
    }),
  ),
  rough(
    'streams twice at once',
    during(({ send }, { track }) => {
      track(send(oneMore()));
      track(send(oneMore()));
    }),
  ),
  rough(
    'starts anew',
    during(({ request }, { track }) => track(request('initialize'))),
  ),
  rough(
    'stops tasks that are none',
    during(({ request }, { track }) => {
      track(request('stop_task', { task_id: '__proto__' }));
      track(request('background_tasks'));
    }),
  ),
  rough(
    'asks after the close',
    during(({ close, setModel, interrupt, send }, { track }) => {
      close();
      track(setModel('m'));
      track(interrupt());
      track(send(oneMore()));
    }),
  ),
  rough('has two seconds', readOn, { deadlineMs: 2_000 }),
  rough('has a millisecond', readOn, { deadlineMs: 1 }),
  rough('waits two idle seconds', readOn, { idleTimeoutMs: 2_000 }),
  rough(
    'has a queue of 20 kB',
    async (session, context) => {
      await context.wait(3_000);
      await readOn(session, context);
    },
    { maxQueuedBytes: 20_000 },
  ),
  rough('wants a result', readOn, { incompleteStream: 'throw' }),
];
