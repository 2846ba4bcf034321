import { Problem } from './problem.js';

/** A parameter that is a whole number. */
export interface WholeNumber {
  readonly says: string;
  readonly least: number;
  readonly most: number;
  /** Without it. */
  readonly otherwise?: number;
}

/** A parameter that is a text. */
export interface Text {
  readonly says: string;
  readonly maxLength: number;
}

/** A parameter that is one of some words. The first is meant without it. */
export interface Words {
  readonly says: string;
  readonly words: readonly string[];
}

export type Parameter = WholeNumber | Text | Words;

/** A name that is longer is a text of somebody who plays with names. */
const SHOWN = 60;

/**
 * A misspelt parameter would be one that never takes effect: `?afer=7` would replay everything.
 * @param known - What the path takes. @param allowed - What others read, such as `authenticate`.
 * @throws Problem `invalid`: it names the parameter.
 */
export function assertQuery(url: URL, known: Readonly<Record<string, Parameter>>, allowed: readonly string[]): void {
  const names = [...url.searchParams.keys()].filter((name) => !allowed.includes(name));
  const unknown = names.find((name) => !Object.hasOwn(known, name));
  if (unknown !== undefined) {
    const taken = Object.keys(known).map((name) => `\`${name}\``);
    const takes = taken.length === 0 ? 'This path takes none' : `This path takes ${taken.join(', ')}`;
    throw new Problem('invalid', `There is no query parameter \`${unknown.slice(0, SHOWN)}\`. ${takes}.`);
  }
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new Problem('invalid', `\`${twice}\` is in the query twice.`);
}

/** @throws Problem `invalid`. */
export function numberIn(url: URL, name: string, expected: WholeNumber): number {
  const text = url.searchParams.get(name);
  return text === null ? (expected.otherwise ?? expected.least) : readNumber(text, name, expected);
}

/** @throws Problem `invalid`. */
export function readNumber(text: string, name: string, { least, most }: WholeNumber): number {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  const range = most === Number.MAX_SAFE_INTEGER ? `, ${least} or more` : ` from ${least} to ${most}`;
  throw new Problem('invalid', `\`${name}\` must be a whole number${range}.`);
}

/** @throws Problem `invalid`. */
export function wordIn(url: URL, name: string, { words }: Words): string {
  const text = url.searchParams.get(name) ?? words[0] ?? '';
  if (words.includes(text)) return text;
  throw new Problem('invalid', `\`${name}\` must be ${words.map((each) => `\`${each}\``).join(' or ')}.`);
}
