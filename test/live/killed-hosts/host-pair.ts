import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { execa } from 'execa';
import { expect, onTestFinished } from 'vitest';
import { FileEventLog, FileWakeUpStore } from '../../../packages/server/src/index.js';
import type { HostSettings } from './host-main.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));

interface Running {
  readonly subprocess: ReturnType<typeof start>;
  readonly url: string;
}

export interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

/** Two hosts with the same stores. */
export class HostPair {
  /** Read as any other host would. */
  readonly eventLog: FileEventLog;
  readonly wakeUps: FileWakeUpStore;
  readonly #settings: HostSettings;
  readonly #program: string;
  readonly #hosts: (Running | undefined)[] = [];
  kills = 0;

  private constructor(settings: HostSettings, program: string) {
    this.#settings = settings;
    this.#program = program;
    this.eventLog = new FileEventLog(join(settings.folder, 'stores', 'events'));
    this.wakeUps = new FileWakeUpStore(join(settings.folder, 'stores', 'wake-ups'));
  }

  static async start(settings: HostSettings): Promise<HostPair> {
    // Below the root, where the packages that are not bundled are found.
    const outfile = join(root, '.build', 'killed-host.mjs');
    await build({
      entryPoints: [fileURLToPath(new URL('./host-main.ts', import.meta.url))],
      ...{ outfile, bundle: true, platform: 'node', format: 'esm', target: 'node20', packages: 'external' },
      alias: { claudewire: join(root, 'src/index.ts') },
    });
    const pair = new HostPair(settings, outfile);
    onTestFinished(async () => {
      await pair.killBoth();
    });
    await Promise.all([pair.restart(0), pair.restart(1)]);
    return pair;
  }

  async restart(index: number): Promise<void> {
    const subprocess = start(this.#program, this.#settings);
    const [chunk] = (await once(subprocess.stdout, 'data')) as [Buffer];
    this.#hosts[index] = { subprocess, url: chunk.toString().trim() };
  }

  async kill(index: number): Promise<void> {
    this.kills += 1;
    await this.#end(index);
  }

  async killBoth(): Promise<void> {
    await Promise.all([this.#end(0), this.#end(1)]);
  }

  /** @returns `undefined`: the host is not there, or died before it answered. */
  async request(index: number, path: string, body?: unknown): Promise<Answer | undefined> {
    const host = this.#hosts[index];
    if (host === undefined) return undefined;
    try {
      const response = await fetch(`${host.url}${path}`, {
        method: body === undefined ? 'GET' : 'POST',
        ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
        signal: AbortSignal.timeout(30_000),
      });
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    } catch {
      return undefined;
    }
  }

  async #end(index: number): Promise<void> {
    const host = this.#hosts[index];
    this.#hosts[index] = undefined;
    host?.subprocess.kill('SIGKILL');
    expect((await host?.subprocess)?.exitCode).not.toBe(0);
  }
}

function start(program: string, settings: HostSettings) {
  return execa(process.execPath, [program], {
    ...({ reject: false, buffer: false, stdin: 'ignore', stderr: 'inherit', forceKillAfterDelay: false } as const),
    env: { HOST: JSON.stringify(settings) },
  });
}
