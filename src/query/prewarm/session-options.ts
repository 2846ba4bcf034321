import { InvalidOptionError } from '../../errors.js';

/** They name a session that exists, and a spare process has none. */
const EXISTING_SESSION = ['resume', 'continue', 'forkSession'] as const;

/** @throws InvalidOptionError */
export function refuseSessionsInPrewarm(options: unknown): void {
  refuse(
    options,
    EXISTING_SESSION,
    (name) =>
      `Option \`${name}\` describes a session, and prewarm() starts a process that has none: give it to query().`,
  );
}

/**
 * The id of the session to come is the spare's from its start, so at the claim it is too late for that one as well. Dropped, each of
 * these would leave the prompt without the conversation that it belongs to.
 *
 * @throws InvalidOptionError
 */
export function refuseSessionsInClaim(options: unknown): void {
  refuse(options, EXISTING_SESSION, (name) => `${refusedByClaim(name)} start it with query().`);
  refuse(options, ['sessionId'], (name) => `${refusedByClaim(name)} give it to prewarm().`);
}

function refusedByClaim(name: string): string {
  return `Option \`${name}\` chooses a session, and a claim starts a new one. Nothing was sent: the spare can be claimed without it, or`;
}

function refuse(
  options: unknown,
  names: readonly string[],
  message: (name: string) => string,
): void {
  if (options === undefined || options === null) return;
  const source = options as Readonly<Record<string, unknown>>;
  const given = names.find((name) => Boolean(source[name]));
  if (given !== undefined) throw new InvalidOptionError(given, message(given));
}
