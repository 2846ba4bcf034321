import { closeSync, writeFileSync } from 'node:fs';
import { isJsonObject } from '../../util/json.js';
import type { PlayerSignal, Scenario, Verdict } from '../scenario/scenario-types.js';
import { AutoAnswers } from './auto-answers.js';
import { Happenings } from './happenings.js';
import { Inbox } from './inbox.js';
import { PieceWriter } from './piece-writer.js';
import { PlayFailure } from './play-failure.js';
import { PlayLog } from './play-log.js';
import { readLines } from './stdin-lines.js';
import { StepRunner } from './step-runner.js';

const DEFAULT_DEADLINE_MS = 60_000;
const LONG_MS = 2 ** 30;
const FAILURE_EXIT_CODE = 3;
/** As the CLI does: it exits with 143 after SIGTERM and with 0 after SIGINT. */
const SIGNAL_EXIT_CODES: Readonly<Record<PlayerSignal, number>> = {
  SIGTERM: 143,
  SIGINT: 0,
  SIGHUP: 129,
};

export interface PlayOptions {
  /** File that gets one JSON line per happening, appended. */
  readonly log?: string | undefined;
  /** File that gets the {@link Verdict}, overwritten. */
  readonly verdict?: string | undefined;
}

/** Plays the scenario on this process's own stdin and stdout, and ends the process. */
export function play(scenario: Scenario, options: PlayOptions = {}): void {
  new Play(scenario, options).start();
}

class Play {
  readonly #scenario: Scenario;
  readonly #verdictFile: string | undefined;
  readonly #log: PlayLog;
  readonly #inbox = new Inbox();
  readonly #happenings = new Happenings();
  readonly #stdout = new PieceWriter(process.stdout);
  readonly #stderr = new PieceWriter(process.stderr);
  readonly #runner: StepRunner;
  #isOver = false;

  constructor(scenario: Scenario, options: PlayOptions) {
    this.#scenario = scenario;
    this.#verdictFile = options.verdict;
    this.#log = new PlayLog(options.log);
    this.#runner = new StepRunner(scenario.header, {
      inbox: this.#inbox,
      answers: new AutoAnswers(scenario.header, scenario.steps),
      happenings: this.#happenings,
      stdout: this.#stdout,
      stderr: this.#stderr,
      stdin: {
        pause: () => void process.stdin.pause(),
        resume: () => void process.stdin.resume(),
        close: closeStdin,
      },
      exit: (end) => this.#leave(end),
    });
  }

  start(): void {
    this.#log.write({
      event: 'start',
      argv: process.argv.slice(2),
      execArgv: process.execArgv,
      env: process.env,
      cwd: process.cwd(),
    });
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
      process.on(signal, () => this.#onSignal(signal));
    }
    const { deadlineMs = DEFAULT_DEADLINE_MS } = this.#scenario.header;
    // Without a deadline too: a play that waits for ever must not end because nothing else keeps Node alive.
    if (deadlineMs > 0) setTimeout(() => this.#onDeadline(deadlineMs), deadlineMs);
    else setInterval(() => {}, LONG_MS);
    readLines(process.stdin, {
      onLine: (line) => this.#onLine(line),
      onEof: (rest) => this.#onEof(rest),
    });
    this.#run().catch((error: unknown) => this.#fail(error));
  }

  async #run(): Promise<void> {
    await this.#runner.run(this.#scenario.steps);
    // After its last step the CLI stays, answers what it is asked, and leaves when its input ends.
    await this.#happenings.wait(this.#happenings.isIgnored('EOF') ? 'forever' : 'EOF', 0);
    await this.#leave(0);
  }

  #onLine(line: string): void {
    if (this.#isOver) return;
    this.#log.write({ event: 'in', line });
    if (line.trim() === '') return;
    let frame: unknown;
    try {
      frame = JSON.parse(line);
    } catch {
      frame = undefined;
    }
    if (!isJsonObject(frame)) {
      this.#fail(new PlayFailure('mismatch', `stdin: not a JSON object: ${line.slice(0, 100)}`));
      return;
    }
    if (this.#runner.answer(frame)) this.#inbox.remember(frame);
    else this.#inbox.add(frame);
  }

  #onEof(rest: string): void {
    if (rest !== '') this.#onLine(rest);
    this.#log.write({ event: 'eof' });
    this.#happenings.happen('EOF');
    this.#inbox.end();
  }

  #onSignal(signal: PlayerSignal): void {
    this.#log.write({ event: 'signal', signal });
    if (this.#happenings.happen(signal)) return;
    this.#end('signal', SIGNAL_EXIT_CODES[signal]);
  }

  #onDeadline(deadlineMs: number): void {
    this.#fail(new PlayFailure('deadline', `the play was not over after ${deadlineMs} ms`));
  }

  /** A step or the end of the play: what was written leaves first. */
  async #leave(end: number | NodeJS.Signals): Promise<never> {
    await Promise.all([this.#stdout.flush(), this.#stderr.flush()]);
    if (typeof end === 'number') return this.#end('finished', end);
    this.#report('finished', 128);
    process.removeAllListeners(end);
    process.kill(process.pid, end);
    return new Promise(() => {});
  }

  #fail(error: unknown): never {
    const failure = error instanceof PlayFailure ? error : new PlayFailure('error', String(error));
    return this.#end(failure.end, FAILURE_EXIT_CODE, failure);
  }

  #end(end: Verdict['end'], exitCode: number, failure?: PlayFailure): never {
    this.#report(end, exitCode, failure);
    process.exit(exitCode);
  }

  #report(end: Verdict['end'], exitCode: number, failure?: PlayFailure): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const { header, steps, file } = this.#scenario;
    const { line, played } = this.#runner;
    const verdict: Verdict = {
      scenario: header.scenario,
      passed: failure === undefined && played === steps.length,
      end,
      exitCode,
      stepsPlayed: played,
      stepsTotal: steps.length,
      ...(failure === undefined
        ? {}
        : {
            failure: {
              message: failure.message,
              line,
              expected: failure.expected,
              got: this.#inbox.recent,
            },
          }),
      unclaimed: this.#inbox.unclaimed,
    };
    if (this.#verdictFile !== undefined) {
      writeFileSync(this.#verdictFile, `${JSON.stringify(verdict)}\n`, { mode: 0o600 });
    }
    this.#log.write({ event: 'end', exitCode });
    if (failure === undefined) return;
    const where = `${file ?? header.scenario}:${line}`;
    process.stderr.write(
      `${where}: ${failure.message}\n  expected: ${JSON.stringify(failure.expected)}\n` +
        this.#inbox.recent.map((frame) => `  got: ${JSON.stringify(frame)}\n`).join(''),
    );
  }
}

function closeStdin(): void {
  process.stdin.destroy();
  // libuv never closes the standard descriptors itself.
  closeSync(0);
}
