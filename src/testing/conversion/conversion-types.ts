import type { ScenarioHeader, Step } from '../scenario/scenario-types.js';

export interface ConversionOptions {
  /** Flags that the recording does not have must not be given in the replay. @defaultValue false */
  readonly strictArgv?: boolean;
  /** Shorten lists that only tell what a CLI has: tools, commands, models. @defaultValue false */
  readonly trim?: boolean;
}

/** A part of a recording that no step stands for. */
export interface NotConverted {
  /** What it is, such as `in` or `driver`. */
  readonly what: string;
  readonly why: string;
}

export interface Conversion {
  readonly header: ScenarioHeader & { readonly notConverted?: readonly NotConverted[] };
  readonly steps: readonly Step[];
  readonly notConverted: readonly NotConverted[];
  /** Frames were written by hand, and driver commands stand for them. */
  readonly hasDriverLane: boolean;
}
