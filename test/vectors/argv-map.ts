import type { JsonObject } from '../../src/util/json.js';

/** Flags with their values: `--k=v` and `--k v` alike, `true` for a flag alone, a list for one that is repeated. */
export function argvMap(tokens: readonly string[]): JsonObject {
  const map: JsonObject = {};
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at] ?? '';
    const equals = token.indexOf('=');
    const next = tokens[at + 1];
    if (equals > 0) add(map, token.slice(0, equals), token.slice(equals + 1));
    else if (next === undefined || next.startsWith('--')) add(map, token, true);
    else {
      add(map, token, next);
      at += 1;
    }
  }
  return map;
}

function add(map: JsonObject, flag: string, value: string | true): void {
  const parsed = typeof value === 'string' && value.startsWith('{') ? parse(value) : value;
  const former = map[flag];
  map[flag] = Object.hasOwn(map, flag) ? [...(Array.isArray(former) ? former : [former]), parsed] : parsed;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
