import { type Check, custom, integer, optional, string } from '../checks.js';

const isDecision = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && ['allow', 'deny'].includes(Reflect.get(value, 'behavior'));

/** What a host's methods are given besides the conversation's key, by name. */
const ARGUMENTS = {
  title: optional(string),
  limit: optional(integer()),
  offset: optional(integer(0)),
  after: optional(integer(0, Number.MAX_SAFE_INTEGER)),
  graceMs: optional(integer(0)),
  token: string,
  decision: custom("{ behavior: 'allow' } or { behavior: 'deny' }", isDecision),
} satisfies Readonly<Record<string, Check>>;

/** @throws HostError `invalid`: it names the argument. */
export function assertArguments(given: { readonly [Name in keyof typeof ARGUMENTS]?: unknown }): void {
  for (const [name, value] of Object.entries(given)) ARGUMENTS[name as keyof typeof ARGUMENTS](value, name);
}
