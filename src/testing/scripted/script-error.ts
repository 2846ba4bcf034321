import { AssertionError } from 'node:assert';

/** One thing that did not go as the script says. */
export interface ScriptProblem {
  readonly message: string;
  readonly expected?: unknown;
  readonly actual?: unknown;
}

/**
 * A script was not played as it is written: a step failed, the application stopped before its end, or asked for
 * more. `expected` and `actual` are those of the first problem that has them, for the test runner's diff.
 */
export class ScriptError extends AssertionError {
  override name = 'ScriptError';
  readonly problems: readonly ScriptProblem[];

  constructor(problems: readonly ScriptProblem[]) {
    const first = problems.find((problem) => 'expected' in problem);
    super({
      message: `The script was not played as written:\n${problems.map(({ message }) => `- ${message}`).join('\n')}`,
      expected: first?.expected,
      actual: first?.actual,
      operator: 'script',
    });
    this.problems = problems;
  }
}

/** The application sent something else than {@link assertSent} was told. */
export class SentError extends AssertionError {
  override name = 'SentError';

  constructor(what: string, difference: string, expected: unknown, actual: unknown) {
    super({
      message: `The application sent other ${what} than expected: ${difference}`,
      expected,
      actual,
      operator: 'assertSent',
    });
  }
}
