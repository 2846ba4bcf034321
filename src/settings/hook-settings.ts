import { HOOK_EVENTS } from '../control/hook-types.js';
import { isJsonObject } from '../util/json.js';
import { type Check, DROPPED, INVALID, json, list, object, oneOf, plain, text } from './checks.js';

const KNOWN: ReadonlySet<string> = new Set(HOOK_EVENTS);

/** What each kind of hook cannot do without. */
const REQUIRED: Readonly<Record<string, readonly string[]>> = {
  command: ['command'],
  prompt: ['prompt'],
  agent: ['prompt'],
  http: ['url'],
  mcp_tool: ['server', 'tool'],
};

const hook: Check = (value) => {
  const result = object({ type: oneOf(...Object.keys(REQUIRED)) }, { required: ['type'] })(value);
  if (result === INVALID) return INVALID;
  const fields = result as Readonly<Record<string, unknown>>;
  const required = REQUIRED[String(fields.type)] ?? [];
  return required.every((key) => typeof fields[key] === 'string') ? result : INVALID;
};

const matchers = list(object({ matcher: text, hooks: list(hook) }, { required: ['hooks'] }));

/** Hooks by event in a policy: an event that cannot be used goes alone. */
export const policyHooks: Check = (value) => {
  if (!isJsonObject(value)) return INVALID;
  const kept = Object.entries(value).flatMap(([event, each]) => {
    const checked = KNOWN.has(event) ? matchers(each) : INVALID;
    return checked === INVALID ? [] : [[event, checked] as const];
  });
  return kept.length === 0 && Object.keys(value).length > 0 ? DROPPED : plain(kept);
};

/** Hooks by event. Events that this version does not know are left out; with nothing left the key goes. */
export const hooks: Check = (value) => {
  if (json(value) === INVALID || !isJsonObject(value)) return INVALID;
  const checked = Object.entries(value).map(
    ([event, each]) =>
      [event, KNOWN.has(event) ? matchers(each) : Array.isArray(each) ? DROPPED : INVALID] as const,
  );
  if (checked.some(([, each]) => each === INVALID)) return INVALID;
  const known = plain(checked);
  return checked.length > 0 && Object.keys(known).length === 0 ? DROPPED : known;
};
