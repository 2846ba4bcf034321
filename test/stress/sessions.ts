/**
 * A host program that runs many sessions and reports what they left behind. Run with `--expose-gc`, so that
 * memory is counted after a collection, and in a process of its own, so that nobody else's is.
 *
 *   node --expose-gc sessions.mjs CLI TOTAL AT_ONCE
 */
import { getEventListeners } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { isClaudeSDKError, query } from '../../src/index.js';

/** What a measurement sees of this process. */
export interface Residue {
  readonly heapBytes: number;
  readonly descriptors: number;
  readonly children: number;
  readonly privateFiles: number;
  readonly exitListeners: number;
  readonly abortListeners: number;
}

export interface StressReport {
  readonly before: Residue;
  readonly after: Residue;
  /** How often each way to end a session came to its end. */
  readonly ends: Readonly<Record<string, number>>;
  /** Process warnings, unhandled rejections, and errors that are not ours. */
  readonly complaints: readonly string[];
}

const [cli = '', total = '', atOnce = ''] = process.argv.slice(2);
/** Enough for every lazy thing to be loaded, and for V8 to have settled. */
const WARM_UP = 40;

/** Imports may have put their own there. */
const ownExitListeners = process.listenerCount('exit');

const complaints: string[] = [];
process.on('warning', (warning: Error & { code?: string }) => {
  // A plan's own advice about options.
  if (warning.code?.startsWith('CLAUDE_SDK_')) return;
  complaints.push(`warning: ${warning.message}`);
});
process.on('unhandledRejection', (reason) => complaints.push(`unhandled: ${String(reason)}`));

/** Shared by all sessions that are not aborted: a listener left on it would show. */
const longLived = new AbortController();

type End = 'finished' | 'broken' | 'aborted' | 'closed';
const ENDS: readonly End[] = ['finished', 'broken', 'aborted', 'closed'];
const ends: Record<End, number> = { finished: 0, broken: 0, aborted: 0, closed: 0 };

async function session(end: End): Promise<void> {
  const abortController = end === 'aborted' ? new AbortController() : longLived;
  const run = query({
    prompt: 'Go.',
    options: {
      pathToClaudeCodeExecutable: cli,
      abortController,
      canUseTool: async () => ({ behavior: 'allow' }),
      hooks: { Stop: [{ hooks: [async () => ({})] }] },
      // Travels in a private file, which must be gone afterwards.
      mcpServers: { s: { type: 'stdio', command: 'true', env: { TOKEN: 'secret' } } },
      deadlineMs: 600_000,
      idleTimeoutMs: 600_000,
    },
  });
  try {
    for await (const _ of run) {
      if (end === 'broken') break;
      if (end === 'aborted') abortController.abort();
      if (end === 'closed') run.close();
    }
  } catch (error) {
    if (!isClaudeSDKError(error) || error.errorClass !== 'aborted') {
      complaints.push(String(error));
      return;
    }
  }
  ends[end] += 1;
}

async function sessions(count: number, lanes: number): Promise<void> {
  let started = 0;
  const lane = async (): Promise<void> => {
    while (started < count) {
      const end = ENDS[started % ENDS.length] ?? 'finished';
      started += 1;
      await session(end);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

async function measure(): Promise<Residue> {
  for (let round = 0; round < 5; round += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    globalThis.gc?.();
  }
  return {
    heapBytes: process.memoryUsage().heapUsed,
    descriptors: readdirSync('/proc/self/fd').length,
    children: childCount(),
    privateFiles: readdirSync(tmpdir()).length,
    exitListeners: process.listenerCount('exit') - ownExitListeners,
    abortListeners: getEventListeners(longLived.signal, 'abort').length,
  };
}

/** Zombies included. */
function childCount(): number {
  return readdirSync('/proc/self/task')
    .map((thread) => readFileSync(`/proc/self/task/${thread}/children`, 'utf8'))
    .flatMap((text) => text.split(' '))
    .filter((pid) => pid !== '').length;
}

await sessions(WARM_UP, Number(atOnce));
for (const end of ENDS) ends[end] = 0;
const before = await measure();
await sessions(Number(total), Number(atOnce));
const after = await measure();
console.log(JSON.stringify({ before, after, ends, complaints } satisfies StressReport));
