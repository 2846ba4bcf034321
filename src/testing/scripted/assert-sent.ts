import { describeDifference, match } from '../../conformance/player/match.js';
import { Variables } from '../../conformance/player/variables.js';
import { literal } from '../script/literal.js';
import { SentError } from './script-error.js';
import type { Sent } from './sent.js';

type Subset<T> = T extends readonly (infer Entry)[]
  ? readonly Subset<Entry>[]
  : T extends object
    ? { readonly [Field in keyof T]?: Subset<T[Field]> }
    : T;

/** What to look at, and what must be there: objects by the fields that are given, lists by every entry. */
export type ExpectedSent = Subset<Sent>;

/**
 * Checks what the application sent, with any test runner.
 *
 * @throws SentError with the first difference, and `expected` and `actual` for the runner's diff.
 * @example
 * assertSent(cli.sent, {
 *   prompts: ['Tidy up.'],
 *   permissionAnswers: [{ toolName: 'Bash', behavior: 'deny' }],
 * });
 */
export function assertSent(sent: Sent, expected: ExpectedSent): void {
  for (const [what, wanted] of Object.entries(expected)) {
    const actual: unknown = Reflect.get(sent, what);
    const result = match(literal(wanted), actual, new Variables());
    if (result.ok) continue;
    const { path } = result.difference;
    const at = `${what}${path.startsWith('[') || path === '' ? '' : '.'}${path}`;
    throw new SentError(
      what,
      describeDifference({ ...result.difference, path: at }),
      wanted,
      actual,
    );
  }
}
