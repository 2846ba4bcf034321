import { type JsonObject, parseJsonObject } from '../../util/json.js';
import { sectionOf } from '../scenario/lanes.js';
import type { CliSection, KillSignal, PlayerSignal, Scenario, Verdict } from '../scenario/scenario-types.js';
import { AutoAnswers, requestSubtype } from './auto-answers.js';
import { Inbox } from './inbox.js';
import { type PlayIo, startLimit } from './play-io.js';
import { ProcessEvents } from './process-events.js';
import { unansweredPrompt } from './prompt-text.js';
import { StepRunner } from './step-runner.js';
import { buildVerdict, describeVerdict, FAILURE_EXIT_CODE, leftOver, PlayFailure } from './verdict.js';

const DEFAULT_DEADLINE_MS = 60_000;
/** As the CLI does: it exits with 143 after SIGTERM and with 0 after SIGINT. */
const SIGNAL_EXIT_CODES: Readonly<Record<PlayerSignal, number>> = { SIGTERM: 143, SIGINT: 0, SIGHUP: 129 };

export interface PlayOptions {
  /** Which process this is, from 1: it plays the `spawn` section of that number. @defaultValue 1 */
  readonly spawn?: number | undefined;
  /** Multiplies every time-out. @defaultValue 1 */
  readonly timeoutFactor?: number | undefined;
}

/** Plays a scenario in the CLI's place. Ends by `io.exit`, at the latest when its deadline has passed. */
export function playOn(io: PlayIo, scenario: Scenario, options: PlayOptions = {}): void {
  new Play(io, scenario, options).start();
}

/** One process of a scenario that is being played. */
class Play {
  readonly #io: PlayIo;
  readonly #scenario: Scenario;
  readonly #spawn: number;
  readonly #timeoutFactor: number;
  readonly #section: CliSection | undefined;
  readonly #inbox: Inbox;
  readonly #events: ProcessEvents;
  readonly #runner: StepRunner;
  /** Ends the waits for gates. */
  readonly #over = new AbortController();
  #deadline: unknown;

  constructor(io: PlayIo, scenario: Scenario, options: PlayOptions) {
    const { header } = scenario;
    this.#io = io;
    this.#scenario = scenario;
    this.#spawn = options.spawn ?? 1;
    this.#timeoutFactor = options.timeoutFactor ?? 1;
    this.#section = sectionOf(scenario, this.#spawn);
    this.#inbox = new Inbox(header.order ?? 'any', io.clock);
    this.#events = new ProcessEvents(io.clock);
    const stage = {
      io,
      inbox: this.#inbox,
      answers: new AutoAnswers(header, this.#section?.steps ?? [], io.argv),
      events: this.#events,
      gate: (name: string, timeoutMs: number) => this.#gate(name, timeoutMs),
      isOver: () => this.#over.signal.aborted,
      exit: (end: number | KillSignal) => this.#leave(end),
    };
    this.#runner = new StepRunner(header, stage, this.#timeoutFactor);
  }

  start(): void {
    this.#io.onSignal((signal) => this.#onSignal(signal));
    const deadlineMs = (this.#scenario.header.deadlineMs ?? DEFAULT_DEADLINE_MS) * this.#timeoutFactor;
    this.#deadline = startLimit(this.#io.clock, deadlineMs, () => {
      this.#fail(new PlayFailure('deadline', `the play was not over after ${deadlineMs} ms`));
    });
    this.#io.stdin.read({ onLine: (line) => this.#onLine(line), onEof: (rest) => this.#onEof(rest) });
    this.#run().catch((error: unknown) => this.#fail(error));
  }

  async #run(): Promise<void> {
    if (this.#section === undefined) throw new PlayFailure('mismatch', `spawn ${this.#spawn} is not in the scenario`);
    await this.#runner.run(this.#section);
    this.#reportSettled();
    // Of a script in a test alone: a scenario file may be silent until its deadline.
    const problem = this.#scenario.header.places && unansweredPrompt(this.#section.steps, this.#inbox.recent);
    const limitMs = problem === undefined ? 0 : this.#runner.timeoutMs();
    // After its last step the CLI stays, answers what it is asked, and leaves when its input ends.
    await this.#events.wait(this.#events.isIgnored('EOF') ? 'forever' : 'EOF', limitMs, problem);
    await this.#leave(0);
  }

  #onLine(line: string): void {
    if (this.#isOver) return;
    try {
      this.#take(line);
    } catch (error) {
      this.#fail(error);
    }
  }

  #take(line: string): void {
    this.#io.log({ event: 'in', line });
    if (line.trim() === '') return;
    const frame = parseJsonObject(line);
    if (frame === undefined) throw new PlayFailure('mismatch', `stdin: not a JSON object: ${line.slice(0, 100)}`);
    // It has a request: that is where its subtype is.
    if (requestSubtype(frame) === 'initialize') this.#runner.initialize((frame.request as JsonObject).hooks);
    this.#inbox.remember(frame);
    if (this.#runner.answer(frame)) return;
    this.#inbox.add(frame);
    if (this.#runner.played === this.#section?.steps.length) this.#onLeftOver();
  }

  #onEof(rest: string): void {
    if (this.#isOver) return;
    if (rest !== '') this.#onLine(rest);
    if (this.#isOver) return;
    this.#io.log({ event: 'eof' });
    this.#events.happen('EOF');
    this.#inbox.end();
  }

  #onSignal(signal: PlayerSignal): void {
    if (this.#isOver) return;
    this.#io.log({ event: 'signal', signal });
    if (!this.#events.happen(signal)) this.#end('signal', SIGNAL_EXIT_CODES[signal]);
  }

  #gate(name: string, timeoutMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const { clock } = this.#io;
      const wait = new AbortController();
      const timer = startLimit(clock, timeoutMs, () => {
        wait.abort();
        reject(new PlayFailure('deadline', `gate "${name}" was not opened in ${timeoutMs} ms`));
      });
      const abandoned = AbortSignal.any([this.#over.signal, wait.signal]);
      abandoned.addEventListener('abort', () => clock.clearTimeout(timer), { once: true });
      this.#io.gate(name, abandoned).then(() => {
        clock.clearTimeout(timer);
        resolve();
      }, reject);
    });
  }

  /** A step or the end of the play: what was written leaves first. */
  async #leave(end: number | KillSignal): Promise<never> {
    await Promise.all([this.#io.stdout.flush(), this.#io.stderr.flush()]);
    this.#end('finished', end);
    return new Promise(() => {});
  }

  #fail(error: unknown): void {
    const failure = error instanceof PlayFailure ? error : new PlayFailure('error', String(error));
    this.#end(failure.end, FAILURE_EXIT_CODE, failure);
  }

  #end(end: Verdict['end'], how: number | KillSignal, failure?: PlayFailure): void {
    if (this.#isOver) return;
    const verdict = this.#buildVerdict(end, typeof how === 'number' ? how : 128, failure);
    this.#over.abort();
    this.#inbox.stop();
    this.#events.stop();
    this.#io.clock.clearTimeout(this.#deadline);
    this.#io.report(verdict);
    this.#io.log({ event: 'end', exitCode: verdict.exitCode });
    // A signal ends the CLI silently; the sender reads the verdict.
    if (verdict.failure !== undefined && verdict.end !== 'signal') {
      void this.#io.stderr.write(`${describeVerdict(verdict)}\n`);
    }
    this.#io.exit(typeof how === 'number' ? verdict.exitCode : how);
  }

  /** No step will take this frame. Where that is a failure it is one now: the client may wait for an answer. */
  #onLeftOver(): void {
    if (leftOver(this.#scenario.header, this.#inbox) === undefined) this.#reportSettled();
    else this.#end('mismatch', FAILURE_EXIT_CODE);
  }

  /** Only waiting is left: the verdict for a process that is killed from here on. */
  #reportSettled(): void {
    if (!this.#isOver) this.#io.report(this.#buildVerdict('running', 0));
  }

  #buildVerdict(end: Verdict['end'], exitCode: number, failure?: PlayFailure): Verdict {
    return buildVerdict({
      scenario: this.#scenario,
      spawn: this.#spawn,
      section: this.#section,
      played: this.#runner.played,
      line: this.#runner.line,
      inbox: this.#inbox,
      end,
      exitCode,
      failure,
    });
  }

  get #isOver(): boolean {
    return this.#over.signal.aborted;
  }
}
