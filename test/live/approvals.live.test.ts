import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { z } from 'zod';
import {
  createSessionHost,
  InMemoryApprovalStore,
  InMemoryConversationStore,
  type SessionHost,
  type TenantOptions,
} from '../../packages/server/src/index.js';
import { createSdkMcpServer, InMemorySessionStore, tool } from '../../src/index.js';
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

/** A call of a tool of the host's own. */
const PAY = call('mcp__bank__pay', { amount: 5 });
/** A server of somebody else, in a process of its own. */
const echo = ({ cwd }: Stage) => {
  const args = [fileURLToPath(new URL('./support/echo-server.mjs', import.meta.url)), join(cwd, 'echoed.txt')];
  return { type: 'stdio', command: process.execPath, args } as const;
};
/** Every tool that waits for a decision. */
const GUARDED = ['Bash', 'mcp__bank__pay', 'mcp__echo__echo'];

async function hostOf(turns: MessagesApiOptions['turns'], { withEcho = false } = {}) {
  const stage = await setStage(CURRENT, { turns });
  const paid: number[] = [];
  const bank = () => {
    const pay = tool('pay', 'Pays.', { amount: z.number() }, async ({ amount }) => {
      paid.push(amount);
      return { content: [{ type: 'text', text: `paid ${amount}` }] };
    });
    return createSdkMcpServer({ name: 'bank', tools: [pay] });
  };
  const approvals = new InMemoryApprovalStore();
  const host = createSessionHost({
    store: new InMemoryConversationStore(),
    sessionStore: new InMemorySessionStore(),
    approvals: {
      store: approvals,
      keys: [{ id: 'k1', secret: new Uint8Array(32).fill(7) }],
      needsApproval: ({ toolName }) => GUARDED.includes(toolName),
    },
    optionsFor: (tenant) => {
      const home = join(stage.folder, tenant);
      mkdirSync(home, { recursive: true });
      const mcpServers = { bank: bank(), ...(withEcho ? { echo: echo(stage) } : {}) };
      const allowedTools = [...GUARDED, 'Read'];
      return stage.options({ allowedTools, mcpServers }, { CLAUDE_CONFIG_DIR: home }) as TenantOptions;
    },
  });
  hosts.push(host);
  const key = { tenant: 'ada', id: (await host.create({ tenant: 'ada' })).id };
  return { stage, approvals, host, key, paid };
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

/** Decides about the call that waits, and sees the turn through. */
async function decideAndWatch(host: SessionHost, key: Key, behavior: 'allow' | 'deny' = 'allow') {
  const { eventId } = await host.decide({ ...key, ...(await open(host, key)), decision: { behavior } });
  return await turn(host, key, eventId);
}

const EARLY = 'result tool_deferred_unavailable';

test.each([
  ['allow', [5], 'done'],
  ['deny', [], 'denied'],
] as const)("V-1: a call of the host's own tool goes on as decided: %s", async (behavior, expected, state) => {
  const { stage, host, key, paid } = await hostOf([PAY, 'Paid.', 'Bye.']);
  expect(await say(host, key, 'Pay.')).toEqual(['result tool_deferred', 'deferred']);
  expect(await decideAndWatch(host, key, behavior)).toEqual([EARLY, 'result completed', state, 'completed']);
  expect(paid).toEqual(expected);
  expect(stage.mainCalls()).toHaveLength(2);
  // What woke the call up was said by no user, and is shown as no user's.
  expect(JSON.stringify(stage.api.requests.at(-1)?.body)).toContain('MESSAGE FROM NON-USER SOURCE');
  const said = (await host.transcript(key)).map(({ type, message }) => [type, JSON.stringify(message)] as const);
  expect(said.map(([type]) => type)).toEqual(['user', 'assistant', 'user', 'assistant']);
  expect(JSON.stringify(said)).not.toContain('has decided');
  expect((await host.get(key)).title).toBe('Pay.');
  expect(await say(host, key, 'Bye.')).toContain('completed');
});

test('V-1: calls of all kinds wait one after the other in a turn', { timeout: 120_000 }, async () => {
  const turns = [PAY, MAKE, call('mcp__echo__echo', { text: 'hi' }), PAY, 'All done.'];
  const { stage, host, key, paid } = await hostOf(turns, { withEcho: true });
  await say(host, key, 'Do it all.');
  for (const state of ['done', 'done', 'done']) {
    expect(await decideAndWatch(host, key)).toEqual(expect.arrayContaining([state, 'deferred']));
  }
  expect((await decideAndWatch(host, key)).slice(-2)).toEqual(['done', 'completed']);
  expect(paid).toEqual([5, 5]);
  expect(made(stage)).toBe(true);
  expect(readFileSync(join(stage.cwd, 'echoed.txt'), 'utf8')).toBe('hi\n');
});

test('V-1: a call waits beside one that needs no approval', async () => {
  const read = { type: 'tool_use', name: 'Read', input: { file_path: '/etc/hostname' } } as const;
  const pay = { type: 'tool_use', name: 'mcp__bank__pay', input: { amount: 7 } } as const;
  const { stage, host, key, paid } = await hostOf([{ blocks: [read, pay] }, 'Done.']);
  await say(host, key, 'Read and pay.');
  expect((await decideAndWatch(host, key)).slice(-2)).toEqual(['done', 'completed']);
  expect(paid).toEqual([7]);
  expect(JSON.stringify(stage.api.requests.at(-1)?.body)).toContain('paid 7');
});

test.each(['mcp__bank__pay', 'Bash'])(
  'V-1: the model hears of the call that was lost beside one of %s',
  async (kept) => {
    const lost = { type: 'tool_use', name: 'mcp__bank__pay', input: { amount: 1 } } as const;
    const other = kept === 'Bash' ? { command: 'true', description: 'x' } : { amount: 2 };
    const { stage, host, key, paid } = await hostOf([
      { blocks: [lost, { type: 'tool_use' as const, name: kept, input: other }] },
      'Done.',
    ]);
    await say(host, key, 'Pay twice.');
    expect((await decideAndWatch(host, key)).slice(-2)).toEqual(['done', 'completed']);
    expect(paid).toEqual(kept === 'Bash' ? [] : [2]);
    const told = JSON.stringify(stage.api.requests.at(-1)?.body);
    expect(told).toContain('they did not run');
    expect(told).toContain(JSON.stringify('- mcp__bank__pay {"amount":1}').slice(1, -1));
  },
);

test.each([
  ['Bash', MAKE],
  ["the host's own tool", PAY],
])('a new message withdraws the call of %s, and is answered, as all that follow', async (_, waiting) => {
  const { stage, host, key, paid } = await hostOf([waiting, 'Fine.', 'Really fine.', 'Bye.']);
  await say(host, key, 'Deploy.');
  expect(await say(host, key, 'Never mind.')).toContain('completed');
  expect(JSON.stringify(stage.api.requests.at(-1)?.body)).toContain('Never mind.');
  expect((await host.approvals(key)).map(({ state }) => state)).toEqual(['withdrawn']);
  expect(await say(host, key, 'Bye.')).toContain('completed');
  expect(JSON.stringify(stage.api.requests.at(-1)?.body)).toContain('Bye.');
  expect([made(stage), paid]).toEqual([false, []]);
  const said = (await host.transcript(key)).flatMap(({ type, message }) => (type === 'user' ? [message] : []));
  expect(JSON.stringify(said)).not.toContain('is not made');
});

test('a message that is stopped while Claude Code settles the call before it is stopped too', async () => {
  const slow = { text: 'Well. '.repeat(200), chunkMs: 50 };
  const { stage, host, key } = await hostOf([MAKE, slow, slow, 'Bye.']);
  await say(host, key, 'Deploy.');
  const { eventId } = await host.send({ ...key, text: 'Never mind.' });
  await expect.poll(() => stage.api.requests.length, { timeout: 20_000 }).toBe(2);
  await host.interrupt(key);
  expect((await turn(host, key, eventId)).at(-1)).toBe('interrupted');
  expect(await say(host, key, 'Bye.')).toContain('completed');
  expect(JSON.stringify(stage.api.requests.at(-1)?.body)).toContain('Never mind.');
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

// V-10: it was `failed`, which says that the tool ran to its end.
test.each(['drain', 'interrupt', 'close'] as const)('V-10: an approved call that %s() cuts is unknown', async (how) => {
  const { stage, approvals, host, key } = await hostOf([bash('touch made.txt; sleep 4; touch end.txt'), 'Deployed.']);
  await say(host, key, 'Deploy.');
  await host.decide({ ...key, ...(await open(host, key)), decision: { behavior: 'allow' } });
  await expect.poll(() => made(stage), { timeout: 30_000 }).toBe(true);
  if (how === 'interrupt') expect(await host.interrupt(key)).toBe(true);
  else if (how === 'drain') await host.drain({ graceMs: 500 });
  else await host.close();
  const states = async () => (await approvals.list(key)).map(({ state }) => state);
  await expect.poll(states, { timeout: 30_000 }).toEqual(['outcome_unknown']);
  expect(existsSync(join(stage.cwd, 'end.txt'))).toBe(false);
});

test('an approved call that fails like one that was cut has failed', async () => {
  const text = '[Request interrupted by user for tool use]';
  const { host, key } = await hostOf([bash(`echo '${text}'; exit 137`), 'It failed.']);
  await say(host, key, 'Deploy.');
  const { eventId } = await host.decide({ ...key, ...(await open(host, key)), decision: { behavior: 'allow' } });
  expect(await turn(host, key, eventId)).toEqual(['result completed', 'failed', 'completed']);
});

test('a tool that needs no approval runs at once', async () => {
  const { host, key } = await hostOf([call('Read', { file_path: '/etc/hostname' }), 'Done.']);
  expect(await say(host, key, 'Read.')).toEqual(['result completed', 'completed']);
  expect(await host.approvals(key)).toEqual([]);
});

test(`V-1: a call of the host's own tool runs once, in ${TIMES} resumes`, { timeout: 60_000 * TIMES }, async () => {
  const outcomes: unknown[] = [];
  for (let time = 0; time < TIMES; time += 1) {
    const { host, key, paid } = await hostOf([PAY, 'Paid.']);
    await say(host, key, 'Pay.');
    outcomes.push([(await decideAndWatch(host, key)).slice(-2), paid]);
    await host.close();
  }
  expect(outcomes).toEqual(Array.from({ length: TIMES }, () => [['done', 'completed'], [5]]));
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
