import { AssertionError } from 'node:assert';

/** One thing that did not go as the script says. */
export interface ScriptProblem {
  readonly message: string;
  readonly expected?: unknown;
  readonly actual?: unknown;
}

/**
 * A script was not played as it is written: a step failed, the application stopped before its end, or asked for more.
 * `expected` and `actual` are those of the first problem that has them, for the test runner's diff.
 */
export class ScriptError extends AssertionError {
  override name = 'ScriptError';
  readonly problems: readonly ScriptProblem[];

  /** @param file - the scenario or the recording, where the script is one: the message says how to look at it. */
  constructor(problems: readonly ScriptProblem[], file?: string) {
    const first = problems.find((problem) => 'expected' in problem);
    const list = problems.map(({ message }) => `- ${message}`);
    const hint = file === undefined ? [] : [`To look at the script: claudewire view ${asArgument(file)}`];
    super({
      message: ['The script was not played as written:', ...list, ...hint].join('\n'),
      expected: first?.expected,
      actual: first?.actual,
      operator: 'script',
    });
    this.problems = problems;
  }
}

/** In quotes where a shell would take the name apart. */
function asArgument(file: string): string {
  return /^[\w./:@+-]+$/.test(file) ? file : `'${file.replaceAll("'", "'\\''")}'`;
}
