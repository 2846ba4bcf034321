/** What to say about something that user code threw: an error’s message, else the value as text. Never throws. */
export function errorText(thrown: unknown): string {
  try {
    if (thrown instanceof Error) return String(thrown.message);
    return String(thrown);
  } catch {
    return 'unknown error';
  }
}
