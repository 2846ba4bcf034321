const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

/** Text for XML and HTML, in elements and attributes. Characters that XML 1.0 cannot hold become U+FFFD. */
export function escapeMarkup(text: string): string {
  return text
    .replaceAll(/\p{Cc}|\p{Cs}|[\ufffe\uffff]/gu, (found) =>
      '\t\n\r'.includes(found) || (found >= '\u007f' && found <= '\u009f') ? found : '\ufffd',
    )
    .replaceAll(/[&<>"]/g, (found) => ENTITIES[found] ?? found);
}
