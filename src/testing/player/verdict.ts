import { requireObject } from '../../errors/usage-errors.js';
import type { JsonObject } from '../../util/json.js';
import type {
  CliSection,
  Difference,
  Scenario,
  ScenarioHeader,
  Verdict,
  VerdictFailure,
} from '../scenario/scenario-types.js';
import { ranOut } from './prompt-text.js';

/** The play cannot go on: ends it with exit code 3. */
export class PlayFailure extends Error {
  override name = 'PlayFailure';
  readonly end: Verdict['end'];
  readonly expected: unknown;
  /** How the nearest frame differs. */
  readonly difference: Difference | undefined;

  /** It waited for a frame when stdin ended. */
  inputEnded = false;

  constructor(end: Verdict['end'], message: string, expected?: unknown, difference?: Difference) {
    super(message);
    this.end = end;
    this.expected = expected;
    this.difference = difference;
  }
}

/** Of a play that did not go as the scenario says. */
export const FAILURE_EXIT_CODE = 3;
/** Characters of a frame that a verdict shows whole. */
const LONG_FRAME = 16_384;
const SHOWN_OF_LONG = 1_000;

/** What the inbox has at the end of a play. */
interface ReceivedFrames {
  readonly unclaimed: readonly JsonObject[];
  readonly recent: readonly JsonObject[];
}

interface VerdictInput {
  readonly scenario: Scenario;
  readonly spawn: number;
  readonly section: CliSection | undefined;
  readonly played: number;
  /** Line of the step that was being played. */
  readonly line: number;
  readonly inbox: ReceivedFrames;
  readonly end: Verdict['end'];
  readonly exitCode: number;
  readonly failure: PlayFailure | undefined;
}

/** Says what came of a play. Frames left over, and steps never reached, are failures of their own. */
export function buildVerdict(input: VerdictInput): Verdict {
  const { scenario, section, played, inbox } = input;
  const missed = section?.steps[played];
  const failure = input.failure ?? neverReached(input) ?? leftOver(scenario.header, inbox);
  const isOwnFailure = input.failure === undefined && failure !== undefined;
  const line = isOwnFailure ? (missed?.line ?? input.line) : input.line;
  return {
    scenario: scenario.header.scenario,
    spawn: input.spawn,
    passed: failure === undefined,
    end: isOwnFailure && input.end === 'finished' ? failure.end : input.end,
    exitCode: isOwnFailure && input.end === 'finished' ? FAILURE_EXIT_CODE : input.exitCode,
    stepsPlayed: played,
    stepsTotal: section?.steps.length ?? 0,
    ...(failure === undefined ? {} : { failure: describe(failure, input, line) }),
    unclaimed: inbox.unclaimed.map(shortened),
  };
}

/** The failure that frames are which no step took; `undefined` where there are none, or the header allows them. */
export function leftOver(header: ScenarioHeader, inbox: Pick<ReceivedFrames, 'unclaimed'>): PlayFailure | undefined {
  const order = header.order ?? 'any';
  const rule = header.unclaimed ?? (order === 'any' ? 'allow' : 'fail');
  const [first, ...others] = inbox.unclaimed;
  if (rule === 'allow' || first === undefined) return undefined;
  const prompts = ranOut(inbox.unclaimed);
  if (prompts !== undefined) return new PlayFailure('mismatch', prompts);
  const more = others.length === 0 ? '' : `, and ${others.length} more`;
  return new PlayFailure('mismatch', `no step took this frame: ${nameOf(first)}${more}`);
}

function neverReached({ section, played, end }: VerdictInput): PlayFailure | undefined {
  const left = section?.steps.slice(played) ?? [];
  if (left[0] === undefined) return undefined;
  return new PlayFailure(end, `the process ended with ${left.length} steps to go`, left[0].step);
}

function describe(failure: PlayFailure, { scenario, section, inbox }: VerdictInput, line: number): VerdictFailure {
  const { scenario: name, places } = scenario.header;
  const called = scenario.file === undefined ? places?.[line - 1] : undefined;
  const where = called ?? `${scenario.file ?? name}:${line}`;
  const place: Partial<VerdictFailure> = section === undefined ? {} : { where, line };
  return {
    message: failure.message,
    ...place,
    ...(failure.expected === undefined ? {} : { expected: failure.expected }),
    ...(failure.inputEnded ? { inputEnded: true } : {}),
    ...(failure.difference === undefined ? {} : { difference: failure.difference }),
    got: inbox.recent.map(shortened),
  };
}

function shortened(frame: JsonObject): unknown {
  const text = JSON.stringify(frame);
  return text.length <= LONG_FRAME
    ? frame
    : { type: frame.type, cut: text.slice(0, SHOWN_OF_LONG), characters: text.length };
}

function nameOf(frame: JsonObject): string {
  return JSON.stringify(frame).slice(0, 200);
}

const MAX_FRAME = 200;
const SHOWN_FRAMES = 8;

/** A verdict for a person: what was expected, what came instead, where, and what came before. */
export function describeVerdict(verdict: Verdict): string {
  const takes = 'describeVerdict() takes a verdict';
  requireObject('verdict', takes, verdict, 'Pass what the player has written.');
  const { scenario, passed, failure, spawn } = verdict;
  if (failure === undefined) return `${scenario}: ${passed ? 'passed' : 'not over'}`;
  const process = spawn > 1 ? ` (process ${spawn})` : '';
  const lines = [`${failure.where ?? scenario}: ${failure.message}${process}`];
  if (failure.expected !== undefined) lines.push(`  expected: ${compact(failure.expected)}`);
  const shown = failure.got.slice(-SHOWN_FRAMES);
  if (shown.length < failure.got.length) {
    lines.push(`  (${failure.got.length - shown.length} earlier frames not shown)`);
  }
  for (const frame of shown) lines.push(`  got: ${compact(frame)}`);
  return lines.join('\n');
}

function compact(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length <= MAX_FRAME ? text : `${text.slice(0, MAX_FRAME)}… (${text.length} characters)`;
}
