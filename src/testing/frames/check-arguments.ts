import { requireKnown, requireOption } from '../../errors/usage-errors.js';
import {
  amount,
  anything,
  array,
  arrayOf,
  boolean,
  count,
  custom,
  func,
  nonEmptyString,
  object,
  string,
  type Validator,
} from '../../util/validate.js';

/** An argument that may be left out, one that must be there, or an object of which every field is known. */
type Rule = { readonly optional: Validator } | { readonly needed: Validator } | { readonly fields: Fields };
type Fields = Readonly<Record<string, Validator>>;
type Arguments = Readonly<Record<string, Rule>>;

const optional = (validator: Validator): Rule => ({ optional: validator });
const needed = (validator: Validator): Rule => ({ needed: validator });
const details = (fields: Fields): Arguments => ({ details: { fields } });

const exitCode = custom(
  'an exit code, from 0 to 255',
  (value) => Number.isInteger(value) && Number(value) >= 0 && Number(value) < 256,
);
const expected = custom(
  'a string, a pattern or a function',
  (value) => typeof value === 'string' || value instanceof RegExp || typeof value === 'function',
);
const textOrPieces = custom(
  'a string or an array of strings',
  (value) => typeof value === 'string' || arrayOf(string)(value, '') === undefined,
);
const crash: Fields = { exitCode, signal: nonEmptyString, stderr: string };
const over = optional(object);

/** What builders take, by name. Fields of a frame are free: a newer CLI has more of them. The script checks its steps. */
const BUILDERS: Readonly<Record<string, Arguments>> = {
  turn: { text: needed(string), expected: optional(expected) },
  prompt: { expected: optional(expected) },
  process: { expected: over },
  init: { over },
  assistantText: { text: needed(string), over },
  assistantThinking: { thinking: needed(string), over },
  toolUse: { name: needed(string), input: optional(anything), over },
  toolResult: { content: needed(anything), over },
  systemMessage: { subtype: needed(nonEmptyString), fields: over },
  apiRetry: { over },
  rateLimit: { info: needed(object) },
  partialText: { pieces: needed(textOrPieces) },
  result: { text: optional(string), over },
  errorResult: { subtype: needed(nonEmptyString), errors: optional(arrayOf(string)), over },
  mcpCall: { server: needed(string), tool: needed(string), args: over },
  mcpHandshake: { server: needed(string) },
  controlRequest: { subtype: needed(nonEmptyString), fields: over },
  cancelRequest: { requestId: optional(string) },
  expectRequest: { subtype: needed(nonEmptyString), fields: over },
  subagent: { report: needed(string), inside: optional(func) },
  'faults.cut': { frame: needed(object), details: { fields: { atByte: count, exitCode } } },
  'faults.stall': details({ ignoresEnd: boolean }),
  'faults.crash': details(crash),
  'faults.refuse': { message: optional(string), exitCode: optional(exitCode) },
  'faults.garbage': { text: optional(string) },
  'faults.split': { frame: needed(object) },
  'faults.slow': { items: needed(array), delayMs: needed(amount) },
  'outcome.completed': details({ text: string, structuredOutput: anything }),
  'outcome.deferred': details({ name: string, input: object }),
  'outcome.rateLimited': details({ resetsAt: custom('a Date', isValidDate), message: string }),
  'outcome.overloaded': details({ retries: count, retryDelayMs: amount }),
  'outcome.auth': details({ message: string }),
  'outcome.maxTurns': details({ turns: count }),
  'outcome.maxBudget': details({ usd: amount }),
  'outcome.crashed': details(crash),
  'outcome.notStarted': details({ message: string, exitCode }),
};

function isValidDate(value: unknown): boolean {
  return value instanceof Date && !Number.isNaN(value.getTime());
}

/**
 * The same builders, which refuse arguments of the wrong type and misspelt details.
 * @param prefix - Of the builders' names: `outcome.`.
 */
export function checked<T extends object>(builders: T, prefix = ''): T {
  const copies = Object.entries(builders).map(([key, build]: [string, unknown]) => {
    const name = `${prefix}${key}`;
    const rules = Object.hasOwn(BUILDERS, name) ? BUILDERS[name] : undefined;
    if (typeof build !== 'function' || rules === undefined) return [key, build];
    const builder = (...args: unknown[]): unknown => {
      for (const [index, [argument, rule]] of Object.entries(rules).entries()) check(name, argument, rule, args[index]);
      return Reflect.apply(build, undefined, args);
    };
    return [key, builder];
  });
  // Every member keeps its type.
  return Object.fromEntries(copies) as T;
}

function check(name: string, argument: string, rule: Rule, value: unknown): void {
  const path = `${name}.${argument}`;
  if ('needed' in rule) requireOption(rule.needed, value, path);
  if (value === undefined) return;
  if ('optional' in rule) requireOption(rule.optional, value, path);
  if (!('fields' in rule)) return;
  const { fields } = rule;
  // It refuses what is not an object.
  const given = requireKnown(`${name}()`, argument, value as Readonly<Record<string, unknown>>, Object.keys(fields));
  for (const [field, validator] of Object.entries(fields)) {
    if (given[field] !== undefined) requireOption(validator, given[field], `${path}.${field}`);
  }
}
