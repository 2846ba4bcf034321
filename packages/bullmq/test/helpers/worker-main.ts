/** A worker as a program of its own, which tests kill. Settings come in `WORKER`, as JSON. Says `ready`. */
import { FileSessionStore } from 'claudewire';
import { FileEventLog } from 'claudewire-server';
import { Redis } from 'ioredis';
import { createWorker } from '../../src/index.js';
import type { WorkerSettings } from './worker-process.js';

const settings: WorkerSettings = JSON.parse(process.env.WORKER ?? '{}');
const { port, queueName, folder, cli, env, concurrency, attempts, interruptMs, onUnknownToolCall } = settings;
const tools = settings.allowedTools === undefined ? {} : { allowedTools: settings.allowedTools };
const redis = new Redis({ port, host: '127.0.0.1', maxRetriesPerRequest: null, retryStrategy: () => 50 });
redis.on('error', () => {});
const { worker, close } = createWorker({
  ...{ redis, queueName, concurrency, lockDurationMs: settings.lockDurationMs ?? 1_000, stalledIntervalMs: 500 },
  sessionStore: new FileSessionStore(`${folder}/sessions`),
  ...(settings.hasEvents ? { events: new FileEventLog(`${folder}/events`) } : {}),
  profiles: {
    main: {
      options: { pathToClaudeCodeExecutable: cli, cwd: folder, env, settingSources: [], ...tools },
      ...(onUnknownToolCall === undefined ? {} : { onUnknownToolCall }),
      retry: { attempts, delayMs: 20, maxDelayMs: 50 },
      limits: { interruptMs },
    },
  },
  limits: { leaseMs: 1_200, busyMs: 50, redisMs: 2_000 },
  onError: (error) => {
    if (settings.isLoud) console.error(error);
  },
});
process.once('SIGTERM', async () => {
  await close({ graceMs: 20 });
  redis.disconnect();
});
await worker.waitUntilReady();
console.log('ready');
