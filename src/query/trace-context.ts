import type { TraceContext } from './launch/launch-host.js';

/** Where `@opentelemetry/api` 1.x keeps what was registered, so that all of its copies share it. */
const REGISTRY = Symbol.for('opentelemetry.js.api.1');

interface Registry {
  readonly context?: { active(): unknown };
  readonly propagation?: {
    inject(
      context: unknown,
      carrier: Record<string, string>,
      setter: { set(carrier: Record<string, string>, key: string, value: string): void },
    ): void;
  };
}

/**
 * The W3C trace context of the active span, when the program uses OpenTelemetry. Nothing is imported: an API
 * that is not loaded has no active span. Tracing never fails a run.
 */
export function activeTraceContext(): TraceContext | undefined {
  try {
    const registry: Registry | undefined = Reflect.get(globalThis, REGISTRY);
    if (registry?.context === undefined || registry.propagation === undefined) return undefined;
    const carrier: Record<string, string> = {};
    registry.propagation.inject(registry.context.active(), carrier, {
      set: (target, key, value) => {
        target[key] = value;
      },
    });
    const { traceparent, tracestate } = carrier;
    return traceparent === undefined ? undefined : { traceparent, tracestate };
  } catch {
    return undefined;
  }
}
