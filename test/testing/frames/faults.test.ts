import { describe, expect, test } from 'vitest';
import type { Options } from '../../../src/index.js';
import { type Frames, type ScriptItem, virtualTime } from '../../../src/testing/index.js';
import { scriptedCli } from '../checked-cli.js';
import { collect } from '../collect.js';

const modes = [{ inProcess: false }, { inProcess: true }];

interface FaultCase {
  readonly name: string;
  readonly script: (frames: Frames) => ScriptItem;
  readonly options?: Options;
  readonly outcome: object;
}

const TORN = 'Grüße, 世界 \u{1f642}';

const cases: readonly FaultCase[] = [
  {
    name: 'the process ends inside a frame',
    script: ({ prompt, init, assistantText, faults }) => [prompt(), init(), faults.cut(assistantText('Hello'))],
    outcome: { kind: 'crashed', exitCode: 1 },
  },
  {
    name: 'after its first byte',
    script: ({ prompt, init, assistantText, faults }) => [
      prompt(),
      init(),
      faults.cut(assistantText('Hello'), { atByte: 1, exitCode: 0 }),
    ],
    outcome: { kind: 'incomplete' },
  },
  {
    name: 'a stall',
    script: ({ prompt, init, faults }) => [prompt(), init(), faults.stall()],
    options: { idleTimeoutMs: 50 },
    outcome: { kind: 'idle_timeout' },
  },
  {
    name: 'a crash with a code and a last word',
    script: ({ prompt, init, faults }) => [prompt(), init(), faults.crash({ exitCode: 134, stderr: 'heap' })],
    outcome: { kind: 'crashed', exitCode: 134, stderrTail: 'heap' },
  },
  {
    name: 'death by a signal',
    script: ({ prompt, init, faults }) => [prompt(), init(), faults.crash({ signal: 'SIGSEGV' })],
    outcome: { kind: 'crashed', exitCode: null, signal: 'SIGSEGV' },
  },
  {
    name: 'a refusal',
    script: ({ faults }) => faults.refuse('error: no', 7),
    outcome: { kind: 'not_started', message: expect.stringContaining('error: no') },
  },
  {
    name: 'garbage between the messages',
    script: ({ prompt, init, assistantText, result, faults }) => [
      prompt(),
      faults.garbage(),
      init(),
      faults.garbage('{"type":'),
      assistantText('Fine.'),
      result(),
    ],
    outcome: { kind: 'completed', message: 'Fine.' },
  },
  {
    name: 'torn characters',
    script: ({ prompt, init, result, faults }) => [prompt(), init(), faults.split(result(TORN))],
    outcome: { kind: 'completed', message: TORN },
  },
  {
    name: 'three bytes at a time',
    script: ({ prompt, init, result, faults }) => [prompt(), init(), faults.split({ type: 'x' }, 3), result('Fine.')],
    outcome: { kind: 'completed', message: 'Fine.' },
  },
  {
    name: 'a slow stream',
    script: ({ prompt, init, assistantText, result, faults }) => [
      prompt(),
      faults.slow([init(), assistantText('Fine.'), result()], 5),
    ],
    outcome: { kind: 'completed', message: 'Fine.' },
  },
  {
    name: 'output that is closed while the process lives on',
    script: ({ prompt, init, faults, endOfInput }) => [prompt(), init(), faults.closeOutput(), endOfInput()],
    outcome: { kind: 'incomplete' },
  },
];

describe.each(modes)('a fault, %o', (mode) => {
  test.each(cases)('$name', async ({ script, options = {}, outcome }) => {
    await using cli = scriptedCli(script, mode);
    expect((await collect(cli.query({ prompt: 'Go.', options }))).outcome).toMatchObject(outcome);
  });

  test('a closed input: the next write fails', async () => {
    await using cli = scriptedCli(
      ({ turn, faults, pause, exit }) => [turn('One.'), faults.closeInput(), pause(300), exit(1)],
      mode,
    );
    await using client = cli.client();
    await client.connect();
    await client.query('a');
    await collect(client.receiveResponse());
    const { error } = await collect(writeUntilItFails());
    expect(String(error)).toMatch(/not ready for writing|Failed to write|exited with code 1/);

    async function* writeUntilItFails(): AsyncGenerator<never, void> {
      for (;;) {
        await client.query('b');
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    }
  });
});

test('a process that ignores the end and SIGTERM is killed by the SDK', async () => {
  using time = virtualTime();
  await using cli = scriptedCli(({ prompt, init, faults }) => [prompt(), init(), faults.stall({ ignoresEnd: true })], {
    inProcess: true,
  });
  const run = cli.query({ prompt: 'Go.' });
  await run.next();
  run.close();
  await time.advance(10_000);
  expect(cli.runs[0]?.signals).toEqual(['SIGTERM', 'SIGKILL']);
});
