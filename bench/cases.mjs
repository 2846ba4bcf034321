/**
 * The cases by name. `workload` is a file in `workloads/`, `params` is what it gets. `contenders` names
 * who runs it where not all do: a reader without a queue has no growth to show, for example. `pinned` runs
 * keep host and CLI on one core, which leaves out the time an idle core takes to wake. `quick` runs use the
 * shell CLI. Targets are in `targets.mjs`.
 */

const SDKS = ['claudewire', 'official'];

export const CASES = {
  small: reading('small deltas, 263 B, warm', { kind: 'small', count: 200_000, warmUp: 20_000 }),
  mixed: reading('64 deltas, one 4 KB, one 16 KB', { kind: 'mixed', count: 66_000, warmUp: 6600 }),
  'small-cold': reading('first 2000 deltas of a process', { kind: 'small', count: 2000, warmUp: 0 }),
  '4k': reading('4 KB frames', { kind: '4k', count: 30_000, warmUp: 3000 }),
  '4k-utf8': reading('4 KB frames, not ASCII', { kind: '4k-utf8', count: 20_000, warmUp: 2000 }),
  '1m': inMs(reading('1 MB frames', { kind: '1m', count: 150, warmUp: 20 })),
  '64m': inMs(reading('64 MB frames', { kind: '64m', count: 5, warmUp: 1 })),
  paced: {
    about: 'a frame each 0.5 ms, delay, p99',
    unit: 'us',
    workload: 'pacing',
    params: { count: 2000, warmUp: 200, percentile: 0.99 },
  },

  permission: asking('canUseTool', { question: 'permission', inFlight: 1 }),
  hook: asking('a hook', { question: 'hook', inFlight: 1 }),
  'set-model': setting('setModel', { inFlight: 1 }),
  turn: {
    about: 'a user turn, one core',
    unit: 'us',
    workload: 'turns',
    params: { count: 10_000, warmUp: 1000 },
    pinned: true,
  },
  'permission-64': asking('canUseTool', { question: 'permission', inFlight: 64 }),
  'hook-64': asking('a hook', { question: 'hook', inFlight: 64 }),
  'set-model-64': setting('setModel', { inFlight: 64 }),
  tool: asking('a tool() server', { question: 'tool', inFlight: 1 }),
  'tool-64': asking('a tool() server', { question: 'tool', inFlight: 64 }),
  'tool-instance': asking('an McpServer instance', { question: 'tool', inFlight: 1, viaInstance: true }),
  'tool-instance-64': asking('an McpServer instance', { question: 'tool', inFlight: 64, viaInstance: true }),

  'messages-in': { about: 'user messages written, 250 B', unit: 'us', workload: 'writing', params: { count: 40_000 } },

  'first-message': starting('query() to the first message, imports done', 'firstMessageMs', 'ms'),
  'node-to-first-message': starting('node start to the first message', 'nodeToFirstMessageMs', 'ms'),
  'import-time': { ...starting('import', 'importMs', 'ms'), contenders: SDKS },
  'import-memory': { ...starting('memory after import', 'importMb', 'MB'), contenders: SDKS },
  'sessions-1': sessions('1 session', { what: 'atOnce', sessions: 1 }),
  'sessions-8': sessions('8 sessions at once', { what: 'atOnce', sessions: 8 }),
  'sessions-32': sessions('32 sessions at once', { what: 'atOnce', sessions: 32 }),
  'sessions-128': sessions('128 sessions at once', { what: 'atOnce', sessions: 128 }),

  'slow-consumer': {
    about: '300 MB written, 10 messages/s taken: growth',
    unit: 'MB',
    workload: 'memory',
    params: { what: 'slowConsumer', count: 75_000, windowMs: 2000 },
    contenders: SDKS,
  },
  'slow-callbacks': slow('with hooks, canUseTool and tools', 'query'),
  'slow-evaluate': slow('evaluate()', 'evaluate'),
  'slow-agent': slow('an agent', 'agent'),
  'slow-callbacks-time': slowTime('with hooks, canUseTool and tools', 'query'),
  'slow-evaluate-time': slowTime('evaluate()', 'evaluate'),
  'slow-agent-time': slowTime('an agent', 'agent'),
  'stalled-cli': {
    about: 'a CLI that reads nothing, 4000 x 64 KiB offered: growth',
    unit: 'MB',
    workload: 'memory',
    params: { what: 'stalledCli', count: 4000, windowMs: 1500 },
    contenders: SDKS,
  },
  break: leaving('break: until loop and child are gone', { how: 'break', what: 'ms' }, 'ms'),
  abort: leaving('abort: until loop and child are gone', { how: 'abort', what: 'ms' }, 'ms'),
  'abort-messages': {
    ...leaving('messages still delivered after abort', { how: 'abort', what: 'messages' }, 'messages'),
    contenders: SDKS,
  },
  'sessions-300': {
    ...sessions('300 sessions one by one: heap', { what: 'oneByOne', sessions: 300, warmUp: 30 }),
    unit: 'KB',
    nodeArgs: ['--expose-gc'],
    contenders: SDKS,
  },
};

function reading(about, params) {
  return { about, unit: 'us/frame', workload: 'reading', params };
}

function inMs(base) {
  return { ...base, unit: 'ms/frame', params: { ...base.params, usPerUnit: 1000 } };
}

function asking(about, params) {
  return roundTrip(about, 'asking', { ...params, count: countFor(params), warmUp: 3000 });
}

function setting(about, params) {
  return roundTrip(about, 'setting', { ...params, count: countFor(params), warmUp: 3000 });
}

/** One by one is pinned; with many in flight both sides work at the same time. */
function roundTrip(about, workload, params) {
  const isPinned = params.inFlight === 1;
  const how = isPinned ? 'one by one, one core' : `${params.inFlight} in flight`;
  return { about: `${about}, ${how}`, unit: 'us', workload, params, pinned: isPinned };
}

function countFor({ inFlight }) {
  return inFlight === 1 ? 20_000 : 40_000;
}

function starting(about, what, unit) {
  return { about, unit, workload: 'starting', params: { what }, quick: true };
}

function sessions(about, params) {
  return { about, unit: 'ms', workload: 'sessions', params, quick: true };
}

function leaving(about, params, unit) {
  return { about, unit, workload: 'leaving', params, quick: true };
}

/** 300 MB in messages of 100 KB, 10 a second taken for 5 s and then as fast as can be. */
function slow(about, by) {
  const params = { by, what: 'growth' };
  const contenders = by === 'query' ? SDKS : ['claudewire'];
  return { about: `300 MB, ${about}: growth`, unit: 'MB', workload: 'backlog', params, contenders };
}

function slowTime(about, by) {
  const params = { by, what: 'ratio' };
  const contenders = by === 'query' ? SDKS : ['claudewire'];
  return {
    about: `300 MB, ${about}: time`,
    unit: 'x query() without callbacks',
    workload: 'backlog',
    params,
    contenders,
  };
}
