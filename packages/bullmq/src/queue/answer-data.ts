import { JobError } from '../errors.js';
import { checkFields, text } from '../job/fields.js';

/** What somebody decided about tool calls whose outcome is unknown. */
export interface Answer {
  /** `continue` resumes the job, and tells the model what is unknown. `stop` fails it with `outcome_unknown`. */
  readonly behavior: 'continue' | 'stop';
  /** For the model, such as what was found. At most 2,000 characters. */
  readonly note?: string;
}

/** @throws JobError `invalid_job`. */
export function checkAnswer(value: unknown): asserts value is Answer {
  checkFields(
    value,
    'an answer',
    {
      behavior: (behavior) =>
        behavior === 'continue' || behavior === 'stop' ? undefined : "must be 'continue' or 'stop'",
    },
    { note: text(2_000) },
  );
}

/** An answer as it came out of Redis. One that cannot be read counts as none. */
export function parseAnswer(stored: string | undefined): Answer | undefined {
  if (stored === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(stored);
    checkAnswer(value);
    return value;
  } catch (error) {
    if (error instanceof JobError || error instanceof SyntaxError) return undefined;
    throw error;
  }
}
