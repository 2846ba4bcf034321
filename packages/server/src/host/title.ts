const LENGTH = 60;

/** What a conversation without a title is called: the first line of its first message, cut. */
export function titleOf(text: string): string {
  const [line = ''] = text.trim().split(/[\r\n\u2028\u2029]/u);
  return [...line].slice(0, LENGTH).join('').trimEnd();
}
