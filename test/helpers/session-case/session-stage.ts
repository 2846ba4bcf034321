import { ChildProcess } from 'node:child_process';
import { onTestFinished, vi } from 'vitest';
import { ClaudeClient, type Options, type Query, query, type SDKMessage } from '../../../src/index.js';
import { createDeferred, type Deferred } from '../../../src/util/deferred.js';
import { isJsonObject, type JsonObject } from '../../../src/util/json.js';
import { frameName } from '../../recordings/load.js';
import { type ScriptedCli, scriptedCli } from '../scripted-cli.js';
import { type Observation, promptOf, type SessionCase } from './session-case.js';

/** What a row's program and callbacks have at hand. */
export class Stage {
  readonly cli: ScriptedCli;
  readonly notes: unknown[] = [];
  readonly abortController = new AbortController();
  readonly messages: SDKMessage[] = [];
  readonly diagnostics: string[] = [];
  readonly #row: SessionCase;
  readonly #gates = new Map<string, Deferred<void>>();
  #error: unknown;
  #query: Query | undefined;
  #client: ClaudeClient | undefined;

  constructor(row: SessionCase) {
    this.#row = row;
    this.cli = scriptedCli(row.cli, { stepTimeoutMs: 5000, deadlineMs: 15_000, ...row.header });
  }

  /** The options of the row, with the scripted CLI in them. */
  get options(): Options {
    const { options = {} } = this.#row;
    return {
      pathToClaudeCodeExecutable: this.cli.path,
      abortController: this.abortController,
      onDiagnostic: ({ code }) => this.diagnostics.push(code),
      ...(typeof options === 'function' ? options(this) : options),
    };
  }

  /** The row's query, started when first asked for. */
  get query(): Query {
    this.#query ??= query({ prompt: promptOf(this.#row.prompt, this), options: this.options });
    return this.#query;
  }

  /** A client with the row's options, not yet connected. */
  get client(): ClaudeClient {
    this.#client ??= new ClaudeClient(this.options);
    return this.#client;
  }

  readonly note = (value: unknown): void => {
    this.notes.push(value);
  };

  /** Opens a gate that somebody waits, or will wait, at. */
  open(gate: string): void {
    this.#gate(gate).resolve();
  }

  opened(gate: string): Promise<void> {
    return this.#gate(gate).promise;
  }

  /** Reads the loop to its end, or up to the first message of that name. What it throws becomes the row's `error`. */
  async drain(upTo?: string, from: AsyncIterator<SDKMessage, void> = this.query): Promise<void> {
    try {
      for (;;) {
        const step = await from.next();
        if (step.done) return;
        this.messages.push(step.value);
        if (frameName(step.value as unknown as JsonObject) === upTo) return;
      }
    } catch (error) {
      this.#error = error;
    }
  }

  async observe(): Promise<Observation> {
    const warnings: string[] = [];
    const onWarning = (warning: Error & { code?: string }) => {
      if (warning.code?.startsWith('CLAUDE_SDK_')) warnings.push(warning.code);
    };
    const unhandled: string[] = [];
    const onUnhandled = (reason: unknown): void => void unhandled.push(String(reason));
    process.on('warning', onWarning);
    process.on('unhandledRejection', onUnhandled);
    const signals = watchSignals();
    onTestFinished(() => this.#end());
    const value = await (this.#row.program ?? ((stage) => stage.drain()))(this);
    await this.#end();
    vi.useRealTimers();
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', onWarning);
    process.off('unhandledRejection', onUnhandled);
    const seen = { ...this.#whatTheCliSaw(), ...this.#whatTheProgramSaw() };
    return { ...seen, value, signals, warnings, unhandled };
  }

  #gate(name: string): Deferred<void> {
    const gate = this.#gates.get(name) ?? createDeferred<void>();
    this.#gates.set(name, gate);
    return gate;
  }

  async #end(): Promise<void> {
    await this.#query?.return();
    await this.#client?.disconnect();
  }

  #whatTheProgramSaw() {
    return {
      messages: this.messages.map((message) => frameName(message as unknown as JsonObject)),
      error: this.#error,
      notes: this.notes,
      diagnostics: this.diagnostics,
    };
  }

  #whatTheCliSaw() {
    const [run] = this.cli.logs();
    const frames = run?.frames ?? [];
    const first = frames.find((frame) => subtypeOf(frame) === 'initialize');
    const verdict = this.cli.verdict();
    return {
      initialize: (first?.request ?? {}) as JsonObject,
      written: frames
        .filter((frame) => frame !== first && frame.type !== 'control_response')
        .map((frame) => ('request_id' in frame ? { ...frame, request_id: '$id' } : frame)),
      answers: answersIn(frames),
      exitCode: run?.exitCode,
      cliFailure:
        verdict?.failure === undefined
          ? undefined
          : `step ${verdict.failure.line}: ${verdict.failure.message}, got ${JSON.stringify(verdict.failure.got)}`,
    };
  }
}

/** The signals that children are sent from here on, with the fake clock's time once there is one. */
function watchSignals(): (string | readonly [number, string])[] {
  const signals: (string | readonly [number, string])[] = [];
  const kill = ChildProcess.prototype.kill;
  const spy = vi.spyOn(ChildProcess.prototype, 'kill').mockImplementation(function (this: ChildProcess, signal) {
    signals.push(vi.isFakeTimers() ? [performance.now(), String(signal)] : String(signal));
    return kill.call(this, signal);
  });
  onTestFinished(() => spy.mockRestore());
  return signals;
}

/** From here on time passes only by `vi.advanceTimersByTime`; pipes and processes go on as ever. */
export function stopTheClock(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
}

/** Lets what is under way happen: waits, without a clock, until it holds. */
export async function until(holds: () => boolean, what: string): Promise<void> {
  for (let turn = 0; turn < 2_000_000; turn += 1) {
    if (holds()) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
  throw new Error(`it never came to this: ${what}`);
}

function answersIn(frames: readonly JsonObject[]): Observation['answers'] {
  const answers: Record<string, JsonObject[]> = {};
  for (const frame of frames) {
    const body = frame.response;
    if (frame.type !== 'control_response' || !isJsonObject(body)) continue;
    const id = String(body.request_id);
    if (id.startsWith('probe')) continue;
    answers[id] = [...(answers[id] ?? []), body];
  }
  return answers;
}

function subtypeOf(frame: JsonObject): unknown {
  return isJsonObject(frame.request) ? frame.request.subtype : undefined;
}
