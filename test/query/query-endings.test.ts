import { describe, expect, test } from 'vitest';
import { type Options, type Query, query, type SDKMessage } from '../../src/index.js';
import { createDeferred } from '../../src/util/deferred.js';
import { initFrame, resultFrame } from '../helpers/cli-frames.js';
import { type Step, scriptedCli } from '../helpers/scripted-cli.js';
import { TrackedPrompt, userItem } from './tracked-prompt.js';

/** The ways a program has to end a run, and what its loop and its pending requests then see. */
const endings: readonly {
  readonly name: string;
  readonly end: (run: Run) => unknown;
  readonly loop: string;
  readonly request: string;
}[] = [
  { name: 'close()', end: ({ query }) => query.close(), loop: 'done', request: 'SessionClosedError' },
  { name: 'return()', end: ({ query }) => query.return(), loop: 'done', request: 'SessionClosedError' },
  { name: 'dispose', end: ({ query }) => query[Symbol.asyncDispose](), loop: 'done', request: 'SessionClosedError' },
  {
    name: 'throw()',
    end: ({ query }) => query.throw(new RangeError('mine')).catch((error) => error.name),
    loop: 'done',
    request: 'SessionClosedError',
  },
  { name: 'abort', end: ({ abort }) => abort.abort('enough'), loop: 'AbortError: enough', request: 'AbortError' },
];

/** Where the run is when it is ended. */
const phases: readonly {
  readonly name: string;
  readonly cli: readonly Step[];
  readonly reach: (run: Run) => Promise<unknown>;
  /** What was delivered before, and is not delivered again. */
  readonly hasCallback?: true;
}[] = [
  { name: 'before the first frame', cli: [{ wait: 'EOF' }], reach: async () => {} },
  {
    name: 'mid-stream',
    cli: [{ in: { type: 'user' } }, { out: initFrame() }, { wait: 'EOF' }],
    reach: ({ query }) => query.next(),
  },
  {
    name: 'with a permission callback pending',
    cli: [
      { in: { type: 'user' } },
      {
        out: {
          type: 'control_request',
          request_id: 'c1',
          request: { subtype: 'can_use_tool', tool_name: 'Bash', input: {}, tool_use_id: 't' },
        },
      },
      { wait: 'EOF' },
    ],
    reach: ({ asked }) => asked,
    hasCallback: true,
  },
  {
    name: 'after the result',
    cli: [{ in: { type: 'user' } }, { out: resultFrame() }, { wait: 'EOF' }],
    reach: ({ query }) => query.next(),
  },
];

interface Run {
  readonly query: Query;
  readonly abort: AbortController;
  /** Resolves when the permission callback was asked. */
  readonly asked: Promise<void>;
}

describe.each(phases)('$name', ({ cli: steps, reach, hasCallback }) => {
  test.each(endings)('$name ends everything', async ({ end, loop, request }) => {
    const cli = scriptedCli(steps, { answers: { never: null } });
    const prompt = new TrackedPrompt([userItem('Hi')]);
    const abort = new AbortController();
    const asked = createDeferred<void>();
    const aborted: unknown[] = [];
    const options: Options = {
      pathToClaudeCodeExecutable: cli.path,
      abortController: abort,
      canUseTool: (_name, _input, { signal }) => {
        signal.addEventListener('abort', () => aborted.push(signal.reason.name));
        asked.resolve();
        return new Promise(() => {});
      },
    };
    const run = { query: query({ prompt, options }), abort, asked: asked.promise };
    const pending = run.query.request('never').catch((error: Error) => error.name);

    await reach(run);
    await end(run);

    expect(await pending).toBe(request);
    expect(await outcomeOfLoop(run.query)).toBe(loop);
    expect(prompt.returned, 'calls of return() on the prompt').toBe(1);
    expect(aborted, 'signals of callbacks').toEqual(hasCallback ? ['AbortError'] : []);
    const { signals, sawEof, exitCode } = cli.log();
    expect({ signals, sawEof, exitCode }).toEqual({ signals: [], sawEof: true, exitCode: 0 });
    // Whatever comes after the end changes nothing.
    run.query.close();
    abort.abort('again');
    expect(await run.query.return()).toEqual({ value: undefined, done: true });
    expect(await outcomeOfLoop(run.query)).toBe('done');
  });
});

describe('a CLI that dies', () => {
  const deaths: readonly { readonly name: string; readonly last: Step; readonly error: string }[] = [
    { name: 'with exit code 1', last: { exit: 1 }, error: 'ProcessError' },
    { name: 'by a signal', last: { kill: 'SIGKILL' }, error: 'ProcessError' },
    { name: 'with exit code 0', last: { exit: 0 }, error: 'SessionClosedError' },
  ];
  test.each(deaths)('$name rejects what is pending, returns the prompt, aborts signals', async ({ last, error }) => {
    const cli = scriptedCli([{ in: { type: 'user' } }, ...(phases[2]?.cli.slice(1, 2) ?? []), last], {
      answers: { never: null, initialize: null },
    });
    const prompt = new TrackedPrompt([userItem('Hi')]);
    const signals: AbortSignal[] = [];
    const run = query({
      prompt,
      options: {
        pathToClaudeCodeExecutable: cli.path,
        canUseTool: (_name, _input, { signal }) => {
          signals.push(signal);
          return new Promise(() => {});
        },
      },
    });
    const pending = ['one', 'two'].map((name) =>
      run.request(name === 'one' ? 'never' : 'initialize').catch((thrown: Error) => thrown.name),
    );
    const initialized = run.initializationResult().catch((thrown: Error) => thrown.name);

    const outcome = await outcomeOfLoop(run);

    expect(outcome.split(':')[0]).toBe(error === 'ProcessError' ? error : 'done');
    expect(await Promise.all([...pending, initialized])).toEqual([error, error, error]);
    expect(prompt.returned).toBe(1);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  });
});

describe('leaving the loop', () => {
  test('by an error in its body ends the CLI, and the error goes on', async () => {
    const cli = scriptedCli([{ in: { type: 'user' } }, { out: initFrame() }, { wait: 'EOF' }]);
    const run = query({ prompt: 'Hi', options: { pathToClaudeCodeExecutable: cli.path } });
    const looping = (async () => {
      for await (const _ of run) throw new RangeError('mine');
    })();
    await expect(looping).rejects.toThrow(new RangeError('mine'));
    expect(cli.log().exitCode).toBe(0);
  });

  test('by `await using` ends the CLI', async () => {
    const cli = scriptedCli([{ in: { type: 'user' } }, { out: initFrame() }, { wait: 'EOF' }]);
    {
      await using run = query({ prompt: 'Hi', options: { pathToClaudeCodeExecutable: cli.path } });
      expect((await run.next()).value).toMatchObject({ type: 'system' });
    }
    expect(cli.log().exitCode).toBe(0);
  });
});

describe('the end of a run', () => {
  test('a prompt whose return() fails or never comes back holds nothing up', async () => {
    const returns = [
      () => Promise.reject(new Error('mine')),
      () => {
        throw new Error('mine');
      },
      () => new Promise(() => {}),
    ];
    const codes: string[] = [];
    for (const onReturn of returns) {
      const cli = scriptedCli([{ wait: 'EOF' }]);
      const prompt = new TrackedPrompt([], onReturn);
      const run = query({
        prompt,
        options: { pathToClaudeCodeExecutable: cli.path, onDiagnostic: ({ code }) => codes.push(code) },
      });
      await run.initializationResult();
      await run.return();
      expect(prompt.returned).toBe(1);
    }
    expect(codes).toEqual(['prompt_return_failed', 'prompt_return_failed']);
  });

  test('a prompt that was not opened yet is left alone', async () => {
    const cli = scriptedCli([{ wait: 'EOF' }]);
    const prompt = new TrackedPrompt([]);
    const run = query({ prompt, options: { pathToClaudeCodeExecutable: cli.path } });
    await run.return();
    expect([prompt.pulled, prompt.returned]).toEqual([0, 0]);
  });

  test('an abort after the end has no effect', async () => {
    const cli = scriptedCli([{ in: { type: 'user' } }, { out: resultFrame() }, { wait: 'EOF' }]);
    const abortController = new AbortController();
    const run = query({ prompt: 'Hi', options: { pathToClaudeCodeExecutable: cli.path, abortController } });
    expect(await outcomeOfLoop(run)).toBe('done');
    abortController.abort();
    expect(await outcomeOfLoop(run)).toBe('done');
  });
});

/** `done`, or what the loop threw, with its cause. */
async function outcomeOfLoop(run: AsyncIterator<SDKMessage, void>): Promise<string> {
  try {
    for (;;) {
      if ((await run.next()).done) return 'done';
    }
  } catch (error) {
    const { name, cause } = error as Error;
    return `${name}: ${cause}`;
  }
}
