import { InvalidOptionError } from '../../errors.js';

/** A scenario that cannot be played as it is written. The message names file, line and what was expected. */
export class ScenarioError extends InvalidOptionError {
  override name = 'ScenarioError';
  /** `undefined` for steps given in code. */
  readonly file: string | undefined;
  /** From 1. */
  readonly line: number;

  /** @param place - What the step is called, where it stands in code. */
  constructor(file: string | undefined, line: number, message: string, place?: string) {
    super('scenario', `${place ?? `${file ?? 'scenario'}:${line}`}: ${message}`);
    this.file = file;
    this.line = line;
  }
}
