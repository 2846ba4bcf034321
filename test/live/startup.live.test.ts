import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ControlRequestError, ProcessError, prewarm, ResultError, startup } from '../../src/index.js';
import { BOTH, CURRENT, OLDEST } from './support/clis.js';
import { collect, results, resultTexts } from './support/collect.js';
import { expectNoProcess, expectVersion, type Stage, setStage } from './support/stage.js';
import { UserTurns } from './support/user-turns.js';

describe.each(BOTH)('a warm process, CLI $version', (cli) => {
  test('waits for its prompt, answers it and ends by itself', async () => {
    const stage = await setStage(cli, { turns: ['Hello.'] });
    const warm = await startup({ options: stage.options() });
    expect(stage.mainCalls()).toEqual([]);
    const { messages, error } = await collect(warm.query('Say hello.'));
    expect(error).toBeUndefined();
    expectVersion(stage, messages);
    expect(resultTexts(messages)).toEqual(['Hello.']);
    await expectNoProcess(stage);
  });

  test('takes an iterable prompt', async () => {
    const stage = await setStage(cli, { turns: ['One.', 'Two.'] });
    const warm = await startup({ options: stage.options() });
    const prompt = new UserTurns('A.', 'B.');
    const { messages, error } = await collect(warm.query(prompt), (message) => {
      if (message.type === 'result') prompt.next();
    });
    expect(error).toBeUndefined();
    expect(resultTexts(messages)).toEqual(['One.', 'Two.']);
  });

  test('that is not needed leaves nothing behind', async () => {
    const stage = await setStage(cli, { turns: [] });
    const warm = await startup({ options: stage.options() });
    await warm[Symbol.asyncDispose]();
    await expectNoProcess(stage);
    expect(stage.api.requests).toEqual([]);
  });
});

describe(`a spare process, CLI '${CURRENT.version}'`, () => {
  test('becomes a session in another folder, with another model, mode and settings', async () => {
    const stage = await setStage(CURRENT, { turns: ['Hello.'] });
    const project = join(stage.folder, 'project');
    mkdirSync(project);
    const spare = await prewarm({ options: withoutCwd(stage) });
    expect(spares(stage)).toHaveLength(1);
    const run = spare.claim({
      prompt: 'Say hello.',
      options: {
        cwd: project,
        model: 'sonnet-test-model',
        permissionMode: 'plan',
        settings: { effortLevel: 'low', permissions: { deny: ['WebFetch'] } },
        title: 'A spare',
      },
    });
    const { messages, error } = await collect(run);
    expect(error).toBeUndefined();
    expectVersion(stage, messages);
    expect(resultTexts(messages)).toEqual(['Hello.']);
    const init = messages.find((message) => message.type === 'system' && message.subtype === 'init');
    const claim = await spare.claimed;
    expect(claim).toMatchObject({ cwd: project, sdkMcpSettled: true });
    expect(claim.parkedMs).toBeGreaterThanOrEqual(0);
    expect(init).toMatchObject({
      cwd: project,
      model: 'sonnet-test-model',
      permissionMode: 'plan',
      session_id: claim.sessionId,
    });
    expect(await run.initializationResult()).toMatchObject({ current_permission_mode: 'plan' });
    expect(stage.mainCalls()).toEqual(['sonnet-test-model']);
    await spare.exited;
    expect(spares(stage)).toEqual([]);
  });

  test('keeps the configuration of a relative CLAUDE_CONFIG_DIR, and the id it was started with', async () => {
    const stage = await setStage(CURRENT, { turns: ['Hello.'] });
    const project = join(stage.folder, 'deep', 'er', 'project');
    mkdirSync(project, { recursive: true });
    const config = join(stage.folder, 'config');
    const sessionId = randomUUID();
    const { env, ...options } = withoutCwd(stage);
    const spare = await prewarm({
      options: { ...options, env: { ...env, CLAUDE_CONFIG_DIR: relative(process.cwd(), config) }, sessionId },
    });
    expect(spares(stage)).toHaveLength(1);
    const { error } = await collect(spare.claim({ prompt: 'Say hello.', options: { cwd: project } }));
    expect(error).toBeUndefined();
    expect((await spare.claimed).sessionId).toBe(sessionId);
    await spare.exited;
    expect(spares(stage)).toEqual([]);
    const written = readdirSync(stage.folder, { recursive: true, encoding: 'utf8' });
    const transcripts = written.filter((path) => path.endsWith(`${sessionId}.jsonl`));
    expect(transcripts).toHaveLength(1);
    expect(transcripts[0]).toMatch(/^config[\\/]projects[\\/]/);
  });

  test('refuses a folder that does not exist, and says so in the result too', async () => {
    const stage = await setStage(CURRENT, { turns: [] });
    const spare = await prewarm({ options: withoutCwd(stage) });
    const run = spare.claim({ prompt: 'Hi.', options: { cwd: join(stage.folder, 'nowhere') } });
    const { messages, error } = await collect(run);
    const refusal: unknown = await spare.claimed.catch((reason: unknown) => reason);
    expect(refusal).toBeInstanceOf(ControlRequestError);
    expect((refusal as Error).message).toMatch(/^cwd_not_found/);
    expect(results(messages)[0]).toMatchObject({ is_error: true, num_turns: 0 });
    expect(error).toBeInstanceOf(ResultError);
    expect((error as ResultError).errors?.[0]).toMatch(/^not_claimed/);
    await spare.exited;
  });

  test('refuses settings that it cannot read, and gets no prompt', async () => {
    const stage = await setStage(CURRENT, { turns: [] });
    const spare = await prewarm({ options: withoutCwd(stage) });
    // Not what the type says: nothing of it may run.
    const settings = { permissions: 5 } as unknown as { permissions: null };
    const run = spare.claim({ prompt: 'Hi.', options: { cwd: stage.cwd, settings } });
    const { messages, error } = await collect(run);
    expect(error).toBeUndefined();
    expect(results(messages)).toEqual([]);
    await expect(spare.claimed).rejects.toMatchObject({ reason: 'settings_not_applied', claim: { cwd: stage.cwd } });
    expect(stage.api.requests).toEqual([]);
  });

  test('that is not needed leaves nothing behind', async () => {
    const stage = await setStage(CURRENT, { turns: [] });
    const spare = await prewarm({ options: withoutCwd(stage) });
    spare.close();
    await spare.exited;
    await expectNoProcess(stage);
    expect(spares(stage)).toEqual([]);
    expect(stage.api.requests).toEqual([]);
  });
});

test(`a release without spare processes says so, CLI '${OLDEST.version}'`, async () => {
  const stage = await setStage(OLDEST, { turns: [] });
  const error: unknown = await prewarm({ options: withoutCwd(stage) }).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(ProcessError);
  expect((error as ProcessError).stderrTail).toContain('--await-claim');
  await expectNoProcess(stage);
  expect(spares(stage)).toEqual([]);
});

/** The stage's options, without its folder: a spare waits in one of its own. */
function withoutCwd(stage: Stage) {
  const { cwd: _, ...options } = stage.options();
  return options;
}

function spares(stage: Stage): readonly string[] {
  return readdirSync(join(stage.folder, 'config', 'spares'));
}
