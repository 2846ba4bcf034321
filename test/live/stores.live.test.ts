import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { createSessionHost, type SessionHostOptions, type TenantOptions } from '../../packages/server/src/index.js';
import {
  migrate,
  PostgresConversationStore,
  PostgresEventLog,
  PostgresSessionStore,
} from '../../packages/stores/src/postgres/index.js';
import { RedisConversationStore, RedisEventLog, RedisSessionStore } from '../../packages/stores/src/redis/index.js';
import { havePostgres, startPostgres } from '../../scripts/servers/postgres.mjs';
import { haveRedis, startRedis } from '../../scripts/servers/redis.mjs';
import { CURRENT } from './support/clis.js';
import { setStage } from './support/stage.js';

type Stores = Pick<SessionHostOptions, 'store' | 'sessionStore' | 'eventLog'>;

/** Makes what one host has, through connections of its own. */
type HostStores = () => Stores;

async function overPostgres(): Promise<HostStores> {
  if (!(await havePostgres())) throw new Error('there is no PostgreSQL server');
  const server = await startPostgres();
  onTestFinished(() => server.stop());
  const poolOf = (): pg.Pool => {
    const pool = new pg.Pool({ connectionString: server.url });
    pool.on('error', () => {});
    onTestFinished(() => pool.end());
    return pool;
  };
  await migrate(poolOf());
  return () => {
    const options = { pool: poolOf(), tenant: 'all' };
    return {
      store: new PostgresConversationStore(options),
      sessionStore: new PostgresSessionStore(options),
      eventLog: new PostgresEventLog(options),
    };
  };
}

async function overRedis(): Promise<HostStores> {
  if (!(await haveRedis())) throw new Error('there is no Redis server');
  const server = await startRedis();
  onTestFinished(() => server.stop());
  return () => {
    const client = new Redis(server.url);
    onTestFinished(() => client.disconnect());
    const options = { client, tenant: 'all' };
    return {
      store: new RedisConversationStore(options),
      sessionStore: new RedisSessionStore(options),
      eventLog: new RedisEventLog(options),
    };
  };
}

test.each([
  ['PostgreSQL', overPostgres],
  ['Redis', overRedis],
])('a conversation goes on on another host with another home, over %s', async (_, open) => {
  const stage = await setStage(CURRENT, { turns: ['I am Claude.', 'You said plum.', 'Yes.'] });
  const hostStores = await open();
  const hostAt = (name: string) => {
    const home = join(stage.folder, name);
    mkdirSync(home);
    const host = createSessionHost({
      ...hostStores(),
      optionsFor: () => stage.options({}, { CLAUDE_CONFIG_DIR: home, HOME: home }) as TenantOptions,
    });
    onTestFinished(() => host.close());
    return { host, home };
  };
  const [here, there] = [hostAt('here'), hostAt('there')];
  const key = { tenant: 'ada', id: (await here.host.create({ tenant: 'ada' })).id };

  /** Sends through one host, and sees the turn through the other. */
  const ask = async (by: typeof here, seenBy: typeof here, text: string) => {
    const { eventId } = await by.host.send({ ...key, text });
    const types: string[] = [];
    for await (const { event } of await seenBy.host.events({ ...key, after: eventId })) {
      types.push(event.type);
      if (event.type === 'turn_ended') {
        expect(event.outcome).toBe('completed');
        break;
      }
    }
    expect(types).toContain('message');
  };

  await ask(here, there, 'Remember the word plum.');
  await ask(there, here, 'Which word?');
  expect(JSON.stringify(stage.api.requests.at(-1)?.body)).toContain('Remember the word plum.');
  expect(there.host.metrics()).toMatchObject({ started: 1, resumed: 1 });
  // Its process is behind by now, so the first host resumes too.
  await ask(here, there, 'Sure?');
  expect(JSON.stringify(stage.api.requests.at(-1)?.body)).toContain('Which word?');
  expect(here.host.metrics()).toMatchObject({ started: 2, resumed: 1 });
  // What the second host knew came from the store alone.
  expect(readdirSync(there.home)).not.toContain('projects');
  await here.host.close();
  await there.host.close();
});
