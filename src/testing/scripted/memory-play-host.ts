import type { SpawnOptions } from '../../index.js';
import { type JsonObject, parseJsonObject } from '../../util/json.js';
import { playOn } from '../player/play.js';
import type { PlayEvent } from '../player/play-io.js';
import { configFiles, settingsOf } from '../player/process-surroundings.js';
import type { KillSignal, PlayerSignal, Scenario, Verdict } from '../scenario/scenario-types.js';
import { quiet } from '../time/quiet.js';
import { MemoryProcess } from './memory-process.js';
import { hasMockedTimers, type PlayHost, settledWithin } from './play-host.js';
import type { ScriptedRun } from './scripted-run.js';

/** Plays the scenario in this process. Delays of the script go by the global timers, which a test may mock. */
export function createMemoryPlayHost(scenario: Scenario): PlayHost {
  const runs: MemoryRun[] = [];
  return {
    options: {
      // A fixed name, so that nothing is looked for.
      pathToClaudeCodeExecutable: 'claude',
      spawnClaudeCodeProcess: (request) => {
        const run = new MemoryRun(scenario, runs.length + 1, request);
        runs.push(run);
        run.start();
        return run.process;
      },
    },
    path: undefined,
    runs,
    close: async (graceMs) => {
      const ended = Promise.all(runs.map((run) => run.ended));
      // Timers that nobody moves any more end no process: real time would pass for nothing.
      if (hasMockedTimers()) await quiet();
      else await settledWithin(ended, graceMs);
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
        configFiles: () => configFiles(this.env.CLAUDE_CONFIG_DIR),
        settings: () => settingsOf(this.argv),
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
