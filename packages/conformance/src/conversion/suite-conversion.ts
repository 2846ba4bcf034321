import {
  type Conversion,
  type ConversionOptions,
  convertRecording,
  type Recording,
  type Step,
} from 'claudewire/testing';
import { isJsonObject } from '../util/json.js';
import { driverLane, type ProcessLines } from './driver-lane.js';

export interface SuiteConversion extends Conversion {
  /** The frames were written by hand, and driver commands stand for them. */
  readonly hasDriverLane: boolean;
}

/**
 * Makes a scenario of a recording for the suite: as `convertRecording()`, and where the frames were written by hand
 * also the driver commands that make an SDK write them. The program behind a recording of an SDK is a driver already.
 */
export function convertForSuite(recording: Recording, options: ConversionOptions = {}): SuiteConversion {
  const conversion = convertRecording(recording, options);
  if (typeof recording.provenance.sdk === 'string') return { ...conversion, hasDriverLane: false };
  const driver = driverLane(processesOf(recording));
  const notConverted = [...conversion.notConverted, ...driver.notConverted];
  const hasDriverLane = driver.notConverted.length === 0;
  const { answers, notConverted: _, ...header } = conversion.header;
  return {
    header: {
      ...header,
      ...(hasDriverLane ? { features: driver.features } : {}),
      ...(answers === undefined ? {} : { answers }),
      ...(notConverted.length === 0 ? {} : { notConverted }),
    },
    steps: hasDriverLane ? [...driver.steps, ...conversion.steps.map(withAnyText)] : conversion.steps,
    notConverted,
    hasDriverLane,
  };
}

/** A text of a user travels as a text or as a list of one block: the CLI takes both, and an SDK writes one of them. */
function withAnyText(step: Step): Step {
  if (!('in' in step) || step.in.type !== 'user' || !isJsonObject(step.in.message)) return step;
  const { content } = step.in.message;
  if (typeof content !== 'string') return step;
  const anyText = { $oneOf: [content, [{ type: 'text', text: content }]] };
  return { ...step, in: { ...step.in, message: { ...step.in.message, content: anyText } } };
}

/** Processes that were only named, beside the first, are left out, as `convertRecording()` does. */
function processesOf({ lines }: Recording): readonly ProcessLines[] {
  const numbers = [...new Set(lines.map(({ proc }) => proc))].sort((a, b) => a - b);
  return numbers
    .map((proc) => ({ proc, lines: lines.filter((line) => line.proc === proc) }))
    .filter((source) => source.proc === 1 || source.lines.some(({ dir }) => dir !== 'meta'));
}
