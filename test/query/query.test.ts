import { describe, expect, test, vi } from 'vitest';
import {
  AbortError,
  ClaudeClient,
  InvalidOptionError,
  type Options,
  PromptError,
  query,
  type SDKMessage,
} from '../../src/index.js';
import { turn } from '../helpers/cli-frames.js';
import { type ScriptedCli, type Step, scriptedCli } from '../helpers/scripted-cli.js';
import { TrackedPrompt, userItem } from './tracked-prompt.js';

const EOF: Step = { wait: 'EOF' };

function start(cli: ScriptedCli, options: Options = {}, prompt: unknown = 'Hi') {
  // Tests also hold prompts that the type does not allow.
  return query({ prompt: prompt as string, options: { pathToClaudeCodeExecutable: cli.path, ...options } });
}

async function typesIn(run: AsyncIterable<SDKMessage>): Promise<string[]> {
  const types: string[] = [];
  for await (const { type } of run) types.push(type);
  return types;
}

describe('query()', () => {
  test('has spawned and written when it returns, and runs to its end unread (TS-002)', async () => {
    const cli = scriptedCli([...turn(), EOF]);
    const run = start(cli);
    await expect.poll(() => cli.logs()[0]?.exitCode).toBe(0);
    expect(cli.log().frames.map(({ type }) => type)).toEqual(['control_request', 'user']);
    expect(await typesIn(run)).toEqual(['system', 'assistant', 'result']);
  });

  test('a second loop over a finished run is empty', async () => {
    const run = start(scriptedCli([...turn(), EOF]));
    expect(await typesIn(run)).toHaveLength(3);
    expect(await typesIn(run)).toEqual([]);
  });

  test('a loop that goes on after next() gets the rest', async () => {
    const run = start(scriptedCli([...turn(), EOF]));
    expect((await run.next()).value).toMatchObject({ type: 'system' });
    expect(await typesIn(run)).toEqual(['assistant', 'result']);
  });

  test('concurrent next() calls are served in order, the ones past the end as done', async () => {
    const run = start(scriptedCli([...turn(), EOF]));
    const steps = await Promise.all(Array.from({ length: 5 }, () => run.next()));
    expect(steps.map(({ value, done }) => (done ? 'done' : value?.type))).toEqual([
      'system',
      'assistant',
      'result',
      'done',
      'done',
    ]);
  });

  test('the error of a failed run is thrown once, to the first who asks', async () => {
    const run = start(scriptedCli([{ exit: 2 }]));
    const steps = await Promise.allSettled([run.next(), run.next()]);
    expect(steps.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
    expect(await typesIn(run)).toEqual([]);
  });
});

describe('nothing is started', () => {
  test('by a signal that had been aborted before: AbortError with its reason (D-10)', () => {
    const cli = scriptedCli([EOF]);
    const abortController = new AbortController();
    abortController.abort('too late');
    const spawnClaudeCodeProcess = vi.fn();
    for (const over of [{}, { spawnClaudeCodeProcess }]) {
      const error = thrownBy(() => start(cli, { abortController, ...over }));
      expect(error).toBeInstanceOf(AbortError);
      expect(error).toMatchObject({ cause: 'too late', errorClass: 'aborted' });
    }
    expect(spawnClaudeCodeProcess).not.toHaveBeenCalled();
    expect(cli.logs()).toEqual([]);
  });

  test.each([
    ['nothing', undefined],
    ['null', null],
    ['a number', 7],
    ['an object', { role: 'user' }],
    ['a function', () => 'Hi'],
  ])('by a prompt that is %s (D-87)', (_name, prompt) => {
    const spawnClaudeCodeProcess = vi.fn();
    const error = thrownBy(() => start(scriptedCli([EOF]), { spawnClaudeCodeProcess }, prompt ?? null));
    expect(error).toBeInstanceOf(InvalidOptionError);
    expect(error).toMatchObject({ option: 'prompt' });
    expect(spawnClaudeCodeProcess).not.toHaveBeenCalled();
  });

  test('by an option of a wrong type', () => {
    const cli = scriptedCli([EOF]);
    const error = thrownBy(() => start(cli, { model: 7 as never }));
    expect(error).toMatchObject({ name: 'InvalidOptionError', option: 'model' });
    expect(cli.logs()).toEqual([]);
  });
});

describe('a prompt iterable', () => {
  const circular: Record<string, unknown> = { type: 'user' };
  circular.self = circular;
  const bad: readonly { readonly name: string; readonly value: unknown; readonly says: string }[] = [
    { name: 'a string', value: 'Hi', says: 'Prompt item 1 must be a message object' },
    { name: 'null', value: null, says: 'Prompt item 1 must be a message object' },
    { name: 'a list', value: [], says: 'Prompt item 1 must be a message object' },
    { name: 'a circle', value: circular, says: 'Prompt item 1 cannot become JSON' },
    { name: 'a BigInt', value: { type: 'user', n: 1n }, says: 'Prompt item 1 cannot become JSON' },
  ];
  test.each(bad)('that yields $name ends the run with a PromptError and is returned', async ({ value, says }) => {
    const cli = scriptedCli([{ in: { type: 'user' } }, EOF]);
    const prompt = new TrackedPrompt([userItem('Hi'), value]);
    const error = await typesIn(start(cli, {}, prompt)).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(PromptError);
    expect((error as Error).message).toContain(says);
    expect(prompt.returned).toBe(1);
    // `initialize`, the message, and the interrupt that stops its turn.
    expect(cli.log().frames).toHaveLength(3);
    expect(cli.log().exitCode).toBe(0);
  });

  test('that throws at once, or cannot even be opened, ends the run with its error as cause', async () => {
    const cause = new RangeError('mine');
    const iterables = [
      { [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(cause) }) },
      {
        [Symbol.asyncIterator]: () => {
          throw cause;
        },
      },
    ];
    for (const prompt of iterables) {
      const error = await typesIn(start(scriptedCli([EOF]), {}, prompt)).catch((thrown) => thrown);
      expect(error).toMatchObject({ name: 'PromptError', cause });
    }
  });

  test.each([5, {}, undefined, null])(
    'that is %s in a later message is refused; the session goes on',
    async (prompt) => {
      const cli = scriptedCli([...turn(), EOF]);
      const client = new ClaudeClient({ pathToClaudeCodeExecutable: cli.path });
      await client.connect();
      const error: unknown = await client.query(prompt as never).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(InvalidOptionError);
      expect(String(error)).toContain('`prompt` must be a string or an iterable of user messages, got');
      await client.query('Go.');
      expect((await client.receiveResponse().next()).value).toMatchObject({ type: 'system' });
      await client.disconnect();
    },
  );

  test('that fails in streamInput() rejects that call; the session goes on', async () => {
    const cli = scriptedCli([{ in: { type: 'user' } }, ...turn(), EOF]);
    const open = new TrackedPrompt([]);
    const run = start(cli, {}, open);
    const failing = (async function* () {
      yield userItem('one');
      throw new RangeError('mine');
    })();
    await expect(run.streamInput(failing)).rejects.toMatchObject({ name: 'PromptError' });
    await run.streamInput(
      (async function* () {
        yield userItem('two');
      })(),
    );
    expect((await run.next()).value).toMatchObject({ type: 'system' });
    await run.return();
  });
});

function thrownBy(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  return undefined;
}
