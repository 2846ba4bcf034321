import { argumentText } from '../../errors/invalid-option.js';
import { describeValue } from '../../util/describe-value.js';
import { AdapterConfigError } from '../errors/config-errors.js';

/** Says what is wrong with a value; `undefined` when nothing is. */
export type Fault = (value: unknown) => string | undefined;

/** Makes what is thrown. `fields` are paths such as `isolation.env`. */
export type MakeError = (
  message: string,
  fields: readonly string[],
  options?: { readonly hint?: string },
) => Error;

const configError: MakeError = (message, fields, options) =>
  new AdapterConfigError(message, fields, options);

/** Reads an object of options field by field. Every method throws, naming the field. */
export interface FieldReader {
  boolean(name: string, fallback: boolean): boolean;
  /** A frozen copy. Empty when absent. */
  list<T = string>(name: string, fault: Fault): readonly T[];
  check(name: string, fault: Fault): void;
}

/**
 * @param where - how messages name the object
 * @throws {@link AdapterConfigError}, or what `makeError` makes: no object, or a field that has no meaning.
 */
export function readFields(
  options: unknown,
  where: string,
  known: readonly string[],
  makeError: MakeError = configError,
): FieldReader {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw makeError(`\`${where}\` must be an object, not ${describeValue(options)}`, [where]);
  }
  const fields = options as Readonly<Record<string, unknown>>;
  const unknown = Object.keys(fields).filter(
    (name) => !known.includes(name) && fields[name] !== undefined,
  );
  if (unknown.length > 0) {
    throw makeError(
      `\`${where}\` has no ${unknown.map((name) => `\`${name}\``).join(', ')}`,
      unknown.map((name) => `${where}.${name}`),
      { hint: `It has ${known.join(', ')}.` },
    );
  }
  const refuse = (path: string, value: unknown, fault: string): never => {
    throw makeError(`\`${path}\` ${fault}, not ${describeValue(value)}`, [path]);
  };
  return {
    boolean(name, fallback) {
      const value = fields[name] ?? fallback;
      return typeof value === 'boolean'
        ? value
        : refuse(`${where}.${name}`, value, 'must be true or false');
    },
    list<T>(name: string, fault: Fault) {
      const value = fields[name] ?? [];
      if (!Array.isArray(value)) return refuse(`${where}.${name}`, value, 'must be a list');
      value.forEach((each, index) => {
        const wrong = fault(each);
        if (wrong !== undefined) refuse(`${where}.${name}[${index}]`, each, wrong);
      });
      // Every entry went through `fault`.
      return Object.freeze([...value]) as readonly T[];
    },
    check(name, fault) {
      const value = fields[name];
      const wrong = value === undefined ? undefined : fault(value);
      if (wrong !== undefined) refuse(`${where}.${name}`, value, wrong);
    },
  };
}

/** For `check()`: a function, whatever it does. */
export function functionFault(value: unknown): string | undefined {
  return typeof value === 'function' ? undefined : 'must be a function';
}

/** For `check()`: something with that method, also of another copy of this package. */
export function havingMethod(method: string, what: string): Fault {
  return (value) =>
    typeof (value as Readonly<Record<string, unknown>> | null)?.[method] === 'function'
      ? undefined
      : `must be ${what}`;
}

/** With any other name the CLI would refuse its settings. Windows has a few that end in `(x86)`. */
const VARIABLE_NAME = /^[A-Za-z_]\w*(?:\(x86\))?$/;

export function variableNameFault(name: unknown): string | undefined {
  return typeof name === 'string' && VARIABLE_NAME.test(name)
    ? undefined
    : 'must be the name of a variable (letters, digits and `_`)';
}

/**
 * The error for an argument of the wrong kind: what the function takes, what it got, and what to pass.
 *
 * @param takes - Such as `totalTokens() takes a TokenUsage`.
 */
export function wrongArgument(
  name: string,
  takes: string,
  value: unknown,
  cure: string,
): AdapterConfigError {
  return new AdapterConfigError(argumentText(takes, value, cure), [name]);
}

/** The error of a constructor that is not for users: programs without types can call it. */
export function madeByCreate(example: string): AdapterConfigError {
  const name = example.split('.', 1).join();
  return new AdapterConfigError(`${name} has no public constructor. Use \`await ${example}\`.`, [
    'options',
  ]);
}
