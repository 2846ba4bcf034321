import { z } from 'zod';
import { createSdkMcpServer, type Options, type SessionStore, tool } from '../../src/index.js';
import type { FaultyCli } from './faulty-cli.js';
import type { Random } from './random.js';

/** What a callback of the program does when it is called. */
export interface CallbackFault {
  readonly name: string;
  /** Every question gets its answer and the run goes on. */
  readonly isCalm: boolean;
  run(context: CallbackContext): unknown;
}

export interface CallbackContext {
  /** The answer that would be right. */
  readonly right: unknown;
  readonly signal: AbortSignal;
  readonly random: Random;
  readonly wait: (ms: number) => Promise<void>;
  /** Of the running session. */
  readonly again: () => Promise<unknown>;
  readonly close: () => void;
  readonly interrupt: () => Promise<unknown>;
}

const cycle: Record<string, unknown> = {};
cycle.self = cycle;

/** Values that no callback is meant to give. */
const MISSHAPEN: readonly (() => unknown)[] = [
  ...[undefined, 0, '', 'allow', true, [], {}, Number.NaN].map((value) => () => value),
  ...[{ behavior: 'of_next_year' }, { behavior: 'deny' }, { behavior: 'allow', updatedInput: 7 }].map(
    (value) => () => value,
  ),
  ...[{ content: 7 }, { content: [null] }, { content: [{ type: 'text' }] }, { action: 3 }].map((value) => () => value),
  () => cycle,
  () => ({ behavior: 'allow', updatedInput: { big: 10n } }),
  () => () => {},
  () => Symbol('x'),
  () => new Date(Number.NaN),
  () => new Map([[1, 2]]),
  () => Object.create(null) as unknown,
  () => new Proxy({}, { get: () => Reflect.apply(fail, undefined, []), ownKeys: fail }),
  () => ({
    get behavior() {
      return fail();
    },
  }),
  () => ({ toJSON: fail, behavior: 'allow' }),
  () => Object.freeze({ behavior: 'allow', updatedInput: Object.freeze({}) }),
];

function fail(): never {
  throw new Error('from a getter');
}

export const CALLBACK_FAULTS: readonly CallbackFault[] = [
  { name: 'answers', isCalm: true, run: ({ right }) => right },
  {
    name: 'answers later',
    isCalm: true,
    run: async ({ right, wait }) => {
      await wait(700);
      return right;
    },
  },
  {
    name: 'throws',
    isCalm: true,
    run: () => {
      throw new Error('thrown by the callback');
    },
  },
  {
    name: 'throws what is no error',
    isCalm: true,
    run: ({ random }) => {
      throw random.pick([undefined, null, 7, 'text', cycle, Symbol('s'), Object.create(null)]);
    },
  },
  { name: 'rejects', isCalm: true, run: () => Promise.reject(new Error('rejected')) },
  { name: 'rejects with nothing', isCalm: true, run: () => Promise.reject(undefined) },
  {
    name: 'hangs until the abort',
    isCalm: false,
    run: ({ signal }) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  },
  {
    name: 'answers at the abort',
    isCalm: false,
    run: ({ signal, right }) => new Promise((resolve) => signal.addEventListener('abort', () => resolve(right))),
  },
  { name: 'never settles', isCalm: false, run: () => new Promise(() => {}) },
  // For an elicitation: no answer is wanted.
  { name: 'gives null', isCalm: false, run: () => null },
  { name: 'misshapen', isCalm: true, run: ({ random }) => random.pick(MISSHAPEN)() },
  {
    name: 'misshapen later',
    isCalm: true,
    run: async ({ random, wait }) => {
      await wait(10);
      return random.pick(MISSHAPEN)();
    },
  },
  {
    name: 'a thenable that settles twice',
    isCalm: true,
    run: ({ right }) => ({
      // biome-ignore lint/suspicious/noThenProperty: what this case is about.
      then: (resolve: (value: unknown) => void, reject: (error: unknown) => void) => {
        resolve(right);
        reject(new Error('again'));
        resolve(right);
      },
    }),
  },
  {
    name: 'a thenable that throws',
    isCalm: true,
    // biome-ignore lint/suspicious/noThenProperty: what this case is about.
    run: () => ({ then: fail }),
  },
  {
    name: 'a huge answer',
    isCalm: true,
    run: () => ({
      ...{ behavior: 'allow', updatedInput: { text: 'x'.repeat(2_000_000) } },
      content: [{ type: 'text', text: 'x'.repeat(2_000_000) }],
    }),
  },
  {
    name: 'an answer 20,000 deep',
    isCalm: true,
    run: () => {
      let value: unknown = 1;
      for (let depth = 0; depth < 20_000; depth += 1) value = [value];
      return { behavior: 'allow', updatedInput: { value }, content: [{ type: 'text', text: value }] };
    },
  },
  {
    name: 'asks the CLI meanwhile',
    isCalm: true,
    run: async ({ again, right }) => {
      await again().catch(() => {});
      return right;
    },
  },
  {
    name: 'closes the session',
    isCalm: false,
    run: ({ close, right }) => {
      close();
      return right;
    },
  },
  {
    name: 'interrupts',
    isCalm: false,
    run: async ({ interrupt, right }) => {
      await interrupt().catch(() => {});
      return right;
    },
  },
];

/** Options whose every callback does that. */
export function callbackOptions(
  fault: CallbackFault,
  context: Omit<CallbackContext, 'right' | 'signal'>,
): Partial<Options> {
  const call = (right: unknown, signal: AbortSignal): never => fault.run({ ...context, right, signal }) as never;
  return {
    canUseTool: (_name, input, { signal }) => call({ behavior: 'allow', updatedInput: input }, signal),
    hooks: { PreToolUse: [{ hooks: [(_input, _id, { signal }) => call({}, signal)] }] },
    onElicitation: (_request, { signal }) => call({ action: 'cancel' }, signal),
    mcpServers: {
      local: createSdkMcpServer({
        name: 'local',
        tools: [
          tool('echo', 'Says it again.', { text: z.string() }, ({ text }, extra) =>
            call({ content: [{ type: 'text', text }] }, Reflect.get(Object(extra), 'signal')),
          ),
        ],
      }),
    },
  };
}

/** What a store does when entries are handed to it. */
export interface StoreFault {
  readonly name: string;
  readonly append: (wait: (ms: number) => Promise<void>) => unknown;
}

export const STORE_FAULTS: readonly StoreFault[] = [
  { name: 'stores', append: async () => {} },
  { name: 'stores slowly', append: (wait) => wait(3_000) },
  { name: 'never settles', append: () => new Promise(() => {}) },
  { name: 'rejects', append: () => Promise.reject(new Error('disk full')) },
  { name: 'throws', append: fail },
  { name: 'gives no promise', append: () => 7 },
  // biome-ignore lint/suspicious/noThenProperty: what this case is about.
  { name: 'gives a thenable that throws', append: () => ({ then: fail }) },
];

/** A store that does so, and what it was given. */
export function faultyStore(
  fault: StoreFault,
  wait: (ms: number) => Promise<void>,
): SessionStore & { readonly given: unknown[] } {
  const given: unknown[] = [];
  return {
    given,
    load: async () => null,
    append: (_key, entries) => {
      given.push(...entries);
      return fault.append(wait) as Promise<void>;
    },
  };
}

/** What the listener of diagnostics does. */
export const DIAGNOSTIC_FAULTS: readonly ((cli: FaultyCli) => unknown)[] = [
  () => {},
  () => {
    throw new Error('from onDiagnostic');
  },
  () => Promise.reject(new Error('from onDiagnostic')),
];
