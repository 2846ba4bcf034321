/**
 * The texts of errors whose beginning programs look for, while the rest of the sentence is each package's own. Each is held
 * against the whole text, and what its groups catch must be the same; every other text must be the same word for word.
 */
const TEXTS: readonly RegExp[] = [
  /^(Fallback model cannot be the same as the main model)[.:] /,
  /^(canUseTool callback cannot be used with permissionPromptToolName)[.:] /,
  /^(sessionStore cannot be used with persistSession: false)(?: -- |[.:] )/,
  /^(Unsupported plugin type: \w+)(?:\. |$)/,
  /^(Subprocess initialization did not complete within \d+ms)\W/,
  /^(ProcessTransport is not ready for writing)(?:: |$)/,
  /^Claude Code (?:native binary )?(not found at):? (\S+?)(?:\. |$)/,
  // The official one has either half.
  /^(?:Operation (aborted)|Claude Code process (aborted) by user|Operation (aborted): Claude Code process aborted by user)$/,
];

/** The known words in a text; the whole text when it is none of those. */
export function knownWords(text: string): string {
  for (const words of TEXTS) {
    const found = words.exec(text);
    if (found !== null)
      return found
        .slice(1)
        .filter((part) => part !== undefined)
        .join(' … ');
  }
  return text;
}

/** A value in which the texts of errors are reduced to the words that programs look for. */
export function inKnownWords(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inKnownWords);
  if (typeof value !== 'object' || value === null) return value;
  const isError = 'message' in value && 'isError' in value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      isError && name === 'message' ? knownWords(String(member)) : inKnownWords(member),
    ]),
  );
}
