import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createFrames, outcomeFrames, replayTransport, type Script, virtualTime } from '../../src/testing/index.js';
import { scriptedCli } from './checked-cli.js';
import { collect, problemsOf } from './collect.js';

const modes = [{ inProcess: false }, { inProcess: true }];

/** `file:line:column` of a marked line of this file, as a failure names it. */
function siteOf(marker: string): string {
  const lines = readFileSync(fileURLToPath(import.meta.url), 'utf8').split('\n');
  const line = lines.findIndex((text) => text.endsWith(`// ${marker}`));
  return `test/testing/script-places.test.ts:${line + 1}:${(lines[line] ?? '').search(/\S/) + 1}`;
}

const asking: Script = ({ prompt, init, permission, result }) => [
  prompt(),
  init(),
  // biome-ignore format: the call stands at the begin of its line
  [
  permission('Bash', { command: 'ls' }), // the question
  ],
  result('Done.'),
];

describe.each(modes)('a failure names the item of the script as it was written, %o (U-5)', (mode) => {
  test('and what the application answered: there is no canUseTool', async () => {
    const cli = scriptedCli(asking, mode);
    const { error } = await collect(cli.query({ prompt: 'Go.' }));
    const place = `item 3.1, permission "Bash" (${siteOf('the question')})`;
    const cause = 'an expected frame did not come: the answer is an error: canUseTool callback is not provided.';
    expect(await problemsOf(cli)).toEqual([expect.stringContaining(`process 1, ${place}: ${cause}`)]);
    // What ends the loop of the application says the same.
    expect(String(error)).toContain(`${place}: ${cause}`);
  });

  test('builders of other places, steps and messages by hand', async () => {
    const { result } = createFrames();
    const script: Script = [
      { in: { type: 'user' } },
      result('One.'),
      { in: { type: 'user', message: { content: 'wanted' } }, timeoutMs: 200 },
      outcomeFrames.completed(),
    ];
    const cli = scriptedCli(script, { ...mode, unclaimed: 'allow' });
    await using client = cli.client();
    await client.connect();
    await client.query('a');
    await collect(client.receiveResponse());
    await client.query('b');
    await collect(client.receiveResponse());
    await client.disconnect();
    expect(await problemsOf(cli)).toEqual([
      expect.stringMatching(/^process 1, item 3, \{"in": …\}: .*expected string "wanted", found array of 1/),
    ]);
  });
});

test('through the option transport as well', async () => {
  const transport = replayTransport(asking);
  const cli = scriptedCli(({ turn }) => turn('unused'), { inProcess: true });
  onTestFinished(() => cli.close().catch(() => {}));
  const { query } = await import('../../src/index.js');
  await collect(query({ prompt: 'Go.', options: { transport } }));
  await expect(transport.verify()).rejects.toThrow(
    /process 1, item 3\.1, permission "Bash" \(.*\): .*canUseTool callback is not provided/,
  );
});

test('a step that cannot be played is named by its item', () => {
  expect(() => scriptedCli(({ prompt }) => [prompt(), [{ exit: 'x' } as never]])).toThrow(
    /^item 2\.1, \{"exit": …\}: .*exit code/,
  );
  expect(() => scriptedCli(({ pause }) => pause(-1))).toThrow(/^item 1, pause \(.*\): /);
});

describe('a deadline needs no real time (U-5)', () => {
  test('the turn ends when the run interrupts it: no grace passes', async () => {
    await using cli = scriptedCli(({ prompt, outcome }) => [prompt(), outcome.deadline()]);
    const run = cli.query({ prompt: 'Go.', options: { deadlineMs: 1 } });
    const { outcome, messages } = await collect(run);
    expect(outcome.kind).toBe('deadline');
    // The grace is for an interrupt that has no result.
    expect(messages.at(-1)).toMatchObject({ type: 'result', terminal_reason: 'aborted_streaming' });
  });

  test('an hour passes at once in virtual time, also where the CLI does not react', async () => {
    using time = virtualTime();
    await using cli = scriptedCli(
      ({ prompt, init, faults }) => [prompt(), init(), faults.stall({ ignoresEnd: true })],
      { inProcess: true },
    );
    const { outcome } = await time.until(collect(cli.query({ prompt: 'Go.', options: { deadlineMs: 3_600_000 } })));
    expect(outcome.kind).toBe('deadline');
    expect(time.elapsedMs).toBeGreaterThanOrEqual(3_600_000);
  });
});

test('the error of a script that is a file names the command that opens the file, and of items it names none', async () => {
  const file = new URL('../fixtures/recordings/multi-turn.jsonl', import.meta.url);
  const message = (error: unknown): string => (error instanceof Error ? error.message : String(error));
  const of = async (script: Parameters<typeof scriptedCli>[0]): Promise<string> =>
    scriptedCli(script, { inProcess: true })
      .close()
      .then(() => '', message);
  expect((await of(file)).split('\n').at(-1)).toBe(`To look at the script: claudewire view ${fileURLToPath(file)}`);
  expect(await of(({ turn }) => turn('Hello.'))).not.toContain('claudewire view');
});
