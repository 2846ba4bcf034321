import { describeValue } from './describe-value.js';

/**
 * What to say about something that user code threw: its message, else the value as text. Never throws, and never shows
 * other fields, which may be secret.
 */
export function errorText(thrown: unknown): string {
  try {
    if (typeof thrown !== 'object' && typeof thrown !== 'function') return String(thrown) || 'an empty string';
    // Without a message an error says its name: Node's AggregateError of a refused connection has no more.
    if (thrown instanceof Error) return String(thrown.message || thrown);
    // Some database clients throw plain objects.
    const message: unknown = Object(thrown).message;
    return typeof message === 'string' && message !== '' ? message : describeValue(thrown);
  } catch {
    return 'unknown error';
  }
}
