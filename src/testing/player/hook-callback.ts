import { isJsonObject } from '../../util/json.js';
import { PlayFailure } from './play-failure.js';

/**
 * The id of the callback that the client registered for an event.
 *
 * @param subject - What matchers look at, such as the name of the tool; `undefined`: every matcher fits.
 * @param hooks - Of the client's `initialize`.
 * @throws PlayFailure none or several fit.
 */
export function hookCallback(event: string, subject: unknown, hooks: unknown): string {
  const matchers: unknown = isJsonObject(hooks) ? hooks[event] : undefined;
  const ids = (Array.isArray(matchers) ? matchers : [])
    .filter((entry) => isJsonObject(entry) && fits(entry.matcher, subject))
    .flatMap((entry: { hookCallbackIds?: unknown }) => entry.hookCallbackIds ?? []);
  const [id] = ids;
  if (ids.length === 1 && typeof id === 'string') return id;
  const place = typeof subject === 'string' ? `${event} (${subject})` : event;
  const found = ids.length === 0 ? 'no hook callback' : `${ids.length} hook callbacks (${ids})`;
  throw new PlayFailure(
    'mismatch',
    `the client registered ${found} for ${place}: expected one, or the id of the callback`,
  );
}

/** As the CLI reads matchers: nothing and `*` fit all, names may be joined by `|`, else it is a regular expression. */
function fits(matcher: unknown, subject: unknown): boolean {
  if (typeof matcher !== 'string' || typeof subject !== 'string') return true;
  if (matcher === '' || matcher === '*') return true;
  if (/^[\w|]+$/.test(matcher)) return matcher.split('|').includes(subject);
  try {
    return new RegExp(matcher).test(subject);
  } catch {
    return false;
  }
}
