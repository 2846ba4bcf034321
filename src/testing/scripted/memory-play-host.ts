import { EventEmitter } from 'node:events';
import { Readable, Writable } from 'node:stream';
import { CLINotFoundError, type SpawnedProcess, type SpawnOptions } from '../../index.js';
import { type JsonObject, parseJsonObject } from '../../util/json.js';
import { LineSplitter } from '../../util/lines.js';
import { playOn } from '../player/play.js';
import type { LineReceiver, LineSource, OutputSink, PlayEvent } from '../player/play-io.js';
import type { KillSignal, PlayerSignal, Scenario, Verdict } from '../scenario/scenario-types.js';
import { hasMockedTimers, type PlayHost, quiet, type ScriptedRun, settledWithin } from './play-host.js';

/** Plays the scenario in this process. Delays of the script go by the global timers, which a test may mock. */
export function createMemoryPlayHost(scenario: Scenario): PlayHost {
  const runs: MemoryRun[] = [];
  let isClosed = false;
  return {
    options: {
      // A fixed name, so that nothing is looked for.
      pathToClaudeCodeExecutable: 'claude',
      spawnClaudeCodeProcess: (request) => {
        if (isClosed) throw new CLINotFoundError('The scripted CLI was closed. Start every query before `close()`.');
        const run = new MemoryRun(scenario, runs.length + 1, request);
        runs.push(run);
        run.start();
        return run.process;
      },
    },
    path: undefined,
    runs,
    close: async (graceMs) => {
      // Mocked timers that stand still end no process, so waiting in real time is useless.
      if (hasMockedTimers()) await quiet();
      else await settledWithin(Promise.all(runs.map((run) => run.ended)), graceMs);
      isClosed = true;
      const late = runs.filter(({ isOver }) => !isOver);
      for (const run of late) run.process.kill('SIGKILL');
      return late.map(({ spawn }) => spawn);
    },
  };
}

class MemoryRun implements ScriptedRun {
  readonly spawn: number;
  readonly pid = undefined;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly frames: JsonObject[] = [];
  readonly signals: string[] = [];
  readonly process: MemoryProcess;
  readonly ended: Promise<void>;
  sawEndOfInput = false;
  exitCode: number | undefined;
  verdict: Verdict | undefined;
  isOver = false;
  readonly #scenario: Scenario;
  readonly #timers = new Set<unknown>();
  #onSignal: ((signal: PlayerSignal) => void) | undefined;

  constructor(scenario: Scenario, spawn: number, { args, env, cwd }: SpawnOptions) {
    this.#scenario = withoutLimitsOfMockedTime(scenario);
    this.spawn = spawn;
    this.argv = args;
    this.env = env;
    this.cwd = cwd ?? process.cwd();
    this.process = new MemoryProcess((signal) => this.#take(signal));
    this.ended = new Promise((resolve) => this.process.on('exit', () => resolve()));
  }

  start(): void {
    const { inside } = this.process;
    playOn(
      {
        argv: this.argv,
        env: this.env,
        cwd: this.cwd,
        stdin: inside.stdin,
        stdout: inside.stdout,
        stderr: inside.stderr,
        clock: {
          setTimeout: (run, ms) => {
            const timer = setTimeout(() => {
              this.#timers.delete(timer);
              run();
            }, ms);
            this.#timers.add(timer);
            return timer;
          },
          clearTimeout: (timer) => this.#clear(timer),
        },
        onSignal: (listener) => {
          this.#onSignal = listener;
        },
        log: (event) => this.#log(event),
        mark: () => {},
        gate: () => Promise.resolve(),
        grandchild: () => {
          throw new RangeError('grandchildMs: a CLI in memory has no processes; use a real one');
        },
        report: (verdict) => {
          if (!this.isOver) this.verdict = verdict;
        },
        exit: (end) => this.#exit(end),
      },
      this.#scenario,
      { spawn: this.spawn },
    );
  }

  #log(event: PlayEvent): void {
    const frame = event.event === 'in' ? parseJsonObject(event.line) : undefined;
    if (frame !== undefined) this.frames.push(frame);
    if (event.event === 'eof') this.sawEndOfInput = true;
    if (event.event === 'signal') this.signals.push(event.signal);
  }

  #take(signal: NodeJS.Signals): void {
    if (signal === 'SIGTERM' || signal === 'SIGINT' || signal === 'SIGHUP') {
      this.#onSignal?.(signal);
    } else {
      this.signals.push(signal);
      this.#exit(signal);
    }
  }

  #exit(end: number | NodeJS.Signals | KillSignal): void {
    if (this.isOver) return;
    this.isOver = true;
    for (const timer of this.#timers) this.#clear(timer);
    const isCode = typeof end === 'number';
    if (isCode) this.exitCode = end;
    this.process.inside.exit(isCode ? end : null, isCode ? null : end);
  }

  #clear(timer: unknown): void {
    this.#timers.delete(timer);
    // Every timer in the set, and every one the play gives back, came from `setTimeout` above.
    clearTimeout(timer as NodeJS.Timeout);
  }
}

/** Limits are there for a test that hangs; time that a test moves itself says nothing about that. */
function withoutLimitsOfMockedTime(scenario: Scenario): Scenario {
  if (!hasMockedTimers()) return scenario;
  return { ...scenario, header: { ...scenario.header, stepTimeoutMs: 0, deadlineMs: 0 } };
}

/** The far side of a {@link MemoryProcess}: what a program would have as its own stdin, stdout and end. */
interface ProcessInside {
  readonly stdin: LineSource;
  readonly stdout: OutputSink;
  readonly stderr: OutputSink;
  exit(exitCode: number | null, signal: NodeJS.Signals | null): void;
}

/** A process that is none: pipes, signals and an exit, all in memory. */
export class MemoryProcess extends EventEmitter implements SpawnedProcess {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  killed = false;
  exitCode: number | null = null;
  signalCode: NodeJS.Signals | null = null;
  readonly inside: ProcessInside;
  readonly #onSignal: (signal: NodeJS.Signals) => void;

  /** @param onSignal - Takes every signal; the process goes on unless it ends itself. */
  constructor(onSignal: (signal: NodeJS.Signals) => void) {
    super();
    this.#onSignal = onSignal;
    const input = new MemoryInput();
    const [output, errors] = [new MemoryOutput(), new MemoryOutput()];
    this.stdin = input.writable;
    this.stdout = output.readable;
    this.stderr = errors.readable;
    this.inside = {
      stdin: input,
      stdout: output,
      stderr: errors,
      exit: (exitCode, signal) => {
        if (this.#hasEnded) return;
        [this.exitCode, this.signalCode] = [exitCode, signal];
        input.close();
        void output.close();
        void errors.close();
        // Never before the caller of `kill` has its answer; not a timer, which may be mocked.
        process.nextTick(() => this.emit('exit', exitCode, signal));
      },
    };
  }

  get #hasEnded(): boolean {
    return this.exitCode !== null || this.signalCode !== null;
  }

  kill(signal: NodeJS.Signals = 'SIGTERM'): boolean {
    if (this.#hasEnded) return false;
    this.killed = true;
    this.#onSignal(signal);
    return true;
  }
}

class MemoryInput implements LineSource {
  readonly writable: Writable;
  #receiver: LineReceiver | undefined;
  #isPaused = false;
  #isClosed = false;
  #hasEnded = false;
  readonly #lines = new LineSplitter();
  #onReading: (() => void) | undefined;

  constructor() {
    this.writable = new Writable({
      write: (chunk: Buffer, _encoding, done) => this.#take(chunk, done),
      final: (done) => {
        done();
        this.#whenReading(() => this.#end());
      },
    });
    // Whoever writes hears of it through the callback; unheard, it must not end the program.
    this.writable.on('error', () => {});
  }

  read(receiver: LineReceiver): void {
    this.#receiver = receiver;
    this.#goOn();
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    this.#goOn();
  }

  close(): void {
    this.#isClosed = true;
    this.#goOn();
  }

  #take(chunk: Buffer, done: (error?: Error) => void): void {
    this.#whenReading(() => {
      if (this.#isClosed) {
        done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE', syscall: 'write' }));
        return;
      }
      // A copy: a writer may use its buffer again.
      for (const line of this.#lines.push(Buffer.from(chunk))) this.#receiver?.onLine(line);
      done();
    });
  }

  #end(): void {
    if (this.#hasEnded || this.#isClosed) return;
    this.#hasEnded = true;
    this.#receiver?.onEof(this.#lines.takeRest() ?? '');
  }

  /**
   * A stream writes one chunk at a time, so one action waits at most. Always later: a write must not run the reader.
   */
  #whenReading(action: () => void): void {
    this.#onReading = action;
    process.nextTick(() => this.#goOn());
  }

  #goOn(): void {
    const isReading = this.#receiver !== undefined && !this.#isPaused;
    if (!isReading && !this.#isClosed) return;
    const action = this.#onReading;
    this.#onReading = undefined;
    action?.();
  }
}

class MemoryOutput implements OutputSink {
  readonly readable: Readable;
  #isClosed = false;
  #onWanted: (() => void) | undefined;

  constructor() {
    this.readable = new Readable({
      read: () => this.#wanted(),
      destroy: (_error, done) => {
        this.#isClosed = true;
        this.#wanted();
        done(null);
      },
    });
  }

  write(bytes: Uint8Array | string): Promise<void> | undefined {
    if (this.#isClosed || this.readable.push(bytes)) return undefined;
    return new Promise((resolve) => {
      this.#onWanted = resolve;
    });
  }

  /** What was pushed is the reader's already. */
  async flush(): Promise<void> {}

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.readable.push(null);
    this.#wanted();
  }

  #wanted(): void {
    this.#onWanted?.();
    this.#onWanted = undefined;
  }
}
