import { isFromRelease } from '../../util/cli-versions.js';
import { isJsonObject, type JsonObject } from '../../util/json.js';
import { MAX_TIMER_MS } from '../../util/timer-limit.js';
import { HOOKS_THAT_GUARD } from './honoured.js';

/** A hook that guards something, and how long it may take. */
export interface HookLimit {
  readonly event: string;
  readonly limitMs: number;
}

/** The limits of guarding hooks, by callback id. */
export type HookLimits = ReadonlyMap<unknown, HookLimit>;

/** How much longer the CLI waits than the SDK, so that the SDK's answer always comes first. */
const MARGIN_S = 60;

/** About 24 days. A longer time-out, such as `Infinity`, does not fit a timer: the CLI's would fire at once. */
const LONGEST_S = Math.floor(MAX_TIMER_MS / 1_000) - MARGIN_S;

/** The hooks of `initialize` with longer time-outs for those that guard, and the limits that the SDK keeps instead. */
export function withHookLimits(hooks: unknown, release: string): { hooks: JsonObject; limits: HookLimits } {
  const limits = new Map<unknown, HookLimit>();
  const events = isJsonObject(hooks) ? hooks : {};
  // The CLI's own time-out, by its changelog, for a matcher without one.
  const usual = isFromRelease(release, '2.1.3') ? 600 : 60;
  const longer = (event: string) => (matcher: unknown) => {
    if (!isJsonObject(matcher) || !Array.isArray(matcher.hookCallbackIds)) return matcher;
    // The CLI takes 0 for none.
    const given = typeof matcher.timeout === 'number' && matcher.timeout > 0 ? matcher.timeout : usual;
    const seconds = Math.min(given, LONGEST_S);
    for (const id of matcher.hookCallbackIds) limits.set(id, { event, limitMs: seconds * 1_000 });
    return { ...matcher, timeout: seconds + MARGIN_S };
  };
  const changed = [...HOOKS_THAT_GUARD].flatMap((event) => {
    const list = events[event];
    return Array.isArray(list) ? [[event, list.map(longer(event))]] : [];
  });
  return { hooks: { ...events, ...Object.fromEntries(changed) }, limits };
}

/** Watches the guarding hooks that run, and denies the call or prompt of one that does not answer in time. */
export class HookClock {
  readonly #limits: HookLimits;
  readonly #onLate: (requestId: string, denial: JsonObject) => void;
  readonly #running = new Map<unknown, NodeJS.Timeout>();

  constructor(limits: HookLimits, onLate: (requestId: string, denial: JsonObject) => void) {
    this.#limits = limits;
    this.#onLate = onLate;
  }

  /** Reads what the CLI sends. */
  onFrame({ type, request_id: requestId, request }: JsonObject): void {
    if (type === 'control_cancel_request') this.stop(requestId);
    if (type !== 'control_request' || !isJsonObject(request) || typeof requestId !== 'string') return;
    const hook = request.subtype === 'hook_callback' ? this.#limits.get(request.callback_id) : undefined;
    if (hook === undefined || this.#running.has(requestId)) return;
    const onLate = (): void => {
      this.#running.delete(requestId);
      this.#onLate(requestId, denialOf(hook));
    };
    this.#running.set(requestId, setTimeout(onLate, hook.limitMs));
  }

  /** It was answered, or withdrawn. */
  stop(requestId: unknown): void {
    clearTimeout(this.#running.get(requestId));
    this.#running.delete(requestId);
  }

  stopAll(): void {
    for (const requestId of [...this.#running.keys()]) this.stop(requestId);
  }
}

function denialOf({ event, limitMs }: HookLimit): JsonObject {
  const reason = `The ${event} hook did not answer within its time limit of ${limitMs / 1_000} s.`;
  if (event === 'UserPromptSubmit') return { decision: 'block', reason };
  return { hookSpecificOutput: { hookEventName: event, permissionDecision: 'deny', permissionDecisionReason: reason } };
}
