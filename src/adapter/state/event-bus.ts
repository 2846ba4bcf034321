import { isThenable } from '../../util/deferred.js';
import { errorText } from '../../util/error-text.js';
import { type AdapterLogger, createLog, type Log } from '../logging/log.js';
import { readFields } from '../options/read-fields.js';
import { type AnyKey, classOf, type EventKey } from './keys.js';

/** May return a promise, which is not awaited. */
export type EventHandler<E> = (event: E) => unknown;

export interface HandlerFailure {
  readonly handler: EventHandler<never>;
  readonly error: unknown;
}

/** What became of a published event. Promises that handlers returned are not in it. */
export class PublishResult {
  readonly event: object;
  /** In the order of the calls. */
  readonly handlersInvoked: readonly EventHandler<never>[];
  readonly errors: readonly HandlerFailure[];

  constructor(event: object, handlersInvoked: readonly EventHandler<never>[], errors: readonly HandlerFailure[]) {
    this.event = event;
    this.handlersInvoked = handlersInvoked;
    this.errors = errors;
  }

  /** Handlers that were called, the failed ones included. */
  get handledCount(): number {
    return this.handlersInvoked.length;
  }

  get ok(): boolean {
    return this.errors.length === 0;
  }

  /** @throws `AggregateError` with what the handlers threw. */
  raiseIfErrors(): void {
    if (this.ok) return;
    throw new AggregateError(
      this.errors.map(({ error }) => error),
      `${this.errors.length} of ${this.handledCount} event handlers failed`,
    );
  }
}

/** Carries events to handlers. */
export interface EventBus {
  /**
   * @param type - A class for its own instances, or a token for plain objects whose `type` is its name.
   * @returns ends the subscription.
   */
  subscribe<E extends object>(type: EventKey<E>, handler: EventHandler<E>): () => void;
  /** @returns false when there was no such subscription. */
  unsubscribe<E extends object>(type: EventKey<E>, handler: EventHandler<E>): boolean;
  publish(event: object): PublishResult;
}

export interface EventBusOptions {
  /** Gets the failures of handlers. */
  readonly logger?: AdapterLogger | undefined;
  /** Prefix of every log message. @defaultValue `claude_agent_sdk` */
  readonly label?: string | undefined;
}

/**
 * Calls every handler synchronously, in the order of subscription. A failing handler does not stop the others. The
 * publisher sees failures in the result only.
 */
export class InProcessEventBus implements EventBus {
  readonly #handlers = new Map<unknown, EventHandler<never>[]>();
  readonly #log: Log;

  constructor(options: EventBusOptions = {}) {
    readFields(options, 'InProcessEventBus', ['logger', 'label']);
    this.#log = createLog(options.logger, options.label);
  }

  subscribe<E extends object>(type: EventKey<E>, handler: EventHandler<E>): () => void {
    const key = keyOfType(type);
    this.#handlers.set(key, [...(this.#handlers.get(key) ?? []), handler]);
    let isOver = false;
    return () => {
      if (!isOver) this.unsubscribe(type, handler);
      isOver = true;
    };
  }

  unsubscribe<E extends object>(type: EventKey<E>, handler: EventHandler<E>): boolean {
    const key = keyOfType(type);
    const handlers = this.#handlers.get(key) ?? [];
    const index = handlers.indexOf(handler);
    if (index === -1) return false;
    const rest = handlers.toSpliced(index, 1);
    if (rest.length === 0) this.#handlers.delete(key);
    else this.#handlers.set(key, rest);
    return true;
  }

  publish(event: object): PublishResult {
    const key = keyOfEvent(event);
    // The list is never changed in place: a new subscription is for later events.
    const handlers = this.#handlers.get(key) ?? [];
    const errors: HandlerFailure[] = [];
    for (const handler of handlers) {
      const failed = (error: unknown): void => this.#report(handler, key, error);
      try {
        // It was subscribed under the key of this event.
        const returned = (handler as EventHandler<object>)(event);
        if (isThenable(returned)) Promise.resolve(returned).catch(failed);
      } catch (error) {
        errors.push({ handler, error });
        failed(error);
      }
    }
    return new PublishResult(event, handlers, errors);
  }

  #report(handler: EventHandler<never>, key: unknown, error: unknown): void {
    this.#log.error('event_delivery_failed', {
      handler: handler.name === '' ? 'anonymous' : handler.name,
      type: typeof key === 'function' ? key.name : key,
      error: errorText(error),
    });
  }
}

/** Plain objects are known by their `type` alone. */
function keyOfType(type: AnyKey): unknown {
  return typeof type === 'function' ? type : type.name;
}

function keyOfEvent(event: object): unknown {
  return classOf(event) ?? ('type' in event ? event.type : undefined);
}
