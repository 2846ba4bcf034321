import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { PostgresEventLog } from '../src/postgres/index.js';

test('a viewer whose connection could not listen is told soon, however seldom it polls', async () => {
  let tries = 0;
  const connect = async () => {
    tries += 1;
    const query = async () => {
      if (tries === 1) throw new Error('Connection terminated unexpectedly');
    };
    return Object.assign(new EventEmitter(), { query, release: () => {} });
  };
  const log = new PostgresEventLog({ pool: { connect } as never, pollMs: 3_600_000 });
  let stop = () => {};
  await new Promise<void>((resolve) => {
    log.watch({ tenant: 'ada', id: '00000000-0000-4000-8000-000000000000' }, resolve).then((end) => {
      stop = end;
    });
  });
  expect(tries).toBe(2);
  stop();
});
