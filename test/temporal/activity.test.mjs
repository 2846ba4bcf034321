/** Run by `npm run test:temporal`, in a folder that has the example, Temporal's packages and the fake CLI. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { CancelledFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { InMemorySessionStore } from 'claudewire';
import { createActivities } from './activity.mjs';
import { writeJobCli } from './job-cli.mjs';

// The fake CLI stores its transcripts under this name.
const projectKey = 'p';

function makeProfile(t, env = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'claudewire-temporal-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const real = new InMemorySessionStore();
  // The fake CLI does not know the folder's name that a resume looks under.
  const inside = (key) => ({ ...key, projectKey });
  const sessionStore = {
    append: (key, entries) => real.append(inside(key), entries),
    load: (key) => real.load(inside(key)),
  };
  const ledger = join(folder, 'ledger');
  const variables = { PATH: process.env.PATH, CLAUDE_CONFIG_DIR: join(folder, 'home'), JOB_LEDGER: ledger, ...env };
  const options = { pathToClaudeCodeExecutable: writeJobCli(folder), cwd: folder, env: variables, settingSources: [] };
  return { profile: { options, sessionStore, projectKey }, ledger };
}

/** Runs one attempt, cancelled as soon as the turn waits. */
async function cancelledRun(profile, prompt, isReady) {
  const environment = new MockActivityEnvironment();
  let details;
  environment.on('heartbeat', (said) => {
    details = said;
    if (isReady(said)) environment.cancel();
  });
  const { runClaude } = createActivities(profile);
  await assert.rejects(environment.run(runClaude, { prompt }), CancelledFailure);
  return details;
}

function turns(ledger) {
  return readFileSync(ledger, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => line.split(' ')[0]);
}

test('an activity completes, and heartbeats its session from the start', async (t) => {
  const { profile } = makeProfile(t);
  const environment = new MockActivityEnvironment();
  const heartbeats = [];
  environment.on('heartbeat', (details) => heartbeats.push(details));
  const { sessionId, text } = await environment.run(createActivities(profile).runClaude, { prompt: 'Hello.' });
  assert.equal(text, 'Done.');
  assert.ok(heartbeats.length > 1);
  assert.ok(heartbeats.every((details) => details.sessionId === sessionId));
});

test('a cancel interrupts the turn, and a later attempt resumes its session', async (t) => {
  const { profile, ledger } = makeProfile(t);
  const heartbeatDetails = await cancelledRun(profile, 'Hang', ({ last }) => last === 'system');
  assert.deepEqual(turns(ledger), ['start', 'waits', 'end']);
  const retry = new MockActivityEnvironment({ attempt: 2, heartbeatDetails });
  const result = await retry.run(createActivities(profile).runClaude, { prompt: 'Hang' });
  assert.equal(result.sessionId, heartbeatDetails.sessionId);
  assert.equal(result.text, 'Done.');
});

test('a retry does not go on where a tool call was cut', async (t) => {
  const { profile, ledger } = makeProfile(t);
  const heartbeatDetails = await cancelledRun(withJournal(profile), 'Cut', ({ last }) => last === 'assistant');
  const retry = new MockActivityEnvironment({ attempt: 2, heartbeatDetails });
  await assert.rejects(retry.run(createActivities(profile).runClaude, { prompt: 'Cut' }), (error) => {
    assert.equal(error.type, 'outcome_unknown');
    assert.equal(error.nonRetryable, true);
    assert.match(error.message, /Bash \(toolu_1\)/);
    return true;
  });
  assert.equal(turns(ledger).filter((what) => what === 'start').length, 1);
});

test('an outcome says whether and when to try again', async (t) => {
  const resetsAt = Math.floor(Date.now() / 1000) + 3_600;
  const limited = makeProfile(t, { JOB_RESETS_AT: String(resetsAt) });
  const run = (profile, prompt) => new MockActivityEnvironment().run(createActivities(profile).runClaude, { prompt });
  await assert.rejects(run(limited.profile, 'Limit'), (error) => {
    assert.equal(error.type, 'rate_limited');
    assert.equal(error.nonRetryable, false);
    assert.ok(error.nextRetryDelay > 3_000_000, String(error.nextRetryDelay));
    return true;
  });
  await assert.rejects(run(limited.profile, 'Leak'), { type: 'auth', nonRetryable: true });
});

/** The fake CLI asks a hook before its tool runs. */
function withJournal(profile) {
  const hooks = { PreToolUse: [{ hooks: [async () => ({})] }] };
  return { ...profile, options: { ...profile.options, hooks } };
}
