import type { JsonObject } from '../../util/json.js';
import type {
  CliSection,
  Scenario,
  ScenarioHeader,
  Verdict,
  VerdictFailure,
} from '../scenario/scenario-types.js';
import type { Inbox } from './inbox.js';
import { PlayFailure } from './play-failure.js';

const FAILURE_EXIT_CODE = 3;
/** Characters of a frame that a verdict shows whole. */
const LONG_FRAME = 16_384;
const SHOWN_OF_LONG = 1_000;

export interface VerdictInput {
  readonly scenario: Scenario;
  readonly spawn: number;
  readonly section: CliSection | undefined;
  readonly played: number;
  /** Line of the step that was being played. */
  readonly line: number;
  readonly inbox: Inbox;
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
export function leftOver(header: ScenarioHeader, inbox: Inbox): PlayFailure | undefined {
  const order = header.order ?? 'any';
  const rule = header.unclaimed ?? (order === 'any' ? 'allow' : 'fail');
  const [first, ...others] = inbox.unclaimed;
  if (rule === 'allow' || first === undefined) return undefined;
  const more = others.length === 0 ? '' : `, and ${others.length} more`;
  return new PlayFailure('mismatch', `no step took this frame: ${nameOf(first)}${more}`);
}

function neverReached({ section, played, end }: VerdictInput): PlayFailure | undefined {
  const missed = section?.steps[played];
  if (missed === undefined) return undefined;
  return new PlayFailure(
    end,
    `the process ended with ${(section?.steps.length ?? 0) - played} steps to go`,
    missed.step,
  );
}

function describe(
  failure: PlayFailure,
  { scenario, section, inbox }: VerdictInput,
  line: number,
): VerdictFailure {
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
