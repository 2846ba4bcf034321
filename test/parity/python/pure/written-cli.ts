import { chmodSync, copyFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Json } from '../harness/row.js';
import { linesOf } from './folder.js';
import type { CliScript } from './program.js';

const SETTLE_MS = 2000;
const LOOK_MS = 20;
const FLAGS = ['--resume', '--continue', '--fork-session'];

type LogLine = {
  readonly event: string;
  readonly pid: number;
  readonly argv: readonly string[];
  readonly files: readonly { path: string; mode: string; text: string }[];
  readonly line: string;
  readonly cwd: string;
  readonly env: { readonly [name: string]: string };
};

/** A copy of `writes-down.mjs` in the program's folder, and what it wrote down. */
export class WrittenCli {
  readonly path: string;
  readonly #root: string;
  readonly #script: CliScript;

  constructor(root: string, source: string, script: CliScript) {
    this.#root = root;
    this.#script = script;
    this.path = join(root, script.isAbsent === true ? 'no-such-cli' : 'cli.mjs');
    rmSync(join(root, 'cli.log'), { force: true });
    copyFileSync(source, join(root, 'cli.mjs'));
    chmodSync(join(root, 'cli.mjs'), 0o755);
    writeFileSync(join(root, 'cli.json'), JSON.stringify(script));
  }

  /** Python leaves the end of an abandoned generator to its event loop, which may still be at it. */
  async settle(): Promise<void> {
    if (this.#script.keepsOpen === true) return;
    const { isLate = false } = this.#script;
    for (let waited = 0; isLate && waited < SETTLE_MS; waited += LOOK_MS) {
      if (this.#log().length > 0) return;
      await delay(LOOK_MS);
    }
    for (let waited = 0; waited < SETTLE_MS && this.#isBusy(); waited += LOOK_MS) {
      await delay(LOOK_MS);
    }
  }

  /** What the processes saw. Those that are still there are ended now. */
  seen(): { readonly [key: string]: Json } {
    const log = this.#log();
    const starts = log.filter(({ event }) => event === 'start');
    const alive = starts.map(({ pid }) => isAlive(pid));
    for (const { pid } of starts) end(pid);
    const [first] = starts;
    const probes = log.filter(({ event }) => event === 'probe');
    return {
      spawned: first !== undefined,
      processes: starts.length,
      alive,
      flags: FLAGS.flatMap((name) =>
        (first?.argv ?? []).filter((token) => token === name || token.startsWith(`${name}=`)),
      ),
      folder: first?.env.CLAUDE_CONFIG_DIR ?? '',
      folderFiles: (first?.files ?? []).map(({ path, mode, text }) => ({ path, mode, lines: linesOf(text) })),
      written: log.flatMap(written),
      probes: probes.map(({ cwd, env }) => ({ cwd, mark: env.PARITY_MARK ?? null })),
    };
  }

  #log(): readonly LogLine[] {
    const file = join(this.#root, 'cli.log');
    if (!existsSync(file)) return [];
    const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
    return lines.map((line) => JSON.parse(line) as LogLine);
  }

  #isBusy(): boolean {
    const isRunning = this.#log().some(({ event, pid }) => event === 'start' && isAlive(pid));
    return isRunning || readdirSync(join(this.#root, 'tmp')).length > 0;
  }
}

interface Matcher {
  readonly hookCallbackIds?: readonly string[];
}

/** One line on stdin: user frames whole, requests by what they ask, without their ids. */
function written({ event, line }: LogLine): readonly Json[] {
  if (event === 'eof') return ['EOF'];
  if (event !== 'in') return [];
  const { request_id: _, uuid: __, ...frame } = JSON.parse(line) as { [key: string]: Json };
  const request = frame.request as { readonly [key: string]: Json } | undefined;
  if (request?.subtype !== 'initialize') return [frame];
  const hooks = (request.hooks ?? {}) as { readonly [event: string]: readonly Matcher[] };
  const callbacks = Object.values(hooks)
    .flat()
    .flatMap(({ hookCallbackIds = [] }) => hookCallbackIds);
  return [{ initialize: { events: Object.keys(hooks), callbacks: callbacks.length } }];
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has gone by itself.
  }
}
