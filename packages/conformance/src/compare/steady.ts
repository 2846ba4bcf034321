import { realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { isJsonObject } from '../util/json.js';

const UUID = /[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/gi;

/** As mkdtemp() names them: letters and digits after a dash, or Python's `tmp` and eight of them. */
const MADE_UP_NAME = /^((?:[a-z.]{1,40}-){1,8}|tmp)\w{6,64}(?=[/."'\s]|$)/i;

/** Replaces what differs from run to run: the folder of this run, files with made-up names, and UUIDs. */
export function steadyTexts(folder: string): (value: unknown) => unknown {
  const temps = [...new Set([tmpdir(), realpathSync(tmpdir())])].map((each) => `${each}/`);
  const text = (value: string): string => {
    let steady = value.replaceAll(folder, '<compare>');
    for (const temp of temps) {
      const [first = '', ...names] = steady.split(temp);
      steady = [first, ...names.map((name) => name.replace(MADE_UP_NAME, '$1*'))].join(temp);
    }
    return steady.replace(UUID, '<uuid>');
  };
  return (value) => mapTexts(value, text);
}

/** Applies a function to every text of a JSON value, but not to keys. */
export function mapTexts(value: unknown, map: (text: string) => string): unknown {
  if (typeof value === 'string') return map(value);
  if (Array.isArray(value)) return value.map((each) => mapTexts(each, map));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, mapTexts(each, map)]));
}
