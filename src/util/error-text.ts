import { describeValue } from './describe-value.js';

/**
 * What to say about something that user code threw: its message, else the value as text. Never throws, and never shows
 * other fields, which may be secret.
 */
export function errorText(thrown: unknown): string {
  try {
    return messageOf(thrown) || 'an empty string';
  } catch {
    return 'unknown error';
  }
}

function messageOf(thrown: unknown): string {
  // Without a message an error says its name: Node's AggregateError of a refused connection has no more.
  if (thrown instanceof Error) return String(thrown.message || thrown);
  if (typeof thrown === 'function') return describeValue(thrown);
  if (typeof thrown !== 'object' || thrown === null) return String(thrown);
  // Some database clients throw plain objects.
  return 'message' in thrown && typeof thrown.message === 'string' && thrown.message !== ''
    ? thrown.message
    : describeValue(thrown);
}
