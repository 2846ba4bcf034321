/**
 * The names that the CLI may give to what an `mcp__…` entry means. It writes `_` for every other character of a
 * server's name, and may do so in the name of the tool. A whole server ends with `__*`. Wildcards stay. None for others.
 */
export function serverToolNames(entry: string): readonly string[] {
  if (!/^mcp__./s.test(entry)) return [];
  const end = entry.indexOf('__', 'mcp__'.length + 1);
  const server = end === -1 ? entry : entry.slice(0, end);
  const tool = end === -1 || entry.slice(end) === '__' ? '__*' : entry.slice(end);
  const plain = (name: string): string => name.replace(/[^\w*?-]/g, '_');
  return [...new Set([plain(server) + tool, plain(server + tool)])];
}
