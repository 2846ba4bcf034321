/** From the first to the last version that has the value, both included. Versions that nothing is known of do not end it. */
export type Segment<T> = readonly [first: string, last: string, value: T];
export type Timeline<T> = readonly Segment<T>[];

/** What a version has: a value, nothing, or nobody knows. */
export type Known<T> = { readonly value: T } | 'absent' | 'unknown';

/** Joins equal values of successive versions. */
export function timeline<T>(versions: readonly string[], valueAt: (version: string) => Known<T>): Timeline<T> {
  const segments: [string, string, T][] = [];
  let isOpen = false;
  for (const version of versions) {
    const known = valueAt(version);
    if (known === 'unknown') continue;
    const last = segments.at(-1);
    if (known === 'absent') isOpen = false;
    else if (isOpen && last !== undefined && JSON.stringify(last[2]) === JSON.stringify(known.value)) last[1] = version;
    else {
      segments.push([version, version, known.value]);
      isOpen = true;
    }
  }
  return segments;
}

/** The value of one version. */
export function valueAt<T>(versions: readonly string[], line: Timeline<T>, version: string): T | undefined {
  const at = versions.indexOf(version);
  return line.find(([first, last]) => versions.indexOf(first) <= at && at <= versions.indexOf(last))?.[2];
}

/** `2.0.0` to the newest: "all"; otherwise where it begins and ends. */
export function spanOf(versions: readonly string[], line: Timeline<unknown>): string {
  const [first, last] = [line[0]?.[0], line.at(-1)?.[1]];
  if (first === undefined || last === undefined) return 'never';
  if (first === versions[0]) return last === versions.at(-1) ? 'all' : `to ${last}`;
  return last === versions.at(-1) ? `from ${first}` : first === last ? `${first} only` : `${first} to ${last}`;
}
