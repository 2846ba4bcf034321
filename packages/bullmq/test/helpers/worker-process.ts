import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { execa } from 'execa';
import { onTestFinished } from 'vitest';

export interface WorkerSettings {
  readonly port: number;
  readonly queueName: string;
  readonly folder: string;
  readonly cli: string;
  readonly env: Record<string, string | undefined>;
  readonly concurrency: number;
  readonly attempts: number;
  readonly interruptMs: number;
  readonly hasEvents: boolean;
  /** 1,000 by default. A worker that is held up for longer loses its job. */
  readonly lockDurationMs?: number;
  readonly isLoud?: boolean;
  readonly allowedTools?: string[];
  /** @defaultValue that of the profile */
  readonly onUnknownToolCall?: 'stop' | 'ask' | 'retry' | undefined;
}

const root = fileURLToPath(new URL('../../../../', import.meta.url));

/** Bundles the worker, so that it starts from the source. @returns the path of the program. */
export async function buildWorker(name: string): Promise<string> {
  // Below the root, where the packages that are not bundled are found.
  const outfile = `${root}.build/${name}.mjs`;
  await build({
    entryPoints: [fileURLToPath(new URL('./worker-main.ts', import.meta.url))],
    ...{ outfile, bundle: true, platform: 'node', format: 'esm', target: 'node20', packages: 'external' },
    alias: { claudewire: `${root}src/index.ts`, 'claudewire-server': `${root}packages/server/src/index.ts` },
  });
  return outfile;
}

export interface WorkerProcess {
  readonly pid: number;
  /** Sends a signal. Resolves with the exit code when the process is gone; 128 and above for signals. */
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | undefined>;
}

/** Started, and connected. It is gone when the test is over. */
export async function startWorker(program: string, settings: WorkerSettings): Promise<WorkerProcess> {
  const subprocess = execa(process.execPath, [program], {
    reject: false,
    buffer: false,
    stdin: 'ignore',
    stderr: 'inherit',
    // A worker that does not end by itself is a failure to see.
    forceKillAfterDelay: false,
    env: { WORKER: JSON.stringify(settings) },
  });
  const end = async (signal: 'SIGKILL' | 'SIGTERM'): Promise<number | undefined> => {
    subprocess.kill(signal);
    return (await subprocess).exitCode;
  };
  onTestFinished(async () => {
    await end('SIGKILL');
  });
  await once(subprocess.stdout, 'data');
  // Not the subprocess itself, which is a promise of its end.
  return { pid: subprocess.pid ?? 0, end };
}

/** A small generator of numbers from 0 to 1, so that a run can be repeated. */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
