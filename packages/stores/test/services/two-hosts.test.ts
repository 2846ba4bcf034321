import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { faults, scriptedCli } from 'claudewire/testing';
import {
  type ConversationEvent,
  createHandler,
  createSessionHost,
  type EventLog,
  type SessionHostOptions,
  serve,
  type WakeUpStore,
} from 'claudewire-server';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  migrate,
  PostgresApprovalStore,
  PostgresConversationStore,
  PostgresEventLog,
  PostgresSessionStore,
  PostgresWakeUpStore,
} from '../../src/postgres/index.js';
import {
  RedisApprovalStore,
  RedisConversationStore,
  RedisEventLog,
  RedisSessionStore,
  RedisWakeUpStore,
} from '../../src/redis/index.js';
import { cuttingProxy } from '../helpers/cutting-proxy.js';
import { newSchema, postgresPool, usePostgres } from '../helpers/postgres-server.js';
import { newPrefix, redisClient, useRedis } from '../helpers/redis-server.js';

const [redis, postgres] = [useRedis(), usePostgres()];
const SESSION = '11111111-1111-4111-8111-111111111111';
/** So long that a test in which it mattered would not end in time. */
const NEVER_POLL = { pollMs: 3_600_000 };
const said = (text: string) => ({ type: 'user_message', text }) as const;

type Stores = Pick<SessionHostOptions, 'store' | 'sessionStore'> & {
  readonly eventLog: EventLog;
  readonly wakeUps: WakeUpStore;
};
interface Kind {
  /** What one host has, through connections of its own. @param port - Instead of the server's. */
  hostStores(
    limits?: object,
    port?: number,
  ): Stores & { readonly approvals: RedisApprovalStore | PostgresApprovalStore };
  readonly port: number;
}

const KINDS: Readonly<Record<string, () => Promise<Kind>>> = {
  Redis: async () => {
    const prefix = newPrefix();
    return {
      port: redis.server.port,
      hostStores: (limits, port = redis.server.port) => {
        const options = { client: redisClient(port), prefix, tenant: 'hosts', ...limits };
        return {
          store: new RedisConversationStore(options),
          sessionStore: new RedisSessionStore(options),
          eventLog: new RedisEventLog(options),
          approvals: new RedisApprovalStore(options),
          wakeUps: new RedisWakeUpStore(options),
        };
      },
    };
  },
  PostgreSQL: async () => {
    const schema = await newSchema(postgres.server.port);
    await migrate(postgresPool(postgres.server.port, schema));
    return {
      port: postgres.server.port,
      hostStores: (limits, port = postgres.server.port) => {
        const options = { pool: postgresPool(port, schema), tenant: 'hosts', ...limits };
        return {
          store: new PostgresConversationStore(options),
          sessionStore: new PostgresSessionStore(options),
          eventLog: new PostgresEventLog(options),
          approvals: new PostgresApprovalStore(options),
          wakeUps: new PostgresWakeUpStore(options),
        };
      },
    };
  },
};

async function* eventsOf(response: Response): AsyncGenerator<{ id: number; event: ConversationEvent }> {
  let text = '';
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const [id, data] = [/^id: (.*)$/m.exec(block)?.[1], /^data: (.*)$/m.exec(block)?.[1]];
      if (data !== undefined) yield { id: Number(id), event: JSON.parse(data) as ConversationEvent };
    }
  }
}

describe.each(Object.keys(KINDS))('two hosts that share %s', (name) => {
  test('show a viewer on one the turn that runs on the other, and go on after Last-Event-ID', async () => {
    const kind = await (KINDS[name] as () => Promise<Kind>)();
    const folder = mkdtempSync(join(tmpdir(), 'claudewire-stores-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const cli = scriptedCli(({ turn }) => [turn('first', 'One'), turn('second', 'Two')], {
      inProcess: true,
      sessionId: SESSION,
    });
    const started = await Promise.all(
      ['here', 'there'].map(async (place) => {
        const { approvals: _, ...stores } = kind.hostStores(NEVER_POLL);
        const host = createSessionHost({
          ...stores,
          optionsFor: () => ({ ...cli.options, cwd: folder, env: { CLAUDE_CONFIG_DIR: join(folder, place) } }),
        });
        const server = await serve({ handler: createHandler({ host }), port: 0 });
        onTestFinished(async () => {
          await host.close();
          await server.close();
        });
        return server.url;
      }),
    );
    const [here = '', there = ''] = started;
    const post = async (url: string, body: object): Promise<Response> =>
      await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
    const { id } = (await (await post(`${here}/conversations`, {})).json()) as { id: string };

    const watch = async (after: number, until: number): Promise<readonly number[]> => {
      const controller = new AbortController();
      const headers = { 'last-event-id': String(after) };
      const stream = await fetch(`${there}/conversations/${id}/events`, { headers, signal: controller.signal });
      expect(stream.status).toBe(200);
      const seen: number[] = [];
      let turns = 0;
      for await (const each of eventsOf(stream)) {
        seen.push(each.id);
        if (each.event.type === 'turn_ended') turns += 1;
        if (turns === until) break;
      }
      controller.abort();
      return seen;
    };

    const first = watch(0, 1);
    expect((await post(`${here}/conversations/${id}/messages`, { text: 'One' })).status).toBe(202);
    const seen = await first;
    expect(seen).toEqual(seen.map((_, index) => index + 1));
    const middle = 2;
    const rest = watch(middle, 2);
    expect((await post(`${here}/conversations/${id}/messages`, { text: 'Two' })).status).toBe(202);
    const all = await rest;
    expect(all).toEqual(all.map((_, index) => index + 1 + middle));
    expect(all.length).toBeGreaterThan(seen.length);
  });

  test('refuse what the first one writes that stood still while the second one took over', async () => {
    const kind = await (KINDS[name] as () => Promise<Kind>)();
    const folder = mkdtempSync(join(tmpdir(), 'claudewire-stores-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const hostOf = (stores: Stores, script: Parameters<typeof scriptedCli>[0], place: string) => {
      const cli = scriptedCli(script, { inProcess: true, sessionId: SESSION });
      const host = createSessionHost({
        ...{ store: stores.store, sessionStore: stores.sessionStore },
        ...{ eventLog: stores.eventLog, wakeUps: stores.wakeUps, limits: { interruptMs: 1 } },
        optionsFor: () => ({ ...cli.options, cwd: folder, env: { CLAUDE_CONFIG_DIR: join(folder, place) } }),
      });
      onTestFinished(() => host.close());
      return host;
    };
    const [mine, theirs] = [kind.hostStores(), kind.hostStores()];
    const { acquire } = mine.store;
    // Its lease is over at once, and it does not notice.
    mine.store.acquire = (key) => acquire.call(mine.store, key, 1);
    const { append } = mine.eventLog;
    let goOn = (): void => {};
    const still = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    let stands = (): void => {};
    const standing = new Promise<void>((resolve) => {
      stands = resolve;
    });
    mine.eventLog.append = async (key, events, token) => {
      if (JSON.stringify(events).includes('Too late.')) {
        stands();
        await still;
      }
      return await append.call(mine.eventLog, key, events, token);
    };
    const late: Parameters<typeof scriptedCli>[0] = ({ prompt, init, assistantText }) => [
      ...[prompt('One'), init(), assistantText('Too late.'), faults.stall()],
    ];
    const [first, second] = [hostOf(mine, late, 'a'), hostOf(theirs, ({ turn }) => [turn('Fine.', 'Two')], 'b')];
    const key = { tenant: 'ada', id: (await first.create({ tenant: 'ada' })).id };
    await first.send({ ...key, text: 'One' });
    await standing;
    const { eventId } = await second.send({ ...key, text: 'Two' });
    for await (const { event } of await second.events({ ...key, after: eventId })) {
      if (event.type === 'turn_ended') break;
    }
    const stored = async () => [await theirs.eventLog.read(key, 0, 100), await theirs.store.get(key)];
    // The record follows the event.
    await expect.poll(async () => (await theirs.store.get(key))?.bytes).toBeGreaterThan(0);
    const before = await stored();
    goOn();
    await expect.poll(() => first.metrics()).toMatchObject({ leasesLost: 1, processes: 0 });
    await mine.wakeUps.set(key, [], 1).then(
      () => expect.unreachable(),
      (error: unknown) => expect(error).toMatchObject({ code: 'conflict' }),
    );
    expect(await stored()).toEqual(before);
    expect(JSON.stringify(before)).not.toContain('Too late.');
  });

  test('tell a viewer again after the connection that listens was cut', async () => {
    const kind = await (KINDS[name] as () => Promise<Kind>)();
    const proxy = await cuttingProxy(kind.port);
    const { eventLog } = kind.hostStores({ pollMs: 3_600_000 }, proxy.port);
    const other = kind.hostStores().eventLog;
    const key = { tenant: 'ada', id: randomUUID() };
    let calls = 0;
    const stop = await eventLog.watch?.(key, () => {
      calls += 1;
    });
    await expect.poll(() => calls).toBeGreaterThan(0);
    for (let round = 0; round < 3; round += 1) {
      proxy.cutAll();
      const before = calls;
      // Connected again, it is told at once, since something may have been missed; or it hears of this.
      await other.append(key, [said('a')]);
      await expect.poll(() => calls).toBeGreaterThan(before);
    }
    stop?.();
  });

  test('keep the newest events of a conversation, by number and by size', async () => {
    const kind = await (KINDS[name] as () => Promise<Kind>)();
    const key = { tenant: 'ada', id: randomUUID() };
    const few = kind.hostStores({ maxEvents: 3 }).eventLog;
    await few.append(key, [...'abcde'].map(said));
    expect(await few.read(key, 0, 10)).toMatchObject({
      firstId: 3,
      lastId: 5,
      events: [{ id: 3 }, { id: 4 }, { id: 5 }],
    });
    await few.append(key, [said('f')]);
    expect(await few.read(key, 4, 10)).toMatchObject({ firstId: 4, lastId: 6, events: [{ id: 5 }, { id: 6 }] });
    const small = kind.hostStores({ maxBytes: 10 }).eventLog;
    await small.append(key, [said('g')]);
    expect(await small.read(key, 0, 10)).toMatchObject({
      firstId: 7,
      lastId: 7,
      events: [{ id: 7, event: said('g') }],
    });
    expect((await small.append(key, [said('h'), said('i')])).map(({ id }) => id)).toEqual([8, 9]);
    expect(await small.read(key, 0, 10)).toMatchObject({ firstId: 9, lastId: 9 });
  });

  test('delete logs that nobody has appended to since a date, of one tenant', async () => {
    const kind = await (KINDS[name] as () => Promise<Kind>)();
    const log = kind.hostStores().eventLog as RedisEventLog | PostgresEventLog;
    const keyOf = (tenant: string) => ({ tenant, id: randomUUID() });
    const [old, other, young] = [keyOf('a:*'), keyOf('bob'), keyOf('a:*')];
    await log.append(old, [said('a')]);
    const [logged] = await log.append(other, [said('a')]);
    await expect.poll(() => Date.now()).toBeGreaterThan((logged?.at ?? 0) + 100);
    const date = new Date((logged?.at ?? 0) + 50);
    await log.append(young, [said('a')]);
    expect(await log.deleteOlderThan('a:*', date)).toBe(1);
    expect((await log.read(old, 0, 1)).lastId).toBe(0);
    expect((await log.read(other, 0, 1)).lastId).toBe(1);
    expect((await log.read(young, 0, 1)).lastId).toBe(1);
  });

  test('of two writers of one log, which only a lost lease can make, neither loses an event', async () => {
    const kind = await (KINDS[name] as () => Promise<Kind>)();
    const key = { tenant: 'ada', id: randomUUID() };
    const logs = [kind.hostStores().eventLog, kind.hostStores().eventLog];
    const write = async (log: EventLog, writer: number): Promise<void> => {
      for (let index = 0; index < 50; index += 1) await log.append(key, [said(`${writer}-${index}`), said('x')]);
    };
    await Promise.all(logs.map(write));
    const { events } = await (logs[0] as EventLog).read(key, 0, 1_000);
    expect(events.map(({ id }) => id)).toEqual(Array.from({ length: 200 }, (_, index) => index + 1));
    for (const writer of [0, 1]) {
      const own = events.flatMap(({ event }) => (event.type === 'user_message' ? event.text : []));
      expect(own.filter((text) => text.startsWith(`${writer}-`))).toEqual(
        Array.from({ length: 50 }, (_, index) => `${writer}-${index}`),
      );
    }
  });
});
