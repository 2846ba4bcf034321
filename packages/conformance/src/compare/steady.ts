import { realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { isJsonObject } from '../util/json.js';

const UUID = /[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/gi;

/** Replaces what differs from run to run: the folder of this run, files with made-up names, and UUIDs. */
export function steadyTexts(folder: string): (value: unknown) => unknown {
  const temp = [...new Set([tmpdir(), realpathSync(tmpdir())])].map(escaped).join('|');
  // As mkdtemp() names them: letters and digits after a dash, or Python's `tmp` and eight of them.
  const madeUp = new RegExp(`(${temp})/((?:[\\w.-]*-)|tmp)[A-Za-z0-9_]{6,}(?=[/."'\\s]|$)`, 'g');
  const text = (value: string): string =>
    value.replaceAll(folder, '<compare>').replace(madeUp, '$1/$2*').replace(UUID, '<uuid>');
  return (value) => mapTexts(value, text);
}

/** Applies a function to every text of a JSON value, but not to keys. */
export function mapTexts(value: unknown, map: (text: string) => string): unknown {
  if (typeof value === 'string') return map(value);
  if (Array.isArray(value)) return value.map((each) => mapTexts(each, map));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, mapTexts(each, map)]));
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
