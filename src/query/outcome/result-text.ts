/**
 * The usable texts of a result's `errors`: trimmed; blanks and non-strings left out; a bare string
 * counts as a list of one. Anything else, also no field at all, is an empty list.
 */
export function usableTexts(errors: unknown): string[] {
  return (Array.isArray(errors) ? errors : [errors])
    .filter((entry): entry is string => typeof entry === 'string')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

/**
 * What an error result says, as one line: its `errors`, else its `result`, else the subtype, else
 * the HTTP status, else `unknown error` (PY-325 to PY-328). No field is required or trusted.
 */
export function resultErrorText(result: Readonly<Record<string, unknown>>): string {
  const texts = usableTexts(result.errors);
  if (texts.length > 0) return texts.join('; ');
  const [text] = usableTexts(result.result);
  if (text !== undefined) return text;
  const { subtype, api_error_status: status } = result;
  if (typeof subtype === 'string' && subtype !== '' && subtype !== 'success') return subtype;
  if (typeof status === 'number') return `API error (HTTP ${status})`;
  return 'unknown error';
}
