import { isJsonObject, type JsonObject } from '../../util/json.js';
import { LIMITS } from './honoured.js';
import { rulesIn } from './older-rules.js';

/* What settings that the caller gives say, at the start and in mid-session. */

/** When no sandbox can be made and `failIfUnavailable` is not set, every release runs commands without one. */
export function needsSandbox({ sandbox }: JsonObject): boolean {
  return isJsonObject(sandbox) && sandbox.enabled === true && sandbox.failIfUnavailable === true;
}

export function modeIn({ permissions }: JsonObject): unknown {
  return isJsonObject(permissions) ? permissions.defaultMode : undefined;
}

/** Whether the arguments allow bypass mode later on. */
export function allowsBypass(args: readonly string[]): boolean {
  return args.some((arg) => /^--(?:allow-)?dangerously-skip-permissions(?:=|$)/.test(arg));
}

/** The rules of a list. A text may hold several. */
export function rulesOf(list: 'allow' | 'deny' | 'ask', { permissions }: JsonObject): string[] {
  const rules: unknown = isJsonObject(permissions) ? permissions[list] : undefined;
  return Array.isArray(rules) ? rules.filter((rule) => typeof rule === 'string').flatMap(rulesIn) : [];
}

/** The limits among the settings that not every release keeps, as paths of keys. */
export function limitsIn(settings: JsonObject): string[] {
  const isOff = isJsonObject(settings.sandbox) && settings.sandbox.enabled === false;
  return limitsGiven(settings).filter((path) => !(isOff && path.startsWith('sandbox.')));
}

/** Also those of a sandbox that is off. */
export function limitsGiven(settings: JsonObject): string[] {
  return Object.keys(LIMITS).filter((path) => {
    const value = path
      .split('.')
      .reduce<unknown>((place, key) => (isJsonObject(place) ? place[key] : undefined), settings);
    // A list of what is allowed that is empty allows nothing.
    return Array.isArray(value)
      ? value.length > 0 || path.startsWith('allowed')
      : value === true || value === 'disable';
  });
}
