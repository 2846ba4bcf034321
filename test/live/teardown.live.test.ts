import { describe, expect, test } from 'vitest';
import { AbortError, ClaudeClient, query } from '../../src/index.js';
import { BOTH, CURRENT } from './support/clis.js';
import { collect } from './support/collect.js';
import { CAN_LIST_PROCESSES, killProcessesWith, processesWith, waitUntil } from './support/processes.js';
import { expectNoProcess, expectVersion, type Stage, setStage } from './support/stage.js';
import { bash } from './support/turns.js';

/** Longer than any test: it ends only when somebody ends it. */
const SLEEP = 'sleep 3141';
/** Current releases refuse a command that is nothing but a long sleep. */
const ASLEEP = bash(`echo begun; ${SLEEP}`);

// Where /proc is: elsewhere nothing could be proven dead.
describe.runIf(CAN_LIST_PROCESSES).each(BOTH)('teardown in a Bash call, CLI $version (Linux only)', (cli) => {
  const options = { allowedTools: ['Bash'] };

  test('close() ends the loop, the CLI and the command it was running', async () => {
    const stage = await setStage(cli, { turns: [ASLEEP] });
    const run = query({ prompt: 'Sleep.', options: stage.options(options) });
    const collected = collect(run);
    await sleeping(stage);
    run.close();
    const { messages, error } = await collected;
    expect(error).toBeUndefined();
    expectVersion(stage, messages);
    expect(stage.mainCalls()).toHaveLength(1);
    await expectGone(stage);
  });

  test('an abort rejects with the caller’s reason and leaves no process', async () => {
    const stage = await setStage(cli, { turns: [ASLEEP] });
    const abortController = new AbortController();
    const collected = collect(query({ prompt: 'Sleep.', options: stage.options({ ...options, abortController }) }));
    await sleeping(stage);
    const reason = new Error('enough');
    abortController.abort(reason);
    const { messages, error } = await collected;
    expect(error).toBeInstanceOf(AbortError);
    expect(error).toHaveProperty('cause', reason);
    expectVersion(stage, messages);
    await expectGone(stage);
  });

  test('leaving the loop ends everything too', async () => {
    const stage = await setStage(cli, { turns: [ASLEEP] });
    for await (const message of query({ prompt: 'Sleep.', options: stage.options(options) })) {
      if (message.type !== 'assistant') continue;
      await sleeping(stage);
      break;
    }
    await expectGone(stage);
  });

  test('disconnect() resolves when the CLI and its command are gone', async () => {
    const stage = await setStage(cli, { turns: [ASLEEP] });
    const client = new ClaudeClient(stage.options(options));
    await client.connect('Sleep.');
    await sleeping(stage);
    await client.disconnect();
    await expectGone(stage);
  });
});

/** The command runs, as a process of its own below the CLI. */
async function sleeping(stage: Stage): Promise<void> {
  const isAsleep = () => processesWith(stage.folder).some(({ command }) => command === SLEEP);
  await waitUntil(`a process \`${SLEEP}\``, isAsleep, 30_000);
  expect(processesWith(stage.folder).length, 'the CLI and its command').toBeGreaterThan(1);
}

/**
 * The CLI and its command have ended. Release 2.0.56 may leave the command behind: whether the interrupt ends it first
 * depends on how far the CLI has come.
 */
async function expectGone(stage: Stage): Promise<void> {
  if (stage.cli !== CURRENT) {
    await waitUntil('the CLI ended', () => onlyTheCommand(stage), 10_000);
    killProcessesWith(stage.folder);
  }
  await expectNoProcess(stage);
}

function onlyTheCommand(stage: Stage): boolean {
  return processesWith(stage.folder).every(({ command }) => command.endsWith(SLEEP) || command.startsWith('/bin/bash'));
}
