import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import { describeValue } from '../../util/describe-value.js';
import { errorText } from '../../util/error-text.js';
import { KNOWN_REQUESTS, requestSubtype } from '../player/auto-answers.js';
import { promptText, ranOut } from '../player/prompt-text.js';
import { cliSections } from '../scenario/lanes.js';
import type { CliSection, VerdictFailure } from '../scenario/scenario-types.js';
import type { CompiledScript, ExpectedPromptAt, Script } from '../script/compile-script.js';
import { ScriptError, type ScriptProblem } from '../script/script-error.js';
import type { PromptExpectation } from '../script/script-item.js';
import type { PlayHost, ScriptedRun } from './play-host.js';

/** Ends a play and judges it. @throws ScriptError it did not go as the script says. */
export async function closeAndJudge(
  host: PlayHost,
  compiled: CompiledScript,
  { graceMs, file }: { readonly graceMs: number; readonly file: string | undefined },
): Promise<void> {
  const killed = await host.close(graceMs);
  const problems = judge(compiled, host.runs, killed);
  if (problems.length > 0) throw new ScriptError(problems, file);
}

/** The file that a script is; `undefined` for items. */
export function fileOf(script: Script): string | undefined {
  if (script instanceof URL) return fileURLToPath(script);
  return typeof script === 'string' ? script : undefined;
}

/**
 * Says what did not go as the script has it; nothing when all did. Asked when every process is gone.
 * @param killed - Numbers of the processes that did not end by themselves.
 */
function judge(
  { scenario, prompts, reuse }: CompiledScript,
  runs: readonly ScriptedRun[],
  killed: readonly number[],
): readonly ScriptProblem[] {
  const sections = cliSections(scenario);
  const isOpen = sections[0]?.spawn === undefined;
  // An empty script is for no process at all.
  const wanted = scenario.steps.length === 0 ? 0 : sections.length;
  const problems = runs.flatMap((run) => {
    const at = isOpen ? 0 : run.spawn - 1;
    const section = sections[at];
    if (section === undefined || (isOpen && !reuse && run.spawn > wanted)) {
      return [{ message: `process ${run.spawn} is not in the script: it has ${wanted}` }];
    }
    if (killed.includes(run.spawn) && !outlivesEnd(run, section)) {
      return [{ message: `process ${run.spawn} still ran: the application did not end its query` }];
    }
    const places = scenario.header.places ?? [];
    return [...judgeRun(run, section, places), ...judgePrompts(run, prompts[at] ?? [])];
  });
  const numbers = Array.from({ length: wanted }, (_, index) => index + 1);
  const missing = numbers.slice(runs.length).map((spawn) => ({ message: `process ${spawn} was never started` }));
  const asked = new Set(runs.flatMap(({ frames }) => frames.map(requestSubtype)));
  const unknown = Object.keys(scenario.header.answers ?? {}).filter((name) => !KNOWN_REQUESTS.has(name));
  const unasked = unknown
    .filter((name) => !asked.has(name))
    .map((name) => ({ message: `answers.${name}: no such control request is known, and none came. Check the name` }));
  return [...problems, ...missing, ...unasked];
}

/** By the script: the application has ended its query, and the SDK's SIGKILL comes after more than `closeGraceMs`. */
function outlivesEnd({ sawEndOfInput }: ScriptedRun, { steps }: CliSection): boolean {
  const isMeant = steps.some(
    ({ step }) => ('ignore' in step && step.ignore.includes('EOF')) || ('wait' in step && step.wait === 'forever'),
  );
  return sawEndOfInput && isMeant;
}

function judgeRun(run: ScriptedRun, { steps }: CliSection, places: readonly string[]): readonly ScriptProblem[] {
  const { verdict } = run;
  const name = `process ${run.spawn}`;
  const last = steps.at(-1)?.step;
  const isKilledWait = last !== undefined && 'wait' in last && last.wait === 'forever';
  if (verdict === undefined) {
    // SIGKILL leaves no verdict, and a step that waits for ever ends only so.
    if (isKilledWait) return [];
    return [{ message: `${name} was killed before its script was over${lastFrame(run)}` }];
  }
  const { stepsPlayed, stepsTotal, unclaimed } = verdict;
  if (isKilledWait && verdict.end === 'signal' && stepsPlayed === stepsTotal - 1) return [];
  const leftOver = stepsPlayed === stepsTotal ? ranOut(unclaimed) : undefined;
  if (leftOver !== undefined) return [{ message: `${name}: ${leftOver}` }];
  const next = steps[stepsPlayed];
  const isWaiting = verdict.end === 'mismatch' || verdict.end === 'deadline';
  const hasGivenUp = verdict.failure?.inputEnded === true;
  if (next !== undefined && (!isWaiting || hasGivenUp)) {
    const why = hasGivenUp ? 'the application ended its input before' : 'the process ended before';
    const place = places[next.line - 1] ?? `step ${stepsPlayed + 1} of ${stepsTotal}`;
    return [
      { message: `${name}: the script was not used up: ${why} ${place}: ${shorten(next.step)}${lastFrame(run)}` },
    ];
  }
  return verdict.failure === undefined ? [] : [failureOf(name, verdict.failure)];
}

function failureOf(name: string, failure: VerdictFailure): ScriptProblem {
  const { message, where, expected, got, difference } = failure;
  return {
    message: `${name}${where === undefined ? '' : `, ${where}`}: ${message}`,
    ...(expected === undefined ? {} : { expected, actual: got.at(-1) }),
    ...(difference === undefined || expected !== undefined
      ? {}
      : { expected: difference.expected, actual: difference.found }),
  };
}

function judgePrompts({ frames, spawn }: ScriptedRun, expected: readonly ExpectedPromptAt[]): readonly ScriptProblem[] {
  const texts = frames.filter(({ type }) => type === 'user').map(promptText);
  return expected.flatMap(({ expected: wanted, place }, index) => {
    const text = texts[index];
    const answer = text === undefined || accepts(wanted, text);
    if (answer === true) return [];
    const passes =
      answer === false
        ? 'one that passes the test'
        : answer instanceof ThrownByTest
          ? `true or false of its test, which threw: ${answer.message}`
          : `true or false of its test, got ${describeValue(answer)}`;
    return [
      {
        message: `process ${spawn}, ${place}: prompt ${index + 1} is ${inspect(text)}, expected ${typeof wanted === 'function' ? passes : inspect(wanted)}`,
        expected: wanted,
        actual: text,
      },
    ];
  });
}

/** @returns what a test of the author answers: a promise would be true. */
function accepts(expected: PromptExpectation, text: string): unknown {
  if (expected === undefined) return true;
  if (typeof expected === 'function') return answerOf(expected, text);
  if (typeof expected === 'string') return expected === text;
  // A global pattern would remember where it stopped.
  return text.search(expected) !== -1;
}

class ThrownByTest {
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}

function answerOf(test: (text: string) => unknown, text: string): unknown {
  try {
    return test(text);
  } catch (thrown) {
    return new ThrownByTest(errorText(thrown));
  }
}

function lastFrame({ frames }: ScriptedRun): string {
  const last = frames.at(-1);
  return last === undefined ? '' : `; the last it got: ${shorten(last)}`;
}

function shorten(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > 200 ? `${text.slice(0, 200)}...` : text;
}
