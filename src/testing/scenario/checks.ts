import { isJsonObject } from '../../util/json.js';

/** What one field must be: `undefined` when it is, else what was expected. */
export type Check = (value: unknown) => string | undefined;

export const expected =
  (what: string, isGood: (value: unknown) => boolean): Check =>
  (value) =>
    isGood(value) ? undefined : what;

export const isString = (value: unknown): value is string => typeof value === 'string';
export const isCount = (value: unknown): boolean => typeof value === 'number' && Number.isInteger(value) && value >= 0;

export const oneOf = (...names: readonly string[]): Check =>
  expected(`one of ${names.join(', ')}`, (value) => isString(value) && names.includes(value));

/** A list whose entries are all good; `what` names the list. */
export const listOf = (what: string, entry: Check): Check =>
  expected(what, (value) => Array.isArray(value) && value.every((each) => entry(each) === undefined));

export const anything: Check = () => undefined;
export const object = expected('an object', isJsonObject);
export const text = expected('a string', isString);
export const texts = listOf('a list of strings', text);
export const milliseconds = expected('milliseconds from 0', isCount);
export const count = expected('a number from 0', isCount);

/** Of a mark, a gate, a command or a run. Marks and gates become file names, so a path cannot be written. */
export const label = expected(
  'a name of letters, digits, ".", "_" and "-" (64 at most, the first a letter or digit)',
  (value) => isString(value) && /^[A-Za-z0-9][\w.-]{0,63}$/.test(value),
);
export const variable = expected('a variable name', (value) => isString(value) && /^[A-Za-z_]\w*$/.test(value));
export const offsets = expected(
  'a number of bytes from 1, or ascending byte offsets from 1',
  (value) =>
    (isCount(value) && value !== 0) ||
    (Array.isArray(value) && value.every((at, index) => isCount(at) && at > (index === 0 ? 0 : value[index - 1]))),
);
export const base64 = expected(
  'bytes in base64',
  (value) => isString(value) && Buffer.from(value, 'base64').toString('base64') === value,
);
export const exitCode = expected('an exit code from 0 to 255', (value) => isCount(value) && Number(value) < 256);

/** An object whose keys and values are all good; `what` names the object. */
export const recordOf = (what: string, key: RegExp, value: Check): Check =>
  expected(
    what,
    (found) =>
      isJsonObject(found) && Object.entries(found).every(([name, each]) => key.test(name) && value(each) === undefined),
  );
