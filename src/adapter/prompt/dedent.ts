/** Removes the white space that all lines start with. Blank lines do not count, and become empty. */
export function dedent(text: string): string {
  const lines = text.split('\n');
  let common: string | undefined;
  for (const line of lines) {
    if (line.trim() === '') continue;
    const own = /^[ \t]*/.exec(line)?.[0] ?? '';
    common = common === undefined ? own : sharedStart(common, own);
  }
  const width = common?.length ?? 0;
  return lines.map((line) => (line.trim() === '' ? '' : line.slice(width))).join('\n');
}

function sharedStart(a: string, b: string): string {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return a.slice(0, length);
}
