/** One part of `run.mjs`, in a process of its own: `part.mjs NAME SECONDS FOLDER`. Writes figures and checks as JSON. */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { ClaudeClient, FileSessionStore, InMemorySessionStore, projectKeyForDirectory } from 'claudewire';
import {
  createHandler,
  createSessionHost,
  FileApprovalStore,
  FileConversationStore,
  FileEventLog,
  InMemoryConversationStore,
  InMemoryEventLog,
  serve,
} from 'claudewire-server';
import { SESSION, TURN_MESSAGES, writeCli } from './cli.mjs';

const [, , name = '', seconds = '60', folder = ''] = process.argv;
const CONVERSATIONS = 500;
const PROCESSES = 8;
/** How many events of a conversation are kept in the soak, and how many turns of all of them fill that. */
const LOG_EVENTS = 100;
const TURNS_TO_FILL = CONVERSATIONS * Math.ceil(LOG_EVENTS / (TURN_MESSAGES + 2));
const TIMES = 200;
const cli = writeCli(folder);
const options = {
  pathToClaudeCodeExecutable: cli.path,
  cwd: folder,
  settingSources: [],
  env: {
    PATH: process.env.PATH,
    TMPDIR: folder,
    CLAUDE_CONFIG_DIR: `${folder}/home`,
    BENCH_TURN: cli.turn,
    BENCH_PID: `${folder}/pid`,
  },
};

const PARTS = {
  ...{ soak, 'first event': firstEvent, viewers, reconnects, 'one process each': oneProcessEach },
  ...{ 'idle viewers': idleViewers, 'killed host': killedHost, 'host to kill': hostToKill },
};
const outcome = await PARTS[name]();
outcome.checks['nothing is left running'] = await isQuiet();
process.stdout.write(JSON.stringify(outcome));

async function hostOf(limits = {}, maxEvents = 10_000) {
  const sessionStore = new InMemorySessionStore();
  await mirror(sessionStore);
  const store = new InMemoryConversationStore();
  return createSessionHost({
    ...{ store, sessionStore, eventLog: new InMemoryEventLog({ maxEvents }) },
    limits: { processes: PROCESSES, ...limits },
    optionsFor: () => options,
  });
}

/** What the real CLI mirrors in a first turn, so that evicted conversations are resumed. */
async function mirror(sessionStore) {
  await sessionStore.append({ projectKey: projectKeyForDirectory(folder), sessionId: SESSION }, [
    {
      ...{ type: 'user', uuid: randomUUID(), parentUuid: null, sessionId: SESSION, cwd: folder },
      ...{ timestamp: '2026-01-01T00:00:00.000Z', message: { role: 'user', content: 'Hi' } },
    },
  ]);
}

/** Sends, and waits for the end of the turn. */
async function turn(host, key) {
  const { eventId } = await host.send({ ...key, text: 'Hi' });
  for await (const { event } of await host.events({ ...key, after: eventId })) {
    if (event.type === 'turn_ended') return event.outcome;
  }
}

async function newKey(host) {
  return { tenant: 'ada', id: (await host.create({ tenant: 'ada' })).id };
}

async function soak() {
  const host = await hostOf({}, LOG_EVENTS);
  const keys = await Promise.all(Array.from({ length: CONVERSATIONS }, () => newKey(host)));
  const outcomes = {};
  const samples = [];
  let most = 0;
  const began = performance.now();
  const limit = Number(seconds) * 1000;
  const elapsed = () => performance.now() - began;
  let next = 0;
  let turns = 0;
  // On a slow machine the time may be over before the logs are full, and until then the heap grows.
  const isOver = () => elapsed() >= limit && turns >= 2 * TURNS_TO_FILL;
  const work = async () => {
    while (!isOver()) {
      const done = await turn(host, keys[next++ % CONVERSATIONS]);
      turns += 1;
      outcomes[done] = (outcomes[done] ?? 0) + 1;
      most = Math.max(most, host.metrics().processes);
    }
  };
  const watch = async () => {
    for (let at = 0; !isOver(); at += limit / 60) {
      await sleep(Math.max(0, at - elapsed()));
      global.gc();
      const { heapUsed, rss } = process.memoryUsage();
      samples.push({ minute: elapsed() / 60_000, turns, heap: heapUsed / 1e6, rss: rss / 1e6 });
    }
  };
  await Promise.all([...Array.from({ length: PROCESSES }, work), watch()]);
  const { started, resumed } = host.metrics();
  await host.close();
  // Two minutes of a long run are for compilers and caches; a third of a short one.
  const warmUp = Math.min(2, limit / 180_000);
  const settled = samples.filter((sample) => sample.minute >= warmUp && sample.turns >= TURNS_TO_FILL);
  const heapSlope = slope(settled, 'heap');
  const growth = (settled.at(-1)?.heap ?? 0) - (settled[0]?.heap ?? 0);
  return {
    figures: {
      seconds: Number(seconds),
      turns: outcomes.completed,
      ...{ started, resumed, mostProcesses: most },
      heapMB: round(settled.at(-1)?.heap ?? 0),
      rssMB: round(settled.at(-1)?.rss ?? 0),
      heapSlopeMBPerMinute: round(heapSlope),
      rssSlopeMBPerMinute: round(slope(settled, 'rss')),
    },
    checks: {
      'every turn completed': Object.keys(outcomes).join() === 'completed',
      [`at most ${PROCESSES} processes, got ${most}`]: most <= PROCESSES,
      'every conversation was served': outcomes.completed >= CONVERSATIONS,
      // A short run is judged by what it grew, since a slope of seconds is noise.
      [`the heap grows, by ${round(growth)} MB, ${round(heapSlope)} MB a minute`]:
        limit < 300_000 ? growth < 8 : heapSlope <= 1,
    },
  };
}

/** Times from the request to the first message of Claude Code, over HTTP, by what the conversation has. */
async function firstEvent() {
  const figures = {};
  const ways = {
    'idle process': { limits: {}, warm: true, ready: () => true },
    'warm spare': { limits: { spares: 1 }, warm: false, ready: (host) => host.metrics().spares > 0 },
    resume: { limits: { idleMs: 0 }, warm: true, ready: (host) => host.metrics().processes === 0 },
    'new process': { limits: { idleMs: 0 }, warm: false, ready: (host) => host.metrics().processes === 0 },
  };
  for (const [way, { limits, warm, ready }] of Object.entries(ways)) {
    const host = await hostOf(limits);
    const server = await serve({ handler: createHandler({ host }), port: 0 });
    const url = `${server.url.replace(/\/$/, '')}/conversations`;
    const times = [];
    const make = async () => (await (await post(url, {})).json()).id;
    let id = await make();
    for (let time = 0; time < TIMES; time += 1) {
      if (warm && time === 0) await turn(host, { tenant: 'local', id });
      if (!warm) id = await make();
      while (!ready(host)) await sleep(1);
      const began = performance.now();
      const { eventId } = await (await post(`${url}/${id}/messages`, { text: 'Hi' })).json();
      const events = await host.events({ tenant: 'local', id, after: eventId });
      let first;
      for await (const { event } of events) {
        if (event.type === 'message') first ??= performance.now() - began;
        if (event.type === 'turn_ended') break;
      }
      times.push(first);
      if (!warm) await host.remove({ tenant: 'local', id });
    }
    figures[way] = { p50ms: round(quantile(times, 0.5)), p99ms: round(quantile(times, 0.99)) };
    await host.close();
    await server.close();
  }
  return { figures, checks: {} };
}

async function viewers() {
  const COUNT = 100;
  const TURNS = 20;
  const host = await hostOf();
  const key = await newKey(host);
  await turn(host, key);
  const { eventId: after } = await host.send({ ...key, text: 'Hi' });
  const last = after + TURNS * (TURN_MESSAGES + 2) - 1;
  const began = performance.now();
  const follow = async () => {
    const ids = [];
    for await (const { id } of await host.events({ ...key, after })) {
      ids.push(id);
      if (id === last) return ids;
    }
    return ids;
  };
  const all = Array.from({ length: COUNT }, follow);
  await untilEnd(host, key, after);
  for (let count = 1; count < TURNS; count += 1) await turn(host, key);
  const seen = await Promise.all(all);
  const ms = performance.now() - began;
  await host.close();
  const isWhole = (ids) => ids.length === last - after && ids.every((id, index) => id === after + 1 + index);
  return {
    figures: {
      viewers: COUNT,
      events: last - after,
      ms: round(ms),
      eventsPerSecond: Math.round((COUNT * (last - after)) / (ms / 1000)),
    },
    checks: { 'every viewer got every event once, in order': seen.every(isWhole) },
  };
}

/** What viewers cost that wait for another host's events, on a log in files of 0.9 MB. */
/**
 * 1,000 viewers, one of each conversation, whose logs have 100 KB or 900 KB. Another process asks for a conversation
 * meanwhile, and other hosts append at the end.
 */
async function idleViewers() {
  const COUNT = 1_000;
  const MS = 20_000;
  const store = new InMemoryConversationStore();
  const eventLog = new FileEventLog(`${folder}/idle`);
  const host = createSessionHost({
    ...{ store, sessionStore: new InMemorySessionStore(), eventLog, limits: { viewers: COUNT } },
    optionsFor: () => options,
  });
  const keys = [];
  for (let index = 0; index < COUNT; index += 1) {
    const key = { tenant: 'local', id: (await host.create({ tenant: 'local' })).id };
    const text = 'x'.repeat(index % 10 === 0 ? 900 : 100);
    await eventLog.append(key, [
      ...Array.from({ length: 998 }, () => ({ type: 'message', message: { type: 'assistant', text } })),
      { type: 'turn_ended', outcome: 'completed' },
    ]);
    keys.push(key);
  }
  const server = await serve({ handler: createHandler({ host }), port: 0 });
  const follow = async (key) => {
    for await (const { id } of await host.events({ ...key, after: 999 })) return id;
  };
  const began = performance.now();
  const all = keys.map(follow);
  while (host.metrics().viewers < COUNT) await sleep(10);
  // Everybody has looked once.
  await host.get(keys[0]);
  const openingMs = performance.now() - began;
  await sleep(2_000);
  const before = process.cpuUsage();
  await sleep(MS);
  const { user, system } = process.cpuUsage(before);
  const beside = await requestsOf(`${server.url}/conversations/${keys[7].id}`);
  const other = new FileEventLog(`${folder}/idle`);
  for (const key of keys) await other.append(key, [{ type: 'user_message', text: 'Hi' }]);
  const seen = await Promise.all(all);
  await host.close();
  await server.close();
  return {
    figures: {
      ...{ viewers: COUNT, openingMs: Math.round(openingMs) },
      coreShare: round((user + system) / 1e3 / MS),
      requestMs: beside,
    },
    checks: { 'every viewer got what another host appended': seen.every((id) => id === 1_000) },
  };
}

/** What another process measures. */
async function requestsOf(url) {
  const child = spawn(process.execPath, [new URL('./client.mjs', import.meta.url).pathname, url], {
    stdio: ['ignore', 'pipe', 2],
  });
  let text = '';
  for await (const chunk of child.stdout) text += chunk;
  return JSON.parse(text);
}

async function reconnects() {
  const COUNT = 1_000;
  const host = await hostOf();
  const server = await serve({ handler: createHandler({ host }), port: 0 });
  const url = `${server.url.replace(/\/$/, '')}/conversations`;
  const { id } = await (await post(url, {})).json();
  const key = { tenant: 'local', id };
  const TURNS = 80;
  const talk = (async () => {
    for (let count = 0; count < TURNS; count += 1) await turn(host, key);
  })();
  const ids = [];
  let connections = 0;
  const began = performance.now();
  while (connections < COUNT) {
    connections += 1;
    const abort = new AbortController();
    const headers = { 'last-event-id': String(ids.at(-1) ?? 0) };
    const response = await fetch(`${url}/${id}/events`, { headers, signal: abort.signal });
    let text = '';
    const want = 1 + (connections % 7);
    for await (const chunk of response.body) {
      text += Buffer.from(chunk).toString('utf8');
      const blocks = text
        .split('\n\n')
        .slice(0, -1)
        .filter((block) => block.startsWith('id: '));
      if (blocks.length < want) continue;
      ids.push(...blocks.slice(0, want).map((block) => Number(/^id: (\d+)/.exec(block)?.[1])));
      break;
    }
    abort.abort();
  }
  const ms = performance.now() - began;
  await talk;
  await host.close();
  await server.close();
  return {
    figures: { reconnects: connections, events: ids.length, ms: round(ms) },
    checks: { 'nothing was lost or doubled': ids.every((each, index) => each === index + 1) },
  };
}

/** What the host is measured against: a client and a process for each conversation, for good. */
async function oneProcessEach() {
  const clients = [];
  const times = [];
  for (let count = 0; count < 100; count += 1) {
    const began = performance.now();
    const client = new ClaudeClient(options);
    await client.connect();
    await client.query('Hi');
    for await (const _ of client.receiveResponse()) times[count] ??= performance.now() - began;
    clients.push(client);
  }
  global.gc();
  const heap = process.memoryUsage().heapUsed / 1e6;
  await Promise.all(clients.map((client) => client.disconnect()));
  return {
    figures: {
      conversations: 100,
      processes: 100,
      heapMB: round(heap),
      firstEvent: { p50ms: round(quantile(times, 0.5)), p99ms: round(quantile(times, 0.99)) },
    },
    checks: {},
  };
}

/** A host whose stores are files, as one that is killed and the next one have it. */
async function hostOnFiles() {
  const sessionStore = new FileSessionStore(`${folder}/files/sessions`);
  const host = createSessionHost({
    ...{ store: new FileConversationStore(`${folder}/files/conversations`), sessionStore },
    eventLog: new FileEventLog(`${folder}/files/events`),
    limits: { leaseMs: 500 },
    approvals: {
      store: new FileApprovalStore(`${folder}/files/approvals`),
      keys: [{ id: 'k1', secret: new Uint8Array(32).fill(7) }],
      needsApproval: () => true,
    },
    optionsFor: () => options,
  });
  return { host, sessionStore };
}

/** Says what it has, and waits for its end. */
async function hostToKill() {
  const { host, sessionStore } = await hostOnFiles();
  await mirror(sessionStore);
  const [whole, open, waiting] = [await newKey(host), await newKey(host), await newKey(host)];
  await turn(host, whole);
  await host.send({ ...waiting, text: 'Defer' });
  await untilEnd(host, waiting, 0);
  await host.send({ ...open, text: 'Ask' });
  for await (const { event } of await host.events(open)) {
    if (event.type !== 'question') continue;
    process.stdout.write(`${JSON.stringify({ whole, open, waiting, questionId: event.questionId })}\n`);
  }
}

/** Kills a host in the middle of a turn, and looks with another one at what is left: the table in the README. */
async function killedHost() {
  const child = spawn(process.execPath, [process.argv[1], 'host to kill', seconds, folder], {
    stdio: ['ignore', 'pipe', 2],
  });
  const ended = once(child, 'exit');
  const [line] = await Promise.race([once(child.stdout, 'data'), ended.then(() => ['null'])]);
  const { whole, open, waiting, questionId } = JSON.parse(String(line));
  const pid = Number(readFileSync(`${folder}/pid`, 'utf8'));
  child.kill('SIGKILL');
  await ended;
  const { host } = await hostOnFiles();
  const seen = async (key, isLast) => {
    const events = [];
    for await (const entry of await host.events(key)) {
      events.push(entry);
      if (isLast(entry.event)) break;
    }
    return events;
  };
  const isEnd = ({ type }) => type === 'turn_ended';
  const began = performance.now();
  const states = (await host.list({ tenant: 'ada' })).conversations.map(({ state }) => state);
  const transcript = await host.transcript(whole);
  const wholeEvents = await seen(whole, isEnd);
  const openEvents = await seen(open, isEnd);
  const endedAfterMs = performance.now() - began;
  const answered = await host.answer({ ...open, questionId, answer: { behavior: 'allow' } }).catch(({ code }) => code);
  const [approval] = await host.approvals(waiting);
  const next = await turn(host, open);
  const metrics = host.metrics();
  await host.close();
  const count = (events) => events.every(({ id }, index) => id === index + 1) && events.length;
  return {
    figures: { endedAfterMs: round(endedAfterMs) },
    checks: {
      'conversations stay': states.length === 3 && states.every((state) => state === 'cold'),
      'transcripts stay': transcript.length === 1,
      'events stay': count(wholeEvents) === TURN_MESSAGES + 2,
      'the open turn is seen to end, once, as crashed':
        openEvents.filter(({ event }) => isEnd(event)).length === 1 && openEvents.at(-1).event.outcome === 'crashed',
      'the events of the open turn stay': openEvents.some(({ event }) => event.type === 'question'),
      'the open question is gone': answered === 'not_found' && metrics.openQuestions === 0,
      'the approval waits': approval?.state === 'open' && approval.token !== undefined,
      'the next message goes on': next === 'completed',
      'the process of the host that was killed ends': await isGone(pid),
    },
  };
}

async function isGone(pid) {
  for (let tries = 0; tries < 200; tries += 1) {
    try {
      process.kill(pid, 0);
    } catch {
      return true;
    }
    await sleep(50);
  }
  return false;
}

async function untilEnd(host, key, after) {
  for await (const { event } of await host.events({ ...key, after })) if (event.type === 'turn_ended') return;
}

async function post(url, body) {
  const response = await fetch(url, {
    ...{ method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) },
  });
  if (!response.ok) throw new Error(await response.text());
  return response;
}

/** Only what the process itself has: its output, and keep-alive sockets of `fetch` for a moment. */
async function isQuiet() {
  const left = () => process.getActiveResourcesInfo().filter((each) => /Process|Timeout|Server|FSEvent/.test(each));
  for (let tries = 0; tries < 100 && left().length > 0; tries += 1) await sleep(50);
  return left().filter((each) => each !== 'Timeout').length === 0;
}

function slope(samples, field) {
  const x = mean(samples.map(({ minute }) => minute));
  const y = mean(samples.map((sample) => sample[field]));
  const above = samples.reduce((sum, sample) => sum + (sample.minute - x) * (sample[field] - y), 0);
  return above / samples.reduce((sum, { minute }) => sum + (minute - x) ** 2, 0);
}

function mean(numbers) {
  return numbers.reduce((sum, each) => sum + each, 0) / numbers.length;
}

function quantile(numbers, share) {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

function round(number) {
  return Math.round(number * 100) / 100;
}
