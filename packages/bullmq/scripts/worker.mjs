/** One worker of the example, as a program of its own. Settings come in `WORKER`, as JSON. Says `ready`. */
import { FileSessionStore } from 'claudewire';
import { Redis } from 'ioredis';
import { createWorker } from '../dist/index.js';

const { port, queueName, folder, cli, name } = JSON.parse(process.env.WORKER);
const redis = new Redis({ port, host: '127.0.0.1', maxRetriesPerRequest: null });
const env = { PATH: process.env.PATH, CLAUDE_CONFIG_DIR: `${folder}/home`, JOB_TURN_S: '0.8' };
const { worker, close } = createWorker({
  // Short times, so that a killed worker is missed soon. The defaults are half a minute.
  ...{ redis, queueName, name, lockDurationMs: 1_000, stalledIntervalMs: 500, limits: { leaseMs: 1_500, busyMs: 100 } },
  sessionStore: new FileSessionStore(`${folder}/sessions`),
  profiles: { review: { options: { pathToClaudeCodeExecutable: cli, cwd: folder, env, settingSources: [] } } },
  onError: (error) => console.error(error),
});
process.once('SIGTERM', async () => {
  await close({ graceMs: 1_000 });
  redis.disconnect();
});
await worker.waitUntilReady();
console.log('ready');
