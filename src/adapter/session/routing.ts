import { routeOf, type TelemetryEvent } from './events.js';
import { type AnyKey, classOf } from './keys.js';

export interface RoutedValue {
  readonly slice: AnyKey;
  readonly value: unknown;
}

/** The typed values of an event and where they go: the slice that was named for them, else the one of their class. */
export function routedValues(event: TelemetryEvent): RoutedValue[] {
  if (event.type === 'promptRendered') return [];
  const named = routeOf(event);
  return valuesOf(event).flatMap((value) => {
    const slice = named ?? classOf(value);
    return slice === undefined ? [] : [{ slice, value }];
  });
}

function valuesOf(event: Exclude<TelemetryEvent, { type: 'promptRendered' }>): readonly unknown[] {
  if (event.type === 'toolInvoked') {
    return event.success && event.value !== undefined ? [event.value] : [];
  }
  const { output } = event;
  if (output === null || output === undefined) return [];
  return Array.isArray(output) ? output : [output];
}
