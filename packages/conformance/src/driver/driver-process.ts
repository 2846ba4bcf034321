import { type ChildProcess, spawn } from 'node:child_process';
import { LineSplitter, replaceSecrets } from 'claudewire/testing';
import { requireCommand, requireObject } from '../util/arguments.js';
import { createDeferred, type Deferred, ignoreRejection } from '../util/deferred.js';
import type { JsonObject } from '../util/json.js';
import { patientTimeout } from '../util/patient-timeout.js';
import { excerpt, type LineChecker } from './check-line.js';
import { DriverFault, type DriverHello, type DriverReply, type ObservedEvent } from './driver-protocol.js';
import { endProcessGroup, killGroupAtExit, signalGroup } from './process-group.js';

const STDERR_TAIL = 8 * 1024;
/** How long the pipes of a driver that has left are read on, when something that it started holds them. */
const LAST_WORDS_MS = 500;
/** How much later than an answer its words on stderr may come. */
const STDERR_LAG_MS = 100;
const DEFAULT_HELLO_TIMEOUT_MS = 20_000;
const DEFAULT_MAX_LINE_BYTES = 256 * 1024 * 1024;
const DEFAULT_MAX_SCENARIO_BYTES = 1024 * 1024 * 1024;

export interface DriverOptions {
  /** Executable and arguments. No shell takes part. */
  readonly command: readonly [string, ...string[]];
  readonly checker: LineChecker;
  /** @defaultValue the environment of this process */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Working directory. @defaultValue that of this process */
  readonly cwd?: string;
  /** Milliseconds until its first line. @defaultValue 20_000 */
  readonly helloTimeoutMs?: number;
  /** The longest line it may write. @defaultValue 256 MiB */
  readonly maxLineBytes?: number;
  /** The most it may write for one scenario: all of it is kept until the scenario is over. @defaultValue 1 GiB */
  readonly maxScenarioBytes?: number;
  /** Kills it at once; `faulted` tells. */
  readonly signal?: AbortSignal | undefined;
}

function requireOptions(options: DriverOptions): void {
  const takes = 'DriverProcess.start() takes an object';
  const cure = 'Pass one such as `{ command: ["node", "driver.mjs"], checker: new LineChecker(schema) }`.';
  requireObject('options', takes, options, cure, { command: 'list', checker: 'object' });
  requireCommand('DriverProcess.start', options.command);
}

/** One driver: a process that speaks the driver protocol. Ended with everything it started. */
export class DriverProcess {
  readonly #options: DriverOptions;
  readonly #child: ChildProcess;
  readonly #lines = new LineSplitter();
  readonly #hello = createDeferred<DriverHello>();
  readonly #fault = createDeferred<never>();
  readonly #exited = createDeferred<void>();
  readonly #pending = new Map<number, Deferred<DriverReply>>();
  readonly #forget: () => void;
  readonly #stop = (): void => {
    this.#fail('was stopped');
    void this.kill();
  };
  #listener: (event: ObservedEvent) => void = () => {};
  #lastHeardAt = performance.now();
  #bytes = 0;
  #stderr = '';
  #lastId = 0;
  #isClosing = false;
  #greeting: DriverHello | undefined;

  private constructor(options: DriverOptions) {
    requireOptions(options);
    this.#options = options;
    const [file, ...args] = options.command;
    // A group of its own, so that what the SDK under test starts can be ended with it.
    this.#child = spawn(file, args, {
      env: options.env ?? process.env,
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: process.platform !== 'win32',
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    });
    this.#forget = killGroupAtExit(this.#child);
    for (const promise of [this.#fault.promise, this.#hello.promise]) ignoreRejection(promise);
    this.#listen();
    options.signal?.addEventListener('abort', this.#stop, { once: true });
    if (options.signal?.aborted) this.#stop();
  }

  /**
   * Starts the driver and waits for its hello.
   *
   * @throws DriverFault it could not be started, said something else, or nothing in time. It is ended.
   */
  static async start(options: DriverOptions): Promise<DriverProcess> {
    const driver = new DriverProcess(options);
    const limit = options.helloTimeoutMs ?? DEFAULT_HELLO_TIMEOUT_MS;
    const stop = patientTimeout(limit, () => driver.#fail(`said no hello within ${limit} ms`));
    try {
      await Promise.race([driver.#hello.promise, driver.faulted]);
      return driver;
    } catch (error) {
      await driver.kill();
      throw error;
    } finally {
      stop();
    }
  }

  get hello(): DriverHello {
    // `start` hands a driver out only after its hello.
    return this.#greeting as DriverHello;
  }

  /** Rejects with a {@link DriverFault} when the driver breaks the protocol or ends by itself. Never resolves. */
  get faulted(): Promise<never> {
    return this.#fault.promise;
  }

  /**
   * The end of what it wrote to stderr since {@link forgetStderr} (8 KiB), without secrets: a result is kept and shown.
   * Waits a moment for it, as it comes by another pipe than the driver's answers.
   */
  async lastWords(): Promise<string> {
    const { stderr } = this.#child;
    if (this.#stderr === '' && stderr !== null) {
      const { promise, resolve } = createDeferred<void>();
      const timer = setTimeout(resolve, STDERR_LAG_MS);
      stderr.once('data', resolve).once('close', resolve);
      await promise;
      clearTimeout(timer);
      stderr.off('data', resolve).off('close', resolve);
    }
    return withoutSecrets(this.#stderr);
  }

  /** A scenario begins: what was written before is not about it. */
  forgetStderr(): void {
    this.#stderr = '';
  }

  /** Milliseconds since it was last told something, or said something. */
  get quietMs(): number {
    return performance.now() - this.#lastHeardAt;
  }

  /** Who hears of observed events from here on: a scenario begins. */
  listen(listener: (event: ObservedEvent) => void): void {
    this.#bytes = 0;
    this.#listener = listener;
  }

  /** Sends a command. The promise stays pending when the driver never answers; `faulted` tells of its end. */
  request(command: JsonObject): Promise<DriverReply> {
    this.#lastHeardAt = performance.now();
    this.#lastId += 1;
    const reply = createDeferred<DriverReply>();
    this.#pending.set(this.#lastId, reply);
    this.#child.stdin?.write(`${JSON.stringify({ id: this.#lastId, ...command })}\n`);
    return reply.promise;
  }

  /** Ends it and everything in its process group: end of input, SIGTERM, SIGKILL. Safe to call twice. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#child.stdin?.end();
    await endProcessGroup(this.#child, this.#exited.promise);
    this.#forget();
    this.#options.signal?.removeEventListener('abort', this.#stop);
  }

  /** Ends all of it at once: after a fault or a failure there is nothing to wait for. */
  async kill(): Promise<void> {
    this.#isClosing = true;
    signalGroup(this.#child, 'SIGKILL');
    await this.close();
  }

  #listen(): void {
    const { stdin, stdout, stderr } = this.#child;
    // EPIPE: the exit says more.
    stdin?.on('error', () => {});
    stdout?.on('data', (chunk: Buffer) => this.#onOutput(chunk));
    stderr?.on('data', (chunk: Buffer) => {
      this.#stderr = (this.#stderr + chunk.toString('utf8')).slice(-STDERR_TAIL);
    });
    this.#child.on('error', (error) => {
      this.#exited.resolve();
      this.#fail(`could not be started: ${error.message}`);
    });
    // 'close' comes after the last line of stdout; a child that holds the pipe keeps it from coming.
    let lastWords: NodeJS.Timeout | undefined;
    this.#child.on('exit', (code, signal) => {
      this.#exited.resolve();
      lastWords = setTimeout(() => this.#onClose(code, signal), LAST_WORDS_MS).unref();
    });
    this.#child.on('close', (code, signal) => {
      clearTimeout(lastWords);
      this.#onClose(code, signal);
    });
  }

  #onOutput(chunk: Buffer): void {
    if (this.#isClosing) return;
    this.#lastHeardAt = performance.now();
    const { maxLineBytes = DEFAULT_MAX_LINE_BYTES, maxScenarioBytes = DEFAULT_MAX_SCENARIO_BYTES } = this.#options;
    try {
      for (const line of this.#lines.push(chunk)) this.#onLine(line);
      if (this.#lines.bytes > maxLineBytes) {
        throw new DriverFault(`wrote a line of more than ${maxLineBytes} bytes`);
      }
      this.#bytes += chunk.length;
      if (this.#bytes > maxScenarioBytes) {
        throw new DriverFault(`wrote more than ${maxScenarioBytes} bytes for one scenario`);
      }
    } catch (error) {
      if (!(error instanceof DriverFault)) throw error;
      this.#fail(error.message);
    }
  }

  #onLine(line: string): void {
    const value = this.#options.checker.read(line);
    if (value.event === 'hello') {
      if (this.#greeting !== undefined) throw new DriverFault('said hello twice');
      // The checker has looked at every field, here and below.
      this.#greeting = value as JsonObject & DriverHello;
      this.#hello.resolve(this.#greeting);
      return;
    }
    if (value.event === 'observed') this.#listener({ run: 'main', ...value } as ObservedEvent);
    else this.#onReply(value as JsonObject & DriverReply, line);
  }

  #onReply(reply: DriverReply, line: string): void {
    const pending = this.#pending.get(reply.id);
    if (pending === undefined) {
      throw new DriverFault(`answered a command that is not open: ${excerpt(line)}`);
    }
    this.#pending.delete(reply.id);
    pending.resolve(reply);
  }

  #onClose(code: number | null, signal: string | null): void {
    this.#exited.resolve();
    const rest = this.#lines.takeRest() ?? '';
    const cut = rest === '' ? '' : `; its last line had no newline: ${excerpt(rest)}`;
    this.#fail(`ended by itself (${signal ?? `exit code ${code}`})${cut}`);
  }

  #fail(what: string): void {
    if (this.#isClosing) return;
    const said = withoutSecrets(this.#stderr);
    const tail = said === '' ? '' : `\n  its stderr: ${said.split('\n').slice(-8).join('\n    ')}`;
    this.#fault.reject(new DriverFault(`the driver ${what}${tail}`));
    // Nothing it says counts any more.
    this.#isClosing = true;
  }
}

/** Of a text that was cut, the first line goes too: without its beginning a token is not known for one. */
function withoutSecrets(tail: string): string {
  const isCut = tail.length >= STDERR_TAIL && tail.includes('\n');
  return replaceSecrets(isCut ? tail.slice(tail.indexOf('\n') + 1) : tail, '[secret]').trim();
}
