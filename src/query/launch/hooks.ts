import type { RegisteredHook } from '../../control/controller-options.js';
import type { JsonObject } from '../../util/json.js';
import type { Options } from '../options.js';

/** The `hooks` option, taken apart into what the CLI is told and what it may call. */
export interface HooksPlan {
  /** `undefined`: the option was not given. */
  readonly wire: JsonObject | undefined;
  readonly registered: readonly RegisteredHook[];
  /** True when a failure must stop something: an older CLI would not know, so it has to confirm. */
  readonly needsOnFailure: boolean;
}

/** Ids count up over all events in the caller's order (TS-071). An event without matchers is left out (TS-072). */
export function planHooks(hooks: Options['hooks']): HooksPlan {
  if (hooks === undefined) return { wire: undefined, registered: [], needsOnFailure: false };
  const registered: RegisteredHook[] = [];
  const wire: [string, JsonObject[]][] = [];
  let needsOnFailure = false;

  for (const [event, matchers] of Object.entries(hooks)) {
    if (!matchers || matchers.length === 0) continue;
    const wireMatchers = matchers.map(({ matcher, hooks: callbacks, timeout, onFailure }) => {
      const hookCallbackIds = callbacks.map((callback) => {
        const callbackId = `hook_${registered.length}`;
        registered.push({ callbackId, event, callback });
        return callbackId;
      });
      if (isGiven(onFailure) && onFailure !== 'continue') needsOnFailure = true;
      return {
        ...(isGiven(matcher) ? { matcher } : {}),
        hookCallbackIds,
        ...(isGiven(timeout) ? { timeout } : {}),
        ...(isGiven(onFailure) ? { onFailure } : {}),
      };
    });
    wire.push([event, wireMatchers]);
  }
  return { wire: Object.fromEntries(wire), registered, needsOnFailure };
}

function isGiven<T>(value: T | null | undefined): value is T {
  return value !== undefined && value !== null;
}
