import { ControlRequestError } from '../../errors.js';
import { ignoreRejection } from '../../util/deferred.js';
import type { JsonObject } from '../../util/json.js';
import type { ControlRequestMap, ControlRequestSubtype } from '../control-requests.js';
import type { QuerySession } from '../query-session.js';

/**
 * Sends a control request and makes of its answer what the method promises. A rejection that nobody awaits
 * never counts as unhandled: the session may end while any request is pending (TS-165).
 */
export function ask<T>(
  session: QuerySession,
  subtype: ControlRequestSubtype,
  payload: JsonObject,
  read: (answer: JsonObject | undefined) => T,
): Promise<T> {
  return quiet(session.request(subtype, payload).then(read));
}

/** As {@link ask}, for requests whose answer is the method's value. */
export function askFor<S extends ControlRequestSubtype>(
  session: QuerySession,
  subtype: S,
  payload: JsonObject,
): Promise<ControlRequestMap[S]['output']> {
  // The subtype is what makes the answer's type true; the CLI's wire contract, not this code, keeps it.
  return session.request(subtype, payload) as Promise<ControlRequestMap[S]['output']>;
}

/** For requests whose answer says nothing. */
export function nothing(): void {}

/** Keeps a rejection that nobody awaits from ending the host. */
export function quiet<T>(promise: Promise<T>): Promise<T> {
  ignoreRejection(promise);
  return promise;
}

/** The payload without the keys that were not given. `null` is a value. */
export function given(payload: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(payload).filter(([, value]) => value !== undefined));
}

/** For an answer whose promised field is missing: a typed error instead of a `TypeError` from a property read. */
export function unusable(subtype: string, field: string): ControlRequestError {
  return new ControlRequestError(`The answer to \`${subtype}\` has no \`${field}\``, {
    subtype,
    requestId: '',
  });
}
