import { argumentText } from '../../errors/usage-errors.js';
import { describeValue } from '../../util/describe-value.js';
import { arrayOf, boolean, custom, problemText, type Validator } from '../../util/validate.js';
import { AdapterConfigError } from '../errors/adapter-error.js';

/** Makes what is thrown. `fields` are paths such as `isolation.env`. */
export type MakeError = (message: string, fields: readonly string[], options?: { readonly hint?: string }) => Error;

const configError: MakeError = (message, fields, options) => new AdapterConfigError(message, fields, options);

/** Reads an object of options field by field. Every method throws, naming the field. */
export interface FieldReader {
  boolean(name: string, fallback: boolean): boolean;
  /** A frozen copy. Empty when absent. */
  list<T = string>(name: string, validator: Validator): readonly T[];
  check(name: string, validator: Validator): void;
  /** As `check`, and the field must not be absent. */
  require(name: string, validator: Validator): void;
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
    throw makeError(`\`${where}\` must be an object, got ${describeValue(options)}`, [where]);
  }
  const fields = options as Readonly<Record<string, unknown>>;
  const unknown = Object.keys(fields).filter((name) => !known.includes(name) && fields[name] !== undefined);
  if (unknown.length > 0) {
    throw makeError(
      `\`${where}\` has no ${unknown.map((name) => `\`${name}\``).join(', ')}`,
      unknown.map((name) => `${where}.${name}`),
      { hint: `It has ${known.join(', ')}.` },
    );
  }
  const requireFit = (validator: Validator, value: unknown, path: string) =>
    checkValue(value, path, validator, makeError);
  return {
    boolean(name, fallback) {
      const value = fields[name] ?? fallback;
      requireFit(boolean, value, `${where}.${name}`);
      // It passed the validator.
      return value as boolean;
    },
    list<T>(name: string, validator: Validator) {
      const value = fields[name] ?? [];
      requireFit(arrayOf(validator), value, `${where}.${name}`);
      return frozen(value as readonly T[]);
    },
    check(name, validator) {
      if (fields[name] !== undefined) this.require(name, validator);
    },
    require(name, validator) {
      requireFit(validator, fields[name], `${where}.${name}`);
    },
  };
}

/** @throws {@link AdapterConfigError}, or what `makeError` makes: the value does not fit. */
export function checkValue(
  value: unknown,
  path: string,
  validator: Validator,
  makeError: MakeError = configError,
): void {
  const problem = validator(value, path);
  if (problem === undefined) return;
  const { path: field, hint } = problem;
  throw makeError(problemText(problem, ''), [field], hint === undefined ? {} : { hint });
}

/**
 * Checks an object of options: it has no unknown field, and each that is given fits.
 * @param where - how messages name the object
 * @param required - fields that must be given
 * @param known - the fields it may have. @defaultValue those with a validator
 * @throws {@link AdapterConfigError} naming the field.
 */
export function checkFields(
  options: unknown,
  where: string,
  validators: Readonly<Record<string, Validator>>,
  required: readonly string[] = [],
  known: readonly string[] = Object.keys(validators),
): void {
  const read = readFields(options, where, known);
  for (const [name, validator] of Object.entries(validators)) {
    if (required.includes(name)) read.require(name, validator);
    else read.check(name, validator);
  }
}

/** A frozen copy. */
export function frozen<T>(list: readonly T[] | null | undefined): readonly T[] {
  return Object.freeze([...(list ?? [])]);
}

/** Something with these methods: also a function, and an instance from another copy of this package. */
export function havingMethods(what: string, ...methods: readonly string[]): Validator {
  return custom(what, (value) => {
    const object = value as Readonly<Record<string, unknown>> | null;
    return methods.every((method) => typeof object?.[method] === 'function');
  });
}

/** With any other name the CLI would refuse its settings. Windows has a few that end in `(x86)`. */
const VARIABLE_NAME = /^[A-Za-z_]\w*(?:\(x86\))?$/;

export const variableName = custom(
  'the name of a variable (letters, digits and `_`)',
  (name) => typeof name === 'string' && VARIABLE_NAME.test(name),
);

/**
 * The error for an argument of the wrong kind: what the function takes, what it got, and what to pass.
 * @param takes - Such as `totalTokens() takes a TokenUsage`.
 */
export function wrongArgument(name: string, takes: string, value: unknown, cure: string): AdapterConfigError {
  return new AdapterConfigError(argumentText(takes, value, cure), [name]);
}

/** The error of a constructor that is not for users: programs without types can call it. */
export function madeByCreate(example: string): AdapterConfigError {
  const name = example.split('.', 1).join();
  return new AdapterConfigError(`${name} has no public constructor. Use \`await ${example}\`.`, ['options']);
}
