import { InvalidOptionError } from 'claudewire';

/** What an option may be, in the words of the error text, and the test of it. */
export type Rule = readonly [expected: string, fits: (value: unknown) => boolean];

export const aBoolean: Rule = ['true or false', (value) => typeof value === 'boolean'];
export const aFunction: Rule = ['a function', (value) => typeof value === 'function'];
export const aName: Rule = ['a non-empty string', (value) => typeof value === 'string' && value !== ''];
export const aCount: Rule = [
  'a whole number above 0',
  (value) => typeof value === 'number' && Number.isSafeInteger(value) && value > 0,
];

export function oneOf(...values: readonly string[]): Rule {
  const quoted = values.map((value) => `'${value}'`);
  const last = quoted.pop();
  return [`${quoted.join(', ')} or ${last}`, (value) => values.some((each) => each === value)];
}

export function withMethod(what: string, name: string): Rule {
  return [
    `${what} with a method ${name}`,
    (value) => typeof value === 'object' && value !== null && typeof Reflect.get(value, name) === 'function',
  ];
}

/** @throws InvalidOptionError the options are no object, or one of them is unknown or breaks its rule. */
export function checkOptionsOf(caller: string, options: object, rules: Readonly<Record<string, Rule>>): void {
  check(caller, 'options', options, ['an object', (value) => typeof value === 'object' && value !== null]);
  for (const [name, value] of Object.entries(options)) {
    // Of the table itself: `constructor` is no option.
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
    if (rule === undefined) throw new InvalidOptionError(name, `Unknown option \`${name}\` of ${caller}`);
    if (value !== undefined) check(caller, name, value, rule);
  }
}

/** @throws InvalidOptionError the value breaks the rule. */
export function check(caller: string, name: string, value: unknown, [expected, fits]: Rule): void {
  if (fits(value)) return;
  const got = value === null ? 'null' : typeof value;
  throw new InvalidOptionError(name, `Option \`${name}\` of ${caller} must be ${expected}, got ${got}.`);
}
