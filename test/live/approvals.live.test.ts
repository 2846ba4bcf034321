import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import {
  createSessionHost,
  InMemoryApprovalStore,
  InMemoryConversationStore,
  type SessionHost,
  type TenantOptions,
} from '../../packages/server/src/index.js';
import { InMemorySessionStore } from '../../src/index.js';
import type { MessagesApiOptions } from '../../src/testing/messages-api/server.js';
import { CURRENT } from './support/clis.js';
import { type Stage, setStage } from './support/stage.js';
import { bash, call } from './support/turns.js';

/** A call that can be seen to have run. */
const MAKE = bash('touch made.txt && echo made');
const TIMES = Number(process.env.APPROVALS ?? 6);

const hosts: SessionHost[] = [];

// Before the stage looks for processes that were left behind.
afterEach(async () => {
  for (const host of hosts.splice(0)) await host.close();
});

async function hostOf(turns: MessagesApiOptions['turns']) {
  const stage = await setStage(CURRENT, { turns });
  const approvals = new InMemoryApprovalStore();
  const host = createSessionHost({
    store: new InMemoryConversationStore(),
    sessionStore: new InMemorySessionStore(),
    approvals: {
      store: approvals,
      keys: [{ id: 'k1', secret: new Uint8Array(32).fill(7) }],
      needsApproval: ({ toolName }) => toolName === 'Bash',
    },
    optionsFor: (tenant) => {
      const home = join(stage.folder, tenant);
      mkdirSync(home, { recursive: true });
      return stage.options({ allowedTools: ['Bash', 'Read'] }, { CLAUDE_CONFIG_DIR: home }) as TenantOptions;
    },
  });
  hosts.push(host);
  const key = { tenant: 'ada', id: (await host.create({ tenant: 'ada' })).id };
  return { stage, approvals, host, key };
}

type Key = Awaited<ReturnType<typeof hostOf>>['key'];

async function turn(host: SessionHost, key: Key, after: number) {
  const seen: string[] = [];
  for await (const { event } of await host.events({ ...key, after })) {
    if (event.type === 'approval_closed') seen.push(event.state);
    if (event.type === 'message' && event.message.type === 'result')
      seen.push(`result ${event.message.terminal_reason}`);
    if (event.type === 'turn_ended') return [...seen, event.outcome];
  }
  return seen;
}

async function say(host: SessionHost, key: Key, text: string) {
  return await turn(host, key, (await host.send({ ...key, text })).eventId);
}

async function open(host: SessionHost, key: Key) {
  const [approval] = (await host.approvals(key)).filter(({ state }) => state === 'open');
  if (approval?.token === undefined) throw new Error(`nothing waits: ${JSON.stringify(await host.approvals(key))}`);
  return { approvalId: approval.approvalId, token: approval.token };
}

const made = (stage: Stage) => existsSync(join(stage.cwd, 'made.txt'));

test('a call that is approved runs once, in another process, without a message', async () => {
  const { stage, host, key } = await hostOf([MAKE, 'Deployed.']);
  expect(await say(host, key, 'Deploy.')).toEqual(['result tool_deferred', 'deferred']);
  await expect.poll(() => host.metrics().processes).toBe(0);
  expect(made(stage)).toBe(false);
  const { eventId } = await host.decide({ ...key, ...(await open(host, key)), decision: { behavior: 'allow' } });
  expect(await turn(host, key, eventId)).toEqual(['result completed', 'done', 'completed']);
  expect(made(stage)).toBe(true);
  expect(stage.mainCalls()).toHaveLength(2);
});

test('the input that the approver gave is the one that runs', async () => {
  const { stage, host, key } = await hostOf([MAKE, 'Deployed.']);
  await say(host, key, 'Deploy.');
  const updatedInput = { command: 'touch other.txt', description: 'Make another file' };
  const { eventId } = await host.decide({
    ...key,
    ...(await open(host, key)),
    decision: { behavior: 'allow', updatedInput },
  });
  expect(await turn(host, key, eventId)).toContain('done');
  expect([made(stage), existsSync(join(stage.cwd, 'other.txt'))]).toEqual([false, true]);
});

test('a call that is denied does not run, and the model hears why', async () => {
  const { stage, host, key } = await hostOf([MAKE, 'I see.']);
  await say(host, key, 'Deploy.');
  const decision = { behavior: 'deny', message: 'Not today.' } as const;
  const { eventId } = await host.decide({ ...key, ...(await open(host, key)), decision });
  expect(await turn(host, key, eventId)).toEqual(['result completed', 'denied', 'completed']);
  expect(made(stage)).toBe(false);
  expect(JSON.stringify(stage.api.requests.at(-1)?.body)).toContain('Not today.');
});

test('a new message withdraws the call, and it does not run', async () => {
  const { stage, host, key } = await hostOf([MAKE, 'Fine.', 'Really fine.']);
  await say(host, key, 'Deploy.');
  expect(await say(host, key, 'Never mind.')).toContain('completed');
  expect((await host.approvals(key)).map(({ state }) => state)).toEqual(['withdrawn']);
  expect(made(stage)).toBe(false);
});

test('of two calls in one message the first is lost', async () => {
  const { host, key } = await hostOf([
    {
      blocks: ['one', 'two'].map((name) => ({
        ...{ type: 'tool_use', name: 'Bash', input: { command: `touch ${name}`, description: name } },
      })),
    },
    'Done.',
  ]);
  await say(host, key, 'Deploy.');
  expect((await host.approvals(key)).map(({ input, state }) => [input.command, state])).toEqual([
    ['touch one', 'lost'],
    ['touch two', 'open'],
  ]);
});

test('a tool that needs no approval runs at once', async () => {
  const { host, key } = await hostOf([call('Read', { file_path: '/etc/hostname' }), 'Done.']);
  expect(await say(host, key, 'Read.')).toEqual(['result completed', 'completed']);
  expect(await host.approvals(key)).toEqual([]);
});

test(`nothing runs before the hook is asked, in ${TIMES} resumes whose answer is no`, {
  timeout: 60_000 * TIMES,
}, async () => {
  const outcomes: unknown[] = [];
  for (let time = 0; time < TIMES; time += 1) {
    const { stage, host, key } = await hostOf([MAKE, 'I see.']);
    await say(host, key, 'Deploy.');
    const { eventId } = await host.decide({ ...key, ...(await open(host, key)), decision: { behavior: 'deny' } });
    outcomes.push([await turn(host, key, eventId), made(stage)]);
    await host.close();
  }
  expect(outcomes).toEqual(Array.from({ length: TIMES }, () => [['result completed', 'denied', 'completed'], false]));
});
