import { afterEach, describe, expect, test } from 'vitest';
import { activeTraceContext } from '../../src/query/open-session.js';

const REGISTRY = Symbol.for('opentelemetry.js.api.1');
const PARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

type Setter = { set(carrier: Record<string, string>, key: string, value: string): void };

/** As `@opentelemetry/api` registers a context manager and a propagator. */
function register(fields: Readonly<Record<string, string>>): void {
  const active = { span: 'active' };
  Reflect.set(globalThis, REGISTRY, {
    version: '1.9.0',
    context: { active: () => active },
    propagation: {
      inject(context: unknown, carrier: Record<string, string>, setter: Setter) {
        if (context !== active) return;
        for (const [key, value] of Object.entries(fields)) setter.set(carrier, key, value);
      },
    },
  });
}

describe('trace context', () => {
  afterEach(() => {
    Reflect.deleteProperty(globalThis, REGISTRY);
  });

  test('is that of the active span', () => {
    register({ traceparent: PARENT, tracestate: 'vendor=1', baggage: 'secret=1' });
    expect(activeTraceContext()).toEqual({ traceparent: PARENT, tracestate: 'vendor=1' });
  });

  test('has no state when the span has none', () => {
    register({ traceparent: PARENT });
    expect(activeTraceContext()).toEqual({ traceparent: PARENT, tracestate: undefined });
  });

  test.each([
    { name: 'OpenTelemetry is not loaded', registry: undefined },
    { name: 'nothing was registered with it', registry: { version: '1.9.0' } },
    { name: 'no propagator was registered', registry: { context: { active: () => ({}) } } },
    {
      name: 'the propagator throws',
      registry: {
        context: { active: () => ({}) },
        propagation: {
          inject: () => {
            throw new Error('broken');
          },
        },
      },
    },
    { name: 'the registry is no object', registry: 7 },
  ])('is absent when $name', ({ registry }) => {
    if (registry !== undefined) Reflect.set(globalThis, REGISTRY, registry);
    expect(activeTraceContext()).toBeUndefined();
  });

  test('is absent when no span is active', () => {
    register({});
    expect(activeTraceContext()).toBeUndefined();
  });
});
