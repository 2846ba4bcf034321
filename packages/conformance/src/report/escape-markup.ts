const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Characters that turn the direction of what follows: text of an SDK must not rearrange a page. */
const DIRECTIONS = /[\u202a-\u202e\u2066-\u2069]/g;

/** Text for XML and HTML, in elements and attributes. Characters that XML 1.0 cannot hold become U+FFFD. */
export function escapeMarkup(text: string): string {
  return text
    .replaceAll(/\p{Cc}|\p{Cs}|[\ufffe\uffff]/gu, (found) =>
      '\t\n\r'.includes(found) || (found >= '\u007f' && found <= '\u009f') ? found : '\ufffd',
    )
    .replaceAll(DIRECTIONS, '\ufffd')
    .replaceAll(/[&<>"]/g, (found) => ENTITIES[found] ?? found);
}
