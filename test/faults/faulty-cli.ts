import type { SpawnClaudeCodeProcess } from '../../src/index.js';
import { MemoryProcess } from '../../src/testing/scripted/memory-play-host.js';
import { isJsonObject, type JsonObject, parseJsonObject } from '../../src/util/json.js';
import type { Random } from './random.js';
import { answerBody, type TurnItem, turnItems } from './turns.js';

/** What goes wrong once, in the place of one line that the CLI writes. */
export interface WireFault {
  readonly name: string;
  /** The run ends as if nothing had happened. */
  readonly isHarmless: boolean;
  readonly options?: JsonObject;
  fire(cli: FaultyCli, frame: JsonObject): void | Promise<void>;
}

export interface FaultyCliSpec {
  readonly random: Random;
  readonly fault: WireFault;
  /** The line, counted from 0, in whose place the fault fires. */
  readonly faultAt: number;
  readonly wait: (ms: number) => Promise<void>;
  readonly ignoresEndOfInput: boolean;
  readonly ignoresSigterm: boolean;
  /** Where transcripts lie, for mirror frames. */
  readonly configFolder: string;
}

/** One message that went out whole. */
export interface SentMessage {
  readonly id: string;
  /** False: a reader may take it or not. */
  readonly isRequired: boolean;
}

/** A CLI in this process that does what the real one does, and one thing wrong. Knows nothing of the SDK. */
export class FaultyCli {
  readonly spec: FaultyCliSpec;
  readonly process: MemoryProcess;
  readonly sent: SentMessage[] = [];
  /** By id: how often it was asked, and how often answered. */
  readonly asked = new Map<string, number>();
  readonly answered = new Map<string, number>();
  /** Asked in a turn while the input was open: each of these needs its answer. */
  readonly owed = new Set<string>();
  readonly signals: string[] = [];
  readonly complaints: string[] = [];
  hasFired = false;
  userMessages = 0;
  results = 0;
  isSilent = false;
  hasExited = false;
  initialize: JsonObject = {};
  /** Sent in front of the next line, see the fault that swaps. */
  held: JsonObject | undefined;
  readonly exited: Promise<void>;
  #reportExit = (): void => {};
  #lines = 0;
  #ids = 0;
  #turn: Promise<void> = Promise.resolve();
  #firing: Promise<void> | undefined;
  #isInterrupted = false;
  #hasInputEnded = false;
  readonly #waiting = new Map<string, () => void>();

  constructor(spec: FaultyCliSpec) {
    this.spec = spec;
    this.exited = new Promise((resolve) => {
      this.#reportExit = resolve;
    });
    this.process = new MemoryProcess((signal) => this.#onSignal(signal));
    this.process.inside.stdin.read({ onLine: (line) => this.#onLine(line), onEof: () => this.#onEof() });
  }

  readonly spawn: SpawnClaudeCodeProcess = () => this.process;

  /** A new id for a message, or for a request. */
  id(prefix: string): string {
    this.#ids += 1;
    return `${prefix}${this.#ids}`;
  }

  /** One line, as the fault allows. */
  async emit(frame: JsonObject): Promise<void> {
    if (this.hasExited || this.isSilent) return;
    if (this.#firing !== undefined) {
      this.#firing = this.#firing.then(() => this.#write(frame));
      return this.#firing;
    }
    return this.#write(frame);
  }

  async #write(frame: JsonObject): Promise<void> {
    const line = this.#lines;
    this.#lines += 1;
    if (line !== this.spec.faultAt) {
      this.send(frame);
      return;
    }
    this.hasFired = true;
    // Nothing may be written into the middle of what the fault writes.
    this.#firing = Promise.resolve(this.spec.fault.fire(this, frame));
    await this.#firing;
  }

  /** One whole line, right. */
  send(frame: JsonObject): void {
    if (this.isSilent) return;
    // First: the reader may act on it before `raw` returns.
    this.note(frame);
    this.raw(`${JSON.stringify(frame)}\n`);
    const held = this.held;
    this.held = undefined;
    if (held !== undefined) this.send(held);
  }

  raw(bytes: string | Uint8Array): void {
    if (!this.hasExited) void this.process.inside.stdout.write(bytes);
  }

  /** Counts a line as written. */
  note(frame: JsonObject, isRequired = true): void {
    if (this.hasExited) return;
    const { type, uuid, request_id: id } = frame;
    if (typeof uuid === 'string' && uuid.startsWith('m-')) this.sent.push({ id: uuid, isRequired });
    if (type === 'control_request' && typeof id === 'string') bump(this.asked, id);
  }

  exit(code: number | null, signal: NodeJS.Signals | null = null): void {
    if (this.hasExited) return;
    this.hasExited = true;
    this.process.inside.exit(code, signal);
    // After the process has said so itself.
    setImmediate(this.#reportExit);
  }

  /** Lets the event loop turn, so that what was written is read by itself. */
  turn(): Promise<void> {
    return new Promise((resolve) => setImmediate(resolve));
  }

  #onSignal(signal: NodeJS.Signals): void {
    this.signals.push(signal);
    if (signal === 'SIGTERM' && this.spec.ignoresSigterm) return;
    this.exit(null, signal);
  }

  #onEof(): void {
    this.#hasInputEnded = true;
    for (const goOn of this.#waiting.values()) goOn();
    if (this.spec.ignoresEndOfInput || this.isSilent) return;
    void this.#turn.then(() => this.exit(0));
  }

  #onLine(line: string): void {
    const frame = parseJsonObject(line);
    if (frame === undefined) {
      this.complaints.push(`the SDK wrote a line that is no frame: ${line.slice(0, 200)}`);
      return;
    }
    if (frame.type === 'control_response') this.#onAnswer(frame);
    else if (frame.type === 'control_request') this.#onRequest(frame);
    else if (frame.type === 'user') {
      this.userMessages += 1;
      this.#turn = this.#turn.then(() => this.#runTurn());
    }
  }

  #onAnswer(frame: JsonObject): void {
    const { response } = frame;
    const id = isJsonObject(response) ? response.request_id : undefined;
    if (typeof id === 'number') return;
    if (typeof id !== 'string' || !this.asked.has(id)) {
      this.complaints.push(`an answer to a request that was never made: ${String(id)}`);
      return;
    }
    bump(this.answered, id);
    this.#waiting.get(id)?.();
  }

  #onRequest(frame: JsonObject): void {
    const { request_id: id, request } = frame;
    const subtype = isJsonObject(request) ? String(request.subtype) : '';
    if (subtype === 'initialize' && isJsonObject(request)) this.initialize = request;
    if (subtype === 'interrupt') {
      this.#isInterrupted = true;
      for (const goOn of this.#waiting.values()) goOn();
    }
    const response = { subtype: 'success', request_id: id, response: answerBody(subtype) };
    void this.emit({ type: 'control_response', response });
  }

  async #runTurn(): Promise<void> {
    this.#isInterrupted = false;
    const { random, wait } = this.spec;
    for (const item of turnItems(random, this)) {
      if (this.hasExited || this.isSilent) return;
      if (this.#isInterrupted) break;
      if (random.chance(0.4)) await this.turn();
      if (random.chance(0.1)) await wait(random.below(900));
      await this.#do(item);
    }
    const end = this.#isInterrupted
      ? { subtype: 'error_during_execution', is_error: true, terminal_reason: 'aborted_streaming' }
      : { subtype: 'success', is_error: false, result: 'Done.' };
    this.results += 1;
    await this.emit({
      ...{ type: 'result', ...end, uuid: this.id('m-'), session_id: 's' },
      ...{ usage: { input_tokens: 3, output_tokens: 2 }, total_cost_usd: 0.1, num_turns: 1 },
    });
  }

  async #do(item: TurnItem): Promise<void> {
    if (!('ask' in item)) return this.emit(item.frame);
    const id = this.id('ask-');
    const answer = new Promise<void>((resolve) => this.#waiting.set(id, resolve));
    if (!this.#hasInputEnded && !this.#isInterrupted) this.owed.add(id);
    await this.emit({ type: 'control_request', request_id: id, request: item.ask });
    // A real CLI goes on without the answer when it was interrupted, or when nobody can answer any more.
    if (!this.#hasInputEnded && !this.#isInterrupted && !this.hasExited) await answer;
    this.#waiting.delete(id);
  }
}

function bump(counts: Map<string, number>, id: string): void {
  counts.set(id, (counts.get(id) ?? 0) + 1);
}
