import { requireObject } from '../../errors/invalid-option.js';
import { InvalidOptionError } from '../../errors.js';
import { describeDifference, match } from '../player/match.js';
import { Variables } from '../player/variables.js';
import { literal } from '../script/literal.js';
import { SentError } from './script-error.js';
import type { Sent } from './sent.js';

const SENT: readonly string[] = [
  ...['prompts', 'userMessages', 'permissionAnswers', 'hookOutputs', 'toolResults'],
  ...['controlRequests', 'initialize', 'argv', 'env', 'frames'],
];

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
 * @throws InvalidOptionError one of them is no such object.
 * @throws SentError with the first difference, and `expected` and `actual` for the runner's diff.
 * @example
 * assertSent(cli.sent, {
 *   prompts: ['Tidy up.'],
 *   permissionAnswers: [{ toolName: 'Bash', behavior: 'deny' }],
 * });
 */
export function assertSent(sent: Sent, expected: ExpectedSent): void {
  const cure = 'Call it as in `assertSent(cli.sent, { prompts: ["Tidy up."] })`.';
  requireObject('sent', 'assertSent() takes what was sent', sent, cure);
  const takes = 'assertSent() takes an object as its second argument';
  requireObject('expected', takes, expected, cure);
  const unknown = Object.keys(expected).find((what) => !SENT.includes(what));
  if (unknown !== undefined) {
    const message = `assertSent() knows no \`${unknown}\`. What was sent has ${SENT.join(', ')}.`;
    throw new InvalidOptionError(`expected.${unknown}`, message);
  }
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
