import { randomUUID } from 'node:crypto';
import { sessionStoreContract, sharedSessionStoreContract } from 'claudewire/testing';
import {
  approvalStoreContract,
  conversationStoreContract,
  eventLogContract,
  wakeUpStoreContract,
} from 'claudewire-server/testing';
import pg from 'pg';
import { afterAll, beforeAll, describe, test } from 'vitest';
import {
  migrate,
  PostgresApprovalStore,
  PostgresConversationStore,
  PostgresEventLog,
  PostgresSessionStore,
  PostgresWakeUpStore,
} from '../../../src/postgres/index.js';
import { usePostgres } from '../../helpers/postgres-server.js';

const postgres = usePostgres();
const pools: pg.Pool[] = [];

/** One for all cases: they make keys of their own, or have a tenant of their own. */
beforeAll(async () => {
  for (let host = 0; host < 2; host += 1) {
    const pool = new pg.Pool({ connectionString: postgres.server.url, max: 8 });
    // The server may end before the connections have.
    pool.on('error', () => {});
    pools.push(pool);
  }
  await migrate(pools[0] as pg.Pool);
});
afterAll(async () => {
  for (const pool of pools) await pool.end();
});

const here = () => ({ pool: pools[0] as pg.Pool });
const there = () => ({ pool: pools[1] as pg.Pool });
const empty = async () => {
  for (const table of ['conversations', 'approvals', 'event_logs', 'wake_ups']) {
    await here().pool.query(`DELETE FROM claudewire_${table}`);
  }
};

describe('PostgresSessionStore', () => {
  const make = () => new PostgresSessionStore({ ...here(), tenant: randomUUID() });
  for (const { name, run } of sessionStoreContract(make)) test(name, run);
});

describe('PostgresSessionStore, with several writers', () => {
  const make = () => {
    const tenant = randomUUID();
    const again = () => new PostgresSessionStore({ ...there(), tenant });
    return { store: new PostgresSessionStore({ ...here(), tenant }), again };
  };
  for (const { name, run } of sharedSessionStoreContract(make)) test(name, run);
});

describe('PostgresConversationStore', () => {
  const make = () => {
    return { store: new PostgresConversationStore(here()), again: () => new PostgresConversationStore(there()) };
  };
  for (const { name, run } of conversationStoreContract(make)) test(name, () => empty().then(run));
});

describe('PostgresApprovalStore', () => {
  const make = () => ({ store: new PostgresApprovalStore(here()), again: () => new PostgresApprovalStore(there()) });
  for (const { name, run } of approvalStoreContract(make)) test(name, () => empty().then(run));
});

describe('PostgresEventLog', () => {
  const make = () => ({ log: new PostgresEventLog(here()), again: () => new PostgresEventLog(there()) });
  for (const { name, run } of eventLogContract(make)) test(name, () => empty().then(run));
});

describe('PostgresWakeUpStore', () => {
  const make = () => ({ store: new PostgresWakeUpStore(here()), again: () => new PostgresWakeUpStore(there()) });
  for (const { name, run } of wakeUpStoreContract(make)) test(name, () => empty().then(run));
});
