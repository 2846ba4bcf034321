/**
 * Turns with approvals, background work and wake-ups on two hosts with the same stores, which are killed while one of
 * these is open. `TURNS=1000 KILLS=200 npm run test:live -- killed-hosts` is the long run; its figures are in
 * docs/evidence/server.md.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { seeded } from '../../../packages/bullmq/test/helpers/worker-process.js';
import { CURRENT } from '../support/clis.js';
import { processesWith, waitUntil } from '../support/processes.js';
import { setStage } from '../support/stage.js';
import { Conversation, type Phase } from './conversation.js';
import { HostPair } from './host-pair.js';
import { turnOf } from './model.js';

const TURNS = Number(process.env.TURNS ?? 60);
const KILLS = Number(process.env.KILLS ?? 12);
const SEED = Number(process.env.SEED ?? 35);
const CONVERSATIONS = 4;
/** Each kind of turn, by turns. */
const KINDS = ['pay', 'bash', 'build', 'wake'] as const;

const limits = { timeout: 120_000 + TURNS * 10_000 };
test(`V-1, V-2, V-9: ${TURNS} turns, ${KILLS} killed hosts: nothing is doubled or silently lost`, limits, async () => {
  const stage = await setStage(CURRENT, { turns: [], fallback: ({ body }) => turnOf(body), strict: false });
  const { env = {} } = stage.options();
  const hosts = await HostPair.start({ folder: stage.folder, cwd: stage.cwd, cli: CURRENT.path, env, leaseMs: 1_500 });
  const random = seeded(SEED);
  const conversations = await Promise.all(
    Array.from({ length: CONVERSATIONS }, async () => await Conversation.create(hosts, seeded(random() * 2 ** 31))),
  );
  let next = 0;
  let isOver = false;
  const talk = async (conversation: Conversation): Promise<void> => {
    for (let turn = next++; turn < TURNS; turn = next++) {
      await conversation.take(turn, KINDS[turn % KINDS.length] ?? 'pay');
    }
  };
  const phases = new Map<Phase, number>();
  const kill = async (): Promise<void> => {
    for (let kills = 0; kills < KILLS && !isOver; ) {
      // Spread over the first three quarters of the run, so that there is time for the last one.
      const turn = (0.75 * kills * TURNS) / KILLS;
      await expect.poll(() => isOver || next >= turn, { timeout: limits.timeout }).toBe(true);
      await sleep(random() * 800);
      const index = Math.floor(random() * 2);
      const open = new Set((await Promise.all(conversations.map((each) => each.phaseOn(index)))).flat());
      if (open.size === 0) continue;
      await hosts.kill(index);
      kills += 1;
      for (const phase of open) phases.set(phase, (phases.get(phase) ?? 0) + 1);
      await hosts.restart(index);
    }
  };
  const killing = kill();
  await Promise.all(conversations.map(talk));
  isOver = true;
  await killing;
  await Promise.all(conversations.map((each) => each.settle()));
  await hosts.killBoth();
  // Claude Code ends by itself when its host is gone, once it has started and what it does is done.
  await waitUntil('no process left', () => processesWith(stage.folder).length === 0, 60_000);

  const started = readFileSync(join(stage.cwd, 'ledger'), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('start'));
  const twice = started.filter((line, index) => started.indexOf(line) !== index);
  const all = conversations.flatMap((each) => each.reports);
  const counts: Record<string, number> = {};
  for (const { end } of all) counts[end] = (counts[end] ?? 0) + 1;
  const unheard = conversations.reduce((sum, each) => sum + each.unheard, 0);
  const kills = { kills: hosts.kills, phases: Object.fromEntries(phases) };
  const figures = { ...kills, ends: counts, started: started.length, twice, unheardWakeUps: unheard };
  console.log(`seed ${SEED}, CLI ${CURRENT.version}, ${TURNS} turns: ${JSON.stringify(figures)}`);
  expect.soft(conversations.flatMap((each) => each.faults)).toEqual([]);
  expect.soft(twice).toEqual([]);
  // What is said to be done was done, and what is said not to have run was not.
  const wrong = all.filter(({ turn, ran }) => ran !== undefined && ran !== started.includes(`start ${turn}`));
  expect.soft(wrong).toEqual([]);
  expect(hosts.kills).toBe(KILLS);
});
