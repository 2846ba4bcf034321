import { requireObject } from '../../errors/usage-errors.js';
import type { JsonObject } from '../../util/json.js';
import type { OrderRule, ScenarioHeader, Step } from '../scenario/scenario-types.js';
import { cliLane, type NotConverted, questionsIn } from './cli-lane.js';
import type { ConversionOptions } from './conversion-options.js';
import type { ProcessLines, Recording } from './recording.js';
import { madeUpIds } from './spawn-expectation.js';

export interface Conversion {
  readonly header: ScenarioHeader & { readonly notConverted?: readonly NotConverted[] };
  readonly steps: readonly Step[];
  readonly notConverted: readonly NotConverted[];
}

/**
 * Makes a scenario of a recording, by rule: what the client wrote becomes an expectation, what the CLI wrote is written
 * again with the ids that the client will choose then. Parts without a step are listed.
 */
export function convertRecording(recording: Recording, options: ConversionOptions = {}): Conversion {
  const takes = 'convertRecording() takes a Recording';
  const fields = { provenance: 'object', lines: 'list' } as const;
  requireObject('recording', takes, recording, 'Pass what readRecording() gives.', fields);
  requireObject('options', 'convertRecording() takes an object of options', options, 'Leave it out.');
  const { provenance } = recording;
  const isByHand = typeof provenance.sdk !== 'string';
  const processes = byProcess(recording, isByHand);
  const madeUp = madeUpIds(processes);
  const exact = !isByHand && options.exact !== false;
  const lanes = processes.map((source) => cliLane(source, madeUp, { ...options, exact }));
  const notConverted: NotConverted[] = lanes.flatMap((lane) => lane.notConverted);
  if (recording.dropped > 0) notConverted.push({ what: 'lines', why: `${recording.dropped} are not whole` });
  const answer = lanes.find((lane) => lane.initializeAnswer !== undefined)?.initializeAnswer;
  return {
    header: {
      ...headerOf(provenance, orderOf(processes, isByHand)),
      // Whether a question that was taken back is answered all the same is the SDK's choice.
      unclaimed: isByHand && processes.some(hasCancelled) ? 'allow' : 'fail',
      ...(exact ? { answersOnly: true } : {}),
      ...(answer === undefined ? {} : { answers: { initialize: answer } }),
      ...(notConverted.length === 0 ? {} : { notConverted }),
    },
    steps: lanes.flatMap((lane) => lane.steps),
    notConverted,
  };
}

/** The scenario as the text of a file. */
export function formatScenario(scenario: Pick<Conversion, 'header' | 'steps'>): string {
  const takes = 'formatScenario() takes an object';
  const fields = { header: 'object', steps: 'list' } as const;
  requireObject('scenario', takes, scenario, 'Pass what convertRecording() gives.', fields);
  const { header, steps } = scenario;
  return [header, ...steps].map((line) => `${JSON.stringify(line)}\n`).join('');
}

function headerOf(provenance: JsonObject, order: OrderRule): ScenarioHeader {
  const { scenario, about, cli_version: version } = provenance;
  const cliVersion = /^[\d.]+/.exec(String(version))?.[0];
  return {
    // `readRecording` has checked that it is there.
    scenario: scenario as string,
    version: 1,
    ...(typeof about === 'string' ? { about } : {}),
    ...(cliVersion === undefined ? {} : { cliVersion }),
    source: [`recording:${String(scenario)}`],
    order,
  };
}

/**
 * Frames of one kind come in the order they were recorded in, unless several of the CLI's questions were open at once:
 * the next run may answer them in another order. Frames written by hand have another order than those of an SDK.
 */
function orderOf(processes: readonly ProcessLines[], isByHand: boolean): OrderRule {
  if (isByHand) return 'any';
  for (const { lines } of processes) {
    let open = 0;
    for (const { dir, data } of lines) {
      const type = (data as JsonObject | null)?.type;
      if (dir === 'out' && type === 'control_request') open += 1;
      if (dir === 'in' && type === 'control_response') open -= 1;
      if (open > 1) return 'any';
    }
  }
  return 'interleaved';
}

function hasCancelled({ lines }: ProcessLines): boolean {
  return [...questionsIn(lines).values()].some(({ isCancelled }) => isCancelled);
}

function byProcess({ lines }: Recording, isByHand: boolean): readonly ProcessLines[] {
  const numbers = [...new Set(lines.map(({ proc }) => proc))].sort((a, b) => a - b);
  return numbers
    .map((proc) => ({ proc, isByHand, lines: lines.filter((line) => line.proc === proc) }))
    .filter((source) => source.lines.some(({ dir }) => dir !== 'meta' || source.proc === 1));
}
