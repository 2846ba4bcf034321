import { setTimeout as delay } from 'node:timers/promises';
import { assertNever } from '../../util/assert-never.js';
import type { JsonObject } from '../../util/json.js';
import type {
  InStep,
  OutStep,
  PlacedStep,
  RepeatStep,
  ScenarioHeader,
  Step,
} from '../scenario/scenario-types.js';
import { type AutoAnswers, errorAnswer, successAnswer } from './auto-answers.js';
import type { Happenings } from './happenings.js';
import type { Inbox } from './inbox.js';
import type { PieceWriter } from './piece-writer.js';
import { fill, isConstant, Variables } from './variables.js';

const DEFAULT_STEP_TIMEOUT_MS = 10_000;

/** What steps act on. */
export interface Stage {
  readonly inbox: Inbox;
  readonly answers: AutoAnswers;
  readonly happenings: Happenings;
  readonly stdout: PieceWriter;
  readonly stderr: PieceWriter;
  readonly stdin: { pause(): void; resume(): void; close(): void };
  /** Ends the process; the promise never resolves. */
  readonly exit: (end: number | NodeJS.Signals) => Promise<never>;
}

/** Plays steps one after another. */
export class StepRunner {
  readonly #stage: Stage;
  readonly #stepTimeoutMs: number;
  /** Lines of frames without variables: a flood encodes them once. */
  readonly #encoded = new WeakMap<OutStep, string>();
  #played = 0;
  #line = 0;

  constructor(header: ScenarioHeader, stage: Stage) {
    this.#stage = stage;
    this.#stepTimeoutMs = header.stepTimeoutMs ?? DEFAULT_STEP_TIMEOUT_MS;
  }

  /** Top-level steps that are done. */
  get played(): number {
    return this.#played;
  }

  /** Line of the step that is being played. */
  get line(): number {
    return this.#line;
  }

  async run(steps: readonly PlacedStep[]): Promise<void> {
    const variables = new Variables();
    for (const { step, line } of steps) {
      this.#line = line;
      // A step that ends the process has no afterwards to be counted in.
      const isLast = 'exit' in step || 'kill' in step;
      if (isLast) this.#played += 1;
      await this.#play(step, variables);
      if (!isLast) this.#played += 1;
      this.#stage.answers.finish(step);
      this.#stage.inbox.remove((frame) => this.answer(frame));
    }
  }

  /** Sends the default answer to a control request that no later step expects. */
  answer(frame: JsonObject): boolean {
    const answer = this.#stage.answers.answerTo(frame);
    if (answer === undefined) return false;
    // Not awaited: whoever does not read its answers must not stop the play. Bytes keep their order.
    void this.#send(answer);
    return true;
  }

  #play(step: Step, variables: Variables): Promise<void> | void {
    const stage = this.#stage;
    if ('out' in step) return stage.stdout.write(this.#encode(step, variables), step);
    if ('in' in step) return this.#expect(step, variables);
    if ('raw' in step) return stage.stdout.write(step.raw, step);
    if ('bytes' in step) return stage.stdout.write(Buffer.from(step.bytes, 'base64'), step);
    if ('stderr' in step) return stage.stderr.write(step.stderr);
    if ('delayMs' in step) return delay(step.delayMs);
    if ('wait' in step) {
      const unlessTold = step.wait === 'forever' ? 0 : this.#stepTimeoutMs;
      return stage.happenings.wait(step.wait, step.timeoutMs ?? unlessTold);
    }
    if ('ignore' in step) return stage.happenings.ignore(step.ignore);
    if ('stdin' in step) return stage.stdin[step.stdin]();
    if ('stdout' in step) return stage.stdout.close();
    if ('exit' in step) return stage.exit(step.exit);
    if ('kill' in step) return stage.exit(step.kill);
    if ('repeat' in step) return this.#repeat(step, variables);
    return assertNever(step);
  }

  async #expect(step: InStep, variables: Variables): Promise<void> {
    const frame = await this.#stage.inbox.take(
      step.in,
      variables,
      step.timeoutMs ?? this.#stepTimeoutMs,
    );
    if (step.answer !== undefined) {
      await this.#send(successAnswer(frame, fill(step.answer, variables)));
    }
    if (step.error !== undefined) await this.#send(errorAnswer(frame, step.error));
  }

  async #repeat(step: RepeatStep, variables: Variables): Promise<void> {
    for (let round = 0; round < step.repeat; round += 1) {
      const inner = new Variables(variables);
      inner.set(step.as ?? 'i', round);
      for (const each of step.steps) {
        // A flood of writes is not worth a turn of the event loop each: only real waits are awaited.
        const done = this.#play(each, inner);
        if (done !== undefined) await done;
      }
    }
  }

  #encode(step: OutStep, variables: Variables): string {
    const known = this.#encoded.get(step);
    if (known !== undefined) return known;
    const line = `${JSON.stringify(fill(step.out, variables))}\n`;
    if (isConstant(step.out)) this.#encoded.set(step, line);
    return line;
  }

  #send(frame: JsonObject): Promise<void> {
    return this.#stage.stdout.write(`${JSON.stringify(frame)}\n`);
  }
}
