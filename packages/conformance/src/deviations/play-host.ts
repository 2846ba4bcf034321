import { Variables } from 'claudewire/testing';
import { execa } from 'execa';
import { createDeferred } from '../util/deferred.js';
import { isJsonObject, type JsonObject } from '../util/json.js';
import type { Answer, Answers, HostFaults, HostStep, Play } from './deviation.js';
import { type Census, HostReader } from './host-reader.js';

const BASE = ['--output-format', 'stream-json', '--verbose', '--input-format', 'stream-json'];
const WAIT_LIMIT_MS = 10_000;
/** How long a CLI may take to leave by itself. */
const END_LIMIT_MS = 6_000;
/** A host that ends nothing: when it is looked whether the process lives. */
const ALIVE_AFTER_MS = 3_000;
/** Enough of stderr to quote. */
const STDERR_LIMIT = 20_000;

/** What a host saw and wrote in one run. */
export interface HostRecord {
  /** What its user got: messages, and the answers to its requests. */
  readonly messages: readonly JsonObject[];
  readonly answers: ReadonlyMap<string, JsonObject>;
  /** Requests of the CLI. */
  readonly asked: readonly JsonObject[];
  readonly cancelled: number;
  /** What a step waited for in vain, and whether the CLI was gone then. */
  readonly missed?: string;
  readonly crashed?: string;
  readonly end: string;
  readonly stderr: string;
  /** In bytes, all of it. */
  readonly stderrLength: number;
}

interface Place {
  readonly cli: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timeoutFactor: number;
  readonly census: Census;
  /** Every wait lasts at least so long: on a busy machine, more than the play says. */
  readonly floorMs: number;
}

/** Plays a host against a CLI. Always ends, and leaves no process. */
export async function playHost(play: Play, place: Place): Promise<HostRecord> {
  const host = new PlayedHost(play, place);
  return host.run(play.script ?? []);
}

function start({ flags = [], base = BASE, host = {} }: Play, { cli, cwd, env }: Place) {
  return execa(host.program ?? cli, [...base, ...flags.flat()], {
    cwd: host.cwd ?? cwd,
    env,
    extendEnv: false,
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'pipe',
    buffer: false,
    reject: false,
    cleanup: true,
  });
}

class Missed extends Error {}

class PlayedHost {
  readonly #child: ReturnType<typeof start>;
  readonly #faults: HostFaults;
  readonly #answers: Answers;
  readonly #census: Census;
  readonly #limitMs: number;
  readonly #floorMs: number;
  readonly #factor: number;
  readonly #frames: JsonObject[] = [];
  readonly #messages: JsonObject[] = [];
  readonly #answered = new Map<string, JsonObject>();
  readonly #ids = new Set<string>();
  readonly #asked: JsonObject[] = [];
  readonly #seenIds = new Set<unknown>();
  /** Requests so far, of each kind. */
  readonly #counts = new Map<string, number>();
  #cancelled = 0;
  #at = 0;
  #queue: Promise<void> = Promise.resolve();
  #stderr = '';
  #stderrLength = 0;
  #crashed: string | undefined;
  #hasEnded = false;
  #wake: () => void = () => {};

  constructor(play: Play, place: Place) {
    this.#faults = play.host ?? {};
    this.#answers = play.answers ?? {};
    this.#census = place.census;
    this.#factor = place.timeoutFactor;
    this.#limitMs = (play.limitMs ?? WAIT_LIMIT_MS) * place.timeoutFactor;
    this.#floorMs = place.floorMs;
    this.#child = start(play, place);
    this.#child.stdin.on('error', () => {});
    const reader = new HostReader(this.#faults.reader, place.census, (frame) => this.#onFrame(frame));
    const add = (chunk: Buffer): void => this.#guarded(() => reader.add(chunk));
    this.#child.stdout.on('data', add);
    this.#child.stdout.on('end', () => {
      this.#guarded(() => reader.end());
      this.#hasEnded = this.#faults.reader !== 'end_unnoticed';
      this.#wake();
    });
    this.#child.stderr.on('data', (chunk: Buffer) => {
      this.#stderrLength += chunk.length;
      this.#stderr = (this.#stderr + chunk.toString('utf8')).slice(0, STDERR_LIMIT);
      if (this.#faults.reader === 'stderr_is_stdout') add(chunk);
    });
    if (this.#faults.reader === 'stderr_unread') this.#child.stderr.pause();
  }

  async run(script: readonly HostStep[]): Promise<HostRecord> {
    let missed: string | undefined;
    try {
      for (const step of script) await this.#step(step);
    } catch (error) {
      if (!(error instanceof Missed)) throw error;
      missed = error.message;
    }
    const end = await this.#end();
    return {
      messages: this.#messages,
      answers: this.#answered,
      asked: this.#asked,
      cancelled: this.#cancelled,
      ...(missed !== undefined && { missed }),
      ...(this.#crashed !== undefined && { crashed: this.#crashed }),
      end,
      stderr: this.#stderr,
      stderrLength: this.#stderrLength,
    };
  }

  /** A host that a frame crashes reads nothing more. */
  #guarded(read: () => void): void {
    if (this.#crashed !== undefined) return;
    try {
      read();
    } catch (error) {
      this.#crashed = error instanceof Error ? error.message : String(error);
      this.#wake();
    }
  }

  async #step(step: HostStep): Promise<void> {
    const ownMs = step.limitMs === undefined ? this.#limitMs : step.limitMs * this.#factor;
    const limitMs = Math.max(ownMs, this.#floorMs);
    if ('write' in step) this.#write(`${JSON.stringify(step.write)}\n`);
    else if ('bytes' in step) {
      const text = step.bytes.replace(/\$\{(\d+)\}/g, (_, length) => 'x'.repeat(Number(length)));
      this.#write(Buffer.from(text, step.encoding ?? 'utf8'));
    } else if ('say' in step) this.#write(`${JSON.stringify(userFrame(step.say))}\n`);
    else if ('ask' in step) {
      const id = step.id ?? String(step.ask.subtype);
      this.#ids.add(id);
      this.#write(`${JSON.stringify({ type: 'control_request', request_id: id, request: step.ask })}\n`);
      if (step.wait !== false)
        await this.#until({ type: 'control_response', response: { request_id: id } }, limitMs, 0);
    } else if ('until' in step) {
      for (let left = step.times ?? 1; left > 0; left -= 1) await this.#until(step.until, limitMs);
    } else if ('sleepMs' in step) await sleep(step.sleepMs);
    else if ('signal' in step) this.#child.kill(step.signal);
    else if ('stopReadingMs' in step) {
      this.#child.stdout.pause();
      await sleep(step.stopReadingMs);
      this.#child.stdout.resume();
    } else this.#child.stdin.end();
  }

  #write(text: string | Buffer): void {
    if (this.#child.stdin.writable) this.#child.stdin.write(text);
  }

  /** `at`: where it looks from; without it, behind what was waited for before. */
  async #until(pattern: JsonObject, limitMs: number, at?: number): Promise<void> {
    const until = Date.now() + limitMs;
    const fits = (frame: JsonObject, index: number): boolean =>
      index >= (at ?? this.#at) && new Variables().match(pattern, frame).ok;
    for (;;) {
      const index = this.#frames.findIndex(fits);
      if (index !== -1) {
        this.#at = Math.max(this.#at, index + 1);
        return;
      }
      const left = until - Date.now();
      const gone = this.#hasEnded || this.#crashed !== undefined;
      if (gone || left <= 0) throw new Missed(`${JSON.stringify(pattern)} did not come${gone ? '' : ' in time'}`);
      await this.#woken(left);
    }
  }

  async #woken(ms: number): Promise<void> {
    const { promise, resolve } = createDeferred<void>();
    const limit = setTimeout(resolve, ms);
    this.#wake = resolve;
    await promise;
    clearTimeout(limit);
  }

  #onFrame(frame: JsonObject): void {
    if (frame.type === 'control_response') this.#onResponse(frame);
    else if (frame.type === 'control_request') this.#onRequest(frame);
    else if (frame.type === 'control_cancel_request') this.#cancelled += 1;
    else this.#deliver(frame);
    if (this.#faults.reader === 'control_frames_too' && String(frame.type).startsWith('control_')) this.#deliver(frame);
    this.#frames.push(frame);
    this.#wake();
  }

  #deliver(frame: JsonObject): void {
    const isOver = this.#faults.reader === 'stops_at_result' && this.#messages.some(({ type }) => type === 'result');
    if (!isOver) this.#messages.push(frame);
  }

  #onResponse({ response }: JsonObject): void {
    if (!isJsonObject(response)) {
      this.#census.answerWithoutResponse += 1;
      return;
    }
    const id = String(response.request_id);
    if (!this.#ids.has(id)) this.#census.unknownAnswer += 1;
    if (this.#answered.has(id)) this.#census.secondAnswer += 1;
    else this.#answered.set(id, response);
  }

  #onRequest(frame: JsonObject): void {
    if (this.#seenIds.has(frame.request_id)) this.#census.reusedRequestId += 1;
    this.#seenIds.add(frame.request_id);
    if (!isJsonObject(frame.request)) {
      this.#census.requestWithoutRequest += 1;
      return;
    }
    this.#asked.push(frame.request);
    if (isJsonObject(frame.request.message) && frame.request.message.method === 'ping') this.#census.ping += 1;
    const answer = this.#answerTo(frame.request);
    const { serialMs } = this.#faults;
    if (serialMs === undefined) void this.#give(frame, answer);
    else {
      this.#queue = this.#queue.then(async () => {
        await sleep(serialMs);
        await this.#give(frame, answer);
      });
    }
  }

  #answerTo(request: JsonObject): readonly Answer[] {
    const { subtype, callback_id: callback, tool_name: tool, message } = request;
    const method = isJsonObject(message) ? message.method : undefined;
    const params = isJsonObject(message) && isJsonObject(message.params) ? message.params : {};
    const keys = [
      ...(method === undefined ? [] : [`mcp:${method}:${params.name}`, `mcp:${method}`]),
      ...[`${subtype}:${callback}`, `${subtype}:${tool}`, String(subtype)],
    ];
    const count = (this.#counts.get(keys[0] ?? '') ?? 0) + 1;
    this.#counts.set(keys[0] ?? '', count);
    const key = keys.flatMap((each) => [`${each}#${count}`, each]).find((each) => Object.hasOwn(this.#answers, each));
    const answers = key === undefined ? undefined : this.#answers[key];
    if (answers === undefined || answers === null) return [];
    return Array.isArray(answers) ? answers : [answers as Answer];
  }

  async #give(frame: JsonObject, answers: readonly Answer[]): Promise<void> {
    for (const answer of answers) {
      if (answer.afterMs !== undefined) await sleep(answer.afterMs);
      const line = answer.line?.replaceAll('$request_id', String(frame.request_id));
      this.#write(`${line ?? JSON.stringify(responseFrame(frame, answer))}\n`);
    }
  }

  async #end(): Promise<string> {
    const { leaves } = this.#faults;
    if (leaves === 'killed_at_once') this.#child.kill('SIGKILL');
    else if (leaves !== 'nothing_ended') this.#child.stdin.end();
    const isLeft = leaves === 'nothing_ended' || leaves === 'stdin_ended_only' || leaves === 'terminated_only';
    if (!(await this.#endsWithin(isLeft ? ALIVE_AFTER_MS : END_LIMIT_MS))) {
      this.#child.stderr.resume();
      this.#child.kill('SIGTERM');
      const isTerminated = await this.#endsWithin(isLeft ? ALIVE_AFTER_MS : END_LIMIT_MS);
      if (!isTerminated) this.#child.kill('SIGKILL');
      await this.#child;
      if (leaves === 'ladder') return `ended by ${isTerminated ? 'SIGTERM' : 'SIGKILL'}`;
      if (leaves === 'terminated_only' && isTerminated) return 'ended by SIGTERM';
      return isLeft ? 'the process was left behind' : `did not leave; ${isTerminated ? 'SIGTERM' : 'SIGKILL'} ended it`;
    }
    const { exitCode, signal, code } = await this.#child;
    if (code !== undefined && exitCode === undefined && signal === undefined) return `not started: ${code}`;
    return signal === undefined ? `exit ${exitCode}` : `ended by ${signal}`;
  }

  async #endsWithin(ms: number): Promise<boolean> {
    const { promise, resolve } = createDeferred<boolean>();
    const limit = setTimeout(() => resolve(false), ms * this.#factor);
    void this.#child.then(() => resolve(true));
    const isOver = await promise;
    clearTimeout(limit);
    return isOver;
  }
}

function userFrame(say: string | JsonObject): JsonObject {
  const frame = { type: 'user', message: { role: 'user', content: say }, parent_tool_use_id: null, session_id: '' };
  return isJsonObject(say) ? { ...frame, ...say } : frame;
}

function responseFrame({ request_id, request }: JsonObject, answer: Answer): JsonObject {
  const { id = request_id, error, bare, rpc, rpcError, success } = answer;
  if (error !== undefined) return { type: 'control_response', response: { subtype: 'error', request_id: id, error } };
  const message = isJsonObject(request) && isJsonObject(request.message) ? request.message : {};
  const mcp = { jsonrpc: '2.0', id: 'rpcId' in answer ? answer.rpcId : (message.id ?? 0) };
  const isRpc = rpc !== undefined || rpcError !== undefined;
  const reply = rpc === undefined ? { ...mcp, error: rpcError } : { ...mcp, result: rpc };
  const response = isRpc ? { mcp_response: reply } : success;
  return {
    type: 'control_response',
    response: { subtype: 'success', request_id: id, ...(bare === true ? {} : { response }) },
  };
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
