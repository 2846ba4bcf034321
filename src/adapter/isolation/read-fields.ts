import { describeValue } from '../../util/describe-value.js';
import { AdapterConfigError } from '../errors/config-errors.js';

/** Says what is wrong with a value; `undefined` when nothing is. */
export type Fault = (value: unknown) => string | undefined;

/** Reads an object of options field by field. Every method throws {@link AdapterConfigError}, naming the field. */
export interface FieldReader {
  boolean(name: string, fallback: boolean): boolean;
  /** A frozen copy. Empty when absent. */
  list<T = string>(name: string, fault: Fault): readonly T[];
  check(name: string, fault: Fault): void;
}

/** @throws {@link AdapterConfigError} no object, or a field that has no meaning. */
export function readFields(options: unknown, where: string, known: readonly string[]): FieldReader {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw new AdapterConfigError(`\`${where}\` must be an object, not ${describeValue(options)}`, [
      where,
    ]);
  }
  const fields = options as Readonly<Record<string, unknown>>;
  const unknown = Object.keys(fields).filter(
    (name) => !known.includes(name) && fields[name] !== undefined,
  );
  if (unknown.length > 0) {
    throw new AdapterConfigError(
      `\`${where}\` has no ${unknown.map((name) => `\`${name}\``).join(', ')}`,
      unknown.map((name) => `${where}.${name}`),
      { hint: `It has ${known.join(', ')}.` },
    );
  }
  const refuse = (path: string, value: unknown, fault: string): never => {
    throw new AdapterConfigError(`\`${path}\` ${fault}, not ${describeValue(value)}`, [path]);
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

export function variableNameFault(name: unknown): string | undefined {
  const isName = typeof name === 'string' && name !== '' && !/[=\0]/.test(name);
  return isName ? undefined : 'must be the name of a variable';
}
