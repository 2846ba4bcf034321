import { type Check, custom, integer, optional, string } from '../checks.js';

const isDecision = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && ['allow', 'deny'].includes(Reflect.get(value, 'behavior'));

/** The longest title, and the longest page of a list. HTTP takes as much. */
export const MAX_TITLE = 200;
export const MAX_PAGE = 500;

const isTitle = (value: unknown): boolean =>
  typeof value === 'string' && value.trim() !== '' && [...value].length <= MAX_TITLE;

/** What a host's methods are given besides the conversation's key, by name. */
const ARGUMENTS = {
  title: optional(
    custom(
      `a string of 1 to ${MAX_TITLE} characters that is not blank; without it the first line of the first message counts`,
      isTitle,
    ),
  ),
  limit: optional(integer()),
  pageLimit: (value) => optional(integer(1, MAX_PAGE))(value, 'limit'),
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
