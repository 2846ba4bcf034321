import { setImmediate as nextTurn } from 'node:timers/promises';
import { assertNever } from '../../util/assert-never.js';
import type { JsonObject } from '../../util/json.js';
import type {
  CliSection,
  CliStep,
  Cuts,
  Expectation,
  InAnyStep,
  InStep,
  KillSignal,
  OutStep,
  RepeatStep,
  ScenarioHeader,
  SpawnStep,
  WaitStep,
} from '../scenario/scenario-types.js';
import { type AutoAnswers, errorAnswer, successAnswer } from './auto-answers.js';
import { checkSpawn } from './check-spawn.js';
import type { Inbox } from './inbox.js';
import { HOOKS, isConstant, Variables } from './patterns.js';
import type { Clock, PlayIo } from './play-io.js';
import type { ProcessEvents } from './process-events.js';

const DEFAULT_STEP_TIMEOUT_MS = 10_000;
/** Rounds after which signals, deadlines and stdin get their turn. */
const ROUNDS_A_TURN = 1_000;

/** What steps act on. */
interface Stage {
  readonly io: PlayIo;
  readonly inbox: Inbox;
  readonly answers: AutoAnswers;
  readonly events: ProcessEvents;
  /** Waits until gate `name` is open. */
  readonly gate: (name: string, timeoutMs: number) => Promise<void>;
  /** The process has been ended: no further step may be played. */
  readonly isOver: () => boolean;
  /** Ends the process; the promise never resolves. */
  readonly exit: (end: number | KillSignal) => Promise<never>;
}

/** Plays steps one after another. */
export class StepRunner {
  readonly #stage: Stage;
  readonly #stepTimeoutMs: number;
  readonly #timeoutFactor: number;
  /** Lines of frames without variables: a flood encodes them once. */
  readonly #encoded = new WeakMap<OutStep, string>();
  readonly #variables = new Variables();
  #played = 0;
  #rounds = 0;
  #line = 0;

  constructor(header: ScenarioHeader, stage: Stage, timeoutFactor: number) {
    this.#stage = stage;
    this.#stepTimeoutMs = header.stepTimeoutMs ?? DEFAULT_STEP_TIMEOUT_MS;
    this.#timeoutFactor = timeoutFactor;
  }

  /** Top-level steps that are done. */
  get played(): number {
    return this.#played;
  }

  /** Line of the step that is being played. */
  get line(): number {
    return this.#line;
  }

  async run({ spawn, steps }: CliSection): Promise<void> {
    const variables = this.#variables;
    if (spawn !== undefined) {
      this.#line = spawn.line;
      checkSpawn(spawn.step.spawn, this.#stage.io, variables);
    }
    variables.set('cwd', this.#stage.io.cwd);
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

  /** Milliseconds that a step waits which has this time-out of its `own`, or none; `0`: no limit. */
  timeoutMs(own = this.#stepTimeoutMs): number {
    return own * this.#timeoutFactor;
  }

  /** Notes what the client registered. */
  initialize(hooks: unknown): void {
    this.#variables.set(HOOKS, hooks);
    this.#stage.events.happen('initialize');
  }

  /** Sends the default answer to a control request that no later step expects. */
  answer(frame: JsonObject): boolean {
    const answer = this.#stage.answers.answerTo(frame);
    if (answer === undefined) return false;
    if (answer !== null) this.#send(answer);
    return true;
  }

  #play(step: Exclude<CliStep, SpawnStep>, variables: Variables): Promise<void> | void {
    const stage = this.#stage;
    if (stage.isOver()) return new Promise(() => {});
    if ('out' in step) return this.#out(step, variables);
    if ('in' in step) return this.#expect([step], step, variables);
    if ('inAny' in step) return this.#expect(step.inAny, step, variables);
    if ('raw' in step) return writeOut(stage.io, step.raw, step);
    if ('bytes' in step) return writeOut(stage.io, Buffer.from(step.bytes, 'base64'), step);
    if ('stderr' in step) return stage.io.stderr.write(step.stderr);
    if ('delayMs' in step) return delay(stage.io.clock, step.delayMs);
    if ('grandchildMs' in step) return stage.io.grandchild(this.timeoutMs(step.grandchildMs));
    if ('wait' in step) return this.#wait(step.wait, step.timeoutMs);
    if ('ignore' in step) return stage.events.ignore(step.ignore);
    if ('stdin' in step) return stage.io.stdin[step.stdin]();
    if ('stdout' in step) return stage.io.stdout.close();
    if ('exit' in step) return stage.exit(step.exit);
    if ('kill' in step) return stage.exit(step.kill);
    if ('repeat' in step) return this.#repeat(step, variables);
    if ('mark' in step) return this.#mark(step.mark);
    if ('gate' in step) return stage.gate(step.gate, this.timeoutMs(step.timeoutMs));
    return assertNever(step);
  }

  async #expect(
    expected: readonly Expectation[],
    { timeoutMs }: InStep | InAnyStep,
    variables: Variables,
  ): Promise<void> {
    const limitMs = this.timeoutMs(timeoutMs);
    const patterns = expected.map((each) => each.in);
    this.#waits(`${patterns.map((each) => JSON.stringify(each)).join(' and ')} on stdin`, limitMs);
    await this.#stage.inbox.take({
      patterns,
      variables,
      timeoutMs: limitMs,
      onTaken: (index, frame) => {
        const { answer, error } = expected[index] ?? {};
        if (answer !== undefined) this.#send(successAnswer(frame, variables.fill(answer)));
        if (error !== undefined) this.#send(errorAnswer(frame, error));
      },
    });
  }

  #mark(name: string): void {
    this.#stage.io.mark(name);
    this.#stage.io.log({ event: 'mark', name });
  }

  #wait(target: WaitStep['wait'], timeoutMs: number | undefined): Promise<void> {
    const unlessTold = target === 'forever' ? 0 : undefined;
    const limitMs = this.timeoutMs(timeoutMs ?? unlessTold);
    this.#waits(target === 'EOF' ? 'the end of stdin' : `"${target}"`, limitMs);
    return this.#stage.events.wait(target, limitMs);
  }

  #waits(what: string, limitMs: number): void {
    this.#stage.io.waits?.(`${what}${limitMs === 0 ? '' : `, at most ${limitMs} ms`}`);
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
      this.#rounds += 1;
      if (this.#rounds % ROUNDS_A_TURN !== 0) continue;
      await nextTurn();
      if (this.#stage.isOver()) await new Promise(() => {});
    }
  }

  #out(step: OutStep, variables: Variables): Promise<void> | void {
    const writeIt = (): Promise<void> | void => writeOut(this.#stage.io, this.#encode(step, variables), step);
    if (this.#encoded.has(step) || variables.has(HOOKS) || !needsHooks(step)) return writeIt();
    return this.#stage.events.wait('initialize', this.timeoutMs()).then(writeIt);
  }

  #encode(step: OutStep, variables: Variables): string {
    const known = this.#encoded.get(step);
    if (known !== undefined) return known;
    const line = `${JSON.stringify(variables.fill(step.out))}\n`;
    if (isConstant(step.out)) this.#encoded.set(step, line);
    return line;
  }

  /** Not awaited: a client that does not read its answers must not stop the play. Bytes keep their order. */
  #send(frame: JsonObject): void {
    void this.#stage.io.stdout.write(`${JSON.stringify(frame)}\n`);
  }
}

const needsHooks = ({ out }: OutStep): boolean => JSON.stringify(out).includes('"$hook"');

const DEFAULT_GAP_MS = 5;

/**
 * Writes whole, or in pieces that reach the reader one by one.
 * @returns what resolves when the reader takes more; nothing when it does so now.
 */
function writeOut(
  { stdout, clock }: PlayIo,
  bytes: Uint8Array | string,
  { cut, gapMs }: Cuts,
): Promise<void> | undefined {
  return cut === undefined ? stdout.write(bytes) : writePieces({ stdout, clock }, Buffer.from(bytes), cut, gapMs);
}

async function writePieces(
  { stdout, clock }: Pick<PlayIo, 'stdout' | 'clock'>,
  whole: Buffer,
  cut: number | readonly number[],
  gapMs = DEFAULT_GAP_MS,
): Promise<void> {
  let start = 0;
  for (const end of [...offsets(cut, whole.length), whole.length]) {
    await stdout.write(whole.subarray(start, end));
    // The pause lets the reader wake up, so that it sees this piece alone.
    if (end < whole.length) await delay(clock, gapMs);
    start = end;
  }
}

function delay(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => void clock.setTimeout(resolve, ms));
}

function offsets(cut: number | readonly number[], length: number): readonly number[] {
  if (typeof cut !== 'number') return cut.filter((at) => at < length);
  return Array.from({ length: Math.ceil(length / cut) - 1 }, (_, index) => (index + 1) * cut);
}
