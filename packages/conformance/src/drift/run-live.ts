import { Variables } from 'claudewire/testing';
import { execa } from 'execa';
import { isJsonObject, type JsonObject, parseJsonObject } from '../util/json.js';
import type { LiveScenario, LiveStep } from './live-scenario.js';

const STEP_LIMIT_MS = 20_000;
const END_LIMIT_MS = 15_000;

export interface LiveRun {
  /** What a step waited for in vain. */
  readonly problem?: string;
  /** It was waited for until the time was over: the run says nothing about the CLI. */
  readonly isUnfinished?: boolean;
}

/** Plays one live scenario against a CLI (a recorder in front of it, as a rule). */
export async function runLive(
  scenario: LiveScenario,
  {
    cli,
    cwd,
    env,
    timeoutFactor = 1,
  }: {
    readonly cli: string;
    readonly cwd: string;
    readonly env: NodeJS.ProcessEnv;
    /** @defaultValue 1 */
    readonly timeoutFactor?: number | undefined;
  },
): Promise<LiveRun> {
  const child = startCli(cli, scenario.args, { cwd, env });
  const player = new LivePlayer(child, STEP_LIMIT_MS * timeoutFactor);
  const endLimitMs = END_LIMIT_MS * timeoutFactor;
  try {
    for (const step of scenario.script) await player.play(step);
  } catch (error) {
    if (!(error instanceof LiveFailure)) throw error;
    // And SIGKILL where that does not end it.
    child.kill('SIGTERM');
    await child;
    return { problem: error.message, isUnfinished: error.isTimeout };
  }
  child.stdin.end();
  let isLate = false;
  const limit = setTimeout(() => {
    isLate = child.kill('SIGKILL');
  }, endLimitMs);
  await child;
  clearTimeout(limit);
  return isLate ? { problem: `did not end within ${endLimitMs} ms`, isUnfinished: true } : {};
}

function startCli(
  cli: string,
  args: readonly string[],
  place: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
) {
  return execa(process.execPath, [cli, ...args], {
    ...place,
    extendEnv: false,
    stdin: 'pipe',
    stderr: 'ignore',
    buffer: false,
    reject: false,
    forceKillAfterDelay: END_LIMIT_MS,
  });
}

type LiveProcess = ReturnType<typeof startCli>;

class LiveFailure extends Error {
  /** The CLI still ran. */
  readonly isTimeout: boolean;

  constructor(message: string, isTimeout: boolean) {
    super(message);
    this.isTimeout = isTimeout;
  }
}

class LivePlayer {
  readonly #child: LiveProcess;
  readonly #frames: JsonObject[] = [];
  /** Frames before this one were waited for. */
  #at = 0;
  readonly #answered = new Set<unknown>();
  readonly #stepLimitMs: number;
  #hasEnded = false;
  #wake: () => void = () => {};

  constructor(child: LiveProcess, stepLimitMs: number) {
    this.#child = child;
    this.#stepLimitMs = stepLimitMs;
    // A CLI that is gone: its exit says so.
    child.stdin.on('error', () => {});
    void this.#read();
  }

  async #read(): Promise<void> {
    for await (const line of this.#child.iterable()) {
      const frame = parseJsonObject(line);
      if (frame !== undefined) this.#frames.push(frame);
      this.#wake();
    }
    this.#hasEnded = true;
    this.#wake();
  }

  async play(step: LiveStep): Promise<void> {
    if ('write' in step) this.#child.stdin.write(`${JSON.stringify(step.write)}\n`);
    else if ('line' in step) this.#child.stdin.write(`${step.line}\n`);
    else if ('until' in step) await this.#until(step.until);
    else if ('answer' in step) await this.#answer(step.answer, step.method, step.response);
    else if ('signal' in step) this.#child.kill(step.signal);
    else this.#child.stdin.end();
  }

  async #until(pattern: JsonObject): Promise<void> {
    const index = await this.#find(
      this.#at,
      (frame) => new Variables().match(pattern, frame).ok,
      JSON.stringify(pattern),
    );
    this.#at = index + 1;
  }

  async #answer(subtype: string, method: string | undefined, response: JsonObject): Promise<void> {
    const isOpen = (frame: JsonObject): boolean =>
      frame.type === 'control_request' &&
      isJsonObject(frame.request) &&
      frame.request.subtype === subtype &&
      (method === undefined || (isJsonObject(frame.request.message) && frame.request.message.method === method)) &&
      !this.#answered.has(frame.request_id);
    const frame =
      this.#frames[await this.#find(0, isOpen, ['a request', subtype, method ?? ''].join(' ').trim())] ?? {};
    this.#answered.add(frame.request_id);
    const answer = { ...response, request_id: frame.request_id };
    const line = JSON.stringify({ type: 'control_response', response: answer });
    this.#child.stdin.write(`${line.replace('"$id"', JSON.stringify(messageId(frame)))}\n`);
  }

  async #find(from: number, test: (frame: JsonObject) => boolean, what: string): Promise<number> {
    let isLate = false;
    const limit = setTimeout(() => {
      isLate = true;
      this.#wake();
    }, this.#stepLimitMs);
    try {
      for (;;) {
        const index = this.#frames.findIndex((frame, at) => at >= from && test(frame));
        if (index !== -1) return index;
        if (this.#hasEnded) throw new LiveFailure(`${what} did not come`, false);
        if (isLate) throw new LiveFailure(`${what} did not come within ${this.#stepLimitMs} ms`, true);
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    } finally {
      clearTimeout(limit);
    }
  }
}

function messageId(frame: JsonObject): unknown {
  const request = frame.request;
  const message = isJsonObject(request) ? request.message : undefined;
  return isJsonObject(message) ? (message.id ?? 0) : null;
}
