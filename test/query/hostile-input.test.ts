import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { ClaudeClient, type Options, PromptError, query } from '../../src/index.js';
import { onAbort } from '../../src/util/on-abort.js';
import { turn } from '../helpers/cli-frames.js';
import { scriptedCli } from '../helpers/scripted-cli.js';
import { TrackedPrompt, userItem } from './tracked-prompt.js';

/** Found by somebody who tried to break it: each was a hang, an uncaught error, or an error of nobody's class. */

const EOF = { wait: 'EOF' } as const;

async function drain(run: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of run);
}

describe('a prompt item that cannot be written ends the run with a PromptError', () => {
  const items = [
    {
      name: 'toJSON throws a string',
      item: {
        type: 'user',
        toJSON() {
          throw 'boom';
        },
      },
      says: 'boom',
    },
    {
      name: 'toJSON throws a RangeError',
      item: {
        type: 'user',
        toJSON() {
          throw new RangeError('too long');
        },
      },
      says: 'too long',
    },
    {
      name: 'toJSON throws an object without a text',
      item: {
        type: 'user',
        toJSON() {
          throw Object.create(null);
        },
      },
      says: 'cannot become JSON',
    },
  ];
  for (const { name, item, says } of items) {
    test(name, async () => {
      const cli = scriptedCli([EOF]);
      const run = query({ prompt: [item] as never, options: { pathToClaudeCodeExecutable: cli.path } });
      const failure = await drain(run).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(PromptError);
      expect(String(failure)).toContain(says);
    });
  }
});

const NEVER = new Promise<never>(() => {});
const iterators = [
  { name: 'throws what has no text', next: () => Promise.reject({ toString: () => NEVER }) },
  { name: 'gives nothing at all', next: () => Promise.resolve(undefined) },
];
for (const { name, next } of iterators) {
  test(`a prompt whose next() ${name} ends the run with a PromptError`, async () => {
    const cli = scriptedCli([EOF]);
    const run = query({
      prompt: { [Symbol.asyncIterator]: () => ({ next }) } as never,
      options: { pathToClaudeCodeExecutable: cli.path },
    });
    await expect(drain(run)).rejects.toBeInstanceOf(PromptError);
  });
}

test('a prompt whose return() cannot even be read does not keep close() from ending the run', async () => {
  const cli = scriptedCli([EOF]);
  const iterator = {
    next: () => NEVER,
    get return(): never {
      throw new Error('no');
    },
  };
  const run = query({
    prompt: { [Symbol.asyncIterator]: () => iterator } as never,
    options: { pathToClaudeCodeExecutable: cli.path },
  });
  await run.initializationResult();
  run.close();
  await drain(run);
  expect(cli.log().sawEof).toBe(true);
});

describe('an iterable that waits for ever, as a keyboard does', () => {
  test('streamInput() of it rejects when the session ends, and returns it', async () => {
    const cli = scriptedCli([...turn(), { exit: 0 }]);
    const waiting = new TrackedPrompt([]);
    const run = query({
      prompt: (async function* () {
        yield userItem('Go.');
        await NEVER;
      })(),
      options: { pathToClaudeCodeExecutable: cli.path },
    });
    const streaming = run.streamInput(waiting);
    await drain(run);
    await expect(streaming).rejects.toMatchObject({ name: 'SessionClosedError' });
    expect(waiting.returned).toBe(1);
  });

  test('client.query() of it rejects on disconnect(), and returns it', async () => {
    const cli = scriptedCli([EOF]);
    const client = new ClaudeClient({ pathToClaudeCodeExecutable: cli.path });
    await client.connect();
    const waiting = new TrackedPrompt([]);
    const asking = client.query(waiting);
    const refused = expect(asking).rejects.toMatchObject({ name: 'SessionClosedError' });
    await client.disconnect();
    await refused;
    expect(waiting.returned).toBe(1);
  });
});

test('a connect() that was disconnected does not touch the connection made after it', async () => {
  const cli = scriptedCli([EOF]);
  const client = new ClaudeClient({ pathToClaudeCodeExecutable: cli.path });
  const first = client.connect().catch((error: unknown) => error);
  await client.disconnect();
  await client.connect();
  expect(await first).toMatchObject({ name: 'SessionClosedError' });
  expect(client.isConnected).toBe(true);
  expect(await client.getServerInfo()).toBeDefined();
  await client.disconnect();
});

test('after return() the loop is over, also when the run had been aborted before', async () => {
  const cli = scriptedCli([EOF]);
  const abortController = new AbortController();
  const run = query({ prompt: 'Go.', options: { pathToClaudeCodeExecutable: cli.path, abortController } });
  await run.initializationResult();
  abortController.abort();
  await run.return();
  expect(await run.next()).toEqual({ value: undefined, done: true });
});

test('a value for return() that rejects while the CLI leaves is thrown, and never unhandled', async () => {
  const cli = scriptedCli([EOF]);
  const run = query({ prompt: 'Go.', options: { pathToClaudeCodeExecutable: cli.path } });
  await run.initializationResult();
  await expect(run.return(Promise.reject(new Error('mine')))).rejects.toThrow('mine');
  expect(await run.next()).toEqual({ value: undefined, done: true });
});

test('one action that throws does not keep the others of the signal from hearing of the abort', () => {
  const controller = new AbortController();
  const heard = vi.fn();
  onAbort(controller.signal, () => {
    throw new Error('mine');
  });
  onAbort(controller.signal, heard);
  controller.abort();
  expect(heard).toHaveBeenCalledTimes(1);
});

test('an abort controller whose signal cannot be let go is refused before anything starts', () => {
  const abortController = { signal: { aborted: false, addEventListener() {} } };
  expect(() => query({ prompt: 'Go.', options: { abortController } as never as Options })).toThrow(/abortController/);
});

test('an async onDiagnostic that rejects is contained', async () => {
  const cli = scriptedCli([{ raw: 'not json\n' }, ...turn(), EOF]);
  const codes: string[] = [];
  const uncaught = vi.fn();
  process.on('unhandledRejection', uncaught);
  onTestFinished(() => void process.off('unhandledRejection', uncaught));
  const run = query({
    prompt: 'Go.',
    options: {
      pathToClaudeCodeExecutable: cli.path,
      onDiagnostic: async ({ code }) => {
        codes.push(code);
        throw new Error('mine');
      },
    },
  });
  await drain(run);
  // Node reports an unhandled rejection after the microtasks of the tick it was made in.
  await new Promise((resolve) => setImmediate(resolve));
  expect(codes).toEqual(['line_not_json']);
  expect(uncaught).not.toHaveBeenCalled();
});
