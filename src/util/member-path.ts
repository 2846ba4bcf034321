/** The path of a member: `a.b`, `a[0]`, `a["b c"]`. */
export function memberPath(path: string, key: string | number): string {
  if (typeof key === 'number') return `${path}[${key}]`;
  if (/^[\w$]{1,80}$/.test(key)) return path === '' ? key : `${path}.${key}`;
  return `${path}[${JSON.stringify(key.slice(0, 80))}]`;
}

/** The keys of a JSON pointer: `['a/b', '0']` for `/a~1b/0`. */
export function pointerKeys(pointer: string): string[] {
  const segments = pointer.split('/').slice(1);
  return segments.map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
}
